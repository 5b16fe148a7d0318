"""What was never seen to read something else goes before what was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from gwc_crawler.extract import Finder, PageView, select
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging.candidates import (
    OFTEN_FOUND,
    RIGHT_KIND,
    Ranked,
    is_hidden,
    is_named,
    is_right_behind,
    is_right_behind_label,
    path_of,
)
from gwc_crawler.learn.wrapper.judging.optional import in_its_own_box

COUNTED = re.compile(r"\[(?:\d+|last\(\))\](?:/text\(\).*)?$")
"""How paths end that count elements."""


def never_refuted_first(ranked: list[Ranked]) -> list[Ranked]:
    """The candidates; if the best was seen to read something else, first a named one that never was and says the same.

    "The first span.since" gives a method's where the page has none: one in the page's heading does not. Nor does one
    right behind its label, where "the first pre" gives the next section's on pages without this one. Where the best one
    is a position, "the last p", that may say less; where it is found as often and others say it, too, another thing.
    """
    best = ranked[0]
    if not best.refuted:
        return ranked
    sure_ones = [one for one in ranked if not one.refuted]
    same = [one for one in sure_ones if one.values == best.values]
    behind = [one for one in sure_ones if is_right_behind_label(one) and _says_no_other(one, best)]
    labelled = behind if best.refuted > 1 and COUNTED.search(path_of(best.finder)) else []
    named = (one for one in same if is_named(one.finder))
    better = [one for one in sure_ones if is_right_behind_label(one) and best.refuted > 1 and _is_no_worse(one, best)]
    sure = next(chain(named, filter(is_right_behind_label, same), labelled, better), best)
    return [sure, *(one for one in ranked if one is not sure)]


def _is_no_worse(one: Ranked, best: Ranked) -> bool:
    return all(getattr(one, name) >= getattr(best, name) for name in ("coverage", "agreement", "kind"))


def _says_no_other(one: Ranked, best: Ranked) -> bool:
    """Whether a candidate is found now and then, and never gives anything else than the best one."""
    same = all(mine is None or mine == theirs for mine, theirs in zip(one.values, best.values, strict=True))
    return one.coverage >= OFTEN_FOUND and one.kind >= RIGHT_KIND and same


def met_once(
    chosen: list[Finder], finders: Sequence[Finder], samples: Sequence[PageView], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; without those that meet several elements on a sample, if one by a label or a name meets but one.

    And reads the same on all further *pages*: of a page without a stock "the first p.stock" is a related item's. Nor
    does "the first dd" speak where a label that leads to the value is missing, or "the first panel" where an id is.
    """
    chosen = in_its_own_box(chosen, finders, samples, pages)
    single = [one for one in chosen if is_hidden(one) or all(len(select(one.path, page)) < 2 for page in samples)]
    told = [one for one in single if one.family in (Family.LABEL, Family.ID, Family.CLASS)]
    if chosen[0] in single and (is_right_behind(chosen[0]) or chosen[0].family is Family.ID):
        return single
    if chosen[0] in single or not told:
        return chosen
    same = all(told[0].first(page) == chosen[0].first(page) for page in pages)
    return [told[0], *(one for one in single if one is not told[0])] if same else chosen
