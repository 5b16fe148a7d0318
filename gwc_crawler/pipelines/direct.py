"""The way from a callback to the pipelines, with fewer detours than in Scrapy's own scraper and managers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.core.scraper import Scraper
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable, iter_errback
from scrapy.utils.python import global_object_name

from gwc_crawler.downloader.direct import HeardSignals
from gwc_crawler.items import Visit

READY = (Visit, dict)
"""Types of items that are certain not to be awaitable."""


class DirectPipelines(ItemPipelineManager):
    """Scrapy's item processor, which awaits only what has to be awaited, and counts what comes out of it.

    Scrapy counts items by a signal: with somebody at its end, it starts two tasks for each item.
    """

    counts_items = True

    async def open_spider_async(self) -> None:
        """Replace the scraper, too, by our direct one; Scrapy has no setting for it."""
        engine = self.crawler.engine  # type: ignore[union-attr]
        if type(engine.scraper) is Scraper:
            engine.scraper = DirectScraper(engine.scraper)
            engine.signals = engine.scraper.signals
        await super().open_spider_async()

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through all pipelines; return what came out, or raise what one of them raised."""
        stats: Any = self.crawler.stats  # type: ignore[union-attr]
        try:
            for method in self.methods["process_item"]:
                assert method is not None
                needs_spider = method in self._mw_methods_requiring_spider
                item = method(item, self._spider) if needs_spider else method(item)
                if not isinstance(item, READY):
                    item = await ensure_awaitable(item, _warn=global_object_name(method))
        except DropItem as error:
            stats.inc_value("item_dropped_count")
            stats.inc_value(f"item_dropped_reasons_count/{type(error).__name__}")
            raise
        stats.inc_value("item_scraped_count")
        return item


class DirectScraper(Scraper):
    """Takes over from Scrapy's scraper, and starts two tasks and a queue for an answer only if they are needed.

    Args:
        made: the engine's scraper, with its pipelines.
    """

    def __init__(self, made: Scraper) -> None:
        vars(self).update(vars(made))
        self.signals = HeardSignals(self.crawler)
        self.spidermw = DirectSpiderMiddlewares(made.spidermw)

    async def handle_spider_output_async(self, result: Any, request: Request, response: Any) -> None:
        """Send items through the pipelines, one after the other, and Requests to the scheduler."""
        if self.concurrent_items > 1 or isinstance(result, AsyncIterator):
            await super().handle_spider_output_async(result, request, response)
            return
        for output in iter_errback(result, self.handle_spider_error, request, response):
            if isinstance(output, Request):
                self.crawler.engine.crawl(output)
            elif output is not None:
                await self.start_itemproc_async(output, response=response)


class DirectSpiderMiddlewares(SpiderMiddlewareManager):
    """Scrapy's spider middlewares, which put five generators around a callback only where one of them has a say."""

    def __init__(self, made: SpiderMiddlewareManager) -> None:
        vars(self).update(vars(made))  # not made anew: faults of a middleware would be reported twice
        what = ("process_spider_input", "process_spider_output", "process_spider_exception")
        self._has_a_say = any(method for name in what for method in self.methods[name])

    async def scrape_response_async(self, scrape_func: Any, response: Response, request: Request) -> Any:
        """Have the spider read a response."""
        if self._has_a_say:
            return await super().scrape_response_async(scrape_func, response, request)
        return await scrape_func(response, request)
