"""The last use of the parse tree: what the page is about, and its HTML without what carries no content."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from gwc_crawler.errors import InputError
from gwc_crawler.items import PageKind, Visit
from gwc_crawler.page import lead_of, main_text, strip_tree

logger = logging.getLogger(__name__)

ABSTRACT_CHARACTERS = 200

MAIN_TEXT_KINDS = {
    "information": frozenset({PageKind.INFORMATION}),
    "targets": frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.LOOKALIKE}),
    "none": frozenset[PageKind](),
}
"""GWC_MAIN_TEXT → the kinds of pages whose main text is looked for."""

LED = frozenset({PageKind.TARGET, PageKind.LOOKALIKE})
"""Pages whose abstract is their first paragraph, where their main text is not looked for."""


class StripPipeline:
    """Finds what a page to read is about, removes the tags that carry no content (TagStrip, algorithm 1), and lets
    the parse tree go.

    Args:
        which: whose HTML is stripped (GWC_STRIP).
        main: whose text is reduced to the main one (GWC_MAIN_TEXT).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StripPipeline:
        main = crawler.settings.get("GWC_MAIN_TEXT", "none")  # of a foreign project, nothing is asked
        if main not in MAIN_TEXT_KINDS:
            raise InputError(f"setting GWC_MAIN_TEXT is {main!r}; it can be {', '.join(MAIN_TEXT_KINDS)}")
        return cls(crawler.settings["GWC_STRIP"], main)

    def __init__(self, which: str, main: str = "information") -> None:
        self.which = which
        self._of_main_text = MAIN_TEXT_KINDS[main]

    def process_item(self, item: Any) -> Any:
        """Fill `stripped_html` and `abstract` of a visit; the text of a page to read is its main text from now on.

        What looks at the whole visible text (kind, keywords, signature) has done so before.
        """
        if isinstance(item, Visit):
            page, lead = item.page, ""
            if page.tree is not None:
                if page.kind in self._of_main_text:
                    page.text = main_text(page.tree) or page.text
                elif page.kind in LED:
                    lead = lead_of(page.tree)
                if self.which == "all" or (self.which == "targets" and page.kind is PageKind.TARGET):
                    item.stripped_html = strip_tree(page.tree)
                page.tree = None
            item.abstract = (lead or page.text)[:ABSTRACT_CHARACTERS]
        return item
