"""A crawl's own file as a place to read from; also while the crawl runs."""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.items import StoredPage
from gwc_crawler.store.history import ChangeCause, ChangeKind
from gwc_crawler.store.reading import (
    COVERAGE_RECORDS,
    COVERAGE_STEPS,
    EXACT,
    MOST_EXCEPTIONS,
    RECORDS_AT_ONCE,
    ColumnFacts,
    Coverage,
    ExceptionStats,
    GraphRow,
    RecentRecords,
    Row,
    SiteReader,
    add_exception,
)
from gwc_crawler.store.sqlite import stats
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import records_table
from gwc_crawler.urls import url_key

LINKS_AT_ONCE = 50_000
"""Rows of a read; between two of them, nothing is held."""

STEP = 500
SEARCH_SECONDS = 0.15
EXCEPTIONS_A_STEP = 20_000

IS_LIST = "typeof({0}) = 'text' AND {0} GLOB '[[]*'"
IS_DAY = "{0} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'"


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

    def recent(self, columns: Sequence[str], *, before: str = "", limit: int = 50, search: str = "") -> RecentRecords:
        """Return records in the order in which they came first, latest first. A search looks for a moment at a time."""
        names = ", ".join(map(quote_name, columns))
        query = f"SELECT rowid, {names} FROM {quote_name(self.name)} WHERE rowid < ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608
        wanted, place, looked = search.casefold(), _place(before), 0
        rows: list[Row] = []
        until = time.monotonic() + SEARCH_SECONDS
        while len(rows) < limit:
            step = STEP if wanted else limit + 1
            with self.database.errors():
                found = self.database.connection.execute(query, (place, step)).fetchall()
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

    def coverage(self, columns: Sequence[str]) -> list[Coverage]:
        """Return how full each column was, over the last records, in steps, the oldest first."""
        sql, name = self.database.connection, quote_name(self.name)
        sums = ", ".join(
            f"avg({quote_name(one)} IS NOT NULL AND {quote_name(one)} NOT IN ('', '[]'))" for one in columns
        )
        found = []
        with self.database.errors():
            last = sql.execute(f"SELECT max(rowid) FROM {name}").fetchone()[0] or 0  # noqa: S608  # quoted
        first = max(0, last - COVERAGE_RECORDS)
        width = max(1, -(-(last - first) // COVERAGE_STEPS))
        for start in range(first, last, width):
            query = f"SELECT min(fetched_at), count(*), {sums} FROM {name} WHERE rowid > ? AND rowid <= ?"  # noqa: S608
            with self.database.errors():
                at, count, *shares = sql.execute(query, (start, start + width)).fetchone()
            if count:
                found.append((at, count, dict(zip(columns, shares, strict=True))))
        return found


def _place(text: str) -> int:
    """Return the number of a row behind which to go on; the largest that there can be where none is named."""
    number = int(text) if text.isdecimal() else LARGEST
    return min(number, LARGEST)


LARGEST = 2**62


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


class SqliteReader(SiteReader):
    """A `SiteReader` over a crawl's own file, which its owner closes."""

    def __init__(self, database: CrawlDatabase, site: str) -> None:
        self.database = database
        self.place = str(database.path)
        self._site = site

    def records(self) -> RecordTable | None:
        return record_table(self.database, self._site)

    def close(self) -> None:
        """Its owner does that."""

    def page_facts(self, url: str) -> dict[str, Any] | None:
        return stats.page_facts(self.database, url)

    def stored_page(self, url: str) -> StoredPage | None:
        return stats.stored_page(self.database, url)

    def exceptions_of(self, url: str) -> list[dict[str, str]]:
        with self.database.errors():
            rows = self.database.connection.execute(
                "SELECT field, reason, closest FROM exceptions WHERE url = ? ORDER BY field", (url,)
            )
            return [dict(zip(("field", "reason", "closest"), row, strict=True)) for row in rows.fetchall()]

    def exception_counts(self) -> dict[str, int]:
        with self.database.errors():
            rows = self.database.connection.execute(
                "SELECT field, count(*) FROM exceptions GROUP BY field ORDER BY 2 DESC, 1"
            )
            return dict(rows.fetchall())

    def incomplete_records(self) -> int:
        with self.database.errors():
            rows = self.database.connection.execute("SELECT count(DISTINCT url) FROM exceptions WHERE field <> ''")
            return int(rows.fetchone()[0])

    def pages_by_kind(self) -> dict[str, int]:
        with self.database.errors():
            return dict(self.database.connection.execute("SELECT kind, count(*) FROM pages GROUP BY kind").fetchall())

    def took_its_place(self, url: str, main: str) -> bool:
        return stats.took_its_place(self.database, url, main)

    def linking_to(self, url: str, limit: int) -> list[tuple[str, int]]:
        """Return up to *limit* pages with a link to *url*, and their weights. Cost: a scan without `link_index`."""
        database = self.database
        number = database.urls.find(url)
        with database.errors():
            rows = database.connection.execute(
                "SELECT pages.url, pages.weight FROM link_ids JOIN pages ON pages.id = src WHERE dst = ? LIMIT ?",
                (number, limit),
            )
            return list(rows.fetchall())

    def exception_stats(self) -> tuple[dict[str, ExceptionStats], bool]:
        found: dict[str, ExceptionStats] = {}
        last: tuple[Any, Any] = ("", "")
        looked = 0
        query = (
            "SELECT url, field, reason, closest FROM exceptions WHERE (url, field) > (?, ?) ORDER BY url, field LIMIT ?"
        )
        more = True
        while looked < MOST_EXCEPTIONS:
            with self.database.errors():
                rows = self.database.connection.execute(query, (*last, EXCEPTIONS_A_STEP)).fetchall()
            for url, name, reason, closest in rows:
                add_exception(found, url, name, reason, closest)
            looked += len(rows)
            if len(rows) < EXCEPTIONS_A_STEP:
                more = False
                break
            last = rows[-1][:2]
        return dict(sorted(found.items(), key=lambda item: -item[1].count)), more

    def graph_pages(self, *, known: bool = False) -> list[GraphRow]:
        found: list[GraphRow] = []
        last = -1
        join = "LEFT JOIN" if known else "JOIN"
        query = (
            "SELECT u.id, u.url, coalesce(p.kind, ''), coalesce(u.state, ''), coalesce(p.title, '') "  # noqa: S608  # constant
            f"FROM urls AS u {join} pages AS p ON p.id = u.id "
            "WHERE u.id > ? AND (p.kind IS NULL OR p.kind NOT IN ('redirect', 'sitemap')) ORDER BY u.id LIMIT ?"
        )
        while True:
            with self.database.errors():
                rows = self.database.connection.execute(query, (last, LINKS_AT_ONCE)).fetchall()
            if not rows:
                return found
            last = rows[-1][0]
            found += [GraphRow(*row) for row in rows]

    def has_more_links(self, most: int) -> bool:
        """Whether there are more than *most* links, or stored pages. Cost: O(most)."""
        counts = " + ".join(
            f"((SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT :most + 1)) > :most)"  # noqa: S608  # constants
            for table in ("link_ids", "pages")
        )
        with self.database.errors():
            return bool(self.database.connection.execute(f"SELECT {counts}", {"most": most}).fetchone()[0])

    def graph_links(self) -> Iterable[tuple[int, int, int]]:
        """Return all links. Memory: 17 bytes a link, so that nothing is held in the file meanwhile."""
        sources, ends, pruned = array("q"), array("q"), bytearray()
        last = (-1, -1)
        query = "SELECT src, dst, pruned FROM link_ids WHERE (src, dst) > (?, ?) ORDER BY src, dst LIMIT ?"
        while True:
            with self.database.errors():
                rows = self.database.connection.execute(query, (*last, LINKS_AT_ONCE)).fetchall()
            if not rows:
                return zip(sources, ends, pruned, strict=True)
            last = rows[-1][:2]
            some = tuple(zip(*rows, strict=True))
            sources.extend(some[0])
            ends.extend(some[1])
            pruned.extend(some[2])

    def redirects(self) -> dict[int, int]:
        with self.database.errors():
            pages = {
                url_key(requested): number
                for number, requested in self.database.connection.execute(
                    "SELECT id, requested FROM pages WHERE requested IS NOT NULL"
                )
            }
            rows = self.database.connection.execute(
                "SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each(?))", (json.dumps(list(pages)),)
            ).fetchall()
        return {number: pages[key] for key, number in rows}


# --- What became of records ------------------------------------------------------------------------------------------


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
