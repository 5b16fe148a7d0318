"""All schedules of a project, in one file of its data directory; changed by one process at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal
from cronsim import CronSim, CronSimError

from gwc_crawler.errors import GoneError, GwcError, InputError, StoreError, unwritten
from gwc_crawler.frontier.recrawl import Recrawl
from gwc_crawler.modes import Missed

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMED = {"hourly": "0 * * * *", "daily": "0 3 * * *", "weekly": "0 3 * * 1", "monthly": "0 3 1 * *"}
HELP = 'give a time ("03:00"), days and a time ("mon,thu 03:00", "mon-fri 6:30"), "hourly", or cron\'s five fields'

_TIME = re.compile(r"(?:(?P<days>[a-z,\-]+) +)?(?P<hour>\d{1,2}):(?P<minute>\d\d)")
_CRON = re.compile(r"[0-9A-Za-z*,/\-]+")


@dataclass(frozen=True, slots=True)
class Timing:
    """Moments that recur: a cron expression of five fields, in a time zone.

    When clocks are put on, moments in the skipped hour come right after it; when they are put back, a daily moment
    comes once.
    """

    cron: str
    zone: str

    @classmethod
    def read(cls, when: str, zone: str = "") -> Timing:
        """Read what a person wrote.

        >>> Timing.read("mon-fri 6:30", "Europe/Berlin")
        Timing(cron='30 6 * * 1-5', zone='Europe/Berlin')

        Raises:
            InputError: it names no moment, or there is no such time zone.
        """
        timing = cls(_cron_of(when), zone or local_zone())
        try:
            timing.next_after(0.0)
        except (CronSimError, StopIteration) as error:
            raise InputError(f"{when!r} names no moment ({error or 'it never comes'}); {HELP}") from error
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise InputError(f"{zone!r} is no time zone; give one like Europe/Berlin, Asia/Shanghai or UTC") from error
        return timing

    def next_after(self, seconds: float) -> float:
        """Return the first moment after an epoch time."""
        return next(CronSim(self.cron, self._at(seconds))).timestamp()

    def last_until(self, seconds: float) -> float:
        """Return the last moment at or before an epoch time."""
        return next(CronSim(self.cron, self._at(seconds + 1), reverse=True)).timestamp()

    @property
    def spoken(self) -> str:
        """The expression as a person would write it: days and time, if it is that simple.

        >>> Timing("30 6 * * 1-5", "UTC").spoken, Timing("0 3 * * *", "UTC").spoken, Timing("*/5 * * * *", "UTC").spoken
        ('mon,tue,wed,thu,fri 06:30', '03:00', '*/5 * * * *')
        """
        if self.cron == NAMED["hourly"]:
            return "hourly"
        minute, hour, day, month, weekday = self.cron.split()
        if not (minute.isdigit() and hour.isdigit() and day == month == "*" and not set(weekday) & set("*/") - {"*"}):
            return self.cron
        time = f"{int(hour):02d}:{int(minute):02d}"
        return time if weekday == "*" else f"{','.join(_days_of(CronSim(self.cron, datetime(2000, 1, 1))))} {time}"

    def _at(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(int(seconds), ZoneInfo(self.zone))


def local_zone() -> str:
    """Return the name of this machine's time zone; UTC if it has none."""
    try:
        return tzlocal.get_localzone_name() or "UTC"
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"


def _cron_of(when: str) -> str:
    words = when.strip().lower()
    if (named := NAMED.get(words.removeprefix("@"))) is not None:
        return named
    if time := _TIME.fullmatch(words):
        if int(time["hour"]) > 23 or int(time["minute"]) > 59:
            raise InputError(f"{when!r} is no time of day; {HELP}")
        return f"{int(time['minute'])} {int(time['hour'])} * * {_weekdays(time['days'] or '', when)}"
    fields = words.upper().split()
    if len(fields) != 5 or not all(_CRON.fullmatch(one) for one in fields) or "L" in fields[2] + fields[4][-1]:
        raise InputError(f"{when!r} names no moment; {HELP}")
    return " ".join(fields)


def _weekdays(days: str, when: str) -> str:
    if not days:
        return "*"
    parts = [[one[:3] for one in part.split("-")] for part in days.split(",")]
    if not all(len(part) <= 2 and set(part) <= set(DAYS) for part in parts):
        raise InputError(f"{when!r} names no days of the week; {HELP}")
    # as the end of a range Sunday is 7
    return ",".join("-".join(str(DAYS.index(one) or 7 * at) for at, one in enumerate(part)) for part in parts)


