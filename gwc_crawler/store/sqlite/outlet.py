"""What is read of a crawl's file for others: records and their changes, links, and files with records alone."""

from __future__ import annotations

import json
import sqlite3
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from gwc_crawler.errors import StoreError
from gwc_crawler.store.history import ChangeCause, ChangeKind
from gwc_crawler.store.sqlite.database import CrawlDatabase, explain, quote_name
from gwc_crawler.store.sqlite.sink import records_table
from gwc_crawler.urls import url_key

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


# --- The link graph as it is stored -----------------------------------------------------------------------------------


LINKS_AT_ONCE = 50_000
"""Rows of a read; between two of them, nothing is held."""


@dataclass(frozen=True, slots=True)
class GraphRow:
    """One URL of the graph. `kind` is "" where it was never fetched."""

    number: int
    url: str
    kind: str
    state: str
    title: str


def read_graph_pages(database: CrawlDatabase, *, known: bool = False) -> list[GraphRow]:
    """Return the stored pages in the order in which they were found.

    Args:
        known: also the URLs that are only known: the ends of links that were not followed, and those that wait.
    """
    found: list[GraphRow] = []
    last = -1
    join = "LEFT JOIN" if known else "JOIN"
    query = (
        "SELECT u.id, u.url, coalesce(p.kind, ''), coalesce(u.state, ''), coalesce(p.title, '') "  # noqa: S608  # constant
        f"FROM urls AS u {join} pages AS p ON p.id = u.id "
        "WHERE u.id > ? AND (p.kind IS NULL OR p.kind NOT IN ('redirect', 'sitemap')) ORDER BY u.id LIMIT ?"
    )
    while True:
        with database.errors():
            rows = database.connection.execute(query, (last, LINKS_AT_ONCE)).fetchall()
        if not rows:
            return found
        last = rows[-1][0]
        found += [GraphRow(*row) for row in rows]


def has_more_links(database: CrawlDatabase, most: int) -> bool:
    """Whether there are more than *most* links, or stored pages. Cost: O(most)."""
    counts = " + ".join(
        f"((SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT :most + 1)) > :most)"  # noqa: S608  # constants
        for table in ("link_ids", "pages")
    )
    with database.errors():
        return bool(database.connection.execute(f"SELECT {counts}", {"most": most}).fetchone()[0])


def read_graph_links(database: CrawlDatabase) -> tuple[array[int], array[int], bytearray]:
    """Return all links: numbers of their pages, of their ends, and whether they are pruned (1).

    Memory: 17 bytes a link.
    """
    sources, ends, pruned = array("q"), array("q"), bytearray()
    last = (-1, -1)
    query = "SELECT src, dst, pruned FROM link_ids WHERE (src, dst) > (?, ?) ORDER BY src, dst LIMIT ?"
    while True:
        with database.errors():
            rows = database.connection.execute(query, (*last, LINKS_AT_ONCE)).fetchall()
        if not rows:
            return sources, ends, pruned
        last = rows[-1][:2]
        some = tuple(zip(*rows, strict=True))
        sources.extend(some[0])
        ends.extend(some[1])
        pruned.extend(some[2])


def read_redirects(database: CrawlDatabase) -> dict[int, int]:
    """Return which page a redirected URL led to: its number → the page's."""
    with database.errors():
        pages = {
            url_key(requested): number
            for number, requested in database.connection.execute(
                "SELECT id, requested FROM pages WHERE requested IS NOT NULL"
            )
        }
        rows = database.connection.execute(
            "SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each(?))", (json.dumps(list(pages)),)
        ).fetchall()
    return {number: pages[key] for key, number in rows}


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


# --- The table of a site's records, read a batch at a time in the order of its URLs -----------------------------------


RECORDS_AT_ONCE = 200
"""Rows of a read: they are all in memory at once."""

EXACT = 2**53
"""Up to here, a floating-point number tells every whole number exactly."""

