"""Looking into a crawl's database: single pages and sums, for summaries, status and the reuse of pre-crawled pages."""

from __future__ import annotations

import zlib

from gwc_crawler.database import Database, quote_name
from gwc_crawler.items import StoredPage
from gwc_crawler.store.sqlite import records_table


def stored_page(database: Database, url: str, *, since: float = 0.0) -> StoredPage | None:
    """Return the page at *url* when its HTML was kept, it was asked for under this URL, and not before *since*.

    `links` is left empty: whoever asks reads the page again.
    """
    number = database.urls.find(url)
    if number is None:
        return None
    with database.errors():
        row = database.connection.execute(
            "SELECT url, html, content_type, charset, weight, depth, relevant FROM pages "
            "WHERE id = ? AND html IS NOT NULL AND status = 200 AND fetched_at >= ? AND coalesce(requested, url) = url",
            (number, since),
        ).fetchone()
    if row is None:
        return None
    address, html, content_type, charset, weight, depth, relevant = row
    return StoredPage(
        address, address, zlib.decompress(html), content_type or "", charset or "", weight, depth, bool(relevant)
    )


def count_pages_by_kind(database: Database) -> dict[str, int]:
    """Return how many pages of each kind are stored."""
    with database.errors():
        return dict(database.connection.execute("SELECT kind, count(*) FROM pages GROUP BY kind").fetchall())


def count_records(database: Database, site: str) -> int:
    """Return how many records of *site* are stored; 0 when it has no table yet."""
    table = records_table(site)
    with database.errors():
        known = database.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        if known is None:
            return 0
        query = f"SELECT count(*) FROM {quote_name(table)}"  # noqa: S608  # quoted
        return int(database.connection.execute(query).fetchone()[0])


def count_exceptions(database: Database) -> int:
    """Return how many field values are listed as missing."""
    with database.errors():
        return int(database.connection.execute("SELECT count(*) FROM exceptions").fetchone()[0])


def count_exceptions_by_field(database: Database) -> dict[str, int]:
    """Return how often each field is listed as missing, most often first; '' stands for rejected pages."""
    with database.errors():
        rows = database.connection.execute("SELECT field, count(*) FROM exceptions GROUP BY field ORDER BY 2 DESC, 1")
        return dict(rows.fetchall())
