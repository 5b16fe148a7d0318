"""The stored link graph of a site, for commands; also while a crawl runs."""

from __future__ import annotations

from collections.abc import Collection

from gwc_crawler.graph import GraphPage, SiteGraph, build_graph
from gwc_crawler.knowledge import Knowledge, Verdict
from gwc_crawler.runs.lookup import SiteFiles
from gwc_crawler.runs.records import require_pages
from gwc_crawler.store import CrawlDatabase
from gwc_crawler.store.outlet import GraphRow, read_graph_links, read_graph_pages, read_redirects


def read_graph(files: SiteFiles, *, known: bool = False) -> SiteGraph:
    """Read pages and links.

    Args:
        known: also URLs that were never fetched.
    Raises:
        InputError: the site has not been crawled, or its pages are elsewhere.
        StoreError: the database can't be read.
    """
    knowledge = files.learned()
    with CrawlDatabase(require_pages(files), read_only=True) as database:
        rows = read_graph_pages(database, known=known)
        links = zip(*read_graph_links(database), strict=True)
        redirects = read_redirects(database)
    return build_graph(
        [_page(row, knowledge, files.site.entry) for row in rows], [row.number for row in rows], links, redirects
    )


def _page(row: GraphRow, knowledge: Knowledge | None, entry: Collection[str]) -> GraphPage:
    """The classification begins at the entries, not at the samples, though a crawl asks for those, too."""
    return GraphPage(row.url, row.kind, row.title, row.state, row.url in entry, _class_of(row.url, knowledge))


def _class_of(url: str, knowledge: Knowledge | None) -> str:
    """The class of URLs it belongs to: the first filter that takes it, targets first."""
    if knowledge is None:
        return ""
    found = (knowledge.class_of(url, verdict) for verdict in (Verdict.TARGET, Verdict.DIRECTORY))
    return next(filter(None, found), "")
