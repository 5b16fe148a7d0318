"""A picture as SVG: circles by their pages, names beside them, colours by kind of page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gwc_crawler.graph.picture import Dot, Line, Picture
from gwc_crawler.graph.stats import GraphStats

COLOURS = {
    "start": "#6f42c1",
    "directory": "#1f6fb2",
    "index": "#5aa7d6",
    "target": "#d9772b",
    "information": "#c9a227",
    "continuation": "#e8b27d",
    "lookalike": "#9b8f86",
    "alias": "#b39a7c",
    "missing": "#b04a4a",
    "binary": "#7d8a78",
    "": "#c4c4c4",
}
"""Kind → colour: blue leads on, orange is content; also told apart where all looks grey, by how light they are."""

STYLE = (
    "text{font-family:'DejaVu Sans','Noto Sans','Noto Sans CJK SC','Microsoft YaHei','PingFang SC',sans-serif;"
    "font-size:12px;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".t{font-size:18px;font-weight:bold}.n{fill:#777}"
    ".l{fill:none;stroke:#9fb3c4}.x{fill:none;stroke:#c9c2b8;stroke-opacity:.35}"
    "circle{stroke:#fff;stroke-width:1px}"
)


def draw_svg(picture: Picture, site: str, stats: GraphStats) -> str:
    """Return the picture as a document of its own."""
    width, height = f"{picture.width:.0f}", f"{picture.height:.0f}"
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="map" {size}>'
        f"<title>{escape(site)}: link graph</title><style>{STYLE}</style>"
        f'<rect id="back" width="100%" height="100%" fill="#fff"/>{"".join(_parts(picture, site, stats))}</svg>\n'
    )


def draw_png(svg: str) -> bytes:
    """Return the same as PNG.

    Raises:
        ImportError: resvg_py is not installed.
    """
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, background="white"))


def _parts(picture: Picture, site: str, stats: GraphStats) -> Iterator[str]:
    shown = len(picture.dots)
    told = f"{stats.pages:,} pages, {stats.links:,} links"
    told += "" if shown == stats.pages else f" in {shown} groups: a circle's area stands for its pages"
    yield f'<text class="t" x="24" y="34">{escape(site)}</text><text class="n" x="24" y="54">{told}</text>'
    yield from _legend({dot.kind for dot in picture.dots})
    by_group = {dot.group: dot for dot in picture.dots}
    for line in sorted(picture.lines, key=lambda one: not one.is_cross):
        yield _line(line, by_group[line.source], by_group[line.end])
    for dot in picture.dots:
        yield _dot(dot)


def _legend(kinds: set[str]) -> Iterator[str]:
    x = 24.0
    for kind, colour in COLOURS.items():
        if kind in kinds:
            name = kind or "not fetched"
            yield f'<circle cx="{x + 6:.0f}" cy="72" r="6" fill="{colour}"/><text x="{x + 17:.0f}" y="76">{name}</text>'
            x += 34 + 7.5 * len(name)


def _line(line: Line, source: Dot, end: Dot) -> str:
    """An S-curve from left to right; beside the tree, an arc."""
    width = min(6.0, 0.8 + 0.45 * max(line.links, 1) ** 0.35)
    if not line.is_cross:
        return _branch(source, end, width)
    middle = (source.x + end.x) / 2 if source.x != end.x else source.x - 70
    path = (
        f"M{source.x:.1f} {source.y:.1f}C{middle:.1f} {source.y:.1f} {middle:.1f} {end.y:.1f} {end.x:.1f} {end.y:.1f}"
    )
    return f'<path class="x" stroke-width="{width:.1f}" d="{path}"/>'


def _branch(source: Dot, end: Dot, width: float) -> str:
    """A line of the tree begins behind the name that it comes from."""
    left = min(source.x + source.radius + 9 + _width_of(source), end.x - 60)
    middle = (left + end.x) / 2
    path = f"M{left:.1f} {source.y:.1f}C{middle:.1f} {source.y:.1f} {middle:.1f} {end.y:.1f} {end.x:.1f} {end.y:.1f}"
    return f'<path class="l" stroke-width="{width:.1f}" d="{path}"/>'


def _width_of(dot: Dot) -> float:
    """About how wide its name is, and the number behind it: Chinese signs take twice the room."""
    shown = dot.name + (f" {dot.pages:,}" if dot.pages > 1 else "")
    return sum(12.5 if sign > "\u2e80" else 7.2 for sign in shown)


def _dot(dot: Dot) -> str:
    count = f' <tspan class="n">{dot.pages:,}</tspan>' if dot.pages > 1 else ""
    links = f"links: {dot.in_links:,} in, {dot.out_links:,} out"
    about = f"{dot.name}\n{dot.kind or 'not fetched'}: {dot.pages:,} pages, {links}"
    colour = COLOURS.get(dot.kind, COLOURS[""])
    return (
        f'<g class="g" id="g{dot.group}"><title>{escape(about)}</title>'
        f'<circle cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="{dot.radius:.1f}" fill="{colour}"/>'
        f'<text x="{dot.x + dot.radius + 5:.1f}" y="{dot.y + 4:.1f}">{escape(dot.name)}{count}</text></g>'
    )
