"""The short way from a callback to the pipelines says and does what Scrapy's does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.core.scraper import Slot
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response

from gwc_crawler.downloader.direct import HeardSignals
from gwc_crawler.downloader.politeness import HostDownloader
from gwc_crawler.extensions.stats import QuietLog
from gwc_crawler.pipelines.direct import DirectPipelines, DirectScraper, begin

PAGE = Response("http://shop.example/")
REQUEST = Request("http://shop.example/")


def scrape_page(kind: type[DirectScraper], crawler: Any) -> None:
    """Have a scraper of that kind take the page."""
    made: Any = SimpleNamespace(crawler=crawler, spidermw=SpiderMiddlewareManager(crawler=crawler), concurrent_items=1)

    async def scraped() -> None:
        scraper = kind(made)
        scraper.slot = Slot()
        await scraper.enqueue_scrape(PAGE, REQUEST).asFuture(asyncio.get_running_loop())

    asyncio.run(scraped())


@contextmanager
def only_handler(level: int) -> Iterator[None]:
    """The root logger has one handler, which takes lines of that level."""
    root = logging.getLogger()
    before, handler = root.handlers[:], logging.NullHandler(level)
    root.handlers[:] = [handler]
    try:
        yield
    finally:
        root.handlers[:] = before


def told(log: QuietLog, spider: Any, *, quietly: bool) -> list[bool]:
    """Say which lines are put together: of a page, of an item, of two that are dropped."""
    dropped = DropItem("stale", log_level="DEBUG" if quietly else "WARNING")
    lines = (
        log.crawled(REQUEST, PAGE, spider),
        log.scraped({}, PAGE, spider),
        log.dropped({}, dropped, PAGE, spider),
    )
    return [line is not None for line in lines]


def test_lines_of_debug_are_put_together_for_those_that_read_them() -> None:
    log, spider = QuietLog(), Spider("one")
    with only_handler(logging.INFO):
        assert told(log, spider, quietly=True) == [False, False, False]
        assert told(log, spider, quietly=False) == [False, False, True]
    with only_handler(logging.DEBUG):
        assert told(log, spider, quietly=True) == [True, True, True]


@pytest.mark.parametrize("name", ["scrapy", "scrapy.core.scraper"])
def test_a_handler_of_scrapys_own_loggers_is_not_forgotten(name: str) -> None:
    handler = logging.NullHandler(logging.DEBUG)
    logging.getLogger(name).addHandler(handler)
    try:
        with only_handler(logging.INFO):
            assert told(QuietLog(), Spider("one"), quietly=True) == [True, True, True]
    finally:
        logging.getLogger(name).removeHandler(handler)


def test_signals_reach_whoever_was_connected_by_another_manager() -> None:
    crawler = Crawler(Spider)
    heard = []
    ours = HeardSignals(crawler)
    assert ours.send_catch_log(signals.item_scraped, item=1) == []

    def hear(item: Any) -> Any:
        heard.append(item)
        return item

    crawler.signals.connect(hear, signals.item_scraped)
    assert ours.send_catch_log(signals.item_scraped, item=1) == [(hear, 1)]
    assert asyncio.run(ours.send_catch_log_async(signals.item_dropped, item=2)) == []
    assert asyncio.run(ours.send_catch_log_async(signals.item_scraped, item=3)) == [(hear, 3)]
    assert heard == [1, 3]


def test_what_is_wrong_with_a_middleware_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    class Half:
        async def process_spider_output_async(self, response: Any, result: Any) -> Any:
            async for one in result:
                yield one

    crawler: Any = Crawler(Spider)
    made: Any = SimpleNamespace(
        crawler=crawler, spidermw=SpiderMiddlewareManager(Half(), crawler=crawler), concurrent_items=1
    )
    scraper = DirectScraper(made)
    assert [line.levelname for line in caplog.records] == ["ERROR"]
    assert scraper.spidermw.middlewares == made.spidermw.middlewares


def test_what_a_handler_sets_is_not_seen_by_whoever_gets_the_answer() -> None:
    seen: list[Any] = []
    within: ContextVar[str] = ContextVar("within", default="")

    class Fetching(HostDownloader):
        def __init__(self) -> None:
            self.active = set()

        async def fetching(self, request: Request) -> Response:
            within.set("the handler")
            await asyncio.sleep(0)
            return PAGE

    async def fetched() -> None:
        done = asyncio.Event()
        downloader = Fetching()
        answer = downloader.fetch(REQUEST).addCallback(
            lambda page: seen.append((page, within.get(), downloader.active))
        )
        answer.addBoth(lambda _: done.set())
        await done.wait()

    asyncio.run(fetched())
    assert seen == [(PAGE, "", set())]


@pytest.mark.parametrize("ends", [SystemExit, KeyboardInterrupt])
def test_a_middleware_may_end_the_process(ends: type[BaseException]) -> None:
    class Fetching(HostDownloader):
        def __init__(self) -> None:
            self.active = set()

        async def fetching(self, request: Request) -> Response:
            raise ends

    async def fetched() -> None:
        Fetching().fetch(REQUEST)
        await asyncio.sleep(1)

    with pytest.raises(ends):
        asyncio.run(fetched())


def test_pipelines_run_in_a_task_and_see_what_those_before_them_have_set() -> None:
    seen: list[Any] = []
    within: ContextVar[str] = ContextVar("within", default="")

    class Waits:
        async def process_item(self, item: Any) -> Any:
            async with asyncio.timeout(1):
                await asyncio.sleep(0)
            within.set("the first")
            return item

    class Looks:
        def process_item(self, item: Any) -> Any:
            seen.append((item, within.get(), asyncio.current_task() is not None))
            return item

    class Looking(DirectScraper):
        async def _scrape(self, result: Any, request: Request) -> None:
            await pipelines.process_item_async(result)

    crawler: Any = Crawler(Spider)
    crawler.stats = SimpleNamespace(inc_value=lambda name: None)
    pipelines = DirectPipelines(Looks(), Waits(), Looks(), crawler=crawler)
    scrape_page(Looking, crawler)
    assert seen == [(PAGE, "", True), (PAGE, "the first", True)]


def test_a_page_that_a_log_formatter_fails_for_is_named(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(DirectScraper):
        async def _scrape(self, result: Any, request: Request) -> None:
            raise ValueError("no line")

    crawler: Any = Crawler(Spider)
    scrape_page(Failing, crawler)
    assert [(line.name, line.getMessage()) for line in caplog.records] == [
        ("scrapy.core.scraper", "Scraper bug processing <GET http://shop.example/>")
    ]
    assert "no line" in caplog.text


@pytest.mark.parametrize("waits", [False, True])
def test_work_that_need_not_wait_is_done_at_once(waits: bool) -> None:
    async def work(done: list[int], other: asyncio.Future[int]) -> None:
        if waits:
            await asyncio.sleep(0)
            done.append(await other)
        done.append(2)

    async def at_once() -> list[int]:
        done: list[int] = []
        other: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        begin(work(done, other))
        before = [*done]
        await asyncio.sleep(0.01)
        other.set_result(1)
        await asyncio.sleep(0.01)
        assert done == ([1, 2] if waits else [2])
        return before

    assert asyncio.run(at_once()) == ([] if waits else [2])


def test_what_fails_while_it_is_waited_for_is_raised_where_it_is_waited_for() -> None:
    caught: list[Exception] = []

    async def work(other: asyncio.Future[int]) -> None:
        try:
            await other
        except ValueError as error:
            caught.append(error)

    async def failing() -> None:
        other: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        begin(work(other))
        other.set_exception(ValueError("no"))
        await asyncio.sleep(0.01)

    asyncio.run(failing())
    assert [str(error) for error in caught] == ["no"]
