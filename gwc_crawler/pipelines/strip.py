"""The last use of the parse tree: what the page is about, and its HTML without what carries no content."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from gwc_crawler.extract.reading import Condenser
from gwc_crawler.items import Visit
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page import ALL_GROUPS, StripOptions
from gwc_crawler.wiring import condenser_of


class StripPipeline:
    """Finds what a page to read is about, removes the tags that carry no content (TagStrip, algorithm 1), and lets
    the parse tree go.

    Args:
        which: whose HTML is stripped (GWC_STRIP).
        main: whose text is reduced to the main one (GWC_MAIN_TEXT).
        groups: what is deleted (GWC_STRIP_GROUPS).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StripPipeline:
        condenser = condenser_of(crawler.settings)
        return cls(condenser.which, condenser.main, condenser.groups)

    def __init__(self, which: Strip, main: MainText = MainText.INFORMATION, groups: StripOptions = ALL_GROUPS) -> None:
        self.which = which
        self._condenser = Condenser(which, main, groups)

    def process_item(self, item: Any) -> Any:
        """Fill `stripped_html` and `abstract` of a visit whose page no reading process has condensed already."""
        if isinstance(item, Visit) and not item.condensed:
            item.stripped_html, item.abstract = self._condenser.condense(item.page)
        return item
