"""Rows of tables whose columns change: of their headers the one that no table lacks leads to them.

In: ways that fit the samples, whose parts stand under headers. Out: the same, first one that speaks on more pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import RowRule
from gwc_crawler.learn.texts import LearnPage
from gwc_crawler.learn.wrapper.ranking import is_under_header

LEAST_PARTS = 2
"""So many parts must stand under headers, and each record found besides must have so many that all samples have."""


def by_lasting_header(
    chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]
) -> Sequence[RowRule]:
    """The *chosen* ways, before them the first of the *fitting* ones that gives their records, and some more.

    It gives the same wherever the best one gives any, and records where that gives none: both samples happen to have
    the column by which it finds the table.
    """
    best = chosen[0]
    if best.flat or sum(is_under_header(rule.finders[0]) for rule in best.fields.values()) < LEAST_PARTS:
        return chosen
    known = [best.read(page.page) for page in more]
    for one in fitting if [] in known else ():
        if not one.flat and one.parts == best.parts and _says_more([one.read(page.page) for page in more], known, best):
            return [one, *(other for other in chosen if other is not one)]
    return chosen


def _says_more(found: Sequence[list[Any]], known: Sequence[list[Any]], best: RowRule) -> bool:
    pairs = list(zip(found, known, strict=True))
    besides = [record for mine, theirs in pairs if not theirs for record in mine]
    are_whole = all(sum(key in record for key in best.always) >= LEAST_PARTS for record in besides)
    return bool(besides) and are_whole and all(mine == theirs for mine, theirs in pairs if theirs)
