"""Looking into a crawl's database: pages and sums, for summaries, status, learning, the reuse of pre-crawled pages."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gwc_crawler.errors import StoreError
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import column_names, records_table


def is_begun(database: CrawlDatabase) -> bool:
    """Whether there is a place for pages: a crawl that is just beginning, or was killed in that moment, has none."""
    with database.errors():
        return _has_table(database, "pages")


def stored_page(database: CrawlDatabase, url: str, *, since: float = 0.0) -> StoredPage | None:
    """Return the page at *url* (after redirects) when its HTML was kept, and it was not fetched before *since*.

    `links` is left empty: whoever asks reads the page again.
    """
    number = database.urls.find(url)
    if number is None:
        return None
    with database.errors():
        row = database.connection.execute(
            "SELECT url, html, content_type, charset, weight, depth, relevant FROM pages "
            "WHERE id = ? AND html IS NOT NULL AND status = 200 AND fetched_at >= ?",
            (number, since),
        ).fetchone()
    if row is None:
        return None
    address, html, content_type, charset, weight, depth, relevant = row
    return StoredPage(
        address, address, database.bodies.unpack(html), content_type or "", charset or "", weight, depth, bool(relevant)
    )


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
    while True:
        with database.errors():
            rows = database.connection.execute(
                "SELECT id, url, html, content_type, status, fetched_at FROM pages "
                "WHERE id > ? AND html IS NOT NULL AND kind <> 'redirect' ORDER BY id LIMIT ?",
                (last, batch),
            ).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        yield [
            KeptPage(url, database.bodies.unpack(html), content_type or "", status, fetched_at)
            for _, url, html, content_type, status, fetched_at in rows
        ]


def took_its_place(database: CrawlDatabase, url: str, main: str) -> bool:
    """Say whether the crawl read a page in the place of *main*, its canonical address, of which it has no page yet."""
    with database.errors():
        query = "SELECT url, kind FROM pages WHERE url IN (?, ?)"
        kinds = dict(database.connection.execute(query, (url, main)).fetchall())
    return main not in kinds and kinds.get(url) in (PageKind.TARGET, PageKind.LOOKALIKE)


_READ = (
    "FROM pages AS p JOIN urls AS u ON u.id = p.id "
    "WHERE p.html IS NOT NULL AND u.state IS NOT 'E' AND p.kind NOT IN ('redirect', 'sitemap')"
)


def read_stored_pages(database: CrawlDatabase) -> Iterator[StoredPage]:
    """The pages whose HTML was kept, in the order of discovery; one at a time in memory. Not those that are gone, nor
    sitemaps; redirects are addresses of the page they lead to.

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
            yield StoredPage(
                url,
                requested,
                database.bodies.unpack(html),
                content_type,
                charset,
                weight,
                depth,
                bool(relevant),
                tuple(row[0] for row in links.fetchall()),
                fetched_at,
                tuple(leading.get(url, ())),
            )


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
    with database.errors():
        return int(database.connection.execute(f"SELECT count(*) {_READ}").fetchone()[0])  # a constant


def count_kept_pages(database: CrawlDatabase) -> int:
    """Return how many pages `read_kept_pages` gives."""
    with database.errors():
        query = "SELECT count(*) FROM pages WHERE html IS NOT NULL AND kind <> 'redirect'"
        return int(database.connection.execute(query).fetchone()[0])


def pages_without_html(database: CrawlDatabase) -> Iterator[tuple[str, PageKind]]:
    """Return URL and kind of the pages whose HTML was not kept."""
    with database.errors():
        rows = database.connection.execute("SELECT url, kind FROM pages WHERE html IS NULL AND kind <> 'redirect'")
        yield from ((url, PageKind(kind)) for url, kind in rows)


def page_facts(database: CrawlDatabase, url: str) -> dict[str, Any] | None:
    """Return what is stored of the page at *url* besides its text: title, kind, status, when it was fetched …"""
    number = database.urls.find(url)
    with database.errors():
        row = database.connection.execute(
            "SELECT title, kind, status, content_type, charset, requested, fetched_at, html IS NOT NULL "
            "FROM pages WHERE id = ?",
            (number,),
        ).fetchone()
    if row is None:
        return None
    names = ("title", "kind", "status", "content_type", "charset", "requested", "fetched_at", "html_kept")
    return dict(zip(names, (*row[:-1], bool(row[-1])), strict=True))


def least_depth_of_linking(database: CrawlDatabase, url: str) -> int | None:
    """Return the least depth of the complete pages with a link to *url*. Cost: a scan without `link_index`."""
    number = database.urls.find(url)
    with database.errors():
        row = database.connection.execute(
            "SELECT min(urls.depth) FROM link_ids JOIN urls ON urls.id = src WHERE dst = ? AND urls.state = 'C'",
            (number,),
        ).fetchone()
    return row[0] if row else None


