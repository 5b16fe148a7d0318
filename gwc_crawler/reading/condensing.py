"""The last use of the parse tree: what the page is about, and its HTML without what carries no content.

Called by the strip pipeline, and by a reading process for the pages that it reads.
"""

from __future__ import annotations

from gwc_crawler.items import Page, PageKind
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page import ALL_GROUPS, StripOptions, lead_of, main_text, strip_tree

ABSTRACT_CHARACTERS = 200

MAIN_TEXT_KINDS = {
    MainText.INFORMATION: frozenset({PageKind.INFORMATION}),
    MainText.TARGETS: frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS}),
    MainText.NONE: frozenset[PageKind](),
}
"""GWC_MAIN_TEXT → the kinds of pages whose main text is looked for."""

LED = frozenset({PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS})
"""Pages whose abstract is their first paragraph, where their main text is not looked for."""


class Condenser:
    """Finds what a page to read is about, and removes the tags that carry no content (TagStrip, algorithm 1).

    Args:
        which: whose HTML is stripped (GWC_STRIP).
        main: whose text is reduced to the main one (GWC_MAIN_TEXT).
        groups: what is deleted (GWC_STRIP_GROUPS).
    """

    def __init__(self, which: Strip, main: MainText = MainText.INFORMATION, groups: StripOptions = ALL_GROUPS) -> None:
        self.which = which
        self.main = main
        self.groups = groups
        self._of_main_text = MAIN_TEXT_KINDS[main]

    def condense(self, page: Page) -> tuple[str, str]:
        """Return a page's stripped HTML and its abstract, and let its tree go; its text is its main text from now on.

        What looks at the whole visible text (kind, keywords, signature) has done so before.
        """
        stripped, lead = "", ""
        if page.tree is not None:
            if page.kind in self._of_main_text:
                page.text = main_text(page.tree) or page.text
            elif page.kind in LED:
                lead = lead_of(page.tree)
            if self.which is Strip.ALL or (self.which is Strip.TARGETS and page.kind is PageKind.TARGET):
                stripped = strip_tree(page.tree, self.groups)
            page.tree = None
        return stripped, (lead or page.text)[:ABSTRACT_CHARACTERS]
