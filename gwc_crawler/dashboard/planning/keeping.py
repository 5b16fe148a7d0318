"""While the dashboard runs, a thread of it starts the crawls whose moment has come."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.queries import begin_crawl
from gwc_crawler.dashboard.web import Project
from gwc_crawler.errors import GwcError
from gwc_crawler.schedules import Keeper, Schedule, ScheduleBook

logger = logging.getLogger(__name__)

WAIT_AFTER_TROUBLE_SECONDS = 60.0


def keeper_of(project: Project) -> Keeper:
    """What starts the scheduled crawls of a project."""

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
    keeper, ended = keeper_of(project), threading.Event()

    def keep() -> None:
        wait = 0.0
        while not ended.wait(wait):
            try:
                for one in keeper.look():
                    _tell(one)
                wait = keeper.wait_seconds()
            except GwcError as error:
                logger.warning("schedules are not kept: %s", error)
                wait = WAIT_AFTER_TROUBLE_SECONDS
            except Exception:
                logger.exception("schedules are not kept")
                wait = WAIT_AFTER_TROUBLE_SECONDS

    thread = threading.Thread(target=keep, name="schedules", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=5.0)


def _tell(one: Schedule) -> None:
    if one.last is not None:
        due = f"{datetime.fromtimestamp(one.last.due):%Y-%m-%d %H:%M}"
        print(f"Schedule {one.site} ({one.timing.spoken}), due {due}: {one.last.said}", flush=True)
