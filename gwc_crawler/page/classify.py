"""URL and tree → index page, information page, or a page that says it doesn't exist (T-Spider, algorithm 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.items import PageKind
from gwc_crawler.page.outline import Outline, outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links, visible_text

LONGEST_PARAGRAPH = 150
"""T-Spider's L, in characters outside links. Chosen with `_READING_SHARE` on the labelled pages of five sites, where
60 to 200 do nearly as well; re-run tests/page/test_classify.py after a change."""

_READING_SHARE = 0.5
"""Least share of text outside links in what follows the title of a page to read."""

_INDEX_NAME = re.compile(r"(?:index|default|home|main|list)(?:\.\w+)?", re.IGNORECASE)
_SERIAL_NAME = re.compile(r"(?=(?:\D*\d){4})[a-z]{0,3}[\d_-]+[a-z]{0,3}(?:\.\w+)?", re.IGNORECASE)
"""A file name that means nothing: digits in the main, as in `20050312_1123.shtml`, `c-4711234.html`, `8842`."""

_MISSING = re.compile(
    r"^\W*(?:(?:error\W{0,3})?404|not found)\W*(?:$|[-|–—:·])|\b404\b.{0,15}(?:error|not found|错误|錯誤|页|頁)|"
    r"\b(?:page|file|url|address|document|article|product|item|content)s?\b.{0,40}"
    r"\b(?:not (?:be )?found|(?:does not|doesn.t|no longer) exists?|no longer available)\b|\bno such page\b|"
    r"(?:页面?|网页|文件|文章|商品|内容|頁面?|網頁|檔案).{0,6}(?:不存在|未找到|找不到|已被?删除|已被?刪除|已下架)|"
    r"(?:找不到|未找到|没有找到).{0,8}(?:页|文件|頁|檔案)",
    re.IGNORECASE,
)
"""What a soft 404 says in its title or heading; a product called "404" or "Lost and Not Found" doesn't."""

_ANNOUNCEMENT_LENGTH = 60
"""A title or heading longer than this talks about missing pages rather than being one."""

_MISSING_TEXT_LENGTH = 1500
"""With more text outside links than this a page has something to say after all."""


def classify_page(url: str, html: Any) -> PageKind:
    """Return INDEX or INFORMATION by T-Spider's algorithm 1, MISSING for an evident soft 404.

    Args:
        html: text, bytes or a parsed tree.
    """
    tree = parse_html(html) if isinstance(html, (str, bytes)) else html
    found = outline(tree)
    if says_missing(tree, found):
        return PageKind.MISSING
    return index_or_information(url, found.title, visible_text(tree), paragraphs_outside_links(tree))


def index_or_information(url: str, title: str, text: str, paragraphs: Sequence[str]) -> PageKind:
    """Tell lists of links from pages to read.

    Args:
        text: the visible text.
        paragraphs: the text outside links, by block (`text.paragraphs_outside_links`).

    Source:
        T-Spider, algorithm 1: an index page has no final file name; an information page has a serial number for one,
        or a paragraph longer than L, or a title before its body text; whatever else is an index page. We take
        `index.html` and its like for no file name, and "a title before the body text" as: a paragraph that the page's
        title begins with, followed by text most of which is outside links.
    """
    name = urlsplit(url).path.rpartition("/")[2]
    if not name or _INDEX_NAME.fullmatch(name):
        return PageKind.INDEX
    if _SERIAL_NAME.fullmatch(name) or max(map(len, paragraphs), default=0) > LONGEST_PARAGRAPH:
        return PageKind.INFORMATION
    return PageKind.INFORMATION if _title_before_body(title, text, paragraphs) else PageKind.INDEX


def says_missing(tree: Any, found: Outline) -> bool:
    """Say whether title or a main heading announces that there is no such page, on a page with little other text."""
    for text in (found.title, *found.headings):
        if len(text) <= _ANNOUNCEMENT_LENGTH and _MISSING.search(text):
            break
    else:
        return False
    return sum(map(len, paragraphs_outside_links(tree))) < _MISSING_TEXT_LENGTH


def _title_before_body(title: str, text: str, paragraphs: Sequence[str]) -> bool:
    for number, paragraph in enumerate(paragraphs):
        if len(paragraph) > 1 and title.startswith(paragraph[:20]):
            outside = sum(map(len, paragraphs[number + 1 :]))
            after = len(text) - text.find(paragraph) - len(paragraph)
            return outside > _READING_SHARE * after
    return False
