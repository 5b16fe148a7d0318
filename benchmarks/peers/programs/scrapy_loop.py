"""Scrapy with links taken by XPath instead of a LinkExtractor: the loop of Scrapy's tutorial."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse

SETTINGS = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}


class LoopSpider(scrapy.Spider):
    """Follows all links of one host."""

    name = "loop"
    allowed_domains = ("127.0.0.1",)

    def parse(self, response: Response, **_: Any) -> Iterator[scrapy.Request]:
        """Follow what the page links to."""
        assert isinstance(response, TextResponse)
        yield from response.follow_all(response.xpath("//a/@href"))


if __name__ == "__main__":
    process = AsyncCrawlerProcess(SETTINGS)
    process.crawl(LoopSpider, start_urls=[sys.argv[1]])
    process.start()
