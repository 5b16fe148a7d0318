"""The last use of the parse tree: what the page is about, and its HTML without what carries no content."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler

from gwc_crawler.items import PageKind, Visit
from gwc_crawler.modes import KeepHtml, MainText, Strip
from gwc_crawler.page import ALL_GROUPS, StripOptions, lead_of, main_text, strip_tree
from gwc_crawler.wiring import setting_choice

logger = logging.getLogger(__name__)

ABSTRACT_CHARACTERS = 200

MAIN_TEXT_KINDS = {
    MainText.INFORMATION: frozenset({PageKind.INFORMATION}),
    MainText.TARGETS: frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.LOOKALIKE}),
    MainText.NONE: frozenset[PageKind](),
}
"""GWC_MAIN_TEXT → the kinds of pages whose main text is looked for."""

OF_KEPT = {KeepHtml.NONE: Strip.NONE, KeepHtml.STRIPPED: Strip.ALL}
"""GWC_KEEP_HTML → whose HTML is stripped, where it decides that."""

LED = frozenset({PageKind.TARGET, PageKind.LOOKALIKE})
"""Pages whose abstract is their first paragraph, where their main text is not looked for."""


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
        settings = crawler.settings
        if "GWC_STRIP" not in settings:  # a foreign project
            return cls(Strip.NONE, MainText.NONE)
        main = setting_choice(settings, "GWC_MAIN_TEXT", MainText)
        groups = StripOptions.of(settings.getlist("GWC_STRIP_GROUPS"))
        which = OF_KEPT.get(setting_choice(settings, "GWC_KEEP_HTML", KeepHtml))
        return cls(which or setting_choice(settings, "GWC_STRIP", Strip), main, groups)

    def __init__(self, which: Strip, main: MainText = MainText.INFORMATION, groups: StripOptions = ALL_GROUPS) -> None:
        self.which = which
        self._groups = groups
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
                if self.which is Strip.ALL or (self.which is Strip.TARGETS and page.kind is PageKind.TARGET):
                    item.stripped_html = strip_tree(page.tree, self._groups)
                page.tree = None
            item.abstract = (lead or page.text)[:ABSTRACT_CHARACTERS]
        return item
