"""Tree → what a reader sees: the title, the visible text, the text outside links."""

from __future__ import annotations

from typing import Any

from lxml import etree

_TITLE = etree.XPath("string((//head//title|//title)[1])", smart_strings=False)
_TEXTS = etree.XPath("//body//text()", smart_strings=False)
_HIDDEN = etree.XPath(
    "//script//text()|//style//text()|//noscript/text()|//template//text()|//body//title//text()", smart_strings=False
)
_LINKED = etree.XPath("//a[@href]//text()", smart_strings=False)
_OUTSIDE = etree.XPath("//body//text()[not(ancestor::a[@href])]", smart_strings=False)


def page_title(tree: Any) -> str:
    """Return the text of `<title>`, white space folded; "" if there is none."""
    return fold(_TITLE(tree))


def visible_text(tree: Any) -> str:
    """Return the text of the body without scripts, styles and templates, white space folded.

    Texts of neighbouring elements are set apart by a space.
    """
    return _joined(_TEXTS(tree), tree)


def text_outside_links(tree: Any) -> str:
    """Return the visible text without that of `a[href]`: keywords are looked for here.

    Source:
        GWC, *Initialise*, step 1: link captions don't count.
    """
    return _joined(_OUTSIDE(tree), tree)


def fold(text: str) -> str:
    """Make every run of white space one space and take it off the ends (several times faster than split and join)."""
    for white in "\n\t\r\f\xa0\u3000":
        if white in text:
            text = text.replace(white, " ")
    while "    " in text:
        text = text.replace("    ", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def _joined(texts: list[str], tree: Any) -> str:
    hidden = set(_HIDDEN(tree))
    return fold(" ".join([text for text in texts if text not in hidden] if hidden else texts))
