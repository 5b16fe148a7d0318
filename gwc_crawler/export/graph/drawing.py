"""A graph → a file in any of its formats: all of it for programs, a picture for people."""

from __future__ import annotations

import base64
import csv
import hashlib
import heapq
import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from itertools import takewhile
from typing import IO, Any
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import quoteattr

from gwc_crawler.errors import InputError
from gwc_crawler.export.graph.model import LEADING, GraphStats, SiteGraph
from gwc_crawler.urls import query_parts

# --- The graph as a picture -------------------------------------------------------------------------------------------
# A dendrogram from left to right: a group without children has a row of its own, so no names overlap, one with children
# stands beside the middle of theirs. A layout by forces would show less: through their menus, the pages of a site link
# to each other all alike.


# --- Pages → as many groups as a picture has room for -----------------------------------------------------------------


ROOM = 64
"""Groups in a picture: each has a row of its own, so that no two names overlap."""

LEAST_SHARE = 1 / 400
"""A part of a group is a group of its own when it has this share of all pages; of index pages, half of it is enough."""

LEAST_PAGES = 3
"""Minimum pages of a group; without room for all, no content page stands alone."""

MOST_LEVELS = 10
"""Columns of a picture: pages at the far end of a longer chain (a pager, a diary) stand in the last one."""

_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class PageGroup:
    """Pages that the picture shows as one circle, whose area stands for their number.

    Attributes:
        name: a page's path, or a pattern such as `/css/*`.
        kind: the most common kind of its pages.
        parent: the group above it in the classification, None for the first.
        depth: mean clicks from a start.
        x, y, radius: its circle, in pixels (`lay_out`).
    """

    name: str
    kind: str
    places: list[int]
    parent: int | None = None
    depth: float = 0.0
    children: list[int] = field(default_factory=list)
    in_links: int = 0
    out_links: int = 0
    x: float = 0.0
    y: float = 0.0
    radius: float = 0.0


@dataclass(slots=True)
class PicturePlan:
    """The groups, the first of them that of the starts; the group of each page; links between groups → how many, and
    how many of them are pruned."""

    groups: list[PageGroup]
    group_of: list[int]
    links: dict[tuple[int, int], tuple[int, int]]


def group_pages(graph: SiteGraph, room: int = ROOM) -> PicturePlan:
    """Put the pages of a graph into at most *room* groups (more only if there are more classes)."""
    paths = [_segments(page.url) for page in graph.pages]
    groups = [PageGroup(*one) for one in _split_all(graph, paths, room)]
    for group in groups:
        reached = [graph.depth[place] for place in group.places if graph.depth[place] >= 0]
        group.depth = sum(reached) / len(reached) if reached else 99.0
    first = graph.starts[0] if graph.pages else -1
    groups.sort(key=lambda one: (first not in one.places, one.depth, -len(one.places), one.name))
    group_of = [0] * len(graph.pages)
    for number, group in enumerate(groups):
        for place in group.places:
            group_of[place] = number
    links: dict[tuple[int, int], tuple[int, int]] = {}
    for source, end, pruned in graph.links:
        pair = group_of[source], group_of[end]
        groups[pair[0]].out_links += 1
        groups[pair[1]].in_links += 1
        count, cut = links.get(pair, (0, 0))
        links[pair] = count + 1, cut + pruned
    plan = PicturePlan(groups, group_of, links)
    _hang_up(graph, plan)
    return plan


def _split_all(graph: SiteGraph, paths: Sequence[tuple[str, ...]], room: int) -> Iterator[tuple[str, str, list[int]]]:
    """Split the largest part that can be split until the room is used up."""
    parts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, page in enumerate(graph.pages):
        parts["start" if page.is_start else page.kind, "" if page.is_start else page.name].append(place)
    waiting = [(-len(places), key, 0, places) for key, places in parts.items()]
    heapq.heapify(waiting)
    done: list[tuple[str, list[int]]] = []
    together, share = len(paths) > room, len(paths) * LEAST_SHARE
    least = {kind: max(1, round(share / 2)) if kind in LEADING else max(LEAST_PAGES, round(share)) for kind, _ in parts}
    while waiting:
        _, key, level, places = heapq.heappop(waiting)
        free = room - len(done) - len(waiting) - 1
        split = None
        if len(places) > 1 and free > 0:
            split = _split(paths, places, level, least[key[0]] if together else 1, free, together=together)
        if split is None:
            done.append((key[0], places))
        for number, part in enumerate(split or ()):
            heapq.heappush(waiting, (-len(part), (key[0], f"{key[1]}\0{number}\0{level}"), level + 1, part))
    return ((_name(paths, places), kind, places) for kind, places in done)


