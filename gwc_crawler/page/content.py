"""Tree → what a page to read is about, without menus, sidebars and footers. The strip pipeline asks for it.

Resiliparse's rules find it in a millisecond; docs/main-text.md compares it with others on labelled pages. It gets the
page as our parser left it, because it has no bounds of its own: 100,000 nested elements, or as many attributes, would
keep it busy for minutes.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from lxml import etree

from gwc_crawler.page.text import fold

LONGEST = 2_000_000
"""Characters of HTML; a longer page is a list or a dump, and is stored with all its text."""


LEAD_CHARACTERS = 40
"""A shorter paragraph is a label or a caption."""

PARAGRAPHS = 100
"""So many are looked at: what a page is about does not begin later."""


def lead_of(tree: Any) -> str:
    """Return the first paragraph of a parsed page that is text and no list of links; "" where there is none.

    Cost: a look at each paragraph before it; no copy of the page is made.
    """
    for paragraph in islice(tree.iter("p"), PARAGRAPHS):
        is_plain = not len(paragraph)  # most are, and need no walk
        text = fold((paragraph.text or "") if is_plain else "".join(paragraph.itertext()))
        if len(text) >= LEAD_CHARACTERS:
            linked = 0 if is_plain else sum(len("".join(link.itertext())) for link in paragraph.iter("a"))
            if 2 * linked < len(text):
                return text
    return ""


def main_text(tree: Any) -> str:
    """Return the main text of a parsed page with folded white space; "" where none stands out."""
    from resiliparse.extract.html2text import extract_plain_text  # a crawl without information pages never needs it

    html = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > LONGEST:
        return ""
    return fold(
        extract_plain_text(
            html,
            main_content=True,
            alt_texts=False,
            links=False,
            form_fields=False,
            noscript=False,
            comments=False,
        )
    )
