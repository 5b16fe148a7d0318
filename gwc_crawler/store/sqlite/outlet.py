"""What became of records, read out of a crawl's file; and files with the records of one site alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.errors import StoreError
from gwc_crawler.store.history import ChangeCause, ChangeKind
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.errors import explain
from gwc_crawler.store.sqlite.sink import records_table

CHANGES_AT_ONCE = 1000


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
        values = {"at": last_at, "id": last_id, "url": url, "field": field, "batch": CHANGES_AT_ONCE}
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


# --- A SQLite file with the records of one site and nothing else: one of the formats of an export ---------------------


class RecordFile:
    """Writes a new file with one table. Until `close`, what is in it is worth nothing.

    Args:
        path: is overwritten.
        table: its name.
        columns: name and SQL type of each.
        key: the columns that make a row's key; () for none.

    Raises:
        StoreError: from every method: the file can't be written.
    """

    def __init__(self, path: Path, table: str, columns: Sequence[tuple[str, str]], key: Sequence[str] = ()) -> None:
        self._path = path
        self._insert = f"INSERT INTO {quote_name(table)} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608  # quoted
        parts = [f"{quote_name(name)} {kind}".rstrip() for name, kind in columns]
        if key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quote_name, key))})")
        try:
            path.write_bytes(b"")
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = OFF")  # whoever is interrupted begins anew
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("BEGIN")
            self._connection.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(parts)})")
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from error

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows."""
        try:
            self._connection.executemany(self._insert, rows)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Have them in the file."""
        try:
            self._connection.execute("COMMIT")
            self._connection.close()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> StoreError:
        return StoreError(explain(self._path, error) if isinstance(error, sqlite3.Error) else f"{self._path}: {error}")
