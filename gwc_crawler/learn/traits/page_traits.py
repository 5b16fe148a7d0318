"""A page → its traits: the marks that tell kinds of pages apart, and the long texts that tell pages from each other.

One parse gives both. `KnownTraits` asks for them, in this process or in another one.
"""

from __future__ import annotations

import re
from math import ceil
from typing import Any, NamedTuple

from gwc_crawler.extract import page_features
from gwc_crawler.page import paragraphs_outside_links, parse_html

_LONG = 60
"""Signs that make a paragraph long enough to be a page's own; one that is a syllable or a word counts for more."""
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WIDE_COUNTS = 2.5
_LEAST_CHARACTERS = ceil(_LONG / _WIDE_COUNTS)


class PageTraits(NamedTuple):
    """`marks` as `page_features` gives them; `texts` are the paragraphs long enough to be the page's own."""

    marks: frozenset[str]
    texts: frozenset[str]


def read_traits(html: bytes, charset: str) -> PageTraits:
    """Read the traits of a page.

    Args:
        charset: "" to detect it.
    Cost: 4 ms for 115 KB, half of it the parse.
    """
    return traits_in(parse_html(html, charset or None))


def traits_in(tree: Any) -> PageTraits:
    """Read the traits of a parsed page."""
    paragraphs = paragraphs_outside_links(tree, _LEAST_CHARACTERS)
    return PageTraits(page_features(tree), frozenset(text for text in paragraphs if text_weight(text) >= _LONG))


def text_weight(text: str) -> float:
    """How many signs a text counts for: a Chinese, Japanese or Korean one for two and a half.

    >>> text_weight("book"), text_weight("书")
    (4, 2.5)
    """
    return len(text) if text.isascii() else len(text) + (_WIDE_COUNTS - 1) * len(_WIDE.findall(text))
