"""Are there two sorts of pages among the targets? Some then lack a mark of the samples and have another in its place.

In: the pages of the review. Out: the sort that the most pages belong to, or None. Optional parts of a page come and go
one by one; what is looked for here are marks that never stand on one page together. Where these say that one of many
fields has no value ("no reviews yet"), the table of fields says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gwc_crawler.extract.page_check import shown_mark
from gwc_crawler.learn.review.evidence import MANY, PageFindings, Pages
from gwc_crawler.learn.texts.context import spread

COMPARED = 40
_LEAST = 2
_KIND_SHARE = 0.2
"""Each of several other kinds among the targets has this share of them at least."""
_UNEXPLAINED = 0.15
_LABEL = re.compile(r"[^:：]{1,20}[:：](?=.)")
_LEAST_SAMPLES = 2
_BY_CHANCE = 0.08
"""Samples lack at most this often by chance what is told as lacking."""
_TOGETHER = 4
"""Fewer marks may be those of one optional part."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """Pages taken as targets that have `mark` where the samples have `instead`: perhaps pages of another kind.

    `share` is their share of the targets that were looked at.
    """

    mark: str
    instead: str
    share: float
    example: str


def mixed_targets(pages: Pages) -> Mixed | None:
    """Find the mark of all samples that the most target pages lack, where these have other marks in its place."""
    looks = [pages.look(url) for url in spread(pages.found_inside, COMPARED)]
    marks = {look.url: pages.marks_and_body(pages.by_url[look.url]) for look in looks if not look.refused}
    given = [pages.marks_and_body(page) for page in pages.samples]
    if not given:
        return None
    bearers = bearers_of(marks)
    strange = {urls: mark for mark, urls in bearers.items() if not any(mark in one for one in given)}
    silent = _without_a_field(pages, [look for look in looks if not look.refused])
    found = []
    for mark in sorted(frozenset.intersection(*given)):
        lacking = frozenset(marks) - bearers.get(mark, frozenset())
        urls = _commonest_within(lacking, strange) if len(lacking) >= _LEAST and lacking not in silent else None
        if urls and not say_the_same(strange[urls], mark):
            found.append(Mixed(strange[urls], mark, len(lacking) / len(marks), min(urls)))
    return max(found, key=lambda one: (one.share, ">" not in one.mark), default=None)


def _without_a_field(pages: Pages, looks: Sequence[PageFindings]) -> set[frozenset[str]]:
    """For each of many fields the pages that lack it, and no other one; none where further pages lack it, too."""
    if len(pages.required) < MANY:
        return set()
    found = {name: [look for look in looks if name in look.missing] for name in pages.required}
    return {
        frozenset(look.url for look in some)
        for name, some in found.items()
        if all(look.missing == (name,) for look in some)
    }


def say_the_same(mark: str, other: str) -> bool:
    """Whether two marks are a label with other values ("Language: German"), a label of one and of several, or look the
    same to a person: then they part no kinds.

    >>> say_the_same("p:Talk", "p:Talks"), say_the_same("li:Language: German", "li:Language: English")
    (True, True)
    >>> say_the_same("p:Talk", "p:Walk")
    False
    """
    if shown_mark([mark]) == shown_mark([other]):
        return True
    if ">" in mark or ">" in other:
        return False
    one, two = (text.partition(":")[2].casefold() for text in (mark, other))
    labels = [_LABEL.match(text) for text in (one, two)]
    return one.rstrip("s") == two.rstrip("s") or bool(labels[0] and labels[1] and labels[0][0] == labels[1][0])


def bearers_of(marks: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Mark → the URLs of pages that have it; texts last: of marks on the same pages the last is named."""
    found: dict[str, set[str]] = {}
    for url, ones in marks.items():
        for mark in ones:
            found.setdefault(mark, set()).add(url)
    return {mark: frozenset(found[mark]) for mark in sorted(found, key=lambda one: (">" not in one, one))}


def _commonest_within(lacking: frozenset[str], strange: Mapping[frozenset[str], str]) -> frozenset[str] | None:
    """The bearers of the commonest of a few marks that stand on these pages alone, and together on nearly all."""
    within = sorted((urls for urls in strange if urls <= lacking), key=lambda urls: (-len(urls), strange[urls]))
    left = set(lacking)
    for urls in within:
        if len(urls & left) >= max(_LEAST, _KIND_SHARE * len(lacking)):
            left -= urls
    return within[0] if within and len(left) <= _UNEXPLAINED * len(lacking) else None


# --- What most targets have and no sample: who gives two brands of a shop may not want its products -------------------


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
    marks = pages.marks_of_targets(COMPARED)
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
