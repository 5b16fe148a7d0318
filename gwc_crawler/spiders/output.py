"""From a callback to the item pipelines with fewer detours: one after the other, in the task that called it.

The promises are Scrapy's: spider middlewares see what they ask to see, errors go where they go. Scrapy itself starts
two tasks and a queue for what one callback returns, and wraps it seven times, also where nobody asks to see it.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request
from scrapy.core.scraper import Scraper, logger
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.exceptions import ScrapyDeprecationWarning
from scrapy.http import Response
from scrapy.spidermiddlewares.start import StartSpiderMiddleware
from scrapy.utils.defer import _process_pending_io, aiter_errback, ensure_awaitable, iter_errback
from scrapy.utils.spider import iterate_spider_output
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure


class DirectScraper(Scraper):
    """Handles what a callback returns one after the other."""

    async def scrape(self, result: Response | Failure, request: Request) -> None:
        """Take what was downloaded to its callback, and all that comes of it to the end; see `enqueue_scrape`."""
        slot = self.slot
        assert slot is not None
        slot.add_response_request(result, request)
        slot.next_response_request_deferred()  # it is at once the one that is worked at
        await asyncio.sleep(0)  # the engine sends the next Request before this one's callback takes its time
        try:
            await self._scrape(result, request)
        except Exception:  # noqa: BLE001  # as in Scrapy: one page's trouble is not the others'
            logger.exception(
                "Scraper bug processing %(request)s", {"request": request}, extra={"spider": self.crawler.spider}
            )
        finally:
            slot.finish_response(result, request)
            self._check_if_closing()

    async def call_spider_async(
        self, result: Response | Failure, request: Request
    ) -> Iterable[Any] | AsyncIterator[Any]:
        """See Scrapy's `Scraper.call_spider_async`. A list needs no look at what else it might be."""
        spider = self.crawler.spider
        assert spider is not None
        if not isinstance(result, Response) or spider.settings.getbool("WARN_ON_GENERATOR_RETURN_VALUE"):
            return await super().call_spider_async(result, request)
        await _process_pending_io()
        if result.request is None:
            result.request = request
        callback = result.request.callback or spider._parse
        output = callback(result, **result.request.cb_kwargs)
        if isinstance(output, list):
            return output
        if isinstance(output, Deferred):
            warnings.warn(
                f"{callback} returned a Deferred. Returning Deferreds from spider callbacks is deprecated.",
                ScrapyDeprecationWarning,
                stacklevel=2,
            )
        return await ensure_awaitable(iterate_spider_output(output))

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

    def __init__(self, *middlewares: Any, crawler: Crawler) -> None:
        super().__init__(*middlewares, crawler=crawler)
        names = ("process_spider_input", "process_spider_output", "process_spider_exception")
        self._is_watched = any(method for name in names for method in self.methods[name])

    async def scrape_response_async(self, scrape_func: Any, response: Response, request: Request) -> Any:
        """See Scrapy's `SpiderMiddlewareManager.scrape_response_async`."""
        if self._is_watched:
            return await super().scrape_response_async(scrape_func, response, request)
        return await scrape_func(response, request)


class StartMark(StartSpiderMiddleware):
    """Scrapy's mark on the Requests of `start()`, which needs no look at what comes later."""

    process_spider_output = process_spider_output_async = None  # type: ignore[assignment]
