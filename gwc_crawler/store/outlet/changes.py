"""What the history of records says: changes since a time, in their order; and which records' pages are gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gwc_crawler.store import ChangeCause, ChangeKind
from gwc_crawler.store.sqlite import CrawlDatabase, quote_name, records_table

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that became of a record; see the table `changes`."""

    at: float
    what: ChangeKind
    url: str
    field: str
    old: Any
    new: Any
    cause: ChangeCause


def has_history(database: CrawlDatabase) -> bool:
    """Say whether a history is kept in this database."""
    with database.errors():
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'changes'"
        return database.connection.execute(query).fetchone() is not None


def read_changes(
    database: CrawlDatabase, site: str, *, since: float = 0.0, url: str | None = None, field: str | None = None
) -> Iterator[Change]:
    """Give the changes since a time, oldest first; those of *url* alone, or of *field* alone, where one is named.

    Without a *field*, records whose pages are gone come last. Between two batches, nothing is held.
    """
    last_at, last_id = since, -1
    wanted = "(:url IS NULL OR url = :url) AND (:field IS NULL OR field = :field)"
    query = (
        "SELECT at, what, url, field, old, new, cause, id FROM changes "  # noqa: S608  # constants
        f"WHERE (at, id) > (:at, :id) AND {wanted} ORDER BY at, id LIMIT :batch"
    )
    while True:
        values = {"at": last_at, "id": last_id, "url": url, "field": field, "batch": BATCH}
        with database.errors():
            rows = database.connection.execute(query, values).fetchall()
        if not rows:
            break
        last_at, last_id = rows[-1][0], rows[-1][-1]
        yield from (
            Change(at, ChangeKind(what), page, name, old, new, ChangeCause(cause))
            for at, what, page, name, old, new, cause, _ in rows
        )
    if field is None:
        yield from _gone(database, site, since, url)


def _gone(database: CrawlDatabase, site: str, since: float, url: str | None) -> Iterator[Change]:
    """Records whose page answers that it is no more: they stay, and the frontier knows since when."""
    with database.errors():
        if not database.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'revisits'").fetchone():
            return
        rows = database.connection.execute(
            f"SELECT v.gone_at, r.url FROM {quote_name(records_table(site))} AS r "  # noqa: S608  # quoted
            "JOIN pages AS p ON p.url = r.url JOIN revisits AS v ON v.id = p.id "
            "WHERE v.gone_at >= :since AND (:url IS NULL OR r.url = :url) ORDER BY 1, 2",
            {"since": since, "url": url},
        ).fetchall()
    for at, page in rows:
        yield Change(at, ChangeKind.GONE, page, "", None, None, ChangeCause.CRAWL)
