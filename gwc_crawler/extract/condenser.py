"""The last use of a page's tree: its main text, without menus, sidebars and footers, and its HTML without parts that
carry no content. The strip pipeline calls it, or a reading process."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

from gwc_crawler.extract.nodes import LONGEST_LINE
from gwc_crawler.items import Page, PageKind
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tree
from gwc_crawler.page.text import fold

LONGEST = 2_000_000  # characters of HTML; a longer page is a list or a dump, and is stored with all its text

PARAGRAPHS = 100  # paragraphs that are looked at: the main text does not begin later


def lead_of(tree: Any) -> str:
    """Return the first paragraph of a parsed page that is text and no list of links; "" if there is none."""
    for paragraph in islice(tree.iter("p"), PARAGRAPHS):
        is_plain = not len(paragraph)  # most are, and need no walk
        text = fold((paragraph.text or "") if is_plain else "".join(paragraph.itertext()))
        if len(text) > LONGEST_LINE:  # a shorter one is a label or a caption
            linked = 0 if is_plain else sum(len("".join(link.itertext())) for link in paragraph.iter("a"))
            if 2 * linked < len(text):
                return text
    return ""


def main_text(tree: Any) -> str:
    """Return the main text of a parsed page with folded white space; "" if no text stands out."""
    from resiliparse.extract.html2text import extract_plain_text  # a crawl without information pages never needs it

    html = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > LONGEST:
        return ""
    text = extract_plain_text(
        html, main_content=True, alt_texts=False, links=False, form_fields=False, noscript=False, comments=False
    )
    return fold(text)


ABSTRACT_CHARACTERS = 200

MAIN_TEXT_KINDS = {
    MainText.INFORMATION: frozenset({PageKind.INFORMATION}),
    MainText.TARGETS: frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS}),
    MainText.NONE: frozenset[PageKind](),
}
"""GWC_MAIN_TEXT → the kinds of pages whose main text is extracted."""

LED = frozenset({PageKind.TARGET, PageKind.LOOKALIKE, PageKind.ALIAS})
"""Kinds of pages whose abstract is their first paragraph, if their main text is not extracted."""


@dataclass(frozen=True, slots=True)
class Condenser:
    """Finds the main text of a page, and removes the tags that carry no content (TagStrip, algorithm 1)."""

    which: Strip
    main: MainText = MainText.INFORMATION
    groups: StripOptions = ALL_GROUPS

    def condense(self, page: Page) -> tuple[str, str]:
        """Return a page's stripped HTML and its abstract, and let its tree go; its text is the main one from now on."""
        stripped, lead = "", ""
        if page.tree is not None:
            if page.kind in MAIN_TEXT_KINDS[self.main]:
                page.text = main_text(page.tree) or page.text
            elif page.kind in LED:
                lead = lead_of(page.tree)
            if self.which is Strip.ALL or (self.which is Strip.TARGETS and page.kind is PageKind.TARGET):
                stripped = strip_tree(page.tree, self.groups)
            page.tree = None
        return stripped, (lead or page.text)[:ABSTRACT_CHARACTERS]
