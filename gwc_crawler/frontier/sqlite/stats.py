"""The state of a frontier's file in figures, for `scrapy status`: URLs by state, workers, resting hosts.

Everything is read from the file alone, so that it works while a crawl runs. Reads only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.store.reading import GRAPH_ROWS
from gwc_crawler.store.sqlite.database import CrawlDatabase

NONE = {state.value: 0 for state in UrlState}


@dataclass(frozen=True, slots=True)
class Tally:
    """URLs by state (U R C E, 0 included); completed ones by kind; by weight and by host, each by state.

    `reasons` counts the errors. `last_minute` and `last_ten_minutes` count pages completed since then.
    """

    states: Mapping[str, int]
    kinds: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    hosts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    last_minute: int = 0
    last_ten_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Past:
    """Equal steps of `step_seconds` that end at `until` (epoch seconds): pages completed in each, URLs left at its end.

    A URL that waits anew (a recrawl) counts as waiting since it was first found.
    """

    until: float
    step_seconds: float
    pages: tuple[int, ...]
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LeaseHolder:
    """A holder of leases: `owner` is host:process. Times are epoch seconds; the next lease runs out at `until`."""

    owner: str
    leased: int
    until: float


def tally(database: CrawlDatabase, now: float) -> Tally:
    """Count all URLs. Cost: one walk of the table, one to two seconds for a million."""
    query = (
        "SELECT host, state, kind, weight, CASE state WHEN 'E' THEN reason END, count(*), "
        "sum(done_at >= ?), sum(done_at >= ?) FROM urls WHERE state IS NOT NULL GROUP BY 1, 2, 3, 4, 5"
    )
    return added_up(database.rows(query, (now - 60, now - 600)))


def added_up(rows: Iterable[tuple[str, str, str | None, int, str | None, int, int | None, int | None]]) -> Tally:
    """Add up groups of URLs: host, state, kind, weight, reason, how many, done in the last minute and ten minutes."""
    states: Counter[str] = Counter(NONE)
    kinds: Counter[str] = Counter()
    weights: dict[int, Counter[str]] = {}
    hosts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    minute = ten_minutes = 0
    for host, state, kind, weight, reason, count, in_minute, in_ten_minutes in rows:
        states[state] += count
        weights.setdefault(weight, Counter(NONE))[state] += count
        hosts.setdefault(host, Counter(NONE))[state] += count
        if state == UrlState.COMPLETE:
            kinds[kind or PageKind.REDIRECT] += count
            if kind != PageKind.REDIRECT:
                minute += in_minute or 0
                ten_minutes += in_ten_minutes or 0
        elif state == UrlState.ERROR:
            reasons[reason or ""] += count
    return Tally(
        states=dict(states),
        kinds=dict(kinds.most_common()),
        weights={weight: dict(weights[weight]) for weight in sorted(weights)},
        hosts={host: dict(counts) for host, counts in sorted(hosts.items(), key=lambda row: -row[1].total())},
        reasons=dict(reasons.most_common()),
        last_minute=minute,
        last_ten_minutes=ten_minutes,
    )


def read_past(database: CrawlDatabase, *, steps: int = 40, longest_seconds: float = 3600.0) -> Past | None:
    """Return pace and queue over a crawl's last hour, up to its last page; None before there is one. Two walks."""
    ((first, last),) = database.rows("SELECT min(added_at), max(done_at) FROM urls WHERE state IS NOT NULL")
    if first is None or last is None or last <= first:
        return None
    since = max(first, last - longest_seconds)
    step_seconds = (last - since) / steps
    change, pages = _by_step(database, since, step_seconds, steps)
    left = list(accumulate(change[step] for step in range(-1, steps)))[1:]
    return Past(last, step_seconds, tuple(pages[step] for step in range(steps)), tuple(max(0, one) for one in left))


