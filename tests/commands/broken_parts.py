"""Components of a user's that can be loaded, and not be started."""

from __future__ import annotations

from typing import Any

from scrapy.dupefilters import BaseDupeFilter


class Made:
    """Fails when it is made."""

    def __init__(self) -> None:
        raise ValueError("no key for the service")


class FromCrawler:
    """Fails in from_crawler."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> FromCrawler:
        raise KeyError("MY_KEY")


class Filter(FromCrawler, BaseDupeFilter):
    """A dupefilter that fails in from_crawler."""


class Wanting:
    """Can't be called as Scrapy calls it."""

    def __init__(self, key: str) -> None:
        self.key = key


class Opened:
    """Fails when the spider opens."""

    def open_spider(self) -> None:
        raise OSError("no disk")

    def process_item(self, item: Any) -> Any:
        return item


class Unlike:
    """Has nothing of what Scrapy asks for."""


class AsyncOpened(Opened):
    """Fails when the spider opens, a little later."""

    async def open_spider(self) -> None:  # type: ignore[override]
        raise OSError("no disk")


class SyncOutput:
    """Has a method that Scrapy does not take any more."""

    def process_spider_output(self, response: Any, result: Any) -> Any:
        yield from result


class Stats:
    """A stats collector that fails when it is made."""

    def __init__(self, crawler: Any) -> None:
        raise ValueError("no server")
