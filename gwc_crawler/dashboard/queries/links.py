"""The link graph of a site: its picture and its figures, of graphs that a page may wait for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO

from gwc_crawler import assembly, runs
from gwc_crawler.dashboard.queries.records import opened
from gwc_crawler.graph import GraphStats, measure, write_graph
from gwc_crawler.store.outlet import has_more_links

MOST_LINKS = 500_000
"""Some seconds in a thread; a larger graph is made by `scrapy graph`."""


@dataclass(frozen=True, slots=True)
class LinkMap:
    """A graph as it was when the store's file said `mark`. Too large to be drawn here: neither figures nor picture."""

    mark: tuple[int, ...]
    stats: GraphStats | None = None
    svg: bytes = b""


def link_map(files: runs.SiteFiles, last: LinkMap | None, *, most: int = MOST_LINKS) -> LinkMap | None:
    """Draw and measure the graph of the stored pages; None where there are none.

    Args:
        last: what was drawn before; it is returned where the store has not changed since.
    Raises:
        InputError: a package is missing.
    """
    place = runs.SiteLocation(files.site.name, files.directory, files.settings)
    mark = _mark(place)
    if last is not None and last.mark == mark:
        return last
    with opened(place) as database:
        if database is None:
            return None
        if has_more_links(database, most):
            return LinkMap(mark)
    graph = runs.read_graph(files)
    if not graph.pages:
        return None
    stats, file = measure(graph), BytesIO()
    write_graph(graph, stats, "svg", file, site=files.site.name)
    return LinkMap(mark, stats, file.getvalue())


def _mark(place: runs.SiteLocation) -> tuple[int, ...]:
    """What becomes another when something is written to the store."""
    found = []
    for name in (assembly.CRAWL_DB, f"{assembly.CRAWL_DB}-wal", assembly.KNOWLEDGE_FILE):
        with suppress(OSError):
            facts = (place.directory / name).stat()
            if facts.st_size:  # a reader leaves an empty file of recent writes behind
                found += [facts.st_mtime_ns, facts.st_size]
    return tuple(found)
