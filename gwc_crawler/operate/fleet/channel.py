"""The channel of a crawl: people leave their wishes there (pause, stop), workers read them each tick and report.

A pause holds until it is taken off. A stop is a number that grows: a worker obeys one that was not there when it began,
so a later crawl is not stopped by it, and no clocks are compared. `SqliteChannel` is in the crawl's own file;
`redis_channel` has the one that workers on many machines share.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Protocol

import msgspec

from gwc_crawler.errors import StoreError
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import ChannelRows

PAUSE, STOPS, WORKER = "pause", "stops", "worker "
"""Keys of a channel: a pause (JSON), the number of stops asked for, and "worker OWNER" (JSON) for each worker."""

SILENT_SECONDS = 10.0
"""Seconds without a look after which a worker counts as dead, or busy with something else than its crawl."""

REPORT_BUSY_MILLISECONDS = 50

FORGET_SECONDS = 86400.0
"""Seconds for which the last report of a worker that vanished is kept."""


class Activity(StrEnum):
    """The present activity of a worker."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    SILENT = "silent"
    """No sign of life for `SILENT_SECONDS`: said of a worker, never by one."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Somebody wants that nothing be leased. `since`: epoch seconds."""

    by: str
    since: float


@dataclass(frozen=True, slots=True)
class DesiredState:
    """The state that people want a crawl to be in."""

    pause: Pause | None = None
    stops: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """How a worker does. Times: epoch seconds.

    `reasons` say why it is paused, `silent` which hosts answer no more; `pages` were read since `started_at`;
    `under_way` are leases not ended yet.
    """

    owner: str
    activity: Activity
    reasons: tuple[str, ...]
    pages: int
    last_minute: int
    last_ten_minutes: int
    under_way: int
    started_at: float
    seen_at: float
    silent: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write it for the channel."""
        return json.dumps(asdict(self))  # escapes half a character, as in an odd host's name

    @classmethod
    def from_json(cls, text: str | bytes) -> Report | None:
        """Read a report; None if another version wrote it."""
        with suppress(ValueError):
            told = json.loads(text)
            report = msgspec.convert(told, cls)
            return None if set(told) - {one.name for one in fields(cls)} else report
        return None


class Channel(Protocol):
    """Holds people's wishes and the reports of one crawl's workers."""

    def now(self) -> float:
        """Return the clock of the reports."""

    def exchange(self, report: Report) -> DesiredState:
        """Leave a worker's report, take what people want."""

    def desired(self) -> DesiredState:
        """Return people's wishes."""

    def reports(self) -> list[Report]:
        """Return the last report of each worker, by owner; also of those that vanished without a word."""

    def alive(self) -> list[Report]:
        """Return the last report of each worker that has given a sign of life lately."""
        latest = self.now() - SILENT_SECONDS
        return [one for one in self.reports() if one.seen_at >= latest]

    def pause(self, by: str) -> Pause:
        """Have the crawl pause; returns the pause that holds, which may be an earlier one."""

    def resume(self) -> Pause | None:
        """Take the pause off; returns it."""

    def stop(self) -> int:
        """Make all workers stop; return the number of this stop."""

    def leave(self, owner: str) -> None:
        """Take a worker's report off: it ends in order."""


def read_desired(pause: str | bytes | None, stops: str | bytes | None) -> DesiredState:
    """Read a channel's values; a pause that can't be read holds all the same."""
    held = None
    if pause is not None:
        try:
            held = msgspec.json.decode(pause, type=Pause)
        except ValueError:
            held = Pause("somebody", 0.0)
    return DesiredState(held, int(stops or 0))


def read_reports(entries: Mapping[str, str | bytes]) -> list[Report]:
    """Find the reports among what is on a channel."""
    found = (Report.from_json(entries[name]) for name in sorted(entries) if name.startswith(WORKER))
    return [one for one in found if one is not None]


class SqliteChannel(Channel):
    """The channel in a crawl's file, for its one process and for commands beside it.

    Args:
        report_seconds: a report that only says the same again is written so rarely: each is a transaction.
    """

    def __init__(
        self, database: CrawlDatabase, *, clock: Callable[[], float] = time.time, report_seconds: float = 2.0
    ) -> None:
        self._rows = ChannelRows(database)
        self._clock = clock
        self._report_seconds = report_seconds
        self._written: tuple[float, Activity, int] = (0.0, Activity.STOPPING, -1)

    def now(self) -> float:
        return self._clock()

    def exchange(self, report: Report) -> DesiredState:
        """Leave a worker's report, take what people want.

        A report for which another process would have to be waited for is left out.
        """
        at, activity, under_way = self._written
        settled = (report.activity, report.under_way == 0) == (activity, under_way == 0)
        if not settled or report.seen_at - at >= self._report_seconds:
            with suppress(StoreError), self._rows.hurry(REPORT_BUSY_MILLISECONDS):
                self._rows.put(WORKER + report.owner, report.to_json())
                self._written = (report.seen_at, report.activity, report.under_way)
        return self.desired()

    def desired(self) -> DesiredState:
        entries = self._rows.read((PAUSE, STOPS))
        return read_desired(entries.get(PAUSE), entries.get(STOPS))

    def reports(self) -> list[Report]:
        return read_reports(self._rows.read())

    def pause(self, by: str) -> Pause:
        with self._rows.transaction():
            if (held := self.desired().pause) is not None:
                return held
            pause = Pause(by, self._clock())
            self._rows.put(PAUSE, json.dumps(asdict(pause)))
            return pause

    def resume(self) -> Pause | None:
        with self._rows.transaction():
            held = self.desired().pause
            self._rows.remove(PAUSE)
            return held

    def stop(self) -> int:
        with self._rows.transaction():
            number = self.desired().stops + 1
            self._rows.put(STOPS, str(number))
            return number

    def leave(self, owner: str) -> None:
        """Take a worker's report off: it ends in order.

        Others in this file are gone, too: only one process crawls it at a time.
        """
        with self._rows.transaction():
            for name in self._rows.read():
                if name.startswith(WORKER):
                    self._rows.remove(name)


class Pace:
    """How many pages came lately, from a growing sum that is noted now and then.

    >>> pace = Pace()
    >>> for second in range(121):
    ...     pace.note(float(second), 2 * second)
    >>> pace.last(60.0), pace.last(600.0)
    (120, 240)
    """

    STEP_SECONDS = 1.0
    LONGEST_SECONDS = 600.0

    def __init__(self) -> None:
        self._notes: deque[tuple[float, int]] = deque()
        self._latest = (0.0, 0)

    def note(self, now: float, total: int) -> None:
        """Say that there are *total* pages *now* (seconds that never run backwards)."""
        self._latest = (now, total)
        if not self._notes or now - self._notes[-1][0] >= self.STEP_SECONDS:
            self._notes.append(self._latest)
        while now - self._notes[0][0] > self.LONGEST_SECONDS + self.STEP_SECONDS:
            self._notes.popleft()

    def last(self, seconds: float) -> int:
        """Return how many pages came in the last *seconds*, to a second."""
        now, total = self._latest
        before = next((pages for at, pages in self._notes if now - at <= seconds), total)
        return total - before
