"""Groups → places in a picture: the classification tree from left to right, a row for each leaf, so no names overlap.

A dendrogram: a group without children has a row of its own, one with children stands beside the middle of theirs.
A layout by forces would show less: through their menus, the pages of a site link to each other all alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gwc_crawler.graph.groups import PicturePlan

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
