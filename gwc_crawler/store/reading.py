"""What can be read of a crawl wherever its pages and records are: each question once, in the words of each store.

What one store alone knows (a history of changes, which pages are due) is no part of it. Every method raises StoreError
where the store can't be read.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from gwc_crawler.items import PageKind, StoredPage

Row: TypeAlias = tuple[Any, ...]
Coverage: TypeAlias = tuple[float, int, dict[str, float]]
"""When the first of some records was fetched, how many they are, column → share with a value (0 … 1)."""

RECORDS_AT_ONCE, SCAN_ROWS, GRAPH_ROWS = 200, 2_000, 20_000
"""Rows of a read: of records, of records that are only looked at, of what is as small as links."""
FACTS = "title, kind, status, content_type, charset, requested, fetched_at"
"""What `page_facts` tells."""

EXACT = 2**sys.float_info.mant_dig
"""Up to here, a floating-point number tells every whole number exactly."""

MOST_EXAMPLES = 5
MOST_EXCEPTIONS = 200_000
"""So many are looked at."""
COVERAGE_RECORDS, COVERAGE_STEPS = 20_000, 20
"""So many records at most, in so many steps."""


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
class RecentRecords:
    """Some records, the last that came first. `next`: where to go on, None at the end."""

    rows: list[Row]
    next: str | None
    looked: int


@dataclass(slots=True)
class ExceptionStats:
    """Of one field ("" for whole pages): how many exceptions, by reason, and some of them."""

    count: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    """URL, reason, closest."""


@dataclass(frozen=True, slots=True)
class GraphRow:
    """One URL of the graph. `kind` is "" where it was never fetched."""

    number: int
    url: str
    kind: str
    state: str
    title: str


class Exportable(ABC):
    """Records in the order of some key. Values are texts, numbers, and lists as JSON; times are epoch seconds."""

    columns: tuple[str, ...]
    """The columns, `url` and `fetched_at` first."""

    @abstractmethod
    def read(
        self, columns: Sequence[str], *, since: float | None = None, batch: int = RECORDS_AT_ONCE
    ) -> Iterator[list[Row]]:
        """Give the rows in batches, in the order of the store's key; *since*: only what is new or has changed."""

    @abstractmethod
    def count(self) -> int:
        """Return how many records there are."""

    def facts(self, columns: Sequence[str]) -> dict[str, ColumnFacts]:
        """Say what the values of some columns are. Cost: one scan of the table."""
        return facts_of(columns, self.scan(columns)) if columns else {}

    def item_types(self, column: str) -> dict[str | None, set[str]]:
        """Say what the lists of a column hold: part of the items → JSON types of its values; None: the items that have
        no parts. Cost: one scan of the table.
        """
        return item_types_of(value for (value,) in self.scan([column]))

    def scan(self, columns: Sequence[str]) -> Iterator[Row]:
        """Give all rows, in whatever order."""
        for rows in self.read(columns, batch=SCAN_ROWS):
            yield from rows


class Tables(ABC):
    """Tables of one store, asked in its own words; `table` and `column` quote names."""

    place: str
    """Where they are, for people."""

    @abstractmethod
    def rows(self, query: str) -> list[Row]: ...

    @abstractmethod
    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a quoted table and their types; none: there is no such table."""

    @abstractmethod
    def first(self, count: int, rest: str, *, ties: bool = False) -> str:
        """Return the query SELECT *rest*, of its first rows alone; *ties*: and of those that are equal to the last."""

    @abstractmethod
    def table(self, name: str) -> str: ...

    @abstractmethod
    def column(self, name: str) -> str: ...

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Return a number, a text or bytes as SQL has it."""

    @abstractmethod
    def unpacked(self, html: bytes) -> bytes: ...

    @abstractmethod
    def close(self) -> None: ...


