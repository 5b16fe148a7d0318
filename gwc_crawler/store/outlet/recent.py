"""Records as somebody looks at them: the last ones, those that hold a text, how full each field was lately; exceptions.

Each read is bounded, whatever the size of the store: a search says how far it looked, and where it can go on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.store.outlet.records import RecordTable, Row
from gwc_crawler.store.sqlite import CrawlDatabase, quote_name

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