def count_complete(database: CrawlDatabase) -> tuple[int, int, int]:
    """Return how many URLs are complete by this file: pages, redirects, and of the pages those that are not stored."""
    query = (
        "SELECT total(u.kind IS NOT 'redirect'), total(u.kind IS 'redirect'), "
        "total(u.kind IS NOT 'redirect' AND p.id IS NULL) "
        "FROM urls AS u LEFT JOIN pages AS p ON p.id = u.id WHERE u.state = 'C'"
    )
    with database.errors():
        pages, redirects, lacking = database.connection.execute(query).fetchone()
    return int(pages), int(redirects), int(lacking)


def count_records(database: CrawlDatabase, site: str) -> int:
    """Return how many records of *site* are stored; 0 when it has no table yet."""
    table = records_table(site)
    with database.errors():
        if not _has_table(database, table):
            return 0
        query = f"SELECT count(*) FROM {quote_name(table)}"  # noqa: S608  # quoted
        return int(database.connection.execute(query).fetchone()[0])


def _has_table(database: CrawlDatabase, table: str) -> bool:
    return database.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None


# --- Stored records → items, as the pipelines had them when their pages were fetched ----------------------------------


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads records of one site back.

    Attributes:
        fields: the items' keys after `url`; `columns` has the column of each.
        texts: fields that are never lists, so that a text like "[1]" stays one.
    """

    database: CrawlDatabase
    table: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    texts: frozenset[str]

    def read(self, ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Return the items of pages (urls.id) that have a record."""
        names = ", ".join(f"r.{quote_name(column)}" for column in self.columns)
        with self.database.errors():
            rows = self.database.connection.execute(
                f"SELECT p.id, r.url{', ' if names else ''}{names} FROM pages AS p "  # noqa: S608  # quoted
                f"JOIN {self.table} AS r ON r.url = p.url WHERE p.id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {number: {"url": url, **self._item(values)} for number, url, *values in rows}

    def _item(self, values: list[Any]) -> dict[str, Any]:
        return {
            name: value if name in self.texts else as_extracted(value)
            for name, value in zip(self.fields, values, strict=True)
        }


def item_reader(
    database: CrawlDatabase, site: str, shape: RecordShape, texts: frozenset[str] = frozenset()
) -> ItemReader:
    """Return the reader of a site's records; see `ItemReader`."""
    fields = tuple(shape.columns)
    return ItemReader(database, quote_name(records_table(site)), fields, tuple(column_names(fields)), texts)


def as_extracted(value: Any) -> Any:
    """Return a column's value as it was before it was stored: lists stand there as JSON.

    >>> as_extracted('["a", "b"]'), as_extracted("[sic]"), as_extracted(7)
    (['a', 'b'], '[sic]', 7)
    """
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


# --- Who links to a page ----------------------------------------------------------------------------------------------


LEAST_LINKS = 1_000_000
"""With fewer links a scan is as fast as the rest of a command."""

_INTERRUPTIBLE_STEPS = 100_000
"""Of SQLite's machine, between two looks whether Ctrl-C was pressed."""


def index_links(database: CrawlDatabase, note: Callable[[str], None]) -> None:
    """Make the index in the file of *database*, which may be open for reading only.

    Nothing happens where it is there already, where a scan is fast, and where a crawl writes to the file or nobody can:
    then questions are answered by a scan.

    Args:
        note: told what takes a while, before it does.
    """
    if has_link_index(database) or not _has_many_links(database):
        return
    with suppress(StoreError), CrawlDatabase(database.path) as own:
        own.lock(f"process {os.getpid()}, which indexes its links")
        note(f"{database.path}: indexing who links to whom, once until the next crawl …")
        with own.transaction():
            own.connection.set_progress_handler(lambda: 0, _INTERRUPTIBLE_STEPS)
            try:
                own.connection.execute("CREATE INDEX IF NOT EXISTS links_by_end ON link_ids (dst)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname == "SQLITE_INTERRUPT":
                    raise KeyboardInterrupt from error
                raise
            finally:
                own.connection.set_progress_handler(None, 0)


def drop_link_index(database: CrawlDatabase) -> None:
    """Let a crawl begin without it."""
    if has_link_index(database):
        with database.transaction():
            database.connection.execute("DROP INDEX IF EXISTS links_by_end")


def has_link_index(database: CrawlDatabase) -> bool:
    """Say whether the index is there."""
    with database.errors():
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'links_by_end'"
        return database.connection.execute(query).fetchone() is not None


def _has_many_links(database: CrawlDatabase) -> bool:
    with database.errors():
        query = "SELECT count(*) FROM (SELECT 1 FROM link_ids LIMIT ?)"
        return bool(database.connection.execute(query, (LEAST_LINKS,)).fetchone()[0] >= LEAST_LINKS)
