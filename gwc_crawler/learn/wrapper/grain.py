"""Of the addresses that give a sample's list, the one that cuts and bounds it as it should be.

Asked after the ranking. A sample whose list has a single item can't say whether "A, B" is one item or two, nor where
the list ends; further pages can.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.wrapper.rank import weight

MOST_TRIED = 30
COST_MORE = 0.6
"""A tighter address may have so much more that can break."""
EQUAL = 0.5
"""On this share of the pages the tighter list must be the whole one."""
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")
_NAMED = ("id", "class", "attribute", "label")


def as_it_should_be(chosen: Sequence[Finder], fitting: Sequence[Finder], pages: Sequence[PageView]) -> list[Finder]:
    """Put a finer or tighter address before the *chosen* ones.

    An address is finer that gives, where it gives something else, the parts of the chosen one's items, with nothing but
    signs between them. It is tighter if it has a name and gives a part of the items, but all on most pages.
    """
    best = list(map(squeezed, (chosen[0].every(page) for page in pages)))
    if not any(best):
        return list(chosen)
    tried = sorted((one for one in fitting if one not in chosen), key=lambda one: -weight(one))[:MOST_TRIED]
    read = [(one, [squeezed(one.every(page)) for page in pages]) for one in [*chosen[1:], *tried]]
    finer = [one for one, lists in read if lists != best and all(map(is_finer, lists, best))]
    if finer:
        return [finer[0], *(one for one in chosen if one is not finer[0])]
    cost = chosen[0].cost + COST_MORE
    tighter = [one for one, lists in read if _is_named(one) and one.cost <= cost and _is_tighter(lists, best)]
    return [tighter[0]] if tighter else list(chosen)


def squeezed(items: Sequence[str] | None) -> list[str]:
    """The items in a form to compare."""
    return [squeeze(item) for item in items or ()]


def is_finer(fine: Sequence[str], coarse: Sequence[str]) -> bool:
    """Whether a list is another one, or that with its items cut at signs.

    >>> is_finer(["Map", "Set"], ["Map,Set"]), is_finer(["Map"], ["Map,Set"]), is_finer(["Map"], ["Map"])
    (True, False, True)
    """
    if list(fine) == list(coarse):
        return True
    text, at, between = "\n".join(coarse), 0, ""
    for item in fine:
        place = text.find(item, at)
        if place < 0:
            return False
        between += text[at:place]
        at = place + len(item)
    return len(fine) > len(coarse) and not any(map(str.isalnum, between + text[at:]))


def _is_tighter(lists: Sequence[Sequence[str]], wide: Sequence[Sequence[str]]) -> bool:
    speaking = [(one, other) for one, other in zip(lists, wide, strict=True) if one or other]
    equal = sum(list(one) == list(other) for one, other in speaking)
    within = all(one and not Counter(one) - Counter(other) for one, other in speaking)
    return within and EQUAL * len(speaking) <= equal < len(speaking)


def _is_named(finder: Finder) -> bool:
    return finder.family in _NAMED and _POSITION.search(finder.path) is None
