"""Find the address that cuts a list into the right items, and ends it at the right place, by further pages.

Several addresses give a sample's list, but a list of a single item can't say whether "A, B" is one item or two, nor
where the list ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import ENOUGH, FEW, HALF
from gwc_crawler.learn.wrapper.ranking.candidates import weight

COST_MORE = 0.6
"""Maximum cost by which a tighter address exceeds the chosen one."""
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")


def as_it_should_be(
    chosen: Sequence[Locator],
    fitting: Sequence[Locator],
    pages: Sequence[PageView],
) -> list[Locator]:
    """Put a finer or tighter address before the *chosen* ones.

    A finer address gives, wherever it differs, the parts of the chosen one's items, on most pages with nothing but
    signs between them. A tighter address has a name and gives a part of the items, but all of them on half the pages.
    """
    best = list(map(squeezed, (chosen[0].every(page) for page in pages)))
    if not any(best):
        return list(chosen)
    others = (one for one in fitting if one not in chosen)
    tried = sorted(others, key=lambda one: -weight(one))[:ENOUGH]
    read = [(one, [squeezed(one.every(page)) for page in pages]) for one in [*chosen[1:], *tried]]
    finer = [one for one, lists in read if _are_finer(lists, best)]
    if finer:
        return [finer[0], *(one for one in chosen if one is not finer[0])]
    cost = chosen[0].cost + COST_MORE
    tighter = [one for one, lists in read if is_named(one) and one.cost <= cost and _is_tighter(lists, best)]
    return [tighter[0]] if tighter else list(chosen)


def _are_finer(fine: Sequence[Sequence[str]], coarse: Sequence[Sequence[str]]) -> bool:
    """Say whether lists are others with their items cut at signs, but for a few that leave something out."""
    others = [(one, other) for one, other in zip(fine, coarse, strict=True) if list(one) != list(other)]
    cut = sum(is_finer(one, other) for one, other in others)
    are_parts = all(len(one) >= len(other) and left_of(one, other) is not None for one, other in others)
    return cut > 0 and len(others) - cut <= FEW * len(others) and are_parts


def squeezed(items: Sequence[str] | None) -> list[str]:
    """Return the items in a form to compare."""
    return [squeeze(item) for item in items or ()]


def is_finer(fine: Sequence[str], coarse: Sequence[str]) -> bool:
    """Say whether a list is another one, or that with its items cut at signs.

    >>> is_finer(["Map", "Set"], ["Map,Set"]), is_finer(["Map"], ["Map,Set"]), is_finer(["Map"], ["Map"])
    (True, False, True)
    """
    left = left_of(fine, coarse)
    is_cut = left is not None and len(fine) > len(coarse) and not any(map(str.isalnum, left))
    return is_cut or list(fine) == list(coarse)


def left_of(fine: Sequence[str], coarse: Sequence[str]) -> str | None:
    """What stands in a list besides the items of another one, in that order; None where these do not stand there."""
    left, text = "", "\n".join(coarse)
    for item in fine:
        before, found, text = text.partition(item)
        if not found:
            return None
        left += before
    return left + text


def _is_tighter(lists: Sequence[Sequence[str]], wide: Sequence[Sequence[str]]) -> bool:
    speaking = [(one, other) for one, other in zip(lists, wide, strict=True) if one or other]
    equal = sum(list(one) == list(other) for one, other in speaking)
    within = all(one and not Counter(one) - Counter(other) for one, other in speaking)
    varies = len({tuple(one) for one, _ in speaking}) > 1  # what many pages have is a part of their lists by chance
    return within and varies and HALF * len(speaking) <= equal < len(speaking)


def is_named(locator: Locator) -> bool:
    """Say whether a locator goes by a name or a label, and by no position."""
    return (locator.family.is_name or locator.family is Family.LABEL) and _POSITION.search(locator.path) is None
