"""Are the samples of two sorts, each with a mark of its own that no page of the other sort has?

In: the pages of the review and the fields of each sample. Out: the two sorts, or None. Two optional parts of a page
stand on some pages together, and on some neither does; where one of them is on each page and both are on none, it is
the sort that decides. A person may want both: then all is well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from gwc_crawler.extract.page_check import shown_mark
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.mixed import bearers_of, say_the_same
from gwc_crawler.learn.review.sample_check import KINDS, Doubt, are_read_alike

_COMPARED = 40
_NEARLY_ALL = 0.9
_LEAST_PAIRS = 2
"""Sorts differ in several ways; in one alone differ two values of a field ("in stock", "sold out")."""
_SEVERAL = 2
_LEAST, _LEAST_SHARE = 4, 0.15
"""Of each sort there are so many pages, and such a share: a rarer one is a special case, such as what is sold out."""


@dataclass(frozen=True, slots=True)
class Sort:
    """Pages that have `mark`, as the sample `like` has: `share` of the targets that were looked at."""

    mark: str
    share: float
    like: str


def doubt_of_sorts(pages: Pages, given: Sequence[Mapping[str, Any]]) -> Iterator[Doubt]:
    """What is to be said where the samples are of two sorts, unless there are several of each: then both are wanted."""
    if (sorts := two_sorts(pages, given)) and any(_bearing(pages, sort) < _SEVERAL for sort in sorts):
        one, other = sorts
        yield Doubt(
            KINDS,
            f"the samples are of two sorts: {one.share:.0%} of the targets have {shown_mark([one.mark])}, as "
            f"{one.like} has, and {other.share:.0%} have {shown_mark([other.mark])}, as {other.like} has; if only one "
            "sort is wanted, replace the other sample, else make a site file for each",
        )


def two_sorts(pages: Pages, given: Sequence[Mapping[str, Any]]) -> tuple[Sort, Sort] | None:
    """Find the marks of two samples that, perhaps with marks of further sorts, part the targets, or those whose URLs
    have the form of either.

    Samples of which several fields are read alike are of one sort for whoever wants these fields.
    """
    if len(given) != len(pages.samples) or len(given) < 2:
        return None
    marks = pages.marks_of_targets(_COMPARED)
    least = max(_LEAST, _LEAST_SHARE * len(marks))
    bearers = {mark: urls for mark, urls in bearers_of(marks).items() if len(urls) >= least}
    for (one, fields), (other, also) in combinations(zip(pages.samples, given, strict=True), 2):
        if are_read_alike(pages, one, other, fields, also):
            continue
        first, second = pages.marks(one), pages.marks(other)
        sides = [
            {mark: urls for mark, urls in bearers.items() if mark in own} for own in (first - second, second - first)
        ]
        forms = {url for page in (one, other) for url in pages.group_of.get(pages.clean(page.url), ())}
        wholes = [some for some in (frozenset(marks), forms.intersection(marks)) if some]
        further = [urls for mark, urls in bearers.items() if mark not in first and mark not in second]
        found = list(_parting(sides[0], sides[1], wholes, further))
        if len(found) >= _LEAST_PAIRS:
            mark, instead = found[0]
            return (
                Sort(mark, len(bearers[mark]) / len(marks), one.url),
                Sort(instead, len(bearers[instead]) / len(marks), other.url),
            )
    return None


def _bearing(pages: Pages, sort: Sort) -> int:
    """How many samples are of a sort."""
    return sum(sort.mark in pages.marks(sample) for sample in pages.samples)


def _parting(
    one: Mapping[str, frozenset[str]],
    other: Mapping[str, frozenset[str]],
    wholes: Sequence[Collection[str]],
    further: Sequence[frozenset[str]],
) -> Iterator[tuple[str, str]]:
    """The pairs of marks that are on no page together, and of which with *further* ones of that kind each page of a
    *whole* has one; those with the most pages first."""
    pairs = {pair: one[pair[0]] | other[pair[1]] for pair in product(one, other) if not one[pair[0]] & other[pair[1]]}
    are_sorts = {some: any(_covered(whole, some, further) for whole in wholes) for some in set(pairs.values())}
    for pair, some in sorted(pairs.items(), key=lambda row: -len(row[1])):
        if are_sorts[some] and not say_the_same(*pair):
            yield pair


def _covered(whole: Collection[str], some: frozenset[str], further: Sequence[frozenset[str]]) -> bool:
    """Whether *some* pages, and those of further sorts, of which none has a page of another, are nearly a whole."""
    taken = some
    for urls in sorted(further, key=len, reverse=True):
        if len(taken.intersection(whole)) >= _NEARLY_ALL * len(whole):
            break
        if not urls & taken:
            taken |= urls
    return len(taken.intersection(whole)) >= _NEARLY_ALL * len(whole)
