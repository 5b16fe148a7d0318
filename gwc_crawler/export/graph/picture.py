"""Groups → places in a picture: the classification tree from left to right, a row for each leaf, so no names overlap.

A dendrogram: a group without children has a row of its own, one with children stands beside the middle of theirs.
A layout by forces would show less: through their menus, the pages of a site link to each other all alike.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from gwc_crawler.export.graph.model import LEADING, SiteGraph
from gwc_crawler.urls import query_parts

# --- Pages → as many groups as a picture has room for -----------------------------------------------------------------


ROOM = 64
"""Groups in a picture: each has a row of its own, so that no two names overlap."""

LEAST_SHARE = 1 / 400
"""A part of a group is a group of its own when it has this share of all pages; of index pages, half of it is enough."""

LEAST_PAGES = 3
"""And no content page stands alone where there is no room for all."""

MOST_LEVELS = 10
"""Columns of a picture: what a chain of pages (a pager, a diary) leads to further behind stands in the last."""

_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class PageGroup:
    """Pages that the picture shows as one.

    Attributes:
        name: what it stands for: a page's path, or a pattern such as `/css/*`.
        kind: that of most of its pages.
        places: its pages.
        parent: the group above it in the classification, None for the first.
        depth: mean clicks from a start.
    """

    name: str
    kind: str
    places: list[int]
    parent: int | None = None
    depth: float = 0.0
    children: list[int] = field(default_factory=list)


@dataclass(slots=True)
class PicturePlan:
    """The groups, the first of them that of the starts; of each page its group; links between groups → how many, and
    how many of them are pruned."""

    groups: list[PageGroup]
    group_of: list[int]
    links: dict[tuple[int, int], tuple[int, int]]


def group_pages(graph: SiteGraph, room: int = ROOM) -> PicturePlan:
    """Put the pages of a graph into at most *room* groups (more only where there are more classes)."""
    paths = [_segments(page.url) for page in graph.pages]
    groups: list[PageGroup] = []
    for name, kind, places in _split_all(graph, paths, room):
        groups.append(PageGroup(name, kind, places))
    first = graph.starts[0] if graph.pages else -1
    groups.sort(key=lambda one: (first not in one.places, _mean_depth(graph, one), -len(one.places), one.name))
    group_of = [0] * len(graph.pages)
    for number, group in enumerate(groups):
        group.depth = _mean_depth(graph, group)
        for place in group.places:
            group_of[place] = number
    plan = PicturePlan(groups, group_of, _links_between(graph, group_of))
    _hang_up(graph, plan)
    return plan


def _split_all(graph: SiteGraph, paths: Sequence[tuple[str, ...]], room: int) -> Iterator[tuple[str, str, list[int]]]:
    """Split the largest part that can be split until the room is used up."""
    parts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, page in enumerate(graph.pages):
        parts["start" if page.is_start else page.kind, "" if page.is_start else page.name].append(place)
    waiting = [(-len(places), key, 0, places) for key, places in parts.items()]
    done: list[tuple[tuple[str, str], list[int]]] = []
    heapq.heapify(waiting)
    while waiting:
        _, key, level, places = heapq.heappop(waiting)
        free = room - len(done) - len(waiting) - 1
        split = (
            _split(paths, places, level, _least(key[0], len(graph.pages), room), free, together=len(paths) > room)
            if len(places) > 1 and free > 0
            else None
        )
        if split is None:
            done.append((key, places))
            continue
        for number, part in enumerate(split):
            heapq.heappush(waiting, (-len(part), (key[0], f"{key[1]}\0{number}\0{level}"), level + 1, part))
    for (kind, _), places in done:
        yield _name(paths, places), kind, places


def _least(kind: str, pages: int, room: int) -> int:
    if pages <= room:
        return 1
    if kind in LEADING:
        return max(1, round(pages * LEAST_SHARE / 2))
    return max(LEAST_PAGES, round(pages * LEAST_SHARE))


def _split(
    paths: Sequence[tuple[str, ...]], places: list[int], level: int, least: int, free: int, *, together: bool
) -> list[list[int]] | None:
    """Split by the segment at *level*; what is too small stays together. None: nothing more to split.

    Args:
        together: pages that only a number tells apart, those of a pager, are one part.
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
    """Put the parts together that have one page each and a number for a name."""
    numbers = [name for name, places in by.items() if len(places) == 1 and _NUMBER.fullmatch(name)]
    if len(numbers) > 1:
        by["#"] = [by.pop(name)[0] for name in numbers]


def _segments(url: str) -> tuple[str, ...]:
    """The path, a segment each; numbers in directories stay, the keys of a query end it.

    >>> _segments("http://a.example/css/prop?x=1&y=2")
    ('a.example', 'css', 'prop', '?x&y')
    """
    parts = urlsplit(url)
    keys = "&".join(sorted(one.partition("=")[0] for one in query_parts(parts.query))) if parts.query else ""
    path = [_shown(unquote(one)) for one in parts.path.split("/")[1:]]
    return (parts.netloc, *path, *([f"?{keys}"] if keys else []))


