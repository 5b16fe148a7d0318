"""A site's link graph: pages, links between them, each page's distance from the starts, and the page before it.

T-Spider's site topology: every page keeps all its in-links; links that leave information pages are pruned from the
site's own classification, and marked here. `build_graph` makes it from the store.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from gwc_crawler.errors import InputError

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
        in_links: for each page the number of other pages that link to it, by pruned links, too.
        out_links: for each page the number of other pages it links to.
        depth: clicks from a start, `UNREACHED` if no links lead there.
        parent: the page above each in the classification tree; None for starts and unreached pages.
        by_pruned: pages that only pruned links reach: the site's own order has no place for them.
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
        """The places of the pages where the crawl began; of the first page if none is known."""
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
    graph.in_links, graph.out_links = [0] * len(pages), [0] * len(pages)
    for from_page, to_page, _ in graph.links:
        graph.out_links[from_page] += 1
        graph.in_links[to_page] += 1
    _measure_depth(graph)
    return graph


def _measure_depth(graph: SiteGraph) -> None:
    """Set depth by all links, and parents by the links that count: those of index pages first, then pruned ones."""
    every: list[list[int]] = [[] for _ in graph.pages]
    kept: list[list[int]] = [[] for _ in graph.pages]
    for source, end, pruned in graph.links:
        every[source].append(end)
        if not pruned:
            kept[source].append(end)
    graph.depth, by_all = _walk(every, graph.starts)
    order, graph.parent = _walk(kept, graph.starts)
    beyond = [place for place, depth in enumerate(order) if depth == UNREACHED and graph.depth[place] != UNREACHED]
    for place in beyond:
        graph.parent[place] = by_all[place]
    graph.by_pruned = frozenset(beyond)


def _walk(ends_of: Sequence[Sequence[int]], starts: Sequence[int]) -> tuple[list[int], list[int | None]]:
    depth = [UNREACHED] * len(ends_of)
    parent: list[int | None] = [None] * len(ends_of)
    waiting = deque(starts)
    for place in starts:
        depth[place] = 0
    while waiting:
        place = waiting.popleft()
        for end in ends_of[place]:
            if depth[end] == UNREACHED:
                depth[end], parent[end] = depth[place] + 1, place
                waiting.append(end)
    return depth, parent


DAMPING = 0.85
"""The share of readers who follow a link, in PageRank (Brin & Page 1998, §2.1)."""

SHOWN = 10


@dataclass(frozen=True, slots=True)
class ClassReach:
    """The reach of the index pages of one class.

    Attributes:
        pages: the number of these pages.
        leads_to: content pages that at least one of them links to.
        alone: content pages among these that no other class links to: without this class they would not be found.
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
        hubs = [(url, f"{count:,} links") for url, count in self.hubs]
        linked = [(url, f"{count:,} in-links") for url, count in self.most_linked]
        ranks = [(url, f"{rank:.4f}") for url, rank in self.top_rank]
        for label, rows in (("hubs", hubs), ("most linked", linked), ("PageRank", ranks)):
            yield from (("" if place else label, f"{text:>16}  {url}") for place, (url, text) in enumerate(rows))
        for one in self.reach:
            yield "reach", f"{one.name}: {one.pages:,} pages → {one.leads_to:,} content pages, {one.alone:,} alone"


