"""What do most targets have that no sample has? Who gives two brands of a shop may not want its products.

In: the pages of the review. Out: the mark that says it best, or None. Such pages have all that the samples have, so
they are taken; by chance alone samples seldom lack what most pages have.
"""

from __future__ import annotations

from dataclasses import dataclass

from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.mixed import bearers_of

_COMPARED = 40
_LEAST_SAMPLES = 2
_BY_CHANCE = 0.08
"""Samples lack at most this often by chance what is told as lacking."""
_TOGETHER = 4
"""Fewer marks may be those of one optional part."""


@dataclass(frozen=True, slots=True)
class Unshown:
    """`share` of the targets that were looked at have `mark`, as `example` has, and no sample does."""

    mark: str
    share: float
    example: str


def unshown_by_samples(pages: Pages) -> Unshown | None:
    """Find what so many targets have that samples lack it by chance once in thirteen times at most.

    Several marks stand together where it is a kind that has them, or a large part of a page.
    """
    marks = pages.marks_of_targets(_COMPARED)
    given = [pages.marks(page) for page in pages.samples]
    if len(given) < _LEAST_SAMPLES:
        return None
    least = (1 - _BY_CHANCE ** (1 / len(given))) * len(marks)
    bearers = bearers_of(marks)
    strange = {
        mark: urls for mark, urls in bearers.items() if len(urls) >= least and not any(mark in one for one in given)
    }
    if len(strange) < _TOGETHER:
        return None
    mark, urls = max(strange.items(), key=lambda row: (">" not in row[0], len(row[1]), row[0]))
    return Unshown(mark, len(urls) / len(marks), min(urls))