def _by_step(
    database: CrawlDatabase, since: float, step_seconds: float, steps: int
) -> tuple[Counter[int], Counter[int]]:
    """Count the growth of the URLs, and pages, by step; earlier ones in step -1, later ones in the last."""

    def step(value: str) -> str:
        return f"max(-1, min(:last, CAST(({value} - :since) / :step + 1 AS INTEGER) - 1))"

    query = (
        f"SELECT {step('added_at')}, "  # noqa: S608  # names of columns
        f"CASE WHEN state IN ('C', 'E') THEN {step('coalesce(done_at, added_at)')} END, count(*), "
        "sum(state = 'C' AND kind IS NOT :redirect) "
        "FROM urls WHERE state IS NOT NULL AND added_at IS NOT NULL GROUP BY 1, 2"
    )
    values = {"since": since, "step": step_seconds, "last": steps - 1, "redirect": PageKind.REDIRECT.value}
    change: Counter[int] = Counter()
    pages: Counter[int] = Counter()
    for came, ended, count, done in database.rows(query, values):
        change[came] += count
        if ended is not None:
            change[ended] -= count
            pages[ended] += done
    return change, pages


def workers(database: CrawlDatabase) -> list[LeaseHolder]:
    """Return the holders of leases, most leases first."""
    rows = database.rows(
        "SELECT lease_owner, count(*), min(lease_until) FROM urls INDEXED BY urls_leased "
        "WHERE state = 'R' GROUP BY lease_owner ORDER BY 2 DESC, 1"
    )
    return [LeaseHolder(*row) for row in rows]


def paused_hosts(database: CrawlDatabase, now: float) -> dict[str, float]:
    """Host → until when nothing of it is given out (Retry-After), soonest first."""
    rows = database.rows("SELECT name, not_before FROM queues WHERE not_before > ? ORDER BY not_before", (now,))
    return {name.rpartition(" ")[2]: until for name, until in rows}


# --- What the dashboard asks of the file's URLs beside a running crawl ------------------------------------------------
def state_counts(database: CrawlDatabase) -> dict[str, int]:
    """Return how many URLs are in each state (U R C E), as the frontier keeps it. Cost: four look-ups."""
    return {**NONE, **dict(database.rows("SELECT name, value FROM frontier_values WHERE name IN ('U', 'R', 'C', 'E')"))}


def tally_in_steps(database: CrawlDatabase) -> Tally:
    """Count as `tally`, in short reads, without the last minutes. Cost: a walk of the table, as long in pauses."""
    columns = "host, state, kind, weight, CASE state WHEN 'E' THEN reason END, count(*), 0, 0"
    return added_up(_steps(database, columns, "GROUP BY 1, 2, 3, 4, 5", ()))


def numbers_matching(
    database: CrawlDatabase, pattern: str, states: Sequence[UrlState], limit: int
) -> list[tuple[int, str]]:
    """Return number and URL of the first *limit* that match a shell pattern and are in one of *states*, by number."""
    marks = ", ".join("?" * len(states))
    found: list[tuple[int, str]] = []
    values = (pattern, *(state.value for state in states))
    for row in _steps(database, "id, url", f"AND url GLOB ? AND state IN ({marks})", values):
        found.append((row[0], row[1]))
        if len(found) >= limit:
            break
    return found


def waiting_sample(database: CrawlDatabase, size: int) -> list[tuple[str, int]]:
    """Return URL and weight of about *size* waiting URLs, spread over all of them. Cost: O(size · log URLs)."""
    with database.errors():
        sql = database.connection
        last = sql.execute("SELECT max(id) FROM urls").fetchone()[0] or 0
        places = range(1, last + 1, max(1, last // size))
        query = "SELECT url, weight, state FROM urls WHERE id = ?"
        rows = (sql.execute(query, (place,)).fetchone() for place in places)
        return [(url, weight) for url, weight, state in filter(None, rows) if state == UrlState.WAITING]


def _steps(database: CrawlDatabase, columns: str, rest: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield rows of all known URLs, a step of numbers after the other; between two, nothing is held."""
    query = f"SELECT {columns} FROM urls WHERE id > ? AND id <= ? AND state IS NOT NULL {rest}"  # noqa: S608
    last = database.rows("SELECT max(id) FROM urls")[0][0] or 0
    for start in range(0, last, GRAPH_ROWS):
        began = time.monotonic()
        rows = database.rows(query, (start, start + GRAPH_ROWS, *values))
        took = time.monotonic() - began
        yield from rows
        if start + GRAPH_ROWS < last:
            time.sleep(took)
