"""A spider with callbacks of every kind, wired as ours are; run as a program, it prints what happened, as JSON.

`python -m tests.crawl.own_spider URL '{"SETTING": …}'`, with the project's settings.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings

from gwc_crawler.wiring.components import LAST_WORD, wire

EVENTS: list[str] = []
REQUEST_SIGNALS = (
    "request_scheduled",
    "request_reached_downloader",
    "response_downloaded",
    "request_left_downloader",
    "response_received",
)


class OwnSpider(Spider):
    """Yields items and Requests, fails in the middle, and waits."""

    name = "own"
    url = ""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Wire it as ours are."""
        super().update_settings(settings)
        wire(settings)

    async def start(self) -> AsyncIterator[Any]:
        """One Request for each kind of callback."""
        for path, callback in (
            ("list", self.as_list),
            ("generator", self.as_generator),
            ("coroutine", self.as_coroutine),
            ("asynchronous", self.as_asynchronous),
            ("none", self.as_none),
            ("broken", self.as_generator),
            ("refused", self.as_list),
            ("cancelled", self.as_list),
            ("raising", self.raising),
            ("within", self.as_fetching),
            ("moved", self.as_list),
        ):
            yield Request(f"{self.url}/{path}", callback=callback, errback=self.failed)
        yield Request("http://127.0.0.1:1/nobody", callback=self.as_list, errback=self.failed)
        yield Request("http://127.0.0.1:1/nobody?and", callback=self.as_list, errback=self.failing)
        yield Request("http://127.0.0.1:1/nobody?at-all", callback=self.as_list)

    def as_list(self, response: Any) -> list[Any]:
        """Return a list."""
        return [self.item(response, 1), self.item(response, 2)]

    def as_generator(self, response: Any) -> Iterator[Any]:
        """Fail after the first item."""
        yield self.item(response, 1)
        raise ValueError("broken")

    async def as_coroutine(self, response: Any) -> list[Any]:
        """Return a list, later."""
        return [self.item(response, 1), Request(f"{self.url}/more", callback=self.as_list)]

    async def as_asynchronous(self, response: Any) -> AsyncIterator[Any]:
        """Yield, and fail in the end."""
        yield self.item(response, 1)
        yield {"drop": True}
        raise ValueError("broken")

    def as_none(self, response: Any) -> None:
        """Return nothing."""

    def raising(self, response: Any) -> list[Any]:
        """Fail at once."""
        raise KeyError(response.url.removeprefix(self.url))

    async def as_fetching(self, response: Any) -> list[Any]:
        """Fetch something in the middle."""
        within = await self.crawler.engine.download_async(Request(f"{self.url}/more?within"))
        return [self.item(within, 1), self.item(response, 2)]

    def failed(self, failure: Any) -> list[Any]:
        """Make an item of a failure."""
        return [{"failed": type(failure.value).__name__, "path": failure.request.url.removeprefix(self.url)}]

    def failing(self, failure: Any) -> None:
        """Fail, told of a failure."""
        raise ValueError(type(failure.value).__name__)  # each download handler has its own words

    def item(self, response: Any, number: int) -> dict[str, Any]:
        """Say where an item comes from."""
        start = response.meta.get("is_start_request", False)
        return {"path": response.url.removeprefix(self.url), "number": number, "start": start}


class LaterPipeline:
    """Waits, then drops what asks for it."""

    async def process_item(self, item: Any) -> Any:
        """See Scrapy."""
        if "drop" in item:
            raise DropItem("asked for")
        return {**item, "later": True}


class Watcher:
    """A spider middleware and a downloader middleware that see what passes."""

    async def process_spider_output(self, response: Any, result: Any) -> AsyncIterator[Any]:
        """See Scrapy."""
        async for one in result:
            EVENTS.append(f"output {type(one).__name__}")
            yield one

    def process_spider_exception(self, response: Any, exception: Exception) -> list[Any]:
        """Make an item of an error."""
        return [{"mended": str(exception)}]

    async def process_request(self, request: Any) -> None:
        """Refuse two paths."""
        if request.url.endswith("/refused"):
            raise IgnoreRequest("refused")
        if request.url.endswith("/cancelled"):
            raise asyncio.CancelledError

    def process_response(self, request: Any, response: Any) -> Any:
        """Mark what passes."""
        EVENTS.append(f"response {response.status}")
        return response


def main(url: str, settings: dict[str, Any]) -> None:
    """Crawl and print events, and the stats that speak of items and responses."""
    project = get_project_settings()
    for name, value in {"LOG_ENABLED": False, "ADDONS": {LAST_WORD: None}, **settings}.items():
        project.set(name, {**project.getdict(name), **value} if isinstance(value, dict) else value, "cmdline")
    process = AsyncCrawlerProcess(project)
    crawler = process.create_crawler(OwnSpider)
    crawler.signals.connect(seen_item, signals.item_scraped)
    crawler.signals.connect(seen_drop, signals.item_dropped)
    crawler.signals.connect(seen_error, signals.spider_error)
    for name in REQUEST_SIGNALS:
        crawler.signals.connect(seen(name), getattr(signals, name), weak=False)
    process.crawl(crawler, url=url)
    process.start()
    stats = crawler.stats.get_stats()  # type: ignore[union-attr]
    names = ("item_", "response_received", "spider_exc", "log_count/ERROR", "finish_reason")
    counted = {name: stats[name] for name in stats if name.startswith(names)}
    print(json.dumps({"events": sorted(EVENTS), "stats": counted}))


def seen(signal: str) -> Callable[[Any], None]:
    """Listen to what becomes of a Request."""

    def hear(request: Any) -> None:
        EVENTS.append(f"{signal} {request.url}")

    return hear


def seen_item(item: Any) -> None:
    """Listen to item_scraped."""
    EVENTS.append(f"item {json.dumps(item, sort_keys=True)}")


def seen_drop(item: Any) -> None:
    """Listen to item_dropped."""
    EVENTS.append("dropped")


def seen_error(failure: Any) -> None:
    """Listen to spider_error."""
    EVENTS.append(f"error {type(failure.value).__name__} {failure.value}")


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
