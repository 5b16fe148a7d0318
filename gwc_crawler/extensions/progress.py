"""The progress line of a crawl."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from gwc_crawler.items import context_of
from gwc_crawler.modes import ShowProgress
from gwc_crawler.operate.summary import Progress, progress_line
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.options import setting_choice

logger = logging.getLogger(__name__)

TERMINAL_SECONDS = 0.5
PLAIN_SECONDS = 10.0
"""Between two lines; the rate shown is an exponential mean over about this long."""


class ProgressExtension:
    """Shows pages, records, waiting URLs, errors and the rate while a crawl runs (setting GWC_PROGRESS)."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressExtension:
        mode = setting_choice(crawler.settings, "GWC_PROGRESS", ShowProgress)
        if mode is ShowProgress.OFF:
            raise NotConfigured
        return cls(crawler, forced=mode is ShowProgress.ON)

    def __init__(self, crawler: Crawler, *, forced: bool) -> None:
        self.crawler = crawler
        to_file = bool(crawler.settings["LOG_FILE"])
        level = logging.getLevelName(crawler.settings["LOG_LEVEL"])
        verbose = crawler.settings.getbool("LOG_ENABLED") and level <= logging.INFO
        self.as_log = verbose and not to_file and not forced
        self.live = sys.stderr.isatty() and not self.as_log
        self.started = time.monotonic()
        self._last = (self.started, 0)
        self._rate = 0.0
        self._loop: Any = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:
        """Begin to show progress, for spiders whose crawl has a frontier."""
        if context_of(spider) is not None:
            self.started = time.monotonic()
            self._last = (self.started, 0)
            self._loop = create_looping_call(self.show, spider)
            self._loop.start(TERMINAL_SECONDS if self.live else PLAIN_SECONDS, now=False)

    def spider_closed(self) -> None:
        """Clear the line: the summary follows."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()
            if self.live:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    def show(self, spider: Any) -> None:
        """Write the line of this moment."""
        line = progress_line(self.snapshot(spider))
        if self.as_log:
            logger.info(line)
        elif self.live:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        else:
            print(line, file=sys.stderr, flush=True)

    def snapshot(self, spider: Any) -> Progress:
        """Read the counters."""
        now = time.monotonic()
        since, before = self._last
        passed = max(1e-6, now - since)
        rate = (spider.pages_done - before) / passed
        share = min(1.0, passed / PLAIN_SECONDS) if self._rate else 1.0
        self._rate += share * (rate - self._rate)
        self._last = (now, spider.pages_done)
        context = spider.context
        counts = context.frontier.counts()
        return Progress(
            name=f"{spider.site.name} learning" if spider.name != spider.site.name else spider.name,
            pages=spider.pages_done,
            records=self.crawler.stats.get_value("gwc/records", 0),
            waiting=counts.waiting,
            running=counts.running,
            errors=counts.error,
            seconds=now - self.started,
            pages_per_second=self._rate,
            limit=spider.pages_limit,
            paused=context.control.paused,
            silent=tuple(map(host_of, spider.contact.told())),
        )
