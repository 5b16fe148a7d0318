"""Looking into a crawl's database: pages and sums, for summaries, status, learning, the reuse of pre-crawled pages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.sink import as_extracted, column_names
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import records_table


def stored_urls(database: CrawlDatabase) -> Iterator[str]:
    """Return the URL of every stored page (after redirects). Cost: a walk over the index, not the pages."""
    with database.errors():
        yield from (url for (url,) in database.connection.execute("SELECT url FROM pages"))


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page whose HTML was kept, as it came."""

    url: str
    html: bytes
    content_type: str
    status: int
    fetched_at: float


def read_kept_pages(database: CrawlDatabase, batch: int = 100) -> Iterator[list[KeptPage]]:
    """Read all pages whose HTML was kept, in batches; between two of them, the database may be written to."""
    last = -1
    query = (
        "SELECT id, url, html, content_type, status, fetched_at FROM pages "
        "WHERE id > ? AND html IS NOT NULL AND kind <> 'redirect' ORDER BY id LIMIT ?"
    )
    while rows := database.rows(query, (last, batch)):
        last = rows[-1][0]
        yield [
            KeptPage(url, database.bodies.unpack(html), content_type or "", status, fetched_at)
            for _, url, html, content_type, status, fetched_at in rows
        ]


_READ = (
    "FROM pages AS p JOIN urls AS u ON u.id = p.id "
    "WHERE p.html IS NOT NULL AND u.state IS NOT 'E' AND p.kind NOT IN ('redirect', 'sitemap')"
)


def read_stored_pages(database: CrawlDatabase) -> Iterator[StoredPage]:
    """Give the pages whose HTML was kept, in the order of discovery; one at a time in memory. Not those that are
    gone, nor sitemaps; redirects are addresses of the page they lead to.

    Where the frontier is in the same file, the weight is the final one: it doesn't depend on the order of fetching.
    """
    with database.errors():
        leading = _addresses_leading_on(database)
        pages = database.connection.execute(
            "SELECT p.id, p.url, coalesce(p.requested, p.url), p.html, p.content_type, p.charset, "  # a constant
            "iif(u.state = 'C', u.weight, p.weight), p.depth, p.relevant, p.fetched_at "
            f"{_READ} ORDER BY p.id"
        )
        for number, url, requested, html, content_type, charset, weight, depth, relevant, fetched_at in pages:
            links = database.connection.execute(
                "SELECT url FROM link_ids JOIN urls ON id = dst WHERE src = ? ORDER BY dst", (number,)
            )
            ends, body = tuple(row[0] for row in links.fetchall()), database.bodies.unpack(html)
            facts = content_type, charset, weight, depth, bool(relevant)
            yield StoredPage(url, requested, body, *facts, ends, fetched_at, tuple(leading.get(url, ())))


def _addresses_leading_on(database: CrawlDatabase) -> dict[str, list[str]]:
    """Page → the addresses that were seen to redirect to it when it was known already."""
    told = dict(database.connection.execute("SELECT url, title FROM pages WHERE kind = 'redirect'").fetchall())
    known = dict(database.connection.execute("SELECT requested, url FROM pages WHERE requested IS NOT NULL").fetchall())
    found: dict[str, list[str]] = {}
    for address, there in told.items():
        seen = {address}
        while (further := told.get(there) or known.get(there)) and further not in seen:
            seen.add(there := further)
        found.setdefault(there, []).append(address)
    return found


def count_stored_pages(database: CrawlDatabase) -> int:
    """How many pages `read_stored_pages` gives."""
    return int(database.rows(f"SELECT count(*) {_READ}")[0][0])  # a constant


def count_kept_pages(database: CrawlDatabase) -> int:
    """Return how many pages `read_kept_pages` gives."""
    return int(database.rows("SELECT count(*) FROM pages WHERE html IS NOT NULL AND kind <> 'redirect'")[0][0])


def pages_without_html(database: CrawlDatabase) -> Iterator[tuple[str, PageKind]]:
    """Return URL and kind of the pages whose HTML was not kept."""
    with database.errors():
        rows = database.connection.execute("SELECT url, kind FROM pages WHERE html IS NULL AND kind <> 'redirect'")
        yield from ((url, PageKind(kind)) for url, kind in rows)


def least_depth_of_linking(database: CrawlDatabase, url: str) -> int | None:
    """Return the least depth of the complete pages with a link to *url*. Cost: a scan of the links."""
    query = "SELECT min(urls.depth) FROM link_ids JOIN urls ON urls.id = src WHERE dst = ? AND urls.state = 'C'"
    ((depth,),) = database.rows(query, (database.urls.find(url),))
    return None if depth is None else int(depth)


def count_complete(database: CrawlDatabase) -> tuple[int, int, int]:
    """Return how many URLs are complete by this file: pages, redirects, and of the pages those that are not stored."""
    query = (
        "SELECT total(u.kind IS NOT 'redirect'), total(u.kind IS 'redirect'), "
        "total(u.kind IS NOT 'redirect' AND p.id IS NULL) "
        "FROM urls AS u LEFT JOIN pages AS p ON p.id = u.id WHERE u.state = 'C'"
    )
    ((pages, redirects, lacking),) = database.rows(query)
    return int(pages), int(redirects), int(lacking)


# --- Stored records → items, as the pipelines had them when their pages were fetched ----------------------------------


class ItemReader:
    """Reads records of one site back. *texts*: fields that are never lists, so that a text like "[1]" stays one."""

    def __init__(
        self, database: CrawlDatabase, site: str, shape: RecordShape, texts: frozenset[str] = frozenset()
    ) -> None:
        self._database, self._table, self._texts = database, quote_name(records_table(site)), texts
        self.fields = tuple(shape.columns)
        """The items' keys after `url`."""

    def read(self, ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Return the items of pages (urls.id) that have a record."""
        names = "".join(f", r.{quote_name(column)}" for column in column_names(self.fields))
        rows = self._database.rows(
            f"SELECT p.id, r.url{names} FROM pages AS p JOIN {self._table} AS r ON r.url = p.url "  # noqa: S608  # quoted
            "WHERE p.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        items = {}
        for number, url, *values in rows:
            items[number] = {"url": url}
            for name, value in zip(self.fields, values, strict=True):
                items[number][name] = value if name in self._texts else as_extracted(value)
        return items
