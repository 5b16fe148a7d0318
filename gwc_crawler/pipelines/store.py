"""The pipeline that stores: page, links, record and exceptions of a visit, in batches."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Visit


class StorePipeline:
    """Puts visits into the batch that is committed as one: pages, links, records, and the frontier's step on."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StorePipeline:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    def process_item(self, item: Any) -> Any:
        """Keep a visit; when the store fails, the crawl stops with its word and nothing is lost."""
        if isinstance(item, Visit):
            spider: Any = self.crawler.spider
            try:
                spider.store.keep(item)
            except StoreError as error:
                spider.end_crawl(error)
        return item
