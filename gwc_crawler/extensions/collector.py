"""The pace of Python's cycle collector during a crawl."""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured


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