IS_LIST = "typeof({0}) = 'text' AND {0} GLOB '[[]*'"
IS_DAY = "{0} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'"

Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a column holds: how many whole numbers, fractions, texts; of the texts, how many lists (JSON) and days."""

    integers: int
    large: int
    """Whole numbers that no 64-bit floating-point number tells exactly."""
    fractions: int
    texts: int
    lists: int
    days: int


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The records of one site. Attributes: its columns, `url` and `fetched_at` first."""

    database: CrawlDatabase
    name: str
    columns: tuple[str, ...]

    def read(
        self, columns: Sequence[str], *, since: float | None = None, batch: int = RECORDS_AT_ONCE
    ) -> Iterator[list[Row]]:
        """Give the rows in batches, sorted by URL.

        Args:
            since: only records that are new or have changed since then (seconds since 1970); see `changed_since`.
        """
        names = ", ".join(f"r.{quote_name(name)}" for name in ("url", *columns))
        source = f"FROM {quote_name(self.name)} AS r"
        wanted = "" if since is None else f"AND {changed_since(self.database)}"
        query = f"SELECT {names} {source} WHERE r.url > :last {wanted} ORDER BY r.url LIMIT :batch"  # quoted
        last = ""
        while rows := self._rows(query, {"last": last, "batch": batch, "since": since}):
            last = rows[-1][0]
            yield [row[1:] for row in rows]

    def one(self, url: str) -> dict[str, Any] | None:
        """Return the record at *url*, column → value as stored; None where there is none."""
        query = f"SELECT * FROM {quote_name(self.name)} WHERE url = :url"  # noqa: S608  # quoted
        rows = self._rows(query, {"url": url})
        return dict(zip(self.columns, rows[0], strict=True)) if rows else None

    def count(self) -> int:
        """Return how many records there are."""
        return int(self._rows(f"SELECT count(*) FROM {quote_name(self.name)}", {})[0][0])  # noqa: S608  # quoted

    def facts(self, columns: Sequence[str]) -> dict[str, ColumnFacts]:
        """Say what the values of some columns are. Cost: one scan of the table."""
        if not columns:
            return {}
        counts = []
        for name in columns:
            column = quote_name(name)
            kinds = [f"typeof({column}) = '{kind}'" for kind in ("integer", "real", "text")]
            kinds.insert(1, f"{kinds[0]} AND abs({column}) > {EXACT}")
            counts += [f"total({test})" for test in (*kinds, IS_LIST.format(column), IS_DAY.format(column))]
        row = self._rows(f"SELECT {', '.join(counts)} FROM {quote_name(self.name)}", {})[0]  # noqa: S608  # quoted
        return {
            name: ColumnFacts(*(int(value) for value in row[6 * place : 6 * place + 6]))
            for place, name in enumerate(columns)
        }

    def item_types(self, column: str) -> dict[str | None, set[str]]:
        """Say what the lists of a column hold: part of the items → JSON types of its values; None: the items that have
        no parts. Cost: one scan of the table."""
        name = quote_name(column)
        found: dict[str | None, set[str]] = {}
        value = f"iif({IS_LIST.format(name)} AND json_valid({name}), {name}, '[]')"
        lists = f"{quote_name(self.name)} AS r, json_each({value}) AS i"
        for part, kind in (
            *self._rows(f"SELECT DISTINCT NULL, i.type FROM {lists} WHERE i.type <> 'object'", {}),  # noqa: S608
            *self._rows(
                f"SELECT j.key, j.type FROM {lists}, json_each(i.value) AS j "  # noqa: S608  # quoted
                "WHERE i.type = 'object' GROUP BY 1, 2 ORDER BY min(r.rowid * 1000 + j.id)",
                {},
            ),
        ):
            found.setdefault(part, set()).add(kind)
        return found

    def _rows(self, query: str, values: dict[str, Any]) -> list[Row]:
        with self.database.errors():
            return self.database.connection.execute(query, values).fetchall()


def record_table(database: CrawlDatabase, site: str) -> RecordTable | None:
    """Return the table of a site's records; None where nothing has made one yet."""
    name = records_table(site)
    with database.errors():
        rows = database.connection.execute(f"PRAGMA table_info({quote_name(name)})").fetchall()
    return RecordTable(database, name, tuple(row[1] for row in rows)) if rows else None


