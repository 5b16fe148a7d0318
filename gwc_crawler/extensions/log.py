"""No log lines that nobody asked for."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler
from scrapy.logformatter import LogFormatter


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
