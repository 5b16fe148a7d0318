"""From a callback to the pipelines, with fewer detours than Scrapy's own manager takes."""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name

from gwc_crawler.items import Visit

READY = (Visit, dict)
"""Items that nobody has to look at twice to see that they can't be awaited."""


class DirectPipelines(ItemPipelineManager):
    """Scrapy's item processor, which awaits only what has to be awaited, and counts what comes out of it.

    Scrapy counts items by a signal: with somebody at its end, it starts two tasks for each item.
    """

    counts_items = True

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through all pipelines; return what came out, or raise what one of them raised."""
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
