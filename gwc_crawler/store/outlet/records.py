"""The table of a site's records, read a batch at a time in the order of its URLs.

Each batch is a read of its own, found by its key: no matter how slow the reader is, it holds up no crawl that writes to
the file, and a crawl's file of recent writes (WAL) doesn't grow for it. A record that is there from the beginning to
the end is given once; one that comes or goes meanwhile may be given or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gwc_crawler.store.sqlite import CrawlDatabase, quote_name, records_table

BATCH = 200
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

    def read(self, columns: Sequence[str], *, since: float | None = None, batch: int = BATCH) -> Iterator[list[Row]]:
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
