"""A crawler that can be stopped at any time, also before its engine runs."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from gwc_crawler.crawl.context import CrawlControl
from gwc_crawler.spiders.frontier_spider import FrontierSpider
from gwc_crawler.wiring.blame import start_error

LOOK_SECONDS = 0.01
"""How often it is looked whether something of this process is done."""


class SiteCrawler(Crawler):
    """Scrapy's crawler, but with a stop that works at any time, not only while its engine runs.

    An earlier stop would leave the spider and its leases open: here it waits until there is something to close.
    """

    def __init__(self, spider_class: type[Spider], settings: Settings) -> None:
        super().__init__(spider_class, settings)
        self.stopped_before_start = False
        self._begun = False
        self._closed = False
        self.signals.connect(self._note_closed, signals.spider_closed)

    async def crawl_async(self, *args: Any, **kwargs: Any) -> None:
        """Run the crawl, unless it was stopped before it began; then `stopped_before_start` stays True."""
        if not self.stopped_before_start:
            self._begun = True
            await super().crawl_async(*args, **kwargs)

    async def stop_async(self) -> None:
        """Stop the crawl in order, as soon as its engine runs; complete when it is stopped."""
        self.stopped_before_start = not self._begun
        while self.crawling and not self.engine.running and not self._closed:
            await asyncio.sleep(LOOK_SECONDS)
        await super().stop_async()

    def abandon(self) -> None:
        """Stop without waiting: requests under way end with the process, and hosts are asked no more."""
        self.crawling = False
        if self.spider is not None:
            self.engine.downloader.close()

    def error_after(self, raised: BaseException | None) -> BaseException | None:
        """Return the error that ended this crawl early, given the one that its task has *raised*; None for none."""
        error, control = start_error(raised, self), self._control
        return control.fatal if error is None and control is not None else error

    @property
    def was_stopped(self) -> bool:
        return self._control is not None and self._control.stop_asked

    @property
    def _control(self) -> CrawlControl | None:
        return self.spider.control if isinstance(self.spider, FrontierSpider) else None

    def _note_closed(self) -> None:
        self._closed = True  # its engine runs no more, and its end stops the crawler, too
