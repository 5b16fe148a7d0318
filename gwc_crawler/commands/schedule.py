"""`scrapy schedule`: crawls at set times, for the dashboard to start, or as timers of cron and systemd."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import GoneError, unwritten
from gwc_crawler.modes import Missed

if TYPE_CHECKING:
    from gwc_crawler.operate.schedules import Schedule, ScheduleBook

HELP = """
    Without arguments: lists what is scheduled, with the next moment and what became of the last one. SITE WHEN adds a
    schedule. WHEN is a time of day ("03:00"), days and a time ("mon,thu 03:00", "mon-fri 6:30"), "hourly", or the five
    fields of cron ("*/30 6-22 * * *"), in the time zone --zone (default: this machine's). Where clocks are put on or
    back, a daily crawl starts once. The same SITE WHEN with other options changes it.

    Schedules are kept in the data directory, and started by `scrapy dashboard` while it runs. A crawl that still runs
    at its time is not started beside itself. What was missed, because no dashboard ran, is made up for by one crawl
    (--missed run), or not (--missed skip). On a machine without a dashboard, --cron prints them for `crontab`, and
    --systemd DIR writes a timer and a service for each: use one of the three ways, not two.

    --json prints a list of {site, cron, zone, when, recrawl, missed, is_on, next, last {due, at, said, went_wrong}};
    times are seconds since 1970. Keys are added, never renamed.

    Exit codes: 0 done; 2 no such site, time, time zone or schedule, or a mistake
    in the file; 5 the data directory can't be used.

    Examples:
      scrapy schedule books 03:00
      scrapy schedule books "sat 04:30" --recrawl all --zone Europe/Berlin
      scrapy schedule books --remove
      scrapy schedule --cron | crontab -
"""

NO_RECRAWL = "no"


class Command(SiteCommand, ScrapyCommand):
    """Crawl sites at set times; print timers for cron and systemd."""

    arguments = "[site] [when]"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        from gwc_crawler.frontier.recrawl import Recrawl

        parser.add_argument("--zone", default="", help="time zone, as Europe/Berlin; default: this machine's")
        told = "what is asked for again; default: due; no: only what waits"
        parser.add_argument("--recrawl", choices=[*Recrawl, NO_RECRAWL], default=Recrawl.DUE, help=told)
        parser.add_argument("--missed", choices=[*Missed], default=Missed.RUN, help="default: run once, late")
        parser.add_argument("--remove", action="store_true", help="remove what is scheduled of SITE (at WHEN)")
        parser.add_argument("--off", action="store_true", help="keep what is scheduled of SITE, but don't start it")
        parser.add_argument("--on", action="store_true", help="start it again")
        parser.add_argument("--cron", action="store_true", help="print all as lines for crontab")
        parser.add_argument("--systemd", type=Path, metavar="DIR", help="write all as systemd units into DIR")
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.schedules import ScheduleBook, crontab_text, systemd_units
        from gwc_crawler.runs.site_run import launch_of
        from gwc_crawler.wiring.options import data_directory

        book = ScheduleBook(data_directory(self.settings))
        if opts.remove + opts.off + opts.on + opts.cron + (opts.systemd is not None) > 1:
            raise UsageError("give one of --remove, --off, --on, --cron and --systemd")
        if opts.cron:
            print(crontab_text(book.all(), launch_of(self.settings)), end="")
        elif opts.systemd is not None:
            _write_units(opts.systemd, systemd_units(book.all(), launch_of(self.settings)))
        elif opts.remove or opts.off or opts.on:
            self._change(book, args, opts)
        elif len(args) > 1:
            self._add(book, args, opts)
        else:
            now, kept = time.time(), [one for one in book.all() if not args or one.site in args]
            self.answer(opts, [_told(one, now) for one in kept], "\n".join(_lines(kept, now)))

    def _add(self, book: ScheduleBook, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.schedules import Schedule, Timing
        from gwc_crawler.runs.lookup import site_class_of

        site = site_class_of(self, args[0]).site.name
        timing = Timing.read(" ".join(args[1:]), opts.zone)
        recrawl = "" if opts.recrawl == NO_RECRAWL else opts.recrawl
        book.put(Schedule(site, timing, recrawl, Missed(opts.missed), since=time.time()))
        then = _moment(timing.next_after(time.time()), timing.zone)
        print(f"{site} is crawled {timing.spoken} ({timing.zone}), next {then}")
        print("`scrapy dashboard` starts it while it runs; --cron and --systemd say it to the machine.")

    def _change(self, book: ScheduleBook, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.schedules import Timing

        if not args:
            raise UsageError("name the site")
        wanted = Timing.read(" ".join(args[1:]), opts.zone) if len(args) > 1 else None
        meant = [one for one in book.all() if one.site == args[0] and wanted in (None, one.timing)]
        if not meant:
            raise GoneError(f"nothing is scheduled of {' '.join(args)}; `scrapy schedule` lists what is")
        for one in meant:
            if opts.remove:
                book.remove(one.id)
            else:
                book.switch(one.id, on=opts.on, now=time.time())
            done = "removed" if opts.remove else "on" if opts.on else "off"
            print(f"{one.site} {one.timing.spoken} ({one.timing.zone}): {done}")


def _lines(kept: Sequence[Schedule], now: float) -> Iterator[str]:
    if not kept:
        yield "nothing is scheduled; for example: scrapy schedule SITE 03:00"
    for one in kept:
        then = _moment(one.timing.next_after(now), one.timing.zone) if one.is_on else "off"
        yield f"{one.site}  {one.timing.spoken} ({one.timing.zone})  next: {then}"
        if one.last:
            yield f"    last: {_moment(one.last.due, one.timing.zone)} {one.last.said}"


def _told(one: Schedule, now: float) -> dict[str, object]:
    return {
        "site": one.site,
        "cron": one.timing.cron,
        "zone": one.timing.zone,
        "when": one.timing.spoken,
        "recrawl": one.recrawl,
        "missed": one.missed,
        "is_on": one.is_on,
        "next": one.timing.next_after(now) if one.is_on else None,
        "last": asdict(one.last) if one.last else None,
    }


def _moment(seconds: float, zone: str) -> str:
    return f"{datetime.fromtimestamp(seconds, ZoneInfo(zone)):%Y-%m-%d %H:%M %Z}"


def _write_units(directory: Path, units: dict[str, str]) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in units.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritten(directory, error, "name another directory") from error
    timers = " ".join(name for name in units if name.endswith(".timer"))
    print(f"{len(units)} units in {directory}; as user units: copy them to ~/.config/systemd/user, then")
    print(f"systemctl --user daemon-reload && systemctl --user enable --now {timers}")