def _days_of(moments: CronSim) -> list[str]:
    return [day for number, day in enumerate(DAYS) if {number, number + 7} & set(moments.weekdays)]


FILE = "schedules.json"
RECRAWLS = (*Recrawl, "")
"""Values for a scheduled recrawl; "": the crawl only goes on with waiting URLs."""

MOST = 500


@dataclass(frozen=True, slots=True)
class Last:
    """The outcome of the last moment: `due`, when it was looked at, and in words."""

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
        """Return all schedules, by site. Raises InputError: the file has mistakes; StoreError: it can't be read."""
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
        """Remove the schedule with this id. Raises GoneError: there is no such schedule."""
        with self.changing() as kept:
            return kept.pop(_present(schedule, kept))

    def switch(self, schedule: str, *, on: bool, now: float) -> Schedule:
        """Switch a schedule on or off; moments while it was off do not count as missed. Raises GoneError."""
        with self.changing() as kept:
            kept[schedule] = replace(kept[_present(schedule, kept)], is_on=on, since=now)
            return kept[schedule]

    @contextmanager
    def changing(self) -> Iterator[dict[str, Schedule]]:
        """Yield all schedules by their ids, to be changed; written at the end, unless an error comes. Others wait."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = self._path.with_suffix(".lock").open("w")
        except OSError as error:
            raise unwritten(self._path, error, "mend the data directory (GWC_DATA_DIR)") from error
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
            raise unwritten(self._path, error, "mend the data directory (GWC_DATA_DIR)") from error


def _present(schedule: str, kept: Collection[str]) -> str:
    if schedule not in kept:
        raise GoneError("there is no such schedule any more")
    return schedule


def _schedule(told: dict[str, Any]) -> Schedule:
    timing = Timing.read(told["timing"]["cron"], told["timing"]["zone"])
    last = Last(**told["last"]) if told.get("last") else None
    if told["recrawl"] not in RECRAWLS or told["missed"] not in set(Missed):
        raise InputError(f"recrawl is one of {tuple(map(str, RECRAWLS))}, missed one of {tuple(map(str, Missed))}")
    missed, is_on, since = Missed(told["missed"]), told["is_on"] is True, float(told["since"])
    return Schedule(str(told["site"]), timing, told["recrawl"], missed, is_on, since, last)


# --- Starting due schedules: exactly one process starts each; failures are recorded -----------------------------------


LATE_SECONDS = 300.0
"""Seconds after which a moment seen late counts as missed: nobody was there at its time."""

MOST_WAIT_SECONDS = 15.0
"""Seconds between looks at the changes of others and at the clock."""


@dataclass(frozen=True)
class Keeper:
    """Keeps the schedules of a book; `start` begins the crawl of one, and returns why it did not, or ""."""

    book: ScheduleBook
    start: Callable[[Schedule], str]
    clock: Callable[[], float] = time.time

    def look(self) -> list[Schedule]:
        """Start due schedules, each moment once, whatever other processes do; return those that were due."""
        now = self.clock()
        with self.book.changing() as kept:
            for name, one in kept.items():
                if one.since > now + MOST_WAIT_SECONDS:  # the clock has been put back
                    kept[name] = replace(one, since=now)
            due = [one for one in kept.values() if one.is_on and one.timing.last_until(now) > one.since]
            kept.update({one.id: replace(one, since=now) for one in due})
        done = [self._done(one, now) for one in due]
        if done:
            with self.book.changing() as kept:
                kept.update({one.id: replace(kept[one.id], last=one.last) for one in done if one.id in kept})
        return done

    def wait_seconds(self) -> float:
        """Return how long nothing is due, at most a quarter of a minute."""
        now = self.clock()
        moments = [one.timing.next_after(now) - now for one in self.book.all() if one.is_on]
        return max(0.2, min([MOST_WAIT_SECONDS, *moments]))

    def _done(self, one: Schedule, now: float) -> Schedule:
        moment = one.timing.last_until(now)
        is_late = now - moment > LATE_SECONDS
        if is_late and one.missed is Missed.SKIP:
            return replace(one, last=Last(moment, now, "missed: nobody was there", went_wrong=True))
        try:
            why_not = self.start(one)
        except (GwcError, OSError) as error:
            why_not = str(error) or type(error).__name__
        said = why_not or ("started late: nobody was there" if is_late else "started")
        return replace(one, last=Last(moment, now, said, went_wrong=bool(why_not)))


# --- Schedules as lines for cron, and as units for systemd ------------------------------------------------------------


@dataclass(frozen=True)
class Launch:
    """How a crawl is begun: in which directory, by which command, with which variables."""

    directory: Path
    command: Sequence[str]
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def of(self, one: Schedule) -> list[str]:
        """Return the whole command of a schedule."""
        recrawl = ["-a", f"recrawl={one.recrawl}"] if one.recrawl else []
        return [*self.command, "crawl", *self.options, *recrawl, one.site]


def crontab_text(schedules: Iterable[Schedule], launch: Launch) -> str:
    """Return lines for `crontab`; a crawl that still runs refuses another one beside it."""
    lines = ["# crawls of GWC Crawler; CRON_TZ is understood by cronie, elsewhere times are those of the machine"]
    lines += [f"{name}={value}" for name, value in launch.environment.items()]
    zone = ""
    for one in sorted(schedules, key=lambda one: one.timing.zone):
        if one.timing.zone != zone:
            zone = one.timing.zone
            lines.append(f"CRON_TZ={zone}")
        line = f"cd {shlex.quote(str(launch.directory))} && {shlex.join(launch.of(one))}".replace("%", r"\%")
        lines.append(f"{'' if one.is_on else '# off: '}{one.timing.cron} {line}")
    return "\n".join(lines) + "\n"


def systemd_units(schedules: Iterable[Schedule], launch: Launch) -> dict[str, str]:
    """File name → text: a timer and a service for each schedule that is on.

    systemd starts a service once at a time; missed moments are made up for if the schedule says so.
    """
    units: dict[str, str] = {}
    for one in schedules:
        if not one.is_on:
            continue
        name = f"gwc-{one.site}-{one.id}"
        calendar = "".join(f"OnCalendar={each} {one.timing.zone}\n" for each in calendar_events(one.timing.cron))
        environment = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in launch.environment.items())
        units[f"{name}.timer"] = (
            f"[Unit]\nDescription=Crawl {one.site}: {one.timing.spoken}\n\n"
            f"[Timer]\n{calendar}Persistent={'true' if one.missed is Missed.RUN else 'false'}\n\n"
            "[Install]\nWantedBy=timers.target\n"
        )
        units[f"{name}.service"] = (
            f"[Unit]\nDescription=Crawl {one.site}\n\n[Service]\nType=oneshot\n"
            f"WorkingDirectory={str(launch.directory).replace('%', '%%')}\n{environment}"
            f"ExecStart={' '.join(_quoted(word) for word in launch.of(one))}\n"
        )
    return units


def calendar_events(cron: str) -> list[str]:
    """Return a cron expression as systemd says it: two events where cron means days of the month or of the week.

    >>> calendar_events("*/30 3 * * 1-5"), calendar_events("0 3 1 1 0")
    (['Mon,Tue,Wed,Thu,Fri *-*-* 3:0,30:00'], ['*-1-1 3:0:00', 'Sun *-1-* 3:0:00'])
    """
    sets = CronSim(cron, datetime(2000, 1, 1))
    minute, hour = _listed(sets.minutes, 60), _listed(sets.hours, 24)
    day, month = _listed(sets.days, 31), _listed(sets.months, 12)
    named, monthly = _days_of(sets), f"*-{month}-{day} {hour}:{minute}:00"
    if len(named) == len(DAYS):
        return [monthly]
    weekdays = ",".join(named).title()
    _, _, of_month, _, of_week = cron.split()
    if of_month.startswith("*") or of_week.startswith("*"):
        return [f"{weekdays} {monthly}"]
    return [monthly, f"{weekdays} *-{month}-* {hour}:{minute}:00"]  # both are named: either is enough


def _listed(values: Collection[object], whole: int) -> str:
    return "*" if len(values) >= whole else ",".join(str(one) for one in sorted(map(str, values), key=int))


def _quoted(word: str) -> str:
    r"""Quote a word as units are written.

    >>> print(_quoted('a "b" 5%'))
    "a \"b\" 5%%"
    """
    told = word.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{told}"' if told != word or " " in word or not word else word
