"""Schedules: the next and the last moments; adding, switching, removing them; as timers of other programs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import available_timezones

from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.queries.steering import begin_crawl
from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.rendering import span
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Moved, action, page
from gwc_crawler.errors import GoneError, GwcError, InputError
from gwc_crawler.modes import Missed
from gwc_crawler.operate.schedules import (
    RECRAWLS,
    Keeper,
    Schedule,
    ScheduleBook,
    Timing,
    crontab_text,
    local_zone,
    systemd_units,
)
from gwc_crawler.runs.site_run import launch_of

logger = logging.getLogger(__name__)


DAYS = ("", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mon-fri", "sat,sun")


def _schedules(visit: DashboardRequest) -> Answer:
    kept, now = _book(visit).all(), time.time()
    launch = launch_of(visit.project.settings)
    return visit.show(
        "schedules.html",
        rows=[(one, one.timing.next_after(now) if one.is_on else None) for one in kept],
        sites=[name for name, path in visit.project.sites().items() if path is not None],
        chosen=visit.asked("site"),
        days=DAYS,
        zone=local_zone(),
        zones=sorted(available_timezones()),
        recrawls=RECRAWLS,
        crontab=crontab_text(kept, launch) if kept else "",
        units="\n".join(f"# {name}\n{text}" for name, text in systemd_units(kept, launch).items()),
    )


def _add(visit: DashboardRequest) -> Answer:
    name, cron = visit.asked("name"), visit.asked("cron").strip()
    if visit.project.sites().get(name) is None:
        return Moved("/schedules", "Choose a site.", went_wrong=True)
    recrawl, missed = visit.asked("recrawl"), visit.asked("missed")
    if recrawl not in RECRAWLS or missed not in set(Missed):
        return Moved("/schedules", "There is no such way to crawl again.", went_wrong=True)
    try:
        timing = Timing.read(cron or f"{visit.asked('days')} {visit.asked('time')}", visit.asked("zone").strip())
    except InputError as error:
        return Moved.failed("/schedules", error)
    now = time.time()
    _book(visit).put(Schedule(name, timing, recrawl, Missed(missed), since=now))
    told = "{site} will be crawled, the next time in {span}, while this dashboard runs."
    return Moved("/schedules", told, {"site": name, "span": span(timing.next_after(now) - now, visit.say)})


def _change(visit: DashboardRequest) -> Answer:
    book, one, what = _book(visit), visit.part("one"), visit.asked("what")
    if what not in ("on", "off", "remove"):
        raise InputError(visit.say("There is no such choice."))
    try:
        if what == "remove":
            return Moved("/schedules", "The schedule of {site} is removed.", {"site": book.remove(one).site})
        switched = book.switch(one, on=what == "on", now=time.time())
    except GoneError as error:
        return Moved.failed("/schedules", error)
    told = "The schedule of {site} is on." if switched.is_on else "The schedule of {site} is off."
    return Moved("/schedules", told, {"site": switched.site})


def _book(visit: DashboardRequest) -> ScheduleBook:
    return ScheduleBook(visit.project.data)


ROUTES = (
    page("/schedules", _schedules, menu="Schedules"),
    action("/schedules", _add),
    action("/schedules/{one}", _change),
)


# --- While the dashboard runs, one of its threads starts the crawls that are due --------------------------------------


WAIT_AFTER_TROUBLE_SECONDS = 60.0


def _keeper_of(project: Project) -> Keeper:

    def begin(one: Schedule) -> str:
        if project.sites().get(one.site) is None:
            return "there is no site file of this name"
        try:
            began = begin_crawl(project, one.site, one.recrawl, beside=False)
        except UsageError as error:
            return str(error)
        return "" if began else "not started: the crawl before still ran"

    return Keeper(ScheduleBook(project.data), begin)


@contextmanager
def kept_schedules(project: Project) -> Iterator[None]:
    """Keep the schedules of a project in a thread."""
    keeper, ended = _keeper_of(project), threading.Event()

    def keep() -> None:
        wait = 0.0
        while not ended.wait(wait):
            wait = WAIT_AFTER_TROUBLE_SECONDS
            try:
                for one in keeper.look():
                    if one.last is not None:
                        due = f"{datetime.fromtimestamp(one.last.due):%Y-%m-%d %H:%M}"
                        print(f"Schedule {one.site} ({one.timing.spoken}), due {due}: {one.last.said}", flush=True)
                wait = keeper.wait_seconds()
            except GwcError as error:
                logger.warning("schedules are not kept: %s", error)
            except Exception:
                logger.exception("schedules are not kept")

    thread = threading.Thread(target=keep, name="schedules", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=5.0)
