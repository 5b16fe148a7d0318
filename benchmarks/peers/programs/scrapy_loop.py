"""Scrapy with links taken by XPath instead of a LinkExtractor: the loop of Scrapy's tutorial. `URL [REDIS_URL]`.

With an address of a Redis it is scrapy-redis: queue and duplicate filter are there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse

SETTINGS = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}
SHARED = {
    "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
}


class LoopSpider(scrapy.Spider):
    """Follows all links of one host."""

    name = "loop"
    allowed_domains = ("127.0.0.1",)

    def parse(self, response: Response, **_: Any) -> Iterator[scrapy.Request]:
        """Follow what the page links to."""
        assert isinstance(response, TextResponse)
        yield from response.follow_all(response.xpath("//a/@href"))


if __name__ == "__main__":
    url, *redis = sys.argv[1:]
    process = AsyncCrawlerProcess(SETTINGS | (SHARED | {"REDIS_URL": redis[0]} if redis else {}))
    process.crawl(LoopSpider, start_urls=[url])
    process.start()
