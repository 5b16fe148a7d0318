"""A plain Scrapy CrawlSpider with Scrapy's defaults, following every link of the site.

It neither extracts nor stores anything; robots.txt and logging are set as in our crawl. Run as `crawlspider.py URL`.
"""

from __future__ import annotations

import sys

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

SETTINGS = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}


class EverythingSpider(CrawlSpider):
    """Follows all links of one host."""

    name = "everything"
    allowed_domains = ("127.0.0.1",)
    rules = (Rule(LinkExtractor(), follow=True),)


def main(url: str) -> None:
    """Crawl the site at *url* to its end."""
    process = AsyncCrawlerProcess(SETTINGS)
    process.crawl(EverythingSpider, start_urls=[url])
    process.start()


if __name__ == "__main__":
    main(sys.argv[1])