def _split(
    paths: Sequence[tuple[str, ...]], places: list[int], level: int, least: int, free: int, *, together: bool
) -> list[list[int]] | None:
    """Split by the segment at *level*; small groups stay together. None: there is nothing more to split.

    Args:
        together: pages that differ only by a number, like those of a pager, stay in one group.
    """
    while True:
        by: dict[str, list[int]] = defaultdict(list)
        for place in places:
            by[paths[place][level] if level < len(paths[place]) else ""].append(place)
        if together:
            _join_numbers(by)
        if len(by) > 1 or level > max(len(paths[place]) for place in places):
            break
        level += 1
    if len(by) < 2:
        return None
    ordered = sorted(by.values(), key=len, reverse=True)
    large = [one for one in ordered if len(one) >= least][: free + (len(ordered) <= free + 1)]
    rest = [place for one in ordered[len(large) :] for place in one]
    if not large or (len(large) == 1 and not rest):
        return None
    return [*large, rest] if rest else large


def _join_numbers(by: dict[str, list[int]]) -> None:
    numbers = [name for name, places in by.items() if len(places) == 1 and _NUMBER.fullmatch(name)]
    if len(numbers) > 1:
        by["#"] = [by.pop(name)[0] for name in numbers]


def _segments(url: str) -> tuple[str, ...]:
    """Return the path, a segment each; numbers in directories stay, the keys of a query end it.

    >>> _segments("http://a.example/css/prop?x=1&y=2")
    ('a.example', 'css', 'prop', '?x&y')
    """
    parts = urlsplit(url)
    keys = "&".join(sorted(one.partition("=")[0] for one in query_parts(parts.query))) if parts.query else ""
    path = [_shown(unquote(one)) for one in parts.path.split("/")[1:]]
    return (parts.netloc, *path, *([f"?{keys}"] if keys else []))


def _shown(text: str) -> str:
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _name(paths: Sequence[tuple[str, ...]], places: list[int]) -> str:
    """Return the common part of all paths, with a star for the rest.

    >>> _name([("a.example", "css", "x.asp"), ("a.example", "css", "y.asp")], [0, 1])
    '/css/*.asp'
    """
    meant = [paths[one] for one in places]
    if len(meant) == 1:
        return _joined(meant[0])
    common = list(takewhile(lambda column: len(set(column)) == 1, zip(*meant, strict=False)))
    endings = {path[-1].rpartition(".")[2] if "." in path[-1] else "" for path in meant}
    ending = f".{endings.pop()}" if len(endings) == 1 and "" not in endings else ""
    return _joined((*(column[0] for column in common), f"*{ending}")) if common else "*"


def _joined(segments: tuple[str, ...]) -> str:
    return ("/" + "/".join(segments[1:])).replace("/?", "?") if len(segments) > 1 else segments[0] + "/*"


def _hang_up(graph: SiteGraph, plan: PicturePlan) -> None:
    """Give each group the one above it from which most of its pages are reached in the classification tree.

    Groups stand in the order of their depth, and a parent before its children, so no circle can come about.
    """
    level = [0] * len(plan.groups)
    for number, group in enumerate(plan.groups[1:], 1):
        votes = Counter(plan.group_of[parent] for place in group.places if (parent := graph.parent[place]) is not None)
        above = [(votes[one], -one) for one in votes if one < number]
        parent = -max(above)[1] if above else 0
        while level[parent] + 1 >= MOST_LEVELS and (higher := plan.groups[parent].parent) is not None:
            parent = higher
        group.parent, level[number] = parent, level[parent] + 1
        plan.groups[group.parent].children.append(number)


