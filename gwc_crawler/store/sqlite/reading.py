"""A crawl's own file as a place to read from; also while the crawl runs."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.store.history import ChangeCause, ChangeKind
from gwc_crawler.store.reading import GRAPH_ROWS, SCAN_ROWS, RecentRecords, RecordRows, Row, SiteReader, Tables
from gwc_crawler.store.sqlite.bodies import unpacked
from gwc_crawler.store.sqlite.database import CrawlDatabase, literal, quote_name, sqlite_errors
from gwc_crawler.store.sqlite.sink import records_table
from gwc_crawler.urls import url_key

SEARCH_SECONDS = 0.15


class SqliteTables(Tables):
    """The tables of a file.

    Args:
        unpack: what makes HTML of the bytes that stand there.
        inside: entered while the file is read.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        unpack: Callable[[bytes], bytes] = unpacked,
        inside: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.path, self.place, self.connection = path, str(path), connection
        self._unpack, self._inside = unpack, inside

    def rows(self, query: str) -> list[Row]:
        with sqlite_errors(self.path), self._inside():
            return self.connection.execute(query).fetchall()

    def columns(self, table: str) -> dict[str, str]:
        return {row[1]: row[2] for row in self.rows(f"PRAGMA table_info({table})")}

    def first(self, count: int, rest: str, *, ties: bool = False) -> str:
        return f"SELECT {rest} LIMIT {count}"

    def table(self, name: str) -> str:
        return quote_name(name)

    def column(self, name: str) -> str:
        return quote_name(name)

    def literal(self, value: Any) -> str:
        return literal(value)

    def unpacked(self, html: bytes) -> bytes:
        return self._unpack(html)

    def close(self) -> None:
        self.connection.close()


class SqliteReader(SqliteTables, SiteReader):
    """A `SiteReader` over a crawl's own file, which its owner closes."""

    key, first_key = "id", "-1"

    def __init__(self, database: CrawlDatabase, site: str) -> None:
        super().__init__(database.path, database.connection, database.bodies.unpack)
        self._site = site

    def close(self) -> None:
        """Its owner does that."""

    def records(self) -> SqliteRecords | None:
        table = quote_name(records_table(self._site))
        columns = self.columns(table)
        return SqliteRecords(self, table, columns) if columns else None

    def graph_links(self) -> Iterator[tuple[int, int, int]]:
        last: Row = (-1, -1)
        query = "SELECT src, dst, pruned FROM link_ids WHERE (src, dst) > "
        while rows := self.rows(f"{query}({last[0]}, {last[1]}) ORDER BY src, dst LIMIT {GRAPH_ROWS}"):
            yield from rows
            last = rows[-1]

    def redirects(self) -> dict[int, int]:
        moved = self.rows("SELECT id, requested FROM pages WHERE requested IS NOT NULL")
        pages = {url_key(requested): number for number, requested in moved}
        keys = literal(json.dumps(list(pages)))
        known = self.rows(f"SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each({keys}))")  # noqa: S608
        return {number: pages[key] for key, number in known}

    def has_more_links(self, most: int) -> bool:
        """Whether there are more than *most* links, or stored pages. Cost: O(most)."""
        counted = (f"SELECT COUNT(*) FROM (SELECT 1 FROM {one} LIMIT {most + 1})" for one in ("link_ids", "pages"))  # noqa: S608
        return any(self.rows(query)[0][0] > most for query in counted)

    # --- its words ----------------------------------------------------------------------------------------------------

    def time(self, seconds: float) -> str:
        return repr(seconds)

    def seconds(self, time: Any) -> float:
        return float(time)

    def of_site(self, alias: str = "") -> str:
        return "1 = 1"

    def of_url(self, url: str) -> str:
        return f"url = {literal(url)}"

    def key_of(self, url: str) -> str:
        return f"(SELECT id FROM urls WHERE md5 = {url_key(url)})"  # noqa: S608  # a number

    def number(self, key: int) -> int:
        return key


