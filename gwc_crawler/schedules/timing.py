"""When: words or a cron expression, and a time zone → the moments they name, also where clocks are put on or back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal
from cronsim import CronSim, CronSimError

from gwc_crawler.errors import InputError

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMED = {"hourly": "0 * * * *", "daily": "0 3 * * *", "weekly": "0 3 * * 1", "monthly": "0 3 1 * *"}
HELP = 'give a time ("03:00"), days and a time ("mon,thu 03:00", "mon-fri 6:30"), "hourly", or cron\'s five fields'

_TIME = re.compile(r"(?:(?P<days>[a-z,\-]+) +)?(?P<hour>\d{1,2}):(?P<minute>\d\d)")
_CRON = re.compile(r"[0-9A-Za-z*,/\-]+")


@dataclass(frozen=True, slots=True)
class Timing:
    """Moments that come again: a cron expression of five fields, in a time zone.

    Where clocks are put on, what falls into the hour that there is not comes right after it; where they are put back,
    what is said once a day comes once.
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
        """The first moment after an epoch time."""
        return next(CronSim(self.cron, self._at(seconds))).timestamp()

    def last_until(self, seconds: float) -> float:
        """The last moment at or before an epoch time."""
        return next(CronSim(self.cron, self._at(seconds + 1), reverse=True)).timestamp()

    @property
    def days_and_time(self) -> tuple[tuple[str, ...], str] | None:
        """The days ((): every day) and the time, where it is that simple."""
        minute, hour, day, month, weekday = self.cron.split()
        if not (minute.isdigit() and hour.isdigit() and day == month == "*" and not set(weekday) & set("*/") - {"*"}):
            return None
        return _days_told(weekday), f"{int(hour):02d}:{int(minute):02d}"

    @property
    def spoken(self) -> str:
        """As a person would write it.

        >>> Timing("30 6 * * 1-5", "UTC").spoken, Timing("0 3 * * *", "UTC").spoken, Timing("*/5 * * * *", "UTC").spoken
        ('mon,tue,wed,thu,fri 06:30', '03:00', '*/5 * * * *')
        """
        if self.cron == NAMED["hourly"]:
            return "hourly"
        simple = self.days_and_time
        return " ".join(one for one in (",".join(simple[0]), simple[1]) if one) if simple else self.cron

    def _at(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(int(seconds), ZoneInfo(self.zone))


def local_zone() -> str:
    """The name of this machine's time zone; UTC where it has none."""
    try:
        return tzlocal.get_localzone_name() or "UTC"
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"


def _cron_of(when: str) -> str:
    words = when.strip().lower()
    if words.removeprefix("@") in NAMED:
        return NAMED[words.removeprefix("@")]
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
    return ",".join("-".join(_weekday(one, at) for at, one in enumerate(part)) for part in parts)


def _weekday(day: str, at: int) -> str:
    return str(DAYS.index(day) or 7 * at)  # as the end of a range Sunday is 7


def _days_told(weekday: str) -> tuple[str, ...]:
    if weekday == "*":
        return ()
    numbers = set(CronSim(f"0 0 * * {weekday}", datetime(2000, 1, 1)).weekdays)
    return tuple(day for number, day in enumerate(DAYS) if number in numbers or (number == 0 and 7 in numbers))
