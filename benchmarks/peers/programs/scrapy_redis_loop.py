"""The same loop with scrapy-redis: queue and duplicate filter in Redis. `FILE URL REDIS_URL`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse


class LoopSpider(scrapy.Spider):
    """Follows all links of one host."""

    name = "loop"
    allowed_domains = ("127.0.0.1",)

    def parse(self, response: Response, **_: Any) -> Iterator[scrapy.Request]:
        """Follow what the page links to."""
        assert isinstance(response, TextResponse)
        yield from response.follow_all(response.xpath("//a/@href"))


if __name__ == "__main__":
    settings = {
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "REDIS_URL": sys.argv[2],
    }
    process = AsyncCrawlerProcess(settings)
    process.crawl(LoopSpider, start_urls=[sys.argv[1]])
    process.start()