class SiteReader(Tables):
    """Pages, links, records and exceptions of one site, to be read.

    The questions are the same for each store; the words in which it is asked, and its keys, are its own.
    """

    key: ClassVar[str]
    """The column that tables are joined by."""
    first_key: ClassVar[str]
    """A value that is before all of its values."""

    @abstractmethod
    def time(self, seconds: float) -> str:
        """Return a time, of which we have the seconds since 1970, as SQL has it."""

    @abstractmethod
    def seconds(self, time: Any) -> float:
        """Return the seconds since 1970 of a time that the store gave."""

    @abstractmethod
    def of_site(self, alias: str = "") -> str:
        """Return the condition that a row of pages, URLs or exceptions is of this site."""

    @abstractmethod
    def of_url(self, url: str) -> str:
        """Return the condition that a row of pages, exceptions or records is of this URL."""

    @abstractmethod
    def key_of(self, url: str) -> str: ...

    @abstractmethod
    def number(self, key: Any) -> int: ...

    # --- records and pages --------------------------------------------------------------------------------------------

    @abstractmethod
    def records(self) -> RecordRows | None:
        """Return the records; None where nothing has made any yet."""

    def page_facts(self, url: str) -> dict[str, Any] | None:
        """Return what is stored of a page besides its text: title, kind, status, when it was fetched …"""
        rows = self._pages(f"{FACTS}, CASE WHEN html IS NULL THEN 0 ELSE 1 END AS kept", self.of_url(url))
        if not rows:
            return None
        found = dict(zip((*FACTS.split(", "), "html_kept"), rows[0], strict=True))
        return {**found, "fetched_at": self.seconds(found["fetched_at"]), "html_kept": bool(found["html_kept"])}

    def stored_page(self, url: str, *, since: float = 0.0) -> StoredPage | None:
        """Return the page at *url* (after redirects) when its HTML was kept, and it was not fetched before *since*.

        `links` is left empty: whoever asks reads the page again.
        """
        wanted = f"{self.of_url(url)} AND html IS NOT NULL AND status = 200 AND fetched_at >= {self.time(since)}"
        for address, kind, charset, weight, depth, relevant, html in self._pages(
            "url, content_type, charset, weight, depth, relevant, html", wanted
        ):
            body = self.unpacked(html)
            return StoredPage(address, address, body, kind or "", charset or "", weight, depth, bool(relevant))
        return None

    def exceptions_of(self, url: str) -> list[dict[str, str]]:
        """Return what is missing on a page: field ("" for the page as a whole), reason, closest."""
        names = ("field", "reason", "closest")
        query = f"SELECT field, reason, closest FROM {self.table('exceptions')} WHERE {self.of_url(url)} ORDER BY field"  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in self.rows(query)]

    def exception_counts(self) -> dict[str, int]:
        """Return how often each field is listed as missing, most often first; "" stands for pages."""
        told = f"{self.table('exceptions')} WHERE {self.of_site()} GROUP BY field ORDER BY COUNT(*) DESC, field"
        return dict(self.rows(f"SELECT field, COUNT(*) AS n FROM {told}"))  # noqa: S608

    def incomplete_records(self) -> int:
        """Return how many records lack a field that should be there, or have a value that is not of its type."""
        told = f"{self.table('exceptions')} WHERE {self.of_site()} AND field <> ''"
        return int(self.rows(f"SELECT COUNT(DISTINCT url) AS n FROM {told}")[0][0])  # noqa: S608

    def exception_stats(self) -> tuple[dict[str, ExceptionStats], bool]:
        """Return the exceptions by field, most first, and whether there are more than were looked at."""
        found: dict[str, ExceptionStats] = {}
        source = f"{self.table('exceptions')} WHERE {self.of_site()}"
        rows = self.rows(self.first(MOST_EXCEPTIONS + 1, f"url, field, reason, closest FROM {source}"))
        for url, name, reason, closest in rows[:MOST_EXCEPTIONS]:
            stats = found.setdefault(name, ExceptionStats())
            stats.count += 1
            stats.reasons[reason] = stats.reasons.get(reason, 0) + 1
            if len(stats.examples) < MOST_EXAMPLES:
                stats.examples.append((url, reason, closest))
        return dict(sorted(found.items(), key=lambda one: -one[1].count)), len(rows) > MOST_EXCEPTIONS

    def pages_by_kind(self) -> dict[str, int]:
        """Return how many pages of each kind are stored."""
        return dict(self._pages("kind, COUNT(*) AS n", f"{self.of_site()} GROUP BY kind"))

    def took_its_place(self, url: str, main: str) -> bool:
        """Say whether a page was read in the place of *main*, its canonical address, of which there is no page yet."""
        own, others = (self._pages("kind", self.of_url(one)) for one in (url, main))
        return not others and bool(own) and own[0][0] in (PageKind.TARGET, PageKind.LOOKALIKE)

    def linking_to(self, url: str, limit: int) -> list[tuple[str, int]]:
        """Return up to *limit* pages with a link to *url*, and their weights. Cost: in SQLite a scan of the links."""
        links = f"{self.table('link_ids')} AS l INNER JOIN {self.table('pages')} AS p ON p.{self.key} = l.src"
        query = self.first(limit, f"p.url, p.weight FROM {links} WHERE l.dst = {self.key_of(url)}")
        return [(page, weight) for page, weight in self.rows(query)]

    def _pages(self, columns: str, condition: str) -> list[Row]:
        return self.rows(f"SELECT {columns} FROM {self.table('pages')} WHERE {condition}")  # noqa: S608  # quoted

    # --- the graph ----------------------------------------------------------------------------------------------------

    def graph_pages(self, *, known: bool = False) -> list[GraphRow]:
        """Return the stored pages; *known*: also URLs that were never fetched."""
        key, join, last = f"u.{self.key}", "LEFT JOIN" if known else "INNER JOIN", self.first_key
        source = f"{self.table('urls')} AS u {join} {self.table('pages')} AS p ON p.{self.key} = {key}"
        wanted = f"{self.of_site('u.')} AND (p.kind IS NULL OR p.kind NOT IN ('redirect', 'sitemap'))"
        found: list[GraphRow] = []
        facts = "COALESCE(p.kind, '') AS kind, COALESCE(u.state, '') AS state, COALESCE(p.title, '') AS title"
        query = f"{key}, u.url, {facts} FROM {source} WHERE {wanted}"
        while rows := self.rows(self.first(GRAPH_ROWS, f"{query} AND {key} > {last} ORDER BY {key}")):
            found += [GraphRow(self.number(number), *rest) for number, *rest in rows]
            last = self.literal(rows[-1][0])
        return found

    @abstractmethod
    def graph_links(self) -> Iterator[tuple[int, int, int]]:
        """Return all links: numbers of their pages and of their ends, and whether they are pruned (1)."""

    @abstractmethod
    def redirects(self) -> dict[int, int]:
        """Return which page a redirected URL led to: its number → the page's."""

    @abstractmethod
    def has_more_links(self, most: int) -> bool:
        """Whether there are more than *most* links, or stored pages."""


