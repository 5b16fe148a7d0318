"""A graph → a file in any of its formats: for programs the whole of it, for people a picture."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import IO

from gwc_crawler.errors import InputError
from gwc_crawler.export.graph.model import GraphStats, SiteGraph
from gwc_crawler.export.graph.picture import ROOM, Dot, Line, Picture, PicturePlan, group_pages

PICTURES = ("svg", "png", "html")
FORMATS = ("graphml", "gexf", "dot", "csv", *PICTURES)


def write_graph(
    graph: SiteGraph, stats: GraphStats, kind: str, file: IO[bytes], *, site: str, room: int = ROOM
) -> None:
    """Write a graph.

    Args:
        kind: one of `FORMATS`.
        room: how many groups a picture may show.
    Raises:
        InputError: a package is missing.
    """
    if kind in PICTURES:
        file.write(_drawn(graph, stats, kind, site, room))
        return
    from gwc_crawler.export.graph.graph_files import WRITERS

    WRITERS[kind](graph, stats, file)


def _drawn(graph: SiteGraph, stats: GraphStats, kind: str, site: str, room: int) -> bytes:
    from gwc_crawler.export.graph.picture import lay_out

    plan = group_pages(graph, room)
    picture = lay_out(plan)
    if kind == "html":
        return draw_html(graph, plan, picture, site, stats).encode("utf-8", "replace")
    svg = draw_svg(picture, site, stats)
    if kind == "svg":
        return svg.encode("utf-8", "replace")
    try:
        return draw_png(svg)
    except ImportError as error:
        raise InputError(
            "PNG needs resvg_py, which is not installed here: `pip install 'gwc-crawler[graph]'` brings it"
        ) from error


# --- A picture as SVG: circles by their pages, names beside them, colours by kind of page -----------------------------


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


# --- The picture as one HTML file: to zoom, to search, to see each page's in-links; without a network -----------------


MOST_PAGES = 50_000
"""Pages that the file lists; of a larger site those with the most PageRank."""


def draw_html(graph: SiteGraph, plan: PicturePlan, picture: Picture, site: str, stats: GraphStats) -> str:
    """Return the whole file."""
    style, script = _asset("page.css"), _asset("page.js")
    svg = draw_svg(picture, site, stats).replace(f"<style>{STYLE}</style>", "")
    policy = (
        f"default-src 'none'; style-src {_hash(style)} {_hash(STYLE)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(site)}: link graph</title><style>{style}</style><style>{STYLE}</style></head><body>"
        f'<div id="stage">{svg}</div><aside><div id="find">'
        '<input id="q" type="search" placeholder="search" title="in addresses and titles" aria-label="search">'
        '<button id="nearer" title="nearer">+</button><button id="farther" title="farther">−</button>'
        '<button id="top" title="large enough to read">1:1</button>'
        '<button id="all" title="the whole picture">all</button>'
        '</div><div id="told"></div></aside>'
        f'<script id="data" type="application/json">{_data(graph, plan, picture, site, stats)}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _data(graph: SiteGraph, plan: PicturePlan, picture: Picture, site: str, stats: GraphStats) -> str:
    """What the script reads, as JSON that no HTML parser takes for markup."""
    kinds = list(dict.fromkeys(page.kind for page in graph.pages))
    chosen = sorted(range(len(graph.pages)), key=lambda place: -stats.rank[place])[:MOST_PAGES]
    listed = {place: number for number, place in enumerate(sorted(chosen))}
    pages = []
    for place in listed:
        page, parent = graph.pages[place], graph.parent[place]
        pages.append(
            [
                *(page.url, page.title[:200], kinds.index(page.kind), graph.depth[place]),
                *(graph.in_links[place], graph.out_links[place], round(stats.rank[place], 6)),
                *(plan.group_of[place], -1 if parent is None else listed.get(parent, -1)),
            ]
        )
    told = list(stats.lines())
    if len(pages) < len(graph.pages):
        told.insert(0, ("listed", f"the {len(pages):,} pages with the most PageRank"))
    value = {
        "site": site,
        "told": told,
        "kinds": kinds,
        "groups": [[plan.groups[dot.group].name, round(dot.x, 1), round(dot.y, 1), dot.kind] for dot in picture.dots],
        "links": [[*pair, count, cut] for pair, (count, cut) in plan.links.items()],
        "pages": pages,
    }
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (files("gwc_crawler.export.graph") / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
