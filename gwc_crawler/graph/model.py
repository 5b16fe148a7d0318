"""A site's link graph: pages, links between them, how far each is from the starts, and by which page one gets there.

T-Spider's site topology: every page keeps all its in-links; links that leave information pages are pruned from the
site's own classification, and marked here. `build_graph` makes it of what the store has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

CONTENT = frozenset({"target", "information", "continuation"})
"""Kinds of pages that the site's classification leads down to."""

LEADING = frozenset({"directory", "index"})
"""Kinds of pages that lead down to them."""

UNREACHED = -1
"""The depth of a page that no chain of links leads to from a start."""


@dataclass(frozen=True, slots=True)
class GraphPage:
    """One page (or, with `kind` "", one URL that was not fetched). `name` is its class of URLs, "" for none."""

    url: str
    kind: str = ""
    title: str = ""
    state: str = ""
    is_start: bool = False
    name: str = ""


@dataclass(slots=True)
class SiteGraph:
    """Pages by place, from 0, and links between places.

    Attributes:
        links: (page, end, pruned), each pair once.
        in_links: of each page, from how many other pages links lead to it, pruned ones among them.
        out_links: of each page, to how many others it links.
        depth: clicks from a start, `UNREACHED` where no links lead there.
        parent: the page in the classification tree above each; None for starts and what is not reached.
        by_pruned: pages that are reached by pruned links alone: the site's own order has no place for them.
        left_out: links to URLs that are no pages of the graph.
    """

    pages: Sequence[GraphPage]
    links: Sequence[tuple[int, int, bool]]
    in_links: list[int] = field(default_factory=list)
    out_links: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    parent: list[int | None] = field(default_factory=list)
    by_pruned: frozenset[int] = frozenset()
    left_out: int = 0

    @property
    def starts(self) -> list[int]:
        """The places of the pages where the crawl began; of the first page where none is known."""
        return [place for place, page in enumerate(self.pages) if page.is_start] or [0][: len(self.pages)]


def build_graph(
    pages: Sequence[GraphPage],
    numbers: Sequence[int],
    links: Iterable[tuple[int, int, int]],
    redirects: dict[int, int] | None = None,
) -> SiteGraph:
    """Put a graph together.

    Args:
        numbers: the store's number of each page.
        links: by those numbers, with whether they are pruned.
        redirects: number of a URL → of the page that it led to; a link to it is one to the page.
    Cost: linear in pages and links; 100 bytes a link.
    """
    place = {number: index for index, number in enumerate(numbers)}
    for number, target in (redirects or {}).items():
        if target in place:
            place.setdefault(number, place[target])
    merged: dict[tuple[int, int], bool] = {}
    left_out = 0
    for source, end, pruned in links:
        pair = (place.get(source, -1), place.get(end, -1))
        if min(pair) < 0:
            left_out += 1
        elif pair[0] != pair[1]:
            merged[pair] = merged.get(pair, True) and bool(pruned)
    graph = SiteGraph(pages, [(*pair, pruned) for pair, pruned in merged.items()], left_out=left_out)
    _count(graph)
    _measure_depth(graph)
    return graph


def _count(graph: SiteGraph) -> None:
    graph.in_links = [0] * len(graph.pages)
    graph.out_links = [0] * len(graph.pages)
    for source, end, _ in graph.links:
        graph.out_links[source] += 1
        graph.in_links[end] += 1


def _measure_depth(graph: SiteGraph) -> None:
    """Set depth by all links, and parents by the links that count: first those of index pages, then the pruned."""
    every: list[list[int]] = [[] for _ in graph.pages]
    kept: list[list[int]] = [[] for _ in graph.pages]
    for source, end, pruned in graph.links:
        every[source].append(end)
        if not pruned:
            kept[source].append(end)
    graph.depth, by_all = _walk(every.__getitem__, graph.starts, len(graph.pages))
    order, graph.parent = _walk(kept.__getitem__, graph.starts, len(graph.pages))
    beyond = [place for place, depth in enumerate(order) if depth == UNREACHED and graph.depth[place] != UNREACHED]
    for place in beyond:
        graph.parent[place] = by_all[place]
    graph.by_pruned = frozenset(beyond)


def _walk(ends_of: Callable[[int], list[int]], starts: Sequence[int], count: int) -> tuple[list[int], list[int | None]]:
    """Walk breadth first; return depth and predecessor of each page."""
    depth, before = [UNREACHED] * count, [None] * count if count else []
    parent: list[int | None] = list(before)
    waiting = deque(starts)
    for place in starts:
        depth[place] = 0
    while waiting:
        place = waiting.popleft()
        for end in ends_of(place):
            if depth[end] == UNREACHED:
                depth[end] = depth[place] + 1
                parent[end] = place
                waiting.append(end)
    return depth, parent
