"""Stats, log lines and a cycle collector that cost little."""

from __future__ import annotations

import gc
import logging
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.corestats import CoreStats
from scrapy.logformatter import LogFormatter
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.misc import load_object


class PlainStats(MemoryStatsCollector):
    """Scrapy's stats, without its look at every use for an argument that is no longer passed."""

    __getattribute__ = object.__getattribute__


class RunStats(CoreStats):
    """Scrapy's stats on a run, except those that are counted elsewhere.

    The item processor counts items (`DirectPipelines`), the downloader answers (`HostDownloader`).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        stats = cls(crawler.stats)
        connect = crawler.signals.connect
        connect(stats.spider_opened, signals.spider_opened)
        connect(stats.spider_closed, signals.spider_closed)
        if not hasattr(load_object(crawler.settings["ITEM_PROCESSOR"]), "counts_items"):
            connect(stats.item_scraped, signals.item_scraped)
            connect(stats.item_dropped, signals.item_dropped)
        if not hasattr(load_object(crawler.settings["DOWNLOADER"]), "counts_responses"):
            connect(stats.response_received, signals.response_received)
        return stats

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Note how the run ended, if it ever began: a component may have failed before."""
        if self.start_time is not None:
            super().spider_closed(spider, reason)


class QuietLog(LogFormatter):
    """Scrapy's lines on pages and items, which are put together only where somebody reads lines of DEBUG."""

    def crawled(self, *about: Any) -> Any:
        return super().crawled(*about) if debug_is_read() else None

    def scraped(self, *about: Any) -> Any:
        return super().scraped(*about) if debug_is_read() else None

    def dropped(self, *about: Any) -> Any:
        """Tell of an item that goes no further: of a visit without a record, that is of no interest to many."""
        told = super().dropped(*about)
        return told if told["level"] > logging.DEBUG or debug_is_read() else None


_LOGGERS = [*map(logging.getLogger, ("", "scrapy", "scrapy.core", "scrapy.core.engine", "scrapy.core.scraper"))]


def debug_is_read() -> bool:
    """Say whether anybody takes what Scrapy's engine and scraper tell at DEBUG."""
    return any(handler.level <= logging.DEBUG for logger in _LOGGERS for handler in logger.handlers)


class CollectorExtension:
    """Keeps Python's cycle collector off objects that stay for the whole crawl, and runs it less often.

    A page makes hundreds of objects that reference counting frees at once; with Python's own threshold the collector
    walks over everything alive after every second page. Objects loaded before the crawl are set aside (`gc.freeze`).
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
        self._set_aside = False
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self) -> None:
        """Set the present objects aside, and use the crawl's threshold."""
        self._before = gc.get_threshold()
        self._set_aside = gc.get_freeze_count() == 0
        gc.freeze()  # without collecting before: that would walk over all loaded objects, for little
        gc.set_threshold(self.threshold, *self._before[1:])

    def spider_closed(self) -> None:
        """Leave the collector as it was: the process may go on with something else.

        Objects that others had set aside before stay so; Python knows no way to bring back a part of them.
        """
        gc.set_threshold(*self._before)
        if self._set_aside:
            gc.unfreeze()
