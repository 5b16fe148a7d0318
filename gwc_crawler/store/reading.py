"""What can be read of a crawl wherever its pages and records are: one protocol, which each store keeps.

What one store alone knows (a history of changes, which pages are due) is no part of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from gwc_crawler.items import StoredPage

Row: TypeAlias = tuple[Any, ...]
Coverage: TypeAlias = tuple[float, int, dict[str, float]]
"""When the first of some records was fetched, how many they are, column → share with a value (0 … 1)."""

RECORDS_AT_ONCE = 200
"""Rows of a read: they are all in memory at once."""

EXACT = 2**53
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


class Exportable(Protocol):
    """Records in the order of some key. Values are texts, numbers, and lists as JSON; times are epoch seconds.

    Every method raises StoreError where the store can't be read.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, `url` and `fetched_at` first."""

    def read(
        self, columns: Sequence[str], *, since: float | None = None, batch: int = RECORDS_AT_ONCE
    ) -> Iterator[list[Row]]:
        """Give the rows in batches, in the order of the store's key; *since*: only what is new or has changed."""

    def count(self) -> int:
        """Return how many records there are."""

    def facts(self, columns: Sequence[str]) -> dict[str, ColumnFacts]:
        """Say what the values of some columns are. Cost: one scan of the table."""

    def item_types(self, column: str) -> dict[str | None, set[str]]:
        """Say what the lists of a column hold: part of the items → JSON types of its values; None: the items that have
        no parts. Cost: one scan of the table."""


class RecordRows(Exportable, Protocol):
    """The records of one site."""

    def one(self, url: str) -> dict[str, Any] | None:
        """Return the record at *url*, column → value as stored; None where there is none."""

    def recent(self, columns: Sequence[str], *, before: str = "", limit: int = 50, search: str = "") -> RecentRecords:
        """Return records, latest first.

        Args:
            before: the `next` of an earlier answer.
            search: only those in which a column holds this text, in whatever case.
        """

    def coverage(self, columns: Sequence[str]) -> list[Coverage]:
        """Return how full each column was, over the last records, in steps, the oldest first."""


class SiteReader(Protocol):
    """Pages, links, records and exceptions of one site, to be read. Every method raises StoreError."""

    place: str
    """Where they are, for people."""

    def records(self) -> RecordRows | None:
        """Return the records; None where nothing has made any yet."""

    def page_facts(self, url: str) -> dict[str, Any] | None:
        """Return what is stored of a page besides its text: title, kind, status, when it was fetched …"""

    def stored_page(self, url: str) -> StoredPage | None:
        """Return a page whose HTML was kept."""

    def exceptions_of(self, url: str) -> list[dict[str, str]]:
        """Return what is missing on a page: field ("" for the page as a whole), reason, closest."""

    def exception_counts(self) -> dict[str, int]:
        """Return how often each field is listed as missing, most often first; "" stands for pages."""

    def incomplete_records(self) -> int:
        """Return how many records lack a field that should be there, or have a value that is not of its type."""

    def exception_stats(self) -> tuple[dict[str, ExceptionStats], bool]:
        """Return the exceptions by field, most first, and whether there are more than were looked at."""

    def pages_by_kind(self) -> dict[str, int]:
        """Return how many pages of each kind are stored."""

    def took_its_place(self, url: str, main: str) -> bool:
        """Say whether a page was read in the place of *main*, its canonical address, of which there is no page yet."""

    def linking_to(self, url: str, limit: int) -> list[tuple[str, int]]:
        """Return up to *limit* pages with a link to *url*, and their weights."""

    def graph_pages(self, *, known: bool = False) -> list[GraphRow]:
        """Return the stored pages; *known*: also URLs that were never fetched."""

    def graph_links(self) -> Iterable[tuple[int, int, int]]:
        """Return all links: numbers of their pages and of their ends, and whether they are pruned (1)."""

    def redirects(self) -> dict[int, int]:
        """Return which page a redirected URL led to: its number → the page's."""

    def has_more_links(self, most: int) -> bool:
        """Whether there are more than *most* links, or stored pages."""

    def close(self) -> None:
        """Let go of what is open."""


# --- What a store that can't count by itself is asked row by row ------------------------------------------------------


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
    """Return what lists hold; see `RecordRows.item_types`.

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


def add_exception(found: dict[str, ExceptionStats], url: str, name: str, reason: str, closest: str) -> None:
    """Count an exception among those of its field."""
    stats = found.setdefault(name, ExceptionStats())
    stats.count += 1
    stats.reasons[reason] = stats.reasons.get(reason, 0) + 1
    if len(stats.examples) < MOST_EXAMPLES:
        stats.examples.append((url, reason, closest))