class SqliteRecords(RecordRows):
    """A table of records in a crawl's own file."""

    key, first_key, latest = "url", "''", "rowid DESC"

    def scan(self, columns: Sequence[str]) -> Iterator[Row]:
        """Give all rows as they lie in the file: in the order of URLs, a large one is read all over."""
        last = 0
        query = f"SELECT rowid, {self._names(columns)} FROM {self._table} WHERE rowid >"  # noqa: S608  # quoted
        while rows := self._reader.rows(f"{query} {last} ORDER BY rowid LIMIT {SCAN_ROWS}"):
            last = rows[-1][0]
            yield from (row[1:] for row in rows)

    def recent(self, columns: Sequence[str], *, before: str = "", limit: int = 50, search: str = "") -> RecentRecords:
        """Return records in the order in which they came first, latest first. A search looks for a moment at a time."""
        wanted, looked = search.casefold(), 0
        place: int | str = before if before.isascii() and before.isdecimal() else sys.maxsize
        rows: list[Row] = []
        query = f"SELECT rowid, {self._names(columns)} FROM {self._table} WHERE rowid <"  # noqa: S608  # quoted
        until = time.monotonic() + SEARCH_SECONDS
        while len(rows) < limit:
            step = SCAN_ROWS if wanted else limit + 1
            found = self._reader.rows(f"{query} {place} ORDER BY {self.latest} LIMIT {step}")
            for row in found:
                looked, place = looked + 1, row[0]
                if not wanted or any(wanted in str(value).casefold() for value in row[1:] if value is not None):
                    rows.append(row[1:])
                    if len(rows) == limit:
                        break
            if len(found) < step and (not found or place == found[-1][0]):
                return RecentRecords(rows, None, looked)
            if time.monotonic() > until:
                break
        return RecentRecords(rows, str(place), looked)

    def changed_since(self, time: str) -> str:
        """Return the condition by which a record `r` is new or has changed.

        A recrawl notes of each page when its content changed; of pages of which nothing was noted it is when they were
        fetched.
        With a history of changes, what that says counts, too: also what `scrapy extract` has changed.
        """
        looked = "SELECT v.changed_at FROM revisits AS v JOIN pages AS p ON p.id = v.id WHERE p.url = r.url"
        noted = f"EXISTS (SELECT 1 FROM changes AS c WHERE c.url = r.url AND c.at >= {time})"  # noqa: S608  # a number
        return f"(coalesce(({looked}), r.fetched_at) >= {time} OR {noted})"


# --- What became of records ------------------------------------------------------------------------------------------


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
    """Say whether a history is kept in this database, which has something of each record then."""
    return bool(database.rows("SELECT 1 FROM changes LIMIT 1"))


def read_changes(
    database: CrawlDatabase, site: str, *, since: float = 0.0, url: str | None = None, field: str | None = None
) -> Iterator[Change]:
    """Give the changes since a time, oldest first; those of *url* alone, or of *field* alone, where one is named.

    Without a *field*, records whose pages are gone come last. Between two batches, nothing is held.
    """
    values: dict[str, Any] = {"at": since, "id": -1, "url": url, "field": field, "batch": SCAN_ROWS}
    wanted = "(:url IS NULL OR url = :url) AND (:field IS NULL OR field = :field)"
    query = (
        "SELECT at, what, url, field, old, new, cause, id FROM changes "  # noqa: S608  # constants
        f"WHERE (at, id) > (:at, :id) AND {wanted} ORDER BY at, id LIMIT :batch"
    )
    while rows := database.rows(query, values):
        values |= {"at": rows[-1][0], "id": rows[-1][-1]}
        yield from (
            Change(at, ChangeKind(what), page, name, old, new, ChangeCause(cause))
            for at, what, page, name, old, new, cause, _ in rows
        )
    if field is None:
        yield from _gone(database, site, since, url)


def _gone(database: CrawlDatabase, site: str, since: float, url: str | None) -> Iterator[Change]:
    """Records whose page answers that it is no more: they stay, and the frontier knows since when."""
    rows = database.rows(
        f"SELECT v.gone_at, r.url FROM {quote_name(records_table(site))} AS r "  # noqa: S608  # quoted
        "JOIN pages AS p ON p.url = r.url JOIN revisits AS v ON v.id = p.id "
        "WHERE v.gone_at >= :since AND (:url IS NULL OR r.url = :url) ORDER BY 1, 2",
        {"since": since, "url": url},
    )
    for at, page in rows:
        yield Change(at, ChangeKind.GONE, page, "", None, None, ChangeCause.CRAWL)