COLUMN = 330.0
LEAST_ROW = 22.0
LEAST_RADIUS, MOST_RADIUS = 4.0, 26.0
MARGIN = 40.0
HEAD = 92.0

NAME_CHARACTERS = 38
CROSS_LINKS = 60
"""Links beside the tree that the picture shows: those of the most pages."""


@dataclass(frozen=True, slots=True)
class Line:
    """A connection between two groups: of the tree, or (`is_cross`) beside it, with how many links it stands for."""

    source: PageGroup
    end: PageGroup
    links: int
    is_cross: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing, in pixels."""

    width: float
    height: float
    groups: list[PageGroup]
    lines: tuple[Line, ...]


def lay_out(plan: PicturePlan) -> Picture:
    """Give each group its place."""
    most = max((len(group.places) for group in plan.groups), default=1)
    span = (MOST_RADIUS - LEAST_RADIUS) / math.sqrt(max(1, most - 1))  # areas stand for pages
    for group in plan.groups:
        group.radius = LEAST_RADIUS + span * math.sqrt(len(group.places) - 1)
    bottom = _place(plan.groups)
    right = max((group.x for group in plan.groups), default=0.0) + COLUMN
    return Picture(max(right, 2 * COLUMN + MARGIN), bottom + MARGIN, plan.groups, tuple(_lines(plan)))


def _place(groups: Sequence[PageGroup]) -> float:
    """Place each group beside the middle of its children, which share its strip of rows; return where all ends."""
    heights = [max(LEAST_ROW, 2 * group.radius + 6) for group in groups]
    for number in reversed(range(len(groups))):  # a child stands behind its parent in the list
        heights[number] = max(heights[number], sum(heights[child] for child in groups[number].children))
    top, left = {0: HEAD}, {0: MARGIN}
    for number, group in enumerate(groups):
        group.x, group.y = left[number], top[number] + heights[number] / 2
        start = top[number] + (heights[number] - sum(heights[child] for child in group.children)) / 2
        for child in group.children:
            left[child], top[child] = group.x + COLUMN, start
            start += heights[child]
    return HEAD + (heights[0] if heights else 0.0)


def _lines(plan: PicturePlan) -> Iterator[Line]:
    groups, tree = plan.groups, set()
    for number, group in enumerate(groups):
        if group.parent is not None:
            tree.add((group.parent, number))
            yield Line(groups[group.parent], group, plan.links.get((group.parent, number), (0, 0))[0])
    beside = [
        (count - cut, pair, count)
        for pair, (count, cut) in plan.links.items()
        if pair not in tree and pair[0] != pair[1] and count > cut and pair[1] != 0
    ]
    for _, (source, end), count in sorted(beside, reverse=True)[:CROSS_LINKS]:
        yield Line(groups[source], groups[end], count, is_cross=True)


def shortened(name: str) -> str:
    """Cut the middle out of a long name: its ends tell most.

    >>> shortened("/a" * 30)
    '/a/a/a/a/a/a/a/a/a…/a/a/a/a/a/a/a/a/a'
    """
    if len(name) <= NAME_CHARACTERS:
        return name
    half = NAME_CHARACTERS // 2
    return f"{name[: half - 1]}…{name[-(half - 1) :]}"


FORMATS = ("graphml", "gexf", "dot", "csv", "svg", "png", "html")


def write_graph(
    graph: SiteGraph, stats: GraphStats, kind: str, file: IO[bytes], *, site: str, room: int = ROOM
) -> None:
    """Write a graph in one of `FORMATS`; a picture shows *room* groups. Raises InputError: a package is missing."""
    if kind == "csv":
        rows = ((graph.pages[source].url, graph.pages[end].url, int(pruned)) for source, end, pruned in graph.links)
        _write_csv(file, ("source", "target", "pruned"), rows)
        return
    if kind in WRITERS:
        for line in WRITERS[kind](graph, stats):
            file.write(f"{line}\n".encode("utf-8", "replace"))
        return
    plan = group_pages(graph, room)
    picture = lay_out(plan)
    text = _draw_html(graph, plan, picture, site, stats) if kind == "html" else draw_svg(picture, site, stats)
    if kind != "png":
        file.write(text.encode("utf-8", "replace"))
        return
    try:
        import resvg_py
    except ImportError as error:
        helps = "which is not installed here: `pip install 'gwc-crawler[graph]'` brings it"
        raise InputError(f"PNG needs resvg_py, {helps}") from error
    file.write(bytes(resvg_py.svg_to_bytes(svg_string=text, background="white")))


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


def _parts(picture: Picture, site: str, stats: GraphStats) -> Iterator[str]:
    shown = len(picture.groups)
    told = f"{stats.pages:,} pages, {stats.links:,} links"
    told += "" if shown == stats.pages else f" in {shown} groups: a circle's area stands for its pages"
    yield f'<text class="t" x="24" y="34">{escape(site)}</text><text class="n" x="24" y="54">{told}</text>'
    yield from _legend({group.kind for group in picture.groups})
    for line in sorted(picture.lines, key=lambda one: not one.is_cross):
        yield _line(line)
    for number, group in enumerate(picture.groups):
        yield _dot(number, group)


def _legend(kinds: set[str]) -> Iterator[str]:
    x = 24.0
    for kind, colour in COLOURS.items():
        if kind in kinds:
            name = kind or "not fetched"
            yield f'<circle cx="{x + 6:.0f}" cy="72" r="6" fill="{colour}"/><text x="{x + 17:.0f}" y="76">{name}</text>'
            x += 34 + 7.5 * len(name)


def _line(line: Line) -> str:
    """Return an S-curve from left to right, which begins behind the name of its source; beside the tree, an arc."""
    source, end = line.source, line.end
    left, kind = source.x, "x" if line.is_cross else "l"
    if not line.is_cross:
        left = min(source.x + source.radius + 9 + _width_of(source), end.x - 60)
    middle = left - 70 if line.is_cross and left == end.x else (left + end.x) / 2
    path = f"M{left:.1f} {source.y:.1f}C{middle:.1f} {source.y:.1f} {middle:.1f} {end.y:.1f} {end.x:.1f} {end.y:.1f}"
    width = min(6.0, 0.8 + 0.45 * max(line.links, 1) ** 0.35)
    return f'<path class="{kind}" stroke-width="{width:.1f}" d="{path}"/>'


def _width_of(group: PageGroup) -> float:
    """About how wide its name is, and the number behind it: Chinese signs take twice the room."""
    shown = shortened(group.name) + (f" {len(group.places):,}" if len(group.places) > 1 else "")
    return sum(12.5 if sign > "\u2e80" else 7.2 for sign in shown)


def _dot(number: int, group: PageGroup) -> str:
    name, pages = shortened(group.name), len(group.places)
    count = f' <tspan class="n">{pages:,}</tspan>' if pages > 1 else ""
    links = f"links: {group.in_links:,} in, {group.out_links:,} out"
    about = f"{name}\n{group.kind or 'not fetched'}: {pages:,} pages, {links}"
    colour = COLOURS.get(group.kind, COLOURS[""])
    return (
        f'<g class="g" id="g{number}"><title>{escape(about)}</title>'
        f'<circle cx="{group.x:.1f}" cy="{group.y:.1f}" r="{group.radius:.1f}" fill="{colour}"/>'
        f'<text x="{group.x + group.radius + 5:.1f}" y="{group.y + 4:.1f}">{escape(name)}{count}</text></g>'
    )


# --- The picture as one HTML file: to zoom, to search, to see each page's in-links; without a network -----------------


MOST_PAGES = 50_000
"""Pages that the file lists; of a larger site those with the most PageRank."""


def _draw_html(graph: SiteGraph, plan: PicturePlan, picture: Picture, site: str, stats: GraphStats) -> str:
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
        f'<script id="data" type="application/json">{_data(graph, plan, site, stats)}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _data(graph: SiteGraph, plan: PicturePlan, site: str, stats: GraphStats) -> str:
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
        "groups": [[one.name, round(one.x, 1), round(one.y, 1), one.kind] for one in plan.groups],
        "links": [[*pair, count, cut] for pair, (count, cut) in plan.links.items()],
        "pages": pages,
    }
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (files("gwc_crawler.export.graph") / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# --- The graph as a file of another program ---------------------------------------------------------------------------


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

FIELDS: dict[str, str] = {
    **dict.fromkeys(("url", "title", "kind", "state", "class"), "string"),
    **dict.fromkeys(("depth", "in_links", "out_links"), "int"),
    "pagerank": "double",
    "outside_tree": "boolean",
}
"""The columns of each page, with their types in GraphML; GEXF has other names for these."""


def page_values(graph: SiteGraph, stats: GraphStats, place: int) -> dict[str, str]:
    """Return the values of a page as texts, in the order of `FIELDS`."""
    page = graph.pages[place]
    texts = (page.url, page.title, page.kind, page.state, page.name)
    numbers = (graph.depth[place], graph.in_links[place], graph.out_links[place], round(stats.rank[place], 9))
    values = (*texts, *numbers, place in graph.by_pruned)
    return {name: _text(value) for name, value in zip(FIELDS, values, strict=True)}


def graphml(graph: SiteGraph, stats: GraphStats) -> Iterator[str]:
    """Yield the lines of GraphML 1.0: pages with all their columns, links with `pruned`."""
    yield from (_HEAD, '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    for what, name, kind in [*(("node", name, kind) for name, kind in FIELDS.items()), ("edge", "pruned", "boolean")]:
        yield f'<key id="{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>'
    yield '<graph edgedefault="directed">'
    for place in range(len(graph.pages)):
        values = page_values(graph, stats, place).items()
        data = "".join(f'<data key="{name}">{escape(value, quote=False)}</data>' for name, value in values)
        yield f'<node id="n{place}">{data}</node>'
    for source, end, pruned in graph.links:
        yield f'<edge source="n{source}" target="n{end}"><data key="pruned">{_text(pruned)}</data></edge>'
    yield "</graph></graphml>"


def gexf(graph: SiteGraph, stats: GraphStats) -> Iterator[str]:
    """Yield the lines of GEXF 1.3, as Gephi reads it; a page's label is its title, or its URL."""
    types = {name: "integer" if kind == "int" else kind for name, kind in FIELDS.items()}
    known = "".join(f'<attribute id="{name}" title="{name}" type="{kind}"/>' for name, kind in types.items())
    yield _HEAD
    yield '<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="directed">'
    yield f'<attributes class="node">{known}</attributes>'
    yield '<attributes class="edge"><attribute id="pruned" title="pruned" type="boolean"/></attributes><nodes>'
    for place, page in enumerate(graph.pages):
        told = page_values(graph, stats, place).items()
        values = "".join(f'<attvalue for="{name}" value={quoteattr(value)}/>' for name, value in told)
        label = quoteattr(_text(page.title or page.url))
        yield f'<node id="{place}" label={label}><attvalues>{values}</attvalues></node>'
    yield "</nodes><edges>"
    for number, (source, end, pruned) in enumerate(graph.links):
        value = f'<attvalue for="pruned" value="{_text(pruned)}"/>'
        yield f'<edge id="{number}" source="{source}" target="{end}"><attvalues>{value}</attvalues></edge>'
    yield "</edges></graph></gexf>"


def dot(graph: SiteGraph, stats: GraphStats) -> Iterator[str]:
    """Yield the lines of DOT, for Graphviz: pruned links are dashed."""
    yield "digraph site {\n  node [shape=box];"
    for place, page in enumerate(graph.pages):
        values = page_values(graph, stats, place)
        told = " ".join(f"{name}={_quoted(values[name])}" for name in ("kind", "depth", "in_links", "pagerank"))
        yield f"  n{place} [label={_quoted(page.title or page.url)} URL={_quoted(page.url)} {told}];"
    for source, end, pruned in graph.links:
        yield f"  n{source} -> n{end}{' [style=dashed]' if pruned else ''};"
    yield "}"


def write_pages_csv(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """Write a line for each page, with all its columns."""
    _write_csv(file, FIELDS, (page_values(graph, stats, place).values() for place in range(len(graph.pages))))


def _write_csv(file: IO[bytes], head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(rows)
    text.detach()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _NOT_XML.sub("\ufffd", value) if isinstance(value, str) else str(value)


def _quoted(value: str) -> str:
    return '"' + _text(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ") + '"'


WRITERS = {"graphml": graphml, "gexf": gexf, "dot": dot}