def _shown(text: str) -> str:
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _name(paths: Sequence[tuple[str, ...]], places: list[int]) -> str:
    """What all have in common, and a star for what differs.

    >>> _name([("a.example", "css", "x.asp"), ("a.example", "css", "y.asp")], [0, 1])
    '/css/*.asp'
    """
    first = paths[places[0]]
    if len(places) == 1:
        return _joined(first)
    common = 0
    while all(len(paths[one]) > common and paths[one][common] == first[common] for one in places[1:]) and common < len(
        first
    ):
        common += 1
    endings = {paths[one][-1].rpartition(".")[2] if "." in paths[one][-1] else "" for one in places}
    ending = f".{endings.pop()}" if len(endings) == 1 and "" not in endings else ""
    if common == 0:
        return "*"
    return _joined((*first[:common], f"*{ending}"))


def _joined(segments: tuple[str, ...]) -> str:
    return ("/" + "/".join(segments[1:])).replace("/?", "?") if len(segments) > 1 else segments[0] + "/*"


def _mean_depth(graph: SiteGraph, group: PageGroup) -> float:
    reached = [graph.depth[place] for place in group.places if graph.depth[place] >= 0]
    return sum(reached) / len(reached) if reached else 99.0


def _links_between(graph: SiteGraph, group_of: Sequence[int]) -> dict[tuple[int, int], tuple[int, int]]:
    links: dict[tuple[int, int], tuple[int, int]] = {}
    for source, end, pruned in graph.links:
        pair = group_of[source], group_of[end]
        count, cut = links.get(pair, (0, 0))
        links[pair] = count + 1, cut + pruned
    return links


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
"""Room for title and legend."""

NAME_CHARACTERS = 38
CROSS_LINKS = 60
"""Links beside the tree that the picture shows: those of the most pages."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A group in the picture; its circle's area stands for its number of pages."""

    group: int
    x: float
    y: float
    radius: float
    name: str
    kind: str
    pages: int
    in_links: int
    out_links: int
    depth: float


@dataclass(frozen=True, slots=True)
class Line:
    """A connection between two dots: of the tree, or (`is_cross`) beside it, with how many links it stands for."""

    source: int
    end: int
    links: int
    pruned: int
    is_cross: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, in units of a pixel."""

    width: float
    height: float
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]


def lay_out(plan: PicturePlan) -> Picture:
    """Give each group its place."""
    most = max((len(group.places) for group in plan.groups), default=1)
    radius = [_radius(len(group.places), most) for group in plan.groups]
    places: dict[int, tuple[float, float]] = {}
    bottom = _place(plan, radius, places)
    into = [0] * len(plan.groups)
    out = [0] * len(plan.groups)
    for (source, end), (count, _) in plan.links.items():
        out[source] += count
        into[end] += count
    dots = tuple(
        Dot(
            number,
            *places[number],
            radius[number],
            shortened(group.name),
            group.kind,
            len(group.places),
            into[number],
            out[number],
            group.depth,
        )
        for number, group in enumerate(plan.groups)
    )
    right = max((dot.x for dot in dots), default=0.0) + COLUMN
    return Picture(max(right, 2 * COLUMN + MARGIN), bottom + MARGIN, dots, tuple(_lines(plan)))


def _place(plan: PicturePlan, radius: list[float], places: dict[int, tuple[float, float]]) -> float:
    """Place each group beside the middle of its children, which share its strip of rows; return where all ends."""
    heights = [max(LEAST_ROW, 2 * one + 6) for one in radius]
    for number in reversed(range(len(plan.groups))):  # a child stands behind its parent in the list
        rows = [heights[child] for child in plan.groups[number].children]
        heights[number] = max(heights[number], sum(rows))
    level, top = {0: 0}, {0: HEAD}
    for number, group in enumerate(plan.groups):
        places[number] = MARGIN + level[number] * COLUMN, top[number] + heights[number] / 2
        start = top[number] + (heights[number] - sum(heights[child] for child in group.children)) / 2
        for child in group.children:
            level[child], top[child] = level[number] + 1, start
            start += heights[child]
    return HEAD + (heights[0] if heights else 0.0)


def _radius(pages: int, most: int) -> float:
    """By area; a lone page has the least."""
    share = math.sqrt((pages - 1) / (most - 1)) if most > 1 else 0.0
    return LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * share


def _lines(plan: PicturePlan) -> Iterator[Line]:
    tree = set()
    for number, group in enumerate(plan.groups):
        if group.parent is not None:
            tree.add((group.parent, number))
            yield Line(group.parent, number, *plan.links.get((group.parent, number), (0, 0)))
    beside = [
        (count - cut, pair, count, cut)
        for pair, (count, cut) in plan.links.items()
        if pair not in tree and pair[0] != pair[1] and count > cut and pair[1] != 0
    ]
    for _, pair, count, cut in sorted(beside, reverse=True)[:CROSS_LINKS]:
        yield Line(*pair, count, cut, is_cross=True)


def shortened(name: str) -> str:
    """Cut the middle out of a long name: its ends tell most.

    >>> shortened("/a" * 30)
    '/a/a/a/a/a/a/a/a/a…/a/a/a/a/a/a/a/a/a'
    """
    if len(name) <= NAME_CHARACTERS:
        return name
    half = NAME_CHARACTERS // 2
    return f"{name[: half - 1]}…{name[-(half - 1) :]}"
