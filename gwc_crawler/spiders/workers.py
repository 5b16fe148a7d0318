"""A crawl on several cores: this process fetches and stores, others read for it (`-a workers=N|auto`, GWC_WORKERS).

The spider asks `Workers` for each page whether somebody else is to read it. What it reads itself: all pages until the
first process is ready, what is no HTML, and what comes while the others have as much to do as they may have.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.misc import load_object

from gwc_crawler.extract.reading.orders import ReadAnswer, ReadPlan
from gwc_crawler.extract.reading.readers import Readers, auto_count, worker_count
from gwc_crawler.items import RejectionReason
from gwc_crawler.page.reader import is_html
from gwc_crawler.spiders.hosts import content_type_of, is_page
from gwc_crawler.wiring.components import COMPONENTS, OURS, path_of

logger = logging.getLogger(__name__)

AUTO_BEGINS_AFTER = 200
"""Pages after which `auto` starts processes: a crawl that is done by then would only wait for them."""

ACTIVE_BYTES = 5_000_000
"""Scrapy's own bound of what is read at a time, which holds for each process …"""
MOST_ACTIVE_BYTES = 80_000_000
"""… up to this for all: no crawl needs more to keep them busy."""

LAST_OF_OURS = -200
"""The order of the store pipeline: what stands before it sees pages, and may want their trees."""


LeftOut: TypeAlias = Callable[[RejectionReason, str], None]


class Workers:
    """The reading processes of one crawl.

    Args:
        count: processes in all, 2 or more.
        on_left_out: told of links that look like traps.
        begins_after: pages that are read here before the first is started.
    """

    def __init__(self, count: int, plan: ReadPlan, on_left_out: LeftOut, begins_after: int = 0) -> None:
        self.readers = Readers(count - 1, plan, on_left_out)
        self._begins_after = begins_after
        self._began = False

    def takes(self, response: Response, pages_done: int) -> bool:
        """Say whether another process reads this response."""
        if not self._began and pages_done >= self._begins_after:
            self._began = True
            self.readers.start()
        return (
            self.readers.has_room() and is_page(response.status) and is_html(response.body, content_type_of(response))
        )

    async def read(self, response: Response) -> ReadAnswer | None:
        """Have it read; None: it has to be read here after all.

        Raises:
            ReaderDied: no process survives it.
        """
        content_type = content_type_of(response)
        return await self.readers.read(response.url, response.status, content_type, time.time(), response.body)

    def use(self, plan: ReadPlan) -> None:
        """Read by another plan from now on."""
        self.readers.use(plan)

    def close(self, stats: Any) -> None:
        """End the processes, and count what they did."""
        self.readers.close()
        stats.set_value("gwc/workers/reading", self.readers.count)
        stats.set_value("gwc/workers/pages", self.readers.pages)
        if self.readers.deaths:
            stats.set_value("gwc/workers/died", self.readers.deaths)


def open_workers(spider: Any, asked: str | None, plan: Callable[[], ReadPlan], on_left_out: LeftOut) -> Workers | None:
    """Return the reading processes that a crawl is to have, none started yet; None: it stays in one process.

    Args:
        asked: what `-a workers=…` says; None: GWC_WORKERS says it.
        plan: makes the plan, where one is needed.
        on_left_out: told of links that look like traps.
    Raises:
        InputError: that is no number of processes.
    """
    settings = spider.settings
    count = wanted(settings, asked)
    is_auto = count is None
    count = auto_count() if count is None else count
    if count < 2:
        return None
    if why := alone_because(spider):
        logger.log(logging.INFO if is_auto else logging.WARNING, "workers: all is done in one process, because %s", why)
        return None
    settings.set("SCRAPER_SLOT_MAX_ACTIVE_SIZE", min(ACTIVE_BYTES * count, MOST_ACTIVE_BYTES), OURS)
    return Workers(count, plan(), on_left_out, AUTO_BEGINS_AFTER if is_auto else 0)


def wanted(settings: BaseSettings, asked: str | None) -> int | None:
    """Return how many processes are wanted; None: as many as there are cores.

    Raises:
        InputError: it is no such number.
    """
    if asked is not None:
        return worker_count(asked, f"-a workers={asked}")
    return worker_count(settings["GWC_WORKERS"], f"setting GWC_WORKERS is {settings['GWC_WORKERS']!r}")


def alone_because(spider: Any) -> str:
    """Return why nobody else can read for a spider; "" where others can."""
    if not is_asyncio_available():
        return "TWISTED_REACTOR is not asyncio's"
    if own := [name for name in ("parse", "read", "visit") if _is_overridden(type(spider), name)]:
        return f"{type(spider).__name__} has its own {' and '.join(own)}"
    ours = COMPONENTS["ITEM_PIPELINES"]
    for key, order in spider.settings.get_component_priority_dict_with_base("ITEM_PIPELINES").items():
        if order is not None and order <= LAST_OF_OURS and path_of(load_object(key)) not in ours:
            return f"the pipeline {path_of(key)} stands before the store, where pages have their parse trees"
    return ""


def _is_overridden(kind: type, name: str) -> bool:
    owner = next(one for one in kind.__mro__ if name in vars(one))
    return not owner.__module__.startswith("gwc_crawler.")
