"""Locators that further pages show to be meant in place of the chosen one, which reads the same on all samples.

Samples can't always say where a list ends. And a field called "summary" or "lead" wants the beginning of a longer
text: on samples that have a single paragraph both read the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.locator import RUN, Locator, select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import ENOUGH, HALF, MOST
from gwc_crawler.learn.places.places import READ_WHOLE
from gwc_crawler.learn.wrapper.ranking.candidates import weight

COST_MORE = 0.6
"""Maximum cost by which a tighter address exceeds the chosen one."""
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")
_WORDS = frozenset({"abstract", "brief", "excerpt", "lead", "lede", "summary", "tagline", "teaser"})
_SIGNS = ("摘要", "导语", "導語", "导读", "導讀", "概要")
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset({"article", "blockquote", "dd", "div", "dt", "li", "p", "section", "td"})


def as_it_should_be(
    chosen: Sequence[Locator],
    fitting: Sequence[Locator],
    pages: Sequence[PageView],
) -> list[Locator]:
    """Return the *chosen* addresses, or a tighter one, which has a name and gives a part of their items.

    It gives all of them on half the pages.
    """
    others = sorted((one for one in fitting if one not in chosen), key=lambda one: -weight(one))[:ENOUGH]
    cost = chosen[0].cost + COST_MORE
    tried = [one for one in (*chosen[1:], *others) if is_named(one) and one.cost <= cost]
    best, *read = ([list(map(squeeze, one.every(page) or ())) for page in pages] for one in (chosen[0], *tried))
    found = (one for one, lists in zip(tried, read, strict=True) if _is_tighter(lists, best))
    return [one] if (one := next(found, None)) is not None else list(chosen)


def _is_tighter(lists: Sequence[list[str]], wide: Sequence[list[str]]) -> bool:
    speaking = [(one, other) for one, other in zip(lists, wide, strict=True) if one or other]
    equal = sum(one == other for one, other in speaking)
    within = all(one and not Counter(one) - Counter(other) for one, other in speaking)
    varies = len({tuple(one) for one, _ in speaking}) > 1  # what many pages have is a part of their lists by chance
    return within and varies and HALF * len(speaking) <= equal < len(speaking)


def is_named(locator: Locator) -> bool:
    """Say whether a locator goes by a name or a label, and by no position."""
    return (locator.family.is_name or locator.family is Family.LABEL) and _POSITION.search(locator.path) is None


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
    given = _texts(chosen[0], samples)
    blocks = [one for one in blocks if one.family is not Family.STRUCTURED and _texts(one, samples) == given]
    for one in sorted(dict.fromkeys(blocks), key=lambda one: (not one.path.startswith(path), -weight(one))):
        begun = _texts(one, pages)
        pairs = [(first, text) for first, text in zip(begun, whole, strict=True) if first != text]
        missing = sum(not first for first, _ in pairs)
        nodes = (node for page in pages for node in select(one.path, page, None, first=True))
        is_there = len(pairs) > missing and len(pages) - missing >= MOST * len(pages)
        begins = is_there and all(text.startswith(first) for first, text in pairs)
        if begins and all(getattr(node, "tag", "") in _BLOCKS for node in nodes):
            return [one, *(other for other in chosen if _texts(other, pages) == begun)]
    return chosen


def _texts(locator: Locator, pages: Sequence[PageView]) -> list[str]:
    return [squeeze(locator.first(page) or "") for page in pages]
