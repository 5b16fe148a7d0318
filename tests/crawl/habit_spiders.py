"""Spiders of a Scrapy user, one for each habit; as a program, they crawl one by one and print what came of it.

`python -m tests.crawl.habit_spiders URL`, in a Scrapy project: it is the project's settings that are looked at. Each
spider's pages stand below `/NAME/`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import BaseSettings, iter_default_settings
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.project import get_project_settings

HERE = __name__ if __name__ != "__main__" else "tests.crawl.habit_spiders"
ONE_AT_A_TIME = {"CONCURRENT_REQUESTS": 1}


class Habit(Spider):
    """Begins at its own root and follows every link."""

    url = ""

    async def start(self) -> AsyncIterator[Any]:
        """The root."""
        yield Request(self.at("/"), errback=self.failed)

    def at(self, path: str) -> str:
        """A page of this spider."""
        return f"{self.url}/{self.name}{path}"

    def parse(self, response: Any) -> Iterator[Any]:
        """An item, and what is linked."""
        yield self.item(response)
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse, errback=self.failed)

    def item(self, response: Any) -> dict[str, Any]:
        """What a page was."""
        start = response.meta.get("is_start_request", False)
        depth = response.meta.get("depth")
        return {"path": response.url.removeprefix(self.url), "status": response.status, "start": start, "depth": depth}

    def failed(self, failure: Any) -> Iterator[Any]:
        """An item of an error."""
        yield {"failed": type(failure.value).__name__, "path": failure.request.url.removeprefix(self.url)}


class Offsite(Habit):
    """Stays in its domain."""

    name = "offsite"
    allowed_domains = ("127.0.0.1",)


class HttpErrors(Habit):
    """Errors do not come into the callback."""

    name = "http_errors"


class HandledErrors(Habit):
    """But if they are asked for."""

    name = "handled_errors"
    handle_httpstatus_list = (404,)


class Retries(Habit):
    """503 twice, then 200; and 503 for ever."""

    name = "retries"


class Depth(Habit):
    """DEPTH_LIMIT."""

    name = "depth"
    custom_settings = {"DEPTH_LIMIT": 1, "DEPTH_STATS_VERBOSE": True}  # noqa: RUF012


class UrlLength(Habit):
    """URLLENGTH_LIMIT."""

    name = "url_length"
    custom_settings = {"URLLENGTH_LIMIT": 60}  # noqa: RUF012


class MetaRefresh(Habit):
    """Is followed."""

    name = "meta_refresh"


class Redirects(Habit):
    """Two of them to one page, and one to a missing page."""

    name = "redirects"


class NoRedirects(Habit):
    """REDIRECT_ENABLED."""

    name = "no_redirects"
    custom_settings = {"REDIRECT_ENABLED": False, "HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012


class Cookies(Habit):
    """Come back."""

    name = "cookies"
    custom_settings = ONE_AT_A_TIME


class Duplicates(Habit):
    """Are filtered, but for dont_filter."""

    name = "duplicates"

    async def start(self) -> AsyncIterator[Any]:
        """Two of each."""
        for number in range(4):
            yield Request(self.at("/"), dont_filter=number > 1)


class Order(Habit):
    """Last in, first out; priorities first."""

    name = "order"
    custom_settings = ONE_AT_A_TIME

    def parse(self, response: Any) -> Iterator[Any]:
        """Links, the last of them with a priority."""
        yield self.item(response)
        links = response.css("a::attr(href)").getall()
        for number, href in enumerate(links):
            yield response.follow(href, self.parse, priority=number // 3)


class Credentials(Habit):
    """HTTPAUTH_*."""

    name = "credentials"
    custom_settings = {"HTTPAUTH_USER": "me", "HTTPAUTH_PASS": "hush", "HTTPAUTH_DOMAIN": None}  # noqa: RUF012


class Pipelines(Habit):
    """ITEM_PIPELINES, asynchronous, several at once; FEEDS."""

    name = "pipelines"
    custom_settings = {"ITEM_PIPELINES": {f"{HERE}.Later": 1}, "FEEDS": {"items.jsonl": {"format": "jsonlines"}}}  # noqa: RUF012

    def parse(self, response: Any) -> Iterator[Any]:
        """Twenty items, which are in the pipelines together."""
        yield from ({"number": number} for number in range(20))


class Later:
    """Counts how many items are here at once."""

    here = most = 0

    async def process_item(self, item: Any) -> Any:
        """See Scrapy."""
        Later.here += 1
        Later.most = max(Later.most, Later.here)
        await asyncio.sleep(0.01)
        Later.here -= 1
        return {**item, "together": Later.most > 1}


class Middlewares(Habit):
    """DOWNLOADER_MIDDLEWARES and SPIDER_MIDDLEWARES."""

    name = "middlewares"
    custom_settings = {  # noqa: RUF012
        "DOWNLOADER_MIDDLEWARES": {f"{HERE}.Marking": 543, "scrapy.downloadermiddlewares.retry.RetryMiddleware": None},
        "SPIDER_MIDDLEWARES": {f"{HERE}.Marking": 543},
    }


class Marking:
    """Marks requests and items."""

    def process_request(self, request: Any) -> None:
        """See Scrapy."""
        request.headers["X-Marked"] = "yes"

    async def process_spider_output(self, response: Any, result: Any) -> AsyncIterator[Any]:
        """See Scrapy."""
        async for one in result:
            yield {**one, "marked": True} if isinstance(one, dict) else one


class CloseSpider(Habit):
    """CLOSESPIDER_PAGECOUNT."""

    name = "close_spider"
    custom_settings = {**ONE_AT_A_TIME, "CLOSESPIDER_PAGECOUNT": 2}  # noqa: RUF012


class Throttled(Habit):
    """AUTOTHROTTLE_ENABLED."""

    name = "throttled"
    custom_settings = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01, "AUTOTHROTTLE_MAX_DELAY": 0.02}  # noqa: RUF012


class JobDir(Habit):
    """JOBDIR."""

    name = "job_dir"
    custom_settings = {"JOBDIR": "job"}  # noqa: RUF012


class Rules(CrawlSpider, Habit):
    """A CrawlSpider."""

    name = "rules"
    rules = (Rule(LinkExtractor(allow="/item"), callback="parse_item", follow=True),)
    start = Spider.start
    parse = CrawlSpider._parse

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.start_urls = [self.at("/")]

    def parse_item(self, response: Any) -> Iterator[Any]:
        """An item."""
        yield self.item(response)


class Broken(Habit):
    """A callback that raises, a host that does not answer, a page that robots.txt forbids."""

    name = "broken"

    async def start(self) -> AsyncIterator[Any]:
        """One of each."""
        yield Request(self.at("/"), callback=self.raising)
        yield Request("http://127.0.0.1:1/nobody", errback=self.failed, meta={"dont_retry": True})
        yield Request(self.at("/private"), errback=self.failed)

    def raising(self, response: Any) -> Iterator[Any]:
        """Fail after an item."""
        yield self.item(response)
        raise ValueError("broken")


HABITS: tuple[type[Spider], ...] = (
    Offsite, HttpErrors, HandledErrors, Retries, Depth, UrlLength, MetaRefresh, Redirects, NoRedirects, Cookies,
    Duplicates, Order, Credentials, Pipelines, Middlewares, CloseSpider, Throttled, JobDir, Rules, Broken,
)  # fmt: skip

SAME = {"USER_AGENT": "habits", "DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "LOG_ENABLED": False}
"""What two projects may well have different, and here have not."""

UNSURE = ("time", "memusage", "bytes", "per_minute", "log_count", "robotstxt")
"""Parts of the names of stats that differ from run to run, or from host name to host name."""


async def crawl(process: AsyncCrawlerProcess, habit: type[Spider], url: str) -> dict[str, Any]:
    """Crawl with one spider."""
    crawler = Crawler(habit, process.settings)
    items: list[Any] = []
    seen: list[str] = []

    def scraped(item: Any) -> None:
        items.append(item)

    crawler.signals.connect(scraped, signals.item_scraped)
    for name in ("spider_opened", "spider_idle", "spider_error", "request_dropped", "spider_closed"):
        crawler.signals.connect(noting(seen, name), getattr(signals, name), weak=False)
    await process.crawl(crawler, url=url)
    parts = {
        "extensions": crawler.extensions.middlewares,
        "downloader middlewares": crawler.engine.downloader.middleware.middlewares,
        "spider middlewares": crawler.engine.scraper.spidermw.middlewares,
        "pipelines": crawler.engine.scraper.itemproc.middlewares,
        "engine": [crawler.engine, crawler.engine.downloader, crawler.engine.scraper, crawler.stats, crawler.signals],
    }
    stats = {name: value for name, value in crawler.stats.get_stats().items() if not any(one in name for one in UNSURE)}
    return {
        "items": sorted(json.dumps(item, sort_keys=True) for item in items),
        "signals": seen,
        "stats": {name: str(value) for name, value in sorted(stats.items())},
        **{name: [type(one).__name__ for one in found] for name, found in parts.items()},
    }


def noting(seen: list[str], name: str) -> Any:
    """Listen to a signal."""

    def note() -> None:
        seen.append(name)

    return note


async def crawl_all(process: AsyncCrawlerProcess, url: str) -> dict[str, Any]:
    """Crawl with all spiders."""
    found: dict[str, Any] = {str(habit.name): await crawl(process, habit, url) for habit in HABITS}
    files = {
        "items": len(Path("items.jsonl").read_text().splitlines()),
        "seen": Path("job/requests.seen").stat().st_size,
    }
    settings = {name: shown(process.settings[name]) for name, _ in iter_default_settings()}
    return {"habits": found, "files": files, "settings": settings}


def shown(value: Any) -> str:
    """A setting's value, comparable."""
    return str(value.copy_to_dict() if isinstance(value, BaseSettings) else value)


def main(url: str) -> None:
    """Crawl in one reactor."""
    settings = get_project_settings()
    settings.setdict(SAME, "cmdline")
    process = AsyncCrawlerProcess(settings)
    from twisted.internet import reactor

    task = asyncio.get_event_loop().create_task(crawl_all(process, url))
    task.add_done_callback(lambda _: reactor.stop())  # type: ignore[attr-defined]
    process.start(stop_after_crawl=False)
    print(json.dumps(task.result()))


if __name__ == "__main__":
    main(sys.argv[1])
