"""What runs beside a crawl: progress line, the garbage collector's pace, no log lines and servers nobody asked for."""

from __future__ import annotations

import gc
import logging
import sys
import time
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.corestats import CoreStats
from scrapy.logformatter import LogFormatter
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.misc import build_from_crawler

from gwc_crawler.ops.progress import Progress, progress_line

logger = logging.getLogger(__name__)

TERMINAL_SECONDS = 0.5
PLAIN_SECONDS = 10.0
SMOOTHING_SECONDS = 10.0
"""The rate shown is an exponential mean over about this long."""


class PlainStats(MemoryStatsCollector):
    """Scrapy's stats, without its look at every use for an argument that is no longer passed."""

    __getattribute__ = object.__getattribute__


class RunStats(CoreStats):
    """Scrapy's stats on a run, but for the items, which `DirectPipelines` counts."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunStats:
        stats = cls(crawler.stats)
        crawler.signals.connect(stats.spider_opened, signals.spider_opened)
        crawler.signals.connect(stats.spider_closed, signals.spider_closed)
        crawler.signals.connect(stats.response_received, signals.response_received)
        return stats


class ProgressExtension:
    """Shows pages, records, waiting URLs, errors and the rate while a crawl runs (setting GWC_PROGRESS)."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressExtension:
        mode = crawler.settings["GWC_PROGRESS"]
        if mode == "off":
            raise NotConfigured
        return cls(crawler, forced=mode == "on")

    def __init__(self, crawler: Crawler, *, forced: bool) -> None:
        self.crawler = crawler
        to_file = bool(crawler.settings["LOG_FILE"])
        verbose = (
            crawler.settings.getbool("LOG_ENABLED")
            and logging.getLevelName(crawler.settings["LOG_LEVEL"]) <= logging.INFO
        )
        self.as_log = verbose and not to_file and not forced
        self.live = sys.stderr.isatty() and not self.as_log
        self.started = time.monotonic()
        self._last = (self.started, 0)
        self._rate = 0.0
        self._loop: Any = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:
        """Begin to show progress, for spiders that have a workbench."""
        if hasattr(spider, "workbench"):
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
        share = min(1.0, passed / SMOOTHING_SECONDS) if self._rate else 1.0
        self._rate += share * (rate - self._rate)
        self._last = (now, spider.pages_done)
        counts = spider.workbench.frontier.counts()
        return Progress(
            name=f"{spider.site.name} {spider.name}" if spider.name != spider.site.name else spider.name,
            pages=spider.pages_done,
            records=self.crawler.stats.get_value("gwc/records", 0),
            waiting=counts.waiting,
            running=counts.running,
            errors=counts.error,
            seconds=now - self.started,
            pages_per_second=self._rate,
            limit=spider.pages_limit,
            paused=spider.workbench.steering.paused,
        )


class CollectorExtension:
    """Keeps Python's cycle collector off what stays for the whole crawl, and lets it come less often.

    A page makes hundreds of objects that reference counting frees at once; with Python's own threshold the collector
    walks over everything alive after every second page. What was loaded before the crawl is set aside (`gc.freeze`).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CollectorExtension:
        threshold = crawler.settings.getint("GWC_GC_THRESHOLD")
        if threshold <= 0:
            raise NotConfigured
        return cls(crawler, threshold)

    def __init__(self, crawler: Crawler, threshold: int) -> None:
        self.threshold = threshold
        self._before = gc.get_threshold()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self) -> None:
        """Set aside what is there, take the crawl's pace."""
        self._before = gc.get_threshold()
        gc.freeze()  # without a collection before it, which would walk over all that was loaded, for little
        gc.set_threshold(self.threshold, *self._before[1:])

    def spider_closed(self) -> None:
        """Leave the collector as it was: the process may go on with something else."""
        gc.set_threshold(*self._before)
        gc.unfreeze()


class TelnetOnDemand:
    """Scrapy's telnet console, imported only where TELNETCONSOLE_ENABLED."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if not crawler.settings.getbool("TELNETCONSOLE_ENABLED"):
            raise NotConfigured
        from scrapy.extensions.telnet import TelnetConsole

        return TelnetConsole.from_crawler(crawler)


class RemoteControlOnDemand:
    """Scrapy's remote control, imported only where REMOTE_CONTROL_ENABLED."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if not crawler.settings.getbool("REMOTE_CONTROL_ENABLED"):
            raise NotConfigured
        from scrapy.extensions.remote_control import RemoteControl

        return build_from_crawler(RemoteControl, crawler)


class UnaskedLogFormatter(LogFormatter):
    """Makes no log record of a page or an item when LOG_LEVEL leaves them out; Scrapy makes two a page all the same."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> UnaskedLogFormatter:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        level = crawler.settings["LOG_LEVEL"]
        least = level if isinstance(level, int) else logging.getLevelName(str(level).upper())
        self.wants_debug = not isinstance(least, int) or least <= logging.DEBUG

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        """A DEBUG line for each response, if wanted."""
        return super().crawled(*args, **kwargs) if self.wants_debug else None

    def scraped(self, *args: Any, **kwargs: Any) -> Any:
        """A DEBUG line for each item, if wanted."""
        return super().scraped(*args, **kwargs) if self.wants_debug else None

    def dropped(self, item: Any, exception: BaseException, *args: Any, **kwargs: Any) -> Any:
        """A line for each dropped item, if its level is wanted."""
        quiet = getattr(exception, "log_level", None) == "DEBUG" and not self.wants_debug
        return None if quiet else super().dropped(item, exception, *args, **kwargs)
