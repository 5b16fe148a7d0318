"""Of an optional field: what is silent where the field may be missing, and speaks where it is.

One sample lacks the field: what is found on every page is hardly it, and what is found on hardly one is hardly it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.extract import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.candidates import (
    OFTEN_FOUND,
    ChosenFinders,
    Ranked,
    is_named,
    is_right_behind,
    is_right_behind_label,
)

SELDOM_FOUND, OFTEN_KIND = 0.1, 0.7
"""A label on hardly a page is a value that stands beside by chance, where another one is on many and says the same."""
MANY_PAGES = 10
RARE = 0.25
"""Of an optional field that is found on no more of the further pages it is asked whether samples just leave it out."""


def what_is_often_found(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or of an optional field, where that is hardly ever found, another label that often is.

    Before "3 years" stands "Warranty", and above it "Oolong", the name of the series: the sample without a warranty has
    neither.
    """
    best = ranked[0]
    spoken = [n for n, value in enumerate(best.values) if value is not None]
    if len(best.values) < MANY_PAGES or len(spoken) > SELDOM_FOUND * len(best.values):
        return best
    for one in ranked[1:]:
        is_common = one.finder.family is Family.LABEL and one.coverage >= OFTEN_FOUND and one.kind >= OFTEN_KIND
        if is_common and not one.refuted and all(one.values[n] == best.values[n] for n in spoken):
            return one
    return best


def what_is_behind_a_label(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or what stands right behind a label, if that says the same and finds more.

    Asked of a field that a sample lacks, and where the best one was seen to read something else. On one sample
    "Calories" is the fifth row; the addresses that count rows agree with each other where it is another.
    """
    best = ranked[0]
    if is_right_behind_label(best) or (is_named(best.finder) and not best.refuted):
        return best
    spoken = {n for n, value in enumerate(best.values) if value is not None}
    for one in ranked[1:]:
        if not is_right_behind_label(one) or one.refuted or one.kind < OFTEN_KIND:
            continue
        found = {n for n, value in enumerate(one.values) if value is not None}
        if spoken < found and all(one.values[n] == best.values[n] for n in spoken):
            return one
    return best


def may_be_left_out(choice: ChosenFinders | None) -> bool:
    """Whether what was chosen for an optional field is hardly found: a sample may just leave it out."""
    return choice is None or choice.evidence["coverage"] <= RARE


def rarely_told(choice: ChosenFinders, pages: Sequence[PageView]) -> list[tuple[PageView, str]]:
    """The further pages with what is said right behind a label, if several do: what is always there says the same.

    Else the field is a rare one, and what a sample has in a box of other things is there by chance.
    """
    best = choice.finders[0]
    if not is_right_behind(best) or choice.evidence["distinct"] < 2:
        return []
    return [(page, value) for page in pages if (value := best.first(page)) is not None]
