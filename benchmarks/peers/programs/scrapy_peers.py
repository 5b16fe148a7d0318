"""Scrapy's own ways to crawl a site, with its defaults; none extracts or stores anything. `SPIDER URL [MORE]`.

everything   a CrawlSpider that follows every link
loop         links taken by XPath: the loop of Scrapy's tutorial. With an address of a Redis it is scrapy-redis
bare         only fetches the addresses of the file that is named: what any project pays before it has read a page
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

SETTINGS = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}
SHARED = {
    "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
}


class EverythingSpider(CrawlSpider):
    """Follows all links of one host."""

    name = "everything"
    allowed_domains = ("127.0.0.1",)
    rules = (Rule(LinkExtractor(), follow=True),)


class LoopSpider(scrapy.Spider):
    """Follows all links of one host."""

    name = "loop"
    allowed_domains = ("127.0.0.1",)

    def parse(self, response: Response, **_: Any) -> Iterator[scrapy.Request]:
        """Follow what the page links to."""
        assert isinstance(response, TextResponse)
        yield from response.follow_all(response.xpath("//a/@href"))


class BareSpider(scrapy.Spider):
    """Asks for each address once."""

    name = "bare"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all of them, as fast as the engine takes them."""
        for path in Path(self.addresses).read_text(encoding="utf-8").split():  # type: ignore[attr-defined]
            yield scrapy.Request(self.start_urls[0].rstrip("/") + path)

    def parse(self, response: Response, **_: Any) -> None:
        """Let the page go."""


def main(spider: str, url: str, more: str = "") -> None:
    """Crawl the site at *url* to its end; *more*: a Redis, or the file of addresses."""
    process = AsyncCrawlerProcess(SETTINGS | (SHARED | {"REDIS_URL": more} if more and spider == "loop" else {}))
    spiders = {one.name: one for one in (EverythingSpider, LoopSpider, BareSpider)}
    process.crawl(spiders[spider], start_urls=[url], addresses=more)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