def changed_since(database: CrawlDatabase) -> str:
    """Return the condition by which a record `r` is new or has changed since :since.

    A recrawl notes of each page when its content changed; of pages of which nothing was noted it is when they were
    fetched. With a history of changes, what that says counts, too: also what `scrapy extract` has changed.
    """
    have = {row[0] for row in database.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    when = "r.fetched_at"
    if "revisits" in have:
        pages = "SELECT v.changed_at FROM revisits AS v JOIN pages AS p ON p.id = v.id WHERE p.url = r.url"
        when = f"coalesce(({pages}), r.fetched_at)"
    condition = f"{when} >= :since"
    if "changes" in have:
        condition += " OR EXISTS (SELECT 1 FROM changes AS c WHERE c.url = r.url AND c.at >= :since)"
    return f"({condition})"


# --- Records as somebody looks at them --------------------------------------------------------------------------------


STEP = 500
SEARCH_SECONDS = 0.15
COVERAGE_RECORDS = 20_000
COVERAGE_STEPS = 20
MOST_EXCEPTIONS = 200_000
EXCEPTIONS_A_STEP = 20_000
MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class RecentRecords:
    """Some records, the last that came first. `next`: where to go on, None at the end."""

    rows: list[Row]
    next: int | None
    looked: int


@dataclass(slots=True)
class ExceptionStats:
    """Of one field ("" for whole pages): how many exceptions, by reason, and some of them."""

    count: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    """URL, reason, closest."""


def recent_records(
    table: RecordTable, columns: Sequence[str], *, before: int | None = None, limit: int = 50, search: str = ""
) -> RecentRecords:
    """Return records in the order in which they came first, latest first.

    Args:
        before: the `next` of an earlier answer.
        search: only those in which a column holds this text, in whatever case.
    """
    names = ", ".join(map(quote_name, columns))
    query = f"SELECT rowid, {names} FROM {quote_name(table.name)} WHERE rowid < ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608
    wanted, place, looked = search.casefold(), before or 2**62, 0
    rows: list[Row] = []
    until = time.monotonic() + SEARCH_SECONDS
    while len(rows) < limit:
        step = STEP if wanted else limit + 1
        with table.database.errors():
            found = table.database.connection.execute(query, (place, step)).fetchall()
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
    return RecentRecords(rows, place, looked)


def coverage_steps(table: RecordTable, columns: Sequence[str]) -> list[tuple[float, int, dict[str, float]]]:
    """Return how full each column was, over the last records, in steps, the oldest first.

    Each step: when its first record was fetched, how many it has, column → share with a value (0 … 1). Cost: at most
    `COVERAGE_RECORDS` rows.
    """
    sql, name = table.database.connection, quote_name(table.name)
    sums = ", ".join(f"avg({quote_name(one)} IS NOT NULL AND {quote_name(one)} NOT IN ('', '[]'))" for one in columns)
    found = []
    with table.database.errors():
        last = sql.execute(f"SELECT max(rowid) FROM {name}").fetchone()[0] or 0  # noqa: S608  # quoted
    first = max(0, last - COVERAGE_RECORDS)
    width = max(1, -(-(last - first) // COVERAGE_STEPS))
    for start in range(first, last, width):
        query = f"SELECT min(fetched_at), count(*), {sums} FROM {name} WHERE rowid > ? AND rowid <= ?"  # noqa: S608
        with table.database.errors():
            at, count, *shares = sql.execute(query, (start, start + width)).fetchone()
        if count:
            found.append((at, count, dict(zip(columns, shares, strict=True))))
    return found


def exception_stats(database: CrawlDatabase) -> tuple[dict[str, ExceptionStats], bool]:
    """Return the exceptions by field, most first, and whether there are more than were looked at."""
    found: dict[str, ExceptionStats] = {}
    last: tuple[Any, Any] = ("", "")
    looked = 0
    query = "SELECT url, field, reason, closest FROM exceptions WHERE (url, field) > (?, ?) ORDER BY url, field LIMIT ?"
    more = True
    while looked < MOST_EXCEPTIONS:
        with database.errors():
            rows = database.connection.execute(query, (*last, EXCEPTIONS_A_STEP)).fetchall()
        for url, name, reason, closest in rows:
            stats = found.setdefault(name, ExceptionStats())
            stats.count += 1
            stats.reasons[reason] = stats.reasons.get(reason, 0) + 1
            if len(stats.examples) < MOST_EXAMPLES:
                stats.examples.append((url, reason, closest))
        looked += len(rows)
        if len(rows) < EXCEPTIONS_A_STEP:
            more = False
            break
        last = rows[-1][:2]
    return dict(sorted(found.items(), key=lambda item: -item[1].count)), more
