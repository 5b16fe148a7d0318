"""URL and tree → index page, information page, or a page that says it doesn't exist (T-Spider, algorithm 1)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from gwc_crawler.items import PageKind
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import page_title

LONGEST_PARAGRAPH = 200
"""T-Spider's L, in characters."""

_PARAGRAPHS = etree.XPath("//body//text()[not(parent::a or parent::script or parent::style)]", smart_strings=False)
_SERIAL = re.compile(r"(?=.*\d)[\d_-]*[a-z]{0,3}[\d_-]{4,}(?:\.[a-z]+)?", re.IGNORECASE)
_MISSING = re.compile(
    r"\b404\b|not found|(?:page|document|file)\b.{0,20}\b(?:does not|doesn.t|no longer) exist|"
    r"(?:页面|网页|文件|頁面|網頁).{0,8}(?:不存在|未找到|找不到)|(?:找不到|未找到).{0,6}(?:页面|网页|文件|頁面|網頁)",
    re.IGNORECASE,
)
_MISSING_MAX_TEXT = 2000


def classify_page(url: str, html: Any) -> PageKind:
    """Return INDEX or INFORMATION by T-Spider's algorithm 1, MISSING for an evident soft 404.

    Args:
        html: text, bytes or a parsed tree.
    """
    tree = parse_html(html) if isinstance(html, (str, bytes)) else html
    if says_missing(tree):
        return PageKind.MISSING
    name = urlsplit(url).path.rpartition("/")[2]
    if not name:
        return PageKind.INDEX
    if _SERIAL.fullmatch(name) or _longest(tree) > LONGEST_PARAGRAPH:
        return PageKind.INFORMATION
    return PageKind.INDEX


def says_missing(tree: Any) -> bool:
    """Say whether title or first heading announces that there is no such page, on a page with little text."""
    heading = next(tree.iter("h1", "h2"), None)
    announced = [page_title(tree), "" if heading is None else "".join(heading.itertext())]
    if not any(_MISSING.search(text) for text in announced):
        return False
    return sum(len(text.strip()) for text in _PARAGRAPHS(tree)) < _MISSING_MAX_TEXT


def _longest(tree: Any) -> int:
    return max((len(text.strip()) for text in _PARAGRAPHS(tree)), default=0)
