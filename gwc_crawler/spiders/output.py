"""From a callback to the item pipelines with fewer detours: one after the other, in the task that called it.

The promises are Scrapy's: spider middlewares see what they ask to see, errors go where they go. Scrapy itself starts
two tasks and a queue for what one callback returns, and wraps it seven times, also where nobody asks to see it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.scraper import Scraper
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.start import StartSpiderMiddleware
from scrapy.utils.defer import aiter_errback, iter_errback
from twisted.python.failure import Failure


class DirectOutput:
    """The extension that lets the engine's scraper go the short way, where CONCURRENT_ITEMS is 1."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DirectOutput:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self, spider: Spider) -> None:
        """Exchange the methods of the scraper, which the engine makes itself; what it holds stays."""
        scraper = self.crawler.engine.scraper
        if type(scraper) is Scraper and scraper.concurrent_items == 1:
            scraper.__class__ = DirectScraper
            scraper.spidermw = DirectSpiderMiddlewares(*scraper.spidermw.middlewares, crawler=self.crawler)


class DirectScraper(Scraper):
    """Handles what a callback returns one after the other."""

    async def handle_spider_output_async(
        self, result: Iterable[Any] | AsyncIterator[Any], request: Request, response: Response | Failure
    ) -> None:
        """See Scrapy's `Scraper.handle_spider_output_async`."""
        if isinstance(result, list) and len(result) <= 1:
            for output in result:
                await self._process_spidermw_output_async(output, response)
        elif isinstance(result, AsyncIterator):
            async for output in aiter_errback(result, self.handle_spider_error, request, response):
                await self._process_spidermw_output_async(output, response)
                await asyncio.sleep(0)  # others have their turn, however much comes here
        else:
            for output in iter_errback(result, self.handle_spider_error, request, response):
                await self._process_spidermw_output_async(output, response)
                await asyncio.sleep(0)


class DirectSpiderMiddlewares(SpiderMiddlewareManager):
    """Calls the callback itself where no spider middleware wants to see its response, output or error."""

    async def scrape_response_async(self, scrape_func: Any, response: Response, request: Request) -> Any:
        """See Scrapy's `SpiderMiddlewareManager.scrape_response_async`."""
        if self._is_watched:
            return await super().scrape_response_async(scrape_func, response, request)
        return await scrape_func(response, request)

    @property
    def _is_watched(self) -> bool:
        methods = self.methods
        return (
            any(methods["process_spider_input"])
            or any(methods["process_spider_output"])
            or any(methods["process_spider_exception"])
        )


class StartMark(StartSpiderMiddleware):
    """Scrapy's mark on the Requests of `start()`, which needs no look at what comes later."""

    process_spider_output = process_spider_output_async = None  # type: ignore[assignment]
