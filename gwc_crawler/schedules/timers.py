"""Schedules as lines for cron, and as units for systemd, for machines on which no dashboard runs all the time."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from cronsim import CronSim

from gwc_crawler.modes import Missed
from gwc_crawler.schedules.book import Schedule
from gwc_crawler.schedules.timing import DAYS


@dataclass(frozen=True)
class Launch:
    """How a crawl is begun: in which directory, by which command, with which variables."""

    directory: Path
    command: Sequence[str]
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def of(self, one: Schedule) -> list[str]:
        """The whole command."""
        return [
            *self.command,
            "crawl",
            *self.options,
            *(["-a", f"recrawl={one.recrawl}"] if one.recrawl else []),
            one.site,
        ]


def crontab_text(schedules: Iterable[Schedule], launch: Launch) -> str:
    """Lines for `crontab`; a crawl that still runs refuses another one beside it."""
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

    systemd starts a service once at a time; what was missed is made up for where the schedule says so.
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
    """A cron expression as systemd says it: two events where cron means days of the month or of the week.

    >>> calendar_events("*/30 3 * * 1-5"), calendar_events("0 3 1 1 0")
    (['Mon,Tue,Wed,Thu,Fri *-*-* 3:0,30:00'], ['*-1-1 3:0:00', 'Sun *-1-* 3:0:00'])
    """
    sets = CronSim(cron, datetime(2000, 1, 1))
    minute, hour = _listed(sets.minutes, 60), _listed(sets.hours, 24)
    day, month = _listed(sets.days, 31), _listed(sets.months, 12)
    named = [name.title() for number, name in enumerate(DAYS) if number in sets.weekdays or number + 7 in sets.weekdays]
    time = f"{hour}:{minute}:00"
    if len(named) == len(DAYS):
        return [f"*-{month}-{day} {time}"]
    weekly = f"{','.join(named)} *-{month}-{'*' if _is_either(cron) else day} {time}"
    return [f"*-{month}-{day} {time}", weekly] if _is_either(cron) else [weekly]


def _is_either(cron: str) -> bool:
    """Whether a day of the month or one of the week is enough: both are named, neither begins with a star."""
    _, _, day, _, weekday = cron.split()
    return not day.startswith("*") and not weekday.startswith("*")


def _listed(values: Collection[object], whole: int) -> str:
    return "*" if len(values) >= whole else ",".join(str(one) for one in sorted(map(str, values), key=int))


def _quoted(word: str) -> str:
    r"""As units are written.

    >>> print(_quoted('a "b" 5%'))
    "a \"b\" 5%%"
    """
    told = word.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{told}"' if told != word or " " in word or not word else word
