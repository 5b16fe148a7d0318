"""From the scheduler to the callback with fewer detours: one task takes a Request through downloader and scraper.

The promises are Scrapy's: what its engine counts, logs and signals on this way, this one does too. Scrapy hands a
Request over between two tasks, by a dozen callbacks of four Deferreds. What extensions ask the engine for
(`download_async`, robots.txt) still goes that way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.engine import ExecutionEngine, _Slot, logger
from scrapy.core.scraper import Scraper
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.log import logformatter_adapter
from twisted.python.failure import Failure

from gwc_crawler.download.direct import DirectDownloader
from gwc_crawler.spiders.output import DirectScraper, DirectSpiderMiddlewares


class DirectWay:
    """The extension that lets the engine and its scraper go the short way, where CONCURRENT_ITEMS is 1."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DirectWay:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self, spider: Spider) -> None:
        """Exchange the methods of engine and scraper, which Scrapy makes itself; what they hold stays."""
        scraper = self.crawler.engine.scraper
        if type(scraper) is Scraper and scraper.concurrent_items == 1:
            scraper.__class__ = DirectScraper
            scraper.spidermw = DirectSpiderMiddlewares(*scraper.spidermw.middlewares, crawler=self.crawler)
            DirectEngine.take_over(self.crawler.engine)


class DirectEngine(ExecutionEngine):
    """Serves each scheduled Request in one task."""

    downloader: DirectDownloader
    scraper: DirectScraper
    under_way: dict[Request, asyncio.Task[None]]
    """The loop itself keeps no hold of its tasks."""

    @classmethod
    def take_over(cls, engine: ExecutionEngine) -> None:
        """Exchange the methods of a crawl's engine, where both of its ends are the direct ones; what it holds stays."""
        if (
            type(engine) is ExecutionEngine
            and type(engine.downloader).fetch is DirectDownloader.fetch  # a subclass may have its own
            and isinstance(engine.scraper, DirectScraper)
            and is_asyncio_available()
        ):
            engine.__class__ = cls
            engine.under_way = {}  # type: ignore[attr-defined]

    def _start_scheduled_request(self) -> bool:
        assert self._slot is not None
        request = self._slot.scheduler.next_request()
        if request is None:
            self.signals.send_catch_log(signals.scheduler_empty)
            return False
        self._slot.add_request(request)
        fetching = self.downloader.fetching(request)
        self.under_way[request] = asyncio.ensure_future(self._serve(request, fetching))
        return True

    async def _serve(self, request: Request, fetching: Coroutine[Any, Any, Response | Request]) -> None:
        slot = self._slot
        assert slot is not None
        try:
            result = await self._fetched(request, fetching)
            if isinstance(result, Request):
                self.crawl(result)
            else:
                await self.scraper.scrape(result, request)
        except Exception:  # noqa: BLE001  # Scrapy's own, or of an extension: the crawl goes on, as there
            logger.exception("Error while handling downloader output", extra={"spider": self.spider})
        finally:
            self.under_way.pop(request, None)
            slot.inprogress.discard(request)
            slot._maybe_fire_closing()
            _wake(slot)

    async def _fetched(
        self, request: Request, fetching: Coroutine[Any, Any, Response | Request]
    ) -> Response | Request | Failure:
        """Return what was fetched, or why it was not."""
        result: Response | Request | Failure
        try:
            result = await fetching
            if isinstance(result, Response):
                self._received(result, request)
        except (Exception, asyncio.CancelledError):  # noqa: BLE001  # whatever it is, the errback is told
            result = Failure()  # type: ignore[no-untyped-call]
        assert self._slot is not None
        _wake(self._slot)
        return result

    def _received(self, response: Response, request: Request) -> None:
        if response.request is None:
            response.request = request
        line = self.logformatter.crawled(response.request, response, self.spider)  # type: ignore[arg-type]
        if line is not None:
            logger.log(*logformatter_adapter(line), extra={"spider": self.spider})
        self.signals.send_catch_log(
            signal=signals.response_received, response=response, request=response.request, spider=self.spider
        )


def _wake(slot: _Slot) -> None:
    """Let the engine look for the next Request, if nobody has asked for that yet."""
    if slot.nextcall._call is None:  # `schedule` asks the same, behind an import
        slot.nextcall.schedule()
