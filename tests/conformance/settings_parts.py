"""What users bring along in the cases of `settings`: components that count how often they were called, and classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.dupefilters import RFPDupeFilter
from scrapy.logformatter import LogFormatter
from scrapy.settings import BaseSettings
from scrapy.statscollectors import MemoryStatsCollector

from gwc_crawler.downloader.politeness import HostDownloader
from gwc_crawler.middlewares.redirects import LeaseRedirectMiddleware

CALLS: Counter[str] = Counter()
HERE = __name__


class Theirs:
    """A downloader middleware, a spider middleware and an extension, all in one."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> Theirs:
        part = cls()
        crawler.signals.connect(part.spider_opened, signals.spider_opened)
        return part

    def spider_opened(self) -> None:
        CALLS["opened"] += 1

    def process_request(self, request: Any) -> None:
        CALLS["request"] += 1
        request.headers["X-Theirs"] = "yes"

    async def process_spider_output(self, response: Any, result: Any) -> AsyncIterator[Any]:
        async for one in result:
            CALLS["output"] += 1
            yield one


class Pipeline:
    """Counts records."""

    def process_item(self, item: Any) -> Any:
        CALLS["record" if isinstance(item, dict) and "title" in item else "something else"] += 1
        return item


class Dropping:
    """Drops every record."""

    def process_item(self, item: Any) -> Any:
        from scrapy.exceptions import DropItem

        CALLS["record"] += 1
        raise DropItem("not wanted")


class Adding:
    """An add-on as most are: it puts a middleware and a pipeline in, unless they are there."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", Theirs, 543)
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", Pipeline, 300)


class TakingOut:
    """An add-on that takes the store out."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings.set("ITEM_PIPELINES", {"gwc_crawler.pipelines.store.StorePipeline": None}, "addon")


class OwnRedirects(RedirectMiddleware):
    """Scrapy's redirects, a little changed."""


class OwnLeaseRedirects(LeaseRedirectMiddleware):
    """Ours, a little changed."""

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        CALLS["response"] += 1
        return super().process_response(request, response)


class OwnDownloader(Downloader):
    """Scrapy's, a little changed."""


class OwnHostDownloader(HostDownloader):
    """Ours, a little changed."""

    def __init__(self, crawler: Any) -> None:
        CALLS["downloader"] += 1
        super().__init__(crawler)


class OwnStats(MemoryStatsCollector):
    """Counts values."""

    def inc_value(self, key: str, count: int = 1, start: int = 0) -> None:
        CALLS["stats"] += 1
        super().inc_value(key, count, start)


class OwnLog(LogFormatter):
    """Counts pages."""

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        CALLS["crawled"] += 1
        return super().crawled(*args, **kwargs)


class OwnDupeFilter(RFPDupeFilter):
    """Scrapy's."""


SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
