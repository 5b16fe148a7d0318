"""What the dashboard asks of the file's URLs beside a running crawl: short reads, however many URLs there are.

A figure that needs the whole table is put together of many short reads, so that the crawl's file of recent writes is
never held open, and with pauses between them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gwc_crawler.frontier.sqlite.stats import NONE, Tally, added_up, paused_hosts
from gwc_crawler.items import UrlState
from gwc_crawler.store import CrawlDatabase

STEP = 50_000
"""URLs of one read: some hundredths of a second."""

PAUSE_SHARE = 1.0
"""So much of the time of a read is waited after it."""


def state_counts(database: CrawlDatabase) -> dict[str, int]:
    """Return how many URLs are in each state (U R C E), as the frontier keeps it. Cost: four look-ups."""
    with database.errors():
        sql = database.connection
        if not sql.execute("SELECT 1 FROM sqlite_schema WHERE name = 'frontier_values'").fetchone():
            return dict(NONE)
        rows = sql.execute("SELECT name, value FROM frontier_values WHERE name IN ('U', 'R', 'C', 'E')").fetchall()
    return {**NONE, **dict(rows)}


def tally_in_steps(database: CrawlDatabase, *, wait: Callable[[float], object] = time.sleep) -> Tally:
    """Count all URLs as `tally` does, in short reads; `last_minute` and `last_ten_minutes` are left 0.

    Cost: a walk over the table, as long again in pauses.
    """
    columns = "host, state, kind, weight, CASE state WHEN 'E' THEN reason END, count(*), 0, 0"
    return added_up(_steps(database, columns, "GROUP BY 1, 2, 3, 4, 5", (), wait))


def numbers_matching(
    database: CrawlDatabase,
    pattern: str,
    states: Sequence[UrlState],
    limit: int,
    *,
    wait: Callable[[float], object] = time.sleep,
) -> list[tuple[int, str]]:
    """Return number and URL of the first *limit* that match a shell pattern and are in one of *states*, by number."""
    marks = ", ".join("?" * len(states))
    found: list[tuple[int, str]] = []
    values = (pattern, *(state.value for state in states))
    for row in _steps(database, "id, url", f"AND url GLOB ? AND state IN ({marks})", values, wait):
        found.append((row[0], row[1]))
        if len(found) >= limit:
            break
    return found


def waiting_sample(database: CrawlDatabase, size: int) -> list[tuple[str, int]]:
    """Return URL and weight of about *size* waiting URLs, spread over all that wait. Cost: O(size · log URLs)."""
    with database.errors():
        sql = database.connection
        last = sql.execute("SELECT max(id) FROM urls").fetchone()[0] or 0
        places = range(1, last + 1, max(1, last // size))
        query = "SELECT url, weight, state FROM urls WHERE id = ?"
        rows = (sql.execute(query, (place,)).fetchone() for place in places)
        return [(url, weight) for url, weight, state in filter(None, rows) if state == UrlState.WAITING]


def resting(database: CrawlDatabase, now: float) -> dict[str, float]:
    """Host → until when nothing of it is given out; {} for a file without queues."""
    with database.errors():
        if not database.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'queues'").fetchone():
            return {}
    return {name.rpartition(" ")[2]: until for name, until in paused_hosts(database, now).items()}


def _steps(
    database: CrawlDatabase, columns: str, rest: str, values: Sequence[Any], wait: Callable[[float], object]
) -> Iterator[tuple[Any, ...]]:
    """Rows of all known URLs, a step of numbers after the other; between two, nothing is held."""
    query = f"SELECT {columns} FROM urls WHERE id > ? AND id <= ? AND state IS NOT NULL {rest}"  # noqa: S608
    with database.errors():
        last = database.connection.execute("SELECT max(id) FROM urls").fetchone()[0] or 0
    for start in range(0, last, STEP):
        began = time.monotonic()
        with database.errors():
            rows = database.connection.execute(query, (start, start + STEP, *values)).fetchall()
        took = time.monotonic() - began
        yield from rows
        if start + STEP < last:
            wait(PAUSE_SHARE * took)
