"""A site's link graph → its columns: what the site itself puts beneath what (T-Spider, *link graph*).

A column is an index page. It stands under the index page that leads to it first from the front page; links that leave
pages to read do not count. Told by `scrapy graph`, and at the end of the crawl of a whole site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gwc_crawler.export.graph.model import CONTENT, LEADING, SHOWN, SiteGraph

SHOWN_COLUMNS = 3 * SHOWN
"""So many are told to people: the largest."""
SHOWN_LEVELS = 6
"""So deep: months of a calendar lead to months without end."""


@dataclass(slots=True)
class Column:
    """An index page and what stands beneath it, at any depth: *index* and *information* pages (targets are such).

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
    order = list(_walk(graph.starts, beneath))
    columns: dict[int, Column] = {}
    for place, above, level in order:
        page = graph.pages[place]
        columns[place] = Column(page.url, page.title, graph.pages[above].url if above is not None else "", level)
    for place, above, _ in reversed(order):
        column = columns[place]
        column.information += sum(graph.pages[one].kind in CONTENT for one in beneath[place] if one not in beneath)
        if above is not None:
            columns[above].index += column.index + 1
            columns[above].information += column.information
    for ends in beneath.values():
        ends.sort(key=lambda one: -columns[one].size if one in columns else 1)
    return [columns[place] for place, _, _ in _walk(graph.starts, beneath)]


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


def _walk(starts: Sequence[int], beneath: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, int | None, int]]:
    """Yield each column with the one above it and its level."""
    waiting: list[tuple[int, int | None, int]] = [(place, None, 0) for place in reversed(starts)]
    while waiting:
        place, above, level = waiting.pop()
        yield place, above, level
        waiting += [(one, place, level + 1) for one in reversed(beneath[place]) if one in beneath]


def column_lines(columns: Sequence[Column]) -> Iterator[tuple[str, str]]:
    """Yield (label, text) lines for a terminal: the tree of some columns, those with the most pages beneath them, as
    far as `SHOWN_LEVELS`; what stands deeper is counted above."""
    near = (place for place, column in enumerate(columns) if column.level < SHOWN_LEVELS)
    shown = sorted(near, key=lambda place: (-columns[place].size, place))[:SHOWN_COLUMNS]
    for number, place in enumerate(sorted(shown)):
        column = columns[place]
        name = f"{'  ' * column.level}{column.title or column.url}"
        counts = f"{column.index:,} index, {column.information:,} information pages beneath"
        yield "" if number else "columns", f"{name}: {counts}  {column.url}"
    if len(columns) > len(shown):
        yield "", f"and {len(columns) - len(shown):,} smaller or deeper ones (--json has all)"
