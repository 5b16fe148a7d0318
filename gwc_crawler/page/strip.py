"""HTML → HTML with little but structure and text left (TagStrip, algorithm 1).

Deleted: head tags (`head title meta !doctype style`), scripts, comments, form tags (`input select option`), others
(`object param img br`), and text nodes of white space only.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from gwc_crawler.page.parse import parse_html

_DELETED = ("head", "title", "meta", "style", "script", "input", "select", "option", "object", "param", "img", "br")


def strip_tags(html: str | bytes) -> str:
    """Strip a page given as text or bytes; see `strip_tree`."""
    return strip_tree(parse_html(html))


def strip_tree(tree: Any) -> str:
    """Strip a parsed page and serialise what is left; *tree* is consumed: nobody may use it afterwards.

    Source:
        TagStrip, algorithm 1. libxml2 deletes all the tags in one walk, so that no index can slip while deleting.
    """
    etree.strip_elements(tree, *_DELETED, with_tail=False)
    for element in tree.iter():
        if element.text and not element.text.strip():
            element.text = None
        if element.tail and not element.tail.strip():
            element.tail = None
    return str(etree.tostring(tree, encoding="unicode", method="html", with_tail=False))