def measure(graph: SiteGraph) -> GraphStats:
    """Compute the figures of a graph. Raises InputError: rustworkx is not installed."""
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

    Raises InputError: rustworkx is not installed.
    """
    try:
        import rustworkx
    except ImportError as error:
        helps = "which is not installed here: `pip install 'gwc-crawler[graph]'` brings it"
        raise InputError(f"the link graph needs rustworkx, {helps}") from error
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
    pages = Counter(page.name for page in graph.pages if page.kind in LEADING)
    led: dict[str, set[int]] = defaultdict(set)
    by: dict[int, set[str]] = defaultdict(set)
    for source, end, pruned in graph.links:
        if not pruned and graph.pages[source].kind in LEADING and graph.pages[end].kind in CONTENT:
            led[graph.pages[source].name].add(end)
            by[end].add(graph.pages[source].name)
    for name, ends in sorted(led.items(), key=lambda one: -len(one[1])):
        yield ClassReach(name, pages[name], len(ends), sum(len(by[end]) == 1 for end in ends))


# --- The columns of a site: its hierarchy of index pages (T-Spider, *link graph*) -------------------------------------


SHOWN_COLUMNS = 3 * SHOWN
SHOWN_LEVELS = 6
"""Levels that are shown: months of a calendar lead to months without end."""


@dataclass(slots=True)
class Column:
    """An index page and the pages beneath it, at any depth: *index* and *information* pages (targets count as these).

    `parent` is the URL of the column above, "" for a front page; `level` counts from 0.
    """

    url: str
    title: str
    parent: str
    level: int
    index: int = 0
    information: int = 0

    @property
    def size(self) -> int:
        """How many pages stand beneath it."""
        return self.index + self.information


def columns_of(graph: SiteGraph) -> list[Column]:
    """Return the columns of a site, each before those beneath it, siblings by size. Cost: linear in pages."""
    beneath = _beneath(graph)
    order = list(_walk_columns(graph.starts, beneath))
    columns: dict[int, Column] = {}
    for place, above, level in order:
        page, parent = graph.pages[place], "" if above is None else graph.pages[above].url
        columns[place] = Column(page.url, page.title, parent, level)
    for place, above, _ in reversed(order):
        column = columns[place]
        column.information += sum(graph.pages[one].kind in CONTENT for one in beneath[place] if one not in beneath)
        if above is not None:
            columns[above].index += column.index + 1
            columns[above].information += column.information
    for ends in beneath.values():
        ends.sort(key=lambda one: -columns[one].size if one in columns else 1)
    return [columns[place] for place, _, _ in _walk_columns(graph.starts, beneath)]


def _beneath(graph: SiteGraph) -> dict[int, list[int]]:
    """Return column → the columns and pages to read right beneath it; pages of other kinds are passed through."""
    heads = {*graph.starts, *(place for place, page in enumerate(graph.pages) if page.kind in LEADING)}
    beneath: dict[int, list[int]] = {head: [] for head in heads}
    for place, page in enumerate(graph.pages):
        above = graph.parent[place]
        while above is not None and above not in heads:
            above = graph.parent[above]
        if above is not None and place not in graph.by_pruned and (place in heads or page.kind in CONTENT):
            beneath[above].append(place)
    return beneath


def _walk_columns(starts: Sequence[int], beneath: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, int | None, int]]:
    waiting: list[tuple[int, int | None, int]] = [(place, None, 0) for place in reversed(starts)]
    while waiting:
        place, above, level = waiting.pop()
        yield place, above, level
        waiting += [(one, place, level + 1) for one in reversed(beneath[place]) if one in beneath]


def column_lines(columns: Sequence[Column]) -> Iterator[tuple[str, str]]:
    """Yield (label, text) lines for a terminal: the tree of some columns, those with the most pages beneath them, as
    far as `SHOWN_LEVELS`; deeper pages are counted above."""
    near = (place for place, column in enumerate(columns) if column.level < SHOWN_LEVELS)
    shown = sorted(near, key=lambda place: (-columns[place].size, place))[:SHOWN_COLUMNS]
    for number, place in enumerate(sorted(shown)):
        column = columns[place]
        name = f"{'  ' * column.level}{column.title or column.url}"
        counts = f"{column.index:,} index, {column.information:,} information pages beneath"
        yield "" if number else "columns", f"{name}: {counts}  {column.url}"
    if len(columns) > len(shown):
        yield "", f"and {len(columns) - len(shown):,} smaller or deeper ones (--json has all)"