class RecordRows(Exportable):
    """The records of one site: a table of a store's, by its quoted name.

    *kinds*: column → its type; `url` and `fetched_at` first.
    """

    key: ClassVar[str]
    """The column by which they are read in order."""
    first_key: ClassVar[str]
    """A value that is before all of its values."""
    latest: ClassVar[str]
    """By what the last come first."""

    def __init__(self, reader: SiteReader, table: str, kinds: Mapping[str, str]) -> None:
        self._reader, self._table, self._kinds = reader, table, kinds
        self.columns = tuple(kinds)

    def read(
        self, columns: Sequence[str], *, since: float | None = None, batch: int = RECORDS_AT_ONCE
    ) -> Iterator[list[Row]]:
        wanted = "" if since is None else f" AND {self.changed_since(self._reader.time(since))}"
        last = self.first_key
        query = f"{self._names((self.key, *columns))} FROM {self._table} AS r WHERE r.{self.key} > "
        while rows := self._reader.rows(self._reader.first(batch, f"{query}{last}{wanted} ORDER BY r.{self.key}")):
            last = self._reader.literal(rows[-1][0])
            yield [self.plain(columns, row[1:]) for row in rows]

    def one(self, url: str) -> dict[str, Any] | None:
        """Return the record at *url*, column → value as stored; None where there is none."""
        columns = self.columns
        query = f"SELECT {self._names(columns)} FROM {self._table} WHERE {self._reader.of_url(url)}"  # noqa: S608  # quoted
        rows = self._reader.rows(query)
        return dict(zip(columns, self.plain(columns, rows[0]), strict=True)) if rows else None

    def count(self) -> int:
        return int(self._reader.rows(f"SELECT COUNT(*) AS n FROM {self._table}")[0][0])  # noqa: S608  # quoted

    @abstractmethod
    def recent(self, columns: Sequence[str], *, before: str = "", limit: int = 50, search: str = "") -> RecentRecords:
        """Return records, latest first.

        Args:
            before: the `next` of an earlier answer.
            search: only those in which a column holds this text, in whatever case.
        """

    def coverage(self, columns: Sequence[str]) -> list[Coverage]:
        """Return how full each column was, over the last records, in steps, the oldest first."""
        names = ("fetched_at", *columns)
        query = f"{self._names(names)} FROM {self._table} ORDER BY {self.latest}"
        rows = self._reader.rows(self._reader.first(COVERAGE_RECORDS, query))
        found = [self.plain(names, row) for row in reversed(rows)]
        width = max(1, -(-len(found) // COVERAGE_STEPS))
        return [_step(columns, found[start : start + width]) for start in range(0, len(found), width)]

    @abstractmethod
    def changed_since(self, time: str) -> str:
        """Return the condition that a record `r` is new or has changed since a time."""

    def plain(self, columns: Sequence[str], row: Row) -> Row:
        """Return the values of a row as `Exportable` has them."""
        return row

    def _names(self, columns: Iterable[str]) -> str:
        return ", ".join(map(self._reader.column, columns))


def _step(columns: Sequence[str], rows: Sequence[Row]) -> Coverage:
    full = [sum(row[place] not in (None, "", "[]") for row in rows) for place in range(1, len(columns) + 1)]
    return rows[0][0], len(rows), {name: count / len(rows) for name, count in zip(columns, full, strict=True)}


# --- What columns hold, told row by row: as fast as SQLite's own counting ---------------------------------------------


def facts_of(columns: Sequence[str], rows: Iterable[Row]) -> dict[str, ColumnFacts]:
    """Return what the values of columns are.

    >>> facts_of(["a"], [(1,), (2**60,), (0.5,), ("[1]",), ("2010-06-12",), (None,)])["a"]
    ColumnFacts(integers=2, large=1, fractions=1, texts=2, lists=1, days=1)
    """
    counts = [[0] * 6 for _ in columns]
    for row in rows:
        for count, value in zip(counts, row, strict=True):
            if isinstance(value, str):
                count[3] += 1
                count[4] += value.startswith("[")
                count[5] += is_day(value)
            elif isinstance(value, int):
                count[0] += 1
                count[1] += abs(value) > EXACT
            elif value is not None:
                count[2] += 1
    return {name: ColumnFacts(*count) for name, count in zip(columns, counts, strict=True)}


def is_day(text: str) -> bool:
    """Say whether a text is a day as ISO 8601 has it."""
    return len(text) == 10 and text[4] == text[7] == "-" and text.replace("-", "").isdigit()


JSON_TYPES = {str: "text", bool: "true", int: "integer", float: "real", list: "array", dict: "object"}


def item_types_of(values: Iterable[Any]) -> dict[str | None, set[str]]:
    """Return what lists hold; see `Exportable.item_types`.

    >>> sorted(item_types_of(['[{"a": 1, "b": null}]', '["x"]'])["a"]), item_types_of(['["x"]'])
    (['integer'], {None: {'text'}})
    """
    found: dict[str | None, set[str]] = {}
    for value in values:
        for item in json.loads(value) if isinstance(value, str) and value.startswith("[") else ():
            parts: Mapping[str | None, Any] = item if isinstance(item, dict) else {None: item}
            for part, one in parts.items():
                found.setdefault(part, set()).add(JSON_TYPES.get(type(one), "null"))
    return found
