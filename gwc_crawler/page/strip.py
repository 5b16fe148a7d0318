"""HTML → HTML with structure and text left and little else (TagStrip, algorithm 1).

Deleted: head tags (`head title meta !doctype style`), scripts and comments, form tags (`input select option`), others
(`object param img br`), and text nodes of nothing but white space. Called by the stripping pipeline, last on a tree.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from gwc_crawler.page.parse import parse_html

_DELETED = ("head", "title", "meta", "style", "script", "input", "select", "option", "object", "param", "img", "br")

_EMPTY_TEXT = re.compile(r">\s+<")
"""In serialised HTML exactly an empty text node: "<" and ">" of texts and attributes are escaped, scripts are gone."""


def strip_tags(html: str | bytes) -> str:
    """Strip a page given as text or bytes; see `strip_tree`.

    >>> strip_tags("<title>x</title><p>One<br>two <!-- no --> <b>three</b> </p> <script>4</script>")
    '<html><body><p>Onetwo  <b>three</b></p></body></html>'
    """
    return strip_tree(parse_html(html))


def strip_tree(tree: Any) -> str:
    """Strip a parsed page and serialise what is left; *tree* is consumed: nobody may use it afterwards.

    Source:
        TagStrip, algorithm 1. libxml2 deletes all the tags in one walk, so no index can slip while deleting; the parser
        has left comments out, and empty text nodes go from the serialised form, where one regular expression finds all.
    """
    etree.strip_elements(tree, *_DELETED, with_tail=False)
    return _EMPTY_TEXT.sub("><", etree.tostring(tree, encoding="unicode", method="html", with_tail=False))
