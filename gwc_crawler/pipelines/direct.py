"""The way from a callback to the pipelines, with fewer detours than in Scrapy's own scraper and managers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from scrapy import Request
from scrapy.core.scraper import Scraper, logger
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable, iter_errback
from scrapy.utils.log import failure_to_exc_info
from scrapy.utils.python import global_object_name
from scrapy.utils.spider import iterate_spider_output
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gwc_crawler.downloader.direct import HeardSignals
from gwc_crawler.items import META_LEASE, Visit

READY = (Visit, dict)
"""Types of items that are certain not to be awaitable."""


class DirectPipelines(ItemPipelineManager):
    """Scrapy's item processor, which awaits only what has to be, and counts without a signal: it takes two tasks."""

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
                    own = isinstance(item, Coroutine)
                    item = await (_in_a_task(item) if own else ensure_awaitable(item, _warn=global_object_name(method)))
        except DropItem as error:
            stats.inc_value("item_dropped_count")
            stats.inc_value(f"item_dropped_reasons_count/{type(error).__name__}")
            raise
        stats.inc_value("item_scraped_count")
        return item


class DirectScraper(Scraper):
    """Takes over from Scrapy's scraper; starts tasks, queues and generators for a page only if they are needed.

    Args:
        made: the engine's scraper, with its pipelines and spider middlewares.
    """

    slot: Any

    def __init__(self, made: Scraper) -> None:
        vars(self).update(vars(made))
        self.signals = HeardSignals(self.crawler)
        said = ("process_spider_input", "process_spider_output", "process_spider_exception")
        self._is_due = False
        self._goes_all_the_way = self.concurrent_items > 1 or any(any(self.spidermw.methods[name]) for name in said)

    def enqueue_scrape(self, result: Any, request: Request) -> Deferred[None]:
        """Have an answer looked at when the loop has gone through what came, and has sent what is asked for next."""
        scraped: Deferred[None] = self.slot.add_response_request(result, request)
        if not self._is_due:
            self._is_due = True
            loop = asyncio.get_running_loop()
            loop.call_later(0, lambda: loop.create_task(self._look_at_all()))  # a callback, too, has a current task
        return scraped.addBoth(self._over, result, request)

    async def _look_at_all(self) -> None:
        self._is_due = False
        while self.slot.queue:
            copy_context().run(begin, self._wait_for_processing(*self.slot.next_response_request_deferred()))

    def _over(self, outcome: Any, result: Any, request: Request) -> None:
        self.slot.finish_response(result, request)
        self._check_if_closing()
        if isinstance(outcome, Failure):  # by a log formatter of the user's own
            logger.error("Scraper bug processing %s", request, exc_info=failure_to_exc_info(outcome))

    async def _scrape(self, result: Any, request: Request) -> None:
        """Have the spider read a leased page, and send what it gives on; all else goes Scrapy's way."""
        asked = result.request if isinstance(result, Response) else None
        if self._goes_all_the_way or asked is None or asked.callback is None or META_LEASE not in asked.meta:
            await super()._scrape(result, request)
            return
        try:
            output: Any = asked.callback(result, **asked.cb_kwargs)
            if not isinstance(output, Iterator):
                output = await ensure_awaitable(iterate_spider_output(output))
        except Exception:  # noqa: BLE001  # whatever it is, it is the page's
            self.handle_spider_error(Failure(), request, result)  # type: ignore[no-untyped-call]
            return
        if isinstance(output, AsyncIterator):
            await self.handle_spider_output_async(output, request, result)
            return
        for one in iter_errback(output, self.handle_spider_error, request, result):
            if isinstance(one, Request):
                self.crawler.engine.crawl(one)
            elif one is not None:
                await self.start_itemproc_async(one, response=result)


async def _in_a_task(own: Coroutine[Any, Any, Any]) -> Any:
    """Await a user's coroutine in a task of its own, see `begin`; the context variables that it sets are kept."""
    context = copy_context()
    try:
        return await asyncio.get_running_loop().create_task(own, context=context)
    finally:
        for variable, value in context.items():
            variable.set(value)


def begin(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end; where it has to wait, in a task from there on. A user's own has one of its own."""
    with suppress(StopIteration):
        asyncio.ensure_future(_go_on(work, work.send(None)))  # noqa: RUF006  # what it waits for keeps it


async def _go_on(work: Coroutine[Any, Any, None], awaited: Any) -> None:
    with suppress(StopIteration):
        while True:
            await (asyncio.sleep(0) if awaited is None else asyncio.wait([awaited]))
            awaited = work.send(None)
