"""What a link graph says of its site, in numbers: depth, orphans, hubs, PageRank, how far its directories reach."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from gwc_crawler.errors import InputError
from gwc_crawler.graph.model import CONTENT, LEADING, UNREACHED, SiteGraph

DAMPING = 0.85
"""The share of readers who follow a link, in PageRank (Brin & Page 1998, §2.1)."""

SHOWN = 10
"""Hubs and orphans that are named."""


@dataclass(frozen=True, slots=True)
class ClassReach:
    """How far the index pages of one class lead.

    Attributes:
        pages: how many there are.
        leads_to: content pages that at least one of them links to.
        alone: those of them that pages of no other class link to: without this class they would not be found.
    """

    name: str
    pages: int
    leads_to: int
    alone: int


@dataclass(frozen=True, slots=True)
class GraphStats:
    """One graph in numbers. Pages are named by their URLs; `depths` has the pages at each depth, -1: not reached.

    `orphans`: pages that no other page links to, the starts aside. `hubs`: index pages with the most links.
    `rank`: PageRank of each page, by place; they add up to 1.
    """

    pages: int
    links: int
    pruned: int
    left_out: int
    kinds: dict[str, int]
    depths: dict[int, int]
    in_links_median: float
    in_links_most: int
    orphans: int
    orphans_first: tuple[str, ...]
    outside_tree: int
    hubs: tuple[tuple[str, int], ...]
    most_linked: tuple[tuple[str, int], ...]
    top_rank: tuple[tuple[str, float], ...]
    reach: tuple[ClassReach, ...]
    rank: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy graph --json`."""
        told = asdict(self)
        del told["rank"]
        return told

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (label, text) lines for a terminal."""
        kinds = ", ".join(f"{count:,} {kind or 'not fetched'}" for kind, count in self.kinds.items())
        yield "pages", f"{self.pages:,}: {kinds}"
        yield "links", f"{self.links:,}, {self.pruned:,} of them leave content pages (pruned)"
        if self.left_out:
            yield "", f"and {self.left_out:,} to URLs that were not fetched (--known takes them in)"
        reached = ", ".join(f"{depth}: {count:,}" for depth, count in self.depths.items() if depth != UNREACHED)
        yield "depth", f"pages by clicks from a start: {reached}"
        if missed := self.depths.get(UNREACHED, 0):
            yield "", f"{missed:,} are not reached by links from a start"
        if self.outside_tree:
            yield "", f"{self.outside_tree:,} are reached through content pages alone: outside the site's own order"
        yield "in-links", f"median {self.in_links_median:g}, most {self.in_links_most:,}"
        yield "orphans", f"{self.orphans:,}" + "".join(f"\n{'':>12}{url}" for url in self.orphans_first)
        yield from _named("hubs", ((url, f"{count:,} links") for url, count in self.hubs))
        yield from _named("most linked", ((url, f"{count:,} in-links") for url, count in self.most_linked))
        yield from _named("PageRank", ((url, f"{rank:.4f}") for url, rank in self.top_rank))
        for one in self.reach:
            yield "reach", f"{one.name}: {one.pages:,} pages → {one.leads_to:,} content pages, {one.alone:,} alone"


def _named(label: str, rows: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for place, (url, text) in enumerate(rows):
        yield label if not place else "", f"{text:>16}  {url}"


def measure(graph: SiteGraph) -> GraphStats:
    """Count what there is to count.

    Raises:
        InputError: rustworkx is not installed.
    """
    count = len(graph.pages)
    urls = [page.url for page in graph.pages]
    starts = set(graph.starts)
    rank = page_rank(graph)
    orphans = [place for place in range(count) if not graph.in_links[place] and place not in starts]
    index_pages = [place for place in range(count) if graph.pages[place].kind not in CONTENT]
    return GraphStats(
        pages=count,
        links=len(graph.links),
        pruned=sum(pruned for _, _, pruned in graph.links),
        left_out=graph.left_out,
        kinds=dict(Counter(page.kind for page in graph.pages).most_common()),
        depths=dict(sorted(Counter(graph.depth).items())),
        in_links_median=median(graph.in_links) if count else 0,
        in_links_most=max(graph.in_links, default=0),
        orphans=len(orphans),
        orphans_first=tuple(urls[place] for place in orphans[:SHOWN]),
        outside_tree=len(graph.by_pruned),
        hubs=tuple((urls[place], graph.out_links[place]) for place in _top(index_pages, graph.out_links)),
        most_linked=tuple((urls[place], graph.in_links[place]) for place in _top(range(count), graph.in_links)),
        top_rank=tuple((urls[place], rank[place]) for place in _top(range(count), rank)),
        reach=tuple(_reach(graph)),
        rank=tuple(rank),
    )


def page_rank(graph: SiteGraph) -> list[float]:
    """Return the PageRank of each page, by rustworkx: .1 s at 400,000 links, where plain Python takes seconds.

    Raises:
        InputError: rustworkx is not installed.
    """
    try:
        import rustworkx
    except ImportError as error:
        raise InputError(
            "the link graph needs rustworkx, which is not installed here: `pip install 'gwc-crawler[graph]'` brings it"
        ) from error
    if not graph.pages:
        return []
    made = rustworkx.PyDiGraph(multigraph=False)
    made.add_nodes_from(range(len(graph.pages)))
    made.add_edges_from_no_data([(source, end) for source, end, _ in graph.links])
    rank = rustworkx.pagerank(made, alpha=DAMPING)
    return [rank[place] for place in range(len(graph.pages))]


def _top(places: Sequence[int] | range, values: Sequence[float]) -> list[int]:
    return sorted(places, key=lambda place: (-values[place], place))[:SHOWN]


def _reach(graph: SiteGraph) -> Iterator[ClassReach]:
    """Of each class of index pages, the content pages it leads to."""
    pages = Counter(page.name for page in graph.pages if page.kind in LEADING)
    led: dict[str, set[int]] = defaultdict(set)
    by: dict[int, set[str]] = defaultdict(set)
    for source, end, pruned in graph.links:
        if not pruned and graph.pages[source].kind in LEADING and graph.pages[end].kind in CONTENT:
            led[graph.pages[source].name].add(end)
            by[end].add(graph.pages[source].name)
    for name, ends in sorted(led.items(), key=lambda one: -len(one[1])):
        yield ClassReach(name, pages[name], len(ends), sum(len(by[end]) == 1 for end in ends))
