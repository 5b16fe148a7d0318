"""Item pipelines: strip tags, store in batches, hand the record on.

Behind `RecordPipeline` (order 300) an item is the record of a target page, a plain dict: that is what feeds export and
what a user's own pipelines at 400 and more get. A list that goes over several pages is here as the target page itself
shows it: the others may come hours later, and are put together in the database. A crawl that looks again (`-a
recrawl=…`) gives items of pages that are new or have changed. Items of other spiders pass through
untouched.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name

from gwc_crawler.errors import StoreError
from gwc_crawler.items import PageKind, Visit
from gwc_crawler.page import strip_tree

logger = logging.getLogger(__name__)

ABSTRACT_CHARACTERS = 200

READY = (Visit, dict)
"""Items that nobody has to look at twice to see that they can't be awaited."""


class StripPipeline:
    """Removes the tags that carry no content (TagStrip, algorithm 1) and lets the parse tree go."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StripPipeline:
        return cls(crawler.settings["GWC_STRIP"])

    def __init__(self, which: str) -> None:
        self.which = which

    def process_item(self, item: Any) -> Any:
        """Fill `stripped_html` and `abstract` of a visit."""
        if isinstance(item, Visit):
            page = item.page
            if page.tree is not None:
                if self.which == "all" or (self.which == "targets" and page.kind is PageKind.TARGET):
                    item.stripped_html = strip_tree(page.tree)
                page.tree = None
            item.abstract = page.text[:ABSTRACT_CHARACTERS]
        return item


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
                spider.workbench.keep(item)
            except StoreError as error:
                spider.fail(error)
        return item


class RecordPipeline:
    """Turns the visit of a target page into its record; visits of other pages end here."""

    def process_item(self, item: Any) -> Any:
        """Return the record as a dict with `url` first, or drop the visit."""
        if not isinstance(item, Visit):
            return item
        record = item.record
        if item.stale:
            raise DropItem("nothing new on this page", log_level="DEBUG")
        if record is None or record.rejected or record.parent:
            raise DropItem("no record of its own on this page", log_level="DEBUG")
        return {"url": record.url, **record.fields}


class DirectPipelines(ItemPipelineManager):
    """Scrapy's item processor, which awaits only what has to be awaited, and counts what comes out of it.

    Scrapy counts items by a signal: with somebody at its end, it starts two tasks for each item.
    """

    async def process_item_async(self, item: Any) -> Any:
        """See Scrapy's `ItemProcessorProtocol`."""
        stats: Any = self.crawler.stats  # type: ignore[union-attr]
        try:
            for method in self.methods["process_item"]:
                assert method is not None
                needs_spider = method in self._mw_methods_requiring_spider
                item = method(item, self._spider) if needs_spider else method(item)
                if not isinstance(item, READY):
                    item = await ensure_awaitable(item, _warn=global_object_name(method))
        except DropItem as error:
            stats.inc_value("item_dropped_count")
            stats.inc_value(f"item_dropped_reasons_count/{type(error).__name__}")
            raise
        stats.inc_value("item_scraped_count")
        return item
