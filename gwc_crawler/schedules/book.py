"""All schedules of a project, in one file of its data directory; changed by one process at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gwc_crawler.errors import GoneError, InputError, StoreError
from gwc_crawler.modes import Missed
from gwc_crawler.recrawl import Recrawl
from gwc_crawler.schedules.timing import Timing

FILE = "schedules.json"
RECRAWLS = (*Recrawl, "")
"""What a scheduled crawl asks for again; "": it only goes on with what waits."""

MOST = 500


@dataclass(frozen=True, slots=True)
class Last:
    """What became of the last moment: `due`, when it was looked at, and in words."""

    due: float
    at: float
    said: str
    went_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """A site and when it is crawled. `since`: moments up to then are done with."""

    site: str
    timing: Timing
    recrawl: str = Recrawl.DUE
    missed: Missed = Missed.RUN
    is_on: bool = True
    since: float = 0.0
    last: Last | None = None

    @property
    def id(self) -> str:
        """Names it in addresses; the same for the same site and moments."""
        told = f"{self.site} {self.timing.cron} {self.timing.zone}"
        return hashlib.sha256(told.encode()).hexdigest()[:12]


class ScheduleBook:
    """The schedules in the file of a data directory; each call reads it anew."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def all(self) -> list[Schedule]:
        """All of them, by site.

        Raises:
            InputError: the file has mistakes.
            StoreError: it can't be read.
        """
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self._path} can't be read ({error}); mend or delete it") from error
        try:
            return [_schedule(one) for one in json.loads(text)["schedules"]]
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            told = f"{type(error).__name__}: {error}"
            raise InputError(
                f"{self._path} is damaged ({told}); mend it, or delete it and write the schedules anew"
            ) from error

    def put(self, schedule: Schedule) -> None:
        """Add a schedule, or put it in the place of that for the same site and moments."""
        with self.changing() as kept:
            kept[schedule.id] = schedule
            if len(kept) > MOST:
                raise InputError(f"there are {MOST} schedules already; remove some")

    def remove(self, schedule: str) -> Schedule:
        """Remove the one of this id.

        Raises:
            GoneError: there is none.
        """
        with self.changing() as kept:
            if schedule not in kept:
                raise GoneError("there is no such schedule any more")
            return kept.pop(schedule)

    def switch(self, schedule: str, *, on: bool, now: float) -> Schedule:
        """Switch one on or off; moments while it was off are not missed.

        Raises:
            GoneError: there is none.
        """
        with self.changing() as kept:
            if schedule not in kept:
                raise GoneError("there is no such schedule any more")
            kept[schedule] = replace(kept[schedule], is_on=on, since=now)
            return kept[schedule]

    @contextmanager
    def changing(self) -> Iterator[dict[str, Schedule]]:
        """All by their ids, to be changed; written at the end, unless an error comes. Others wait."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = self._path.with_suffix(".lock").open("w")
        except OSError as error:
            raise self._unwritable(error) from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = {one.id: one for one in self.all()}
            kept = dict(before)
            yield kept
            if kept != before:
                self._write(sorted(kept.values(), key=lambda one: (one.site, one.timing.cron)))

    def _write(self, schedules: list[Schedule]) -> None:
        told = {"version": 1, "schedules": [asdict(one) for one in schedules]}
        beside = self._path.with_suffix(f".{os.getpid()}")
        try:
            beside.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(f"{self._path} can't be written ({error.strerror}); mend the data directory (GWC_DATA_DIR)")


def _schedule(told: dict[str, Any]) -> Schedule:
    timing = Timing.read(told["timing"]["cron"], told["timing"]["zone"])
    last = Last(**told["last"]) if told.get("last") else None
    if told["recrawl"] not in RECRAWLS or told["missed"] not in set(Missed):
        raise InputError(f"recrawl is one of {tuple(map(str, RECRAWLS))}, missed one of {tuple(map(str, Missed))}")
    missed, is_on, since = Missed(told["missed"]), told["is_on"] is True, float(told["since"])
    return Schedule(str(told["site"]), timing, told["recrawl"], missed, is_on, since, last)
