"""The last pipeline: a visit's record goes on to feeds and to signals, as an item like any other."""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import DropItem

from gwc_crawler.items import Visit


class RecordPipeline:
    """Turn the visit of a target page into its record; visits of other pages end here."""

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
