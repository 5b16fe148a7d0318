"""A field called "summary" or "lead" wants the beginning of a longer text; this finds the locator that gives it.

On samples whose texts have a single paragraph both locators read the same. Further pages show that texts go on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.locator import RUN, Locator, select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import MOST
from gwc_crawler.learn.places.places import READ_WHOLE
from gwc_crawler.learn.wrapper.ranking.candidates import weight

_WORDS = frozenset({"abstract", "brief", "excerpt", "lead", "lede", "summary", "tagline", "teaser"})
_SIGNS = ("摘要", "导语", "導語", "导读", "導讀", "概要")
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset({"article", "blockquote", "dd", "div", "dt", "li", "p", "section", "td"})


def asks_for_beginning(name: str) -> bool:
    """Tell whether a field's name asks for the beginning of a longer text.

    >>> [asks_for_beginning(name) for name in ("summary", "post_lead", "文章摘要", "leader", "description")]
    [True, True, True, False, False]
    """
    folded = name.casefold()
    return not _WORDS.isdisjoint(_WORD.findall(folded)) or any(sign in folded for sign in _SIGNS)


def beginning_first(
    name: str,
    chosen: list[Locator],
    locators: Sequence[Locator],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
) -> list[Locator]:
    """Return the *chosen* locators; first one of the block with which their text begins, if the field's name asks so.

    On the samples that is all. Rather one inside what they read: where they are silent, it is, too. On most further
    pages it must be there, and on some less than the whole.

    Args:
        name: of the field.
        locators: those that fit the samples.
    """
    if not asks_for_beginning(name):
        return chosen
    whole, path = _texts(chosen[0], pages), chosen[0].path
    blocks = [replace(one, read="text") if one.read == RUN else one for one in (*chosen, *locators)]
    blocks = [one for one in blocks if one.read in READ_WHOLE and one.cut == NO_AFFIXES and not one.split]
    blocks = [one for one in blocks if one.family is not Family.STRUCTURED]
    blocks = [one for one in blocks if _texts(one, samples) == _texts(chosen[0], samples)]
    for one in sorted(dict.fromkeys(blocks), key=lambda one: (not one.path.startswith(path), -weight(one))):
        begun = _texts(one, pages)
        pairs = [(first, text) for first, text in zip(begun, whole, strict=True) if first != text]
        missing = sum(not first for first, _ in pairs)
        if len(pairs) == missing or len(pages) - missing < MOST * len(pages) or not _are_blocks(one, pages):
            continue
        if all(text.startswith(first) for first, text in pairs):
            return [one, *(other for other in chosen if _texts(other, pages) == begun)]
    return chosen


def _texts(locator: Locator, pages: Sequence[PageView]) -> list[str]:
    return [squeeze(locator.first(page) or "") for page in pages]


def _are_blocks(locator: Locator, pages: Sequence[PageView]) -> bool:
    nodes = (node for page in pages for node in select(locator.path, page, None, first=True))
    return all(getattr(node, "tag", "") in _BLOCKS for node in nodes)
