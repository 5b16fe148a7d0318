"""Find two sorts of pages among the targets: one then lacks a mark of the samples and has another in its place.

In: the pages of the review. Out: the sort with the most pages, or None. Optional parts of a page come and go one by
one; the marks looked for here never stand on one page together. If they only say that one of many fields has no
value ("no reviews yet"), the table of fields says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from gwc_crawler.extract.page_check import shown_mark
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, FEW, HARDLY_ANY, NEARLY_ALL
from gwc_crawler.learn.lookalikes.probes import MANY_FIELDS
from gwc_crawler.learn.review.evidence import PageFindings, Pages
from gwc_crawler.learn.review.sample_check import KINDS, Doubt, are_read_alike
from gwc_crawler.learn.texts.context import spread

_LABEL = re.compile(r"[^:：]{1,20}[:：](?=.)")


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
    looks = [look for url in spread(pages.found_inside, ENOUGH) if not (look := pages.look(url)).refused]
    marks = {look.url: pages.marks_and_body(pages.by_url[look.url]) for look in looks}
    given = [pages.marks_and_body(page) for page in pages.samples]
    if not given:
        return None
    bearers = bearers_of(marks)
    strange = {urls: mark for mark, urls in bearers.items() if not any(mark in one for one in given)}
    silent = _without_a_field(pages, looks)
    found = []
    for mark in sorted(frozenset.intersection(*given)):
        lacking = frozenset(marks) - bearers.get(mark, frozenset())
        urls = _commonest_within(lacking, strange) if len(lacking) >= 2 and lacking not in silent else None
        if urls and not say_the_same(strange[urls], mark):
            found.append(Mixed(strange[urls], mark, len(lacking) / len(marks), min(urls)))
    return max(found, key=lambda one: (one.share, ">" not in one.mark), default=None)


def _without_a_field(pages: Pages, looks: Sequence[PageFindings]) -> set[frozenset[str]]:
    """Return for each of many fields the pages that lack it and no other one; none if other pages lack it, too."""
    if len(pages.required) < MANY_FIELDS:
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
    """Return the pages with the commonest of a few marks that only these pages have, and together nearly all."""
    within = sorted((urls for urls in strange if urls <= lacking), key=lambda urls: (-len(urls), strange[urls]))
    left = set(lacking)
    for urls in within:
        if len(urls & left) >= max(2, FEW * len(lacking)):
            left -= urls
    return within[0] if within and len(left) <= HARDLY_ANY * len(lacking) else None


# --- Marks of most targets that no sample has: samples of two brands of a shop may be the wrong ones ------------------


@dataclass(frozen=True, slots=True)
class Unshown:
    """`share` of the targets that were looked at have `mark`, as `example` has, and no sample does."""

    mark: str
    share: float
    example: str


def unshown_by_samples(pages: Pages) -> Unshown | None:
    """Find marks common enough on targets that samples lack them by chance once in ten times at most.

    Several marks stand together if they are a kind's, or a large part of a page.
    """
    marks = pages.marks_of_targets(ENOUGH)
    given = [pages.marks(page) for page in pages.samples]
    if len(given) < 2:
        return None
    least = (1 - HARDLY_ANY ** (1 / len(given))) * len(marks)
    bearers = bearers_of(marks)
    strange = {
        mark: urls for mark, urls in bearers.items() if len(urls) >= least and not any(mark in one for one in given)
    }
    if len(strange) < A_HANDFUL:
        return None
    mark, urls = max(strange.items(), key=lambda row: (">" not in row[0], len(row[1]), row[0]))
    return Unshown(mark, len(urls) / len(marks), min(urls))


# --- Are the samples of two sorts, each with a mark of its own that no page of the other sort has? --------------------


def doubt_of_sorts(pages: Pages, given: Sequence[Mapping[str, Any]]) -> Iterator[Doubt]:
    """Yield a doubt if the samples are of two sorts, unless there are several of each: then both are wanted.

    Samples that are read alike in several fields are of one sort to a user who wants these fields.
    """
    marks = pages.marks_of_targets(ENOUGH)
    least = max(A_HANDFUL, HARDLY_ANY * len(marks))
    bearers = {mark: urls for mark, urls in bearers_of(marks).items() if len(urls) >= least}
    for (one, own), (two, also) in combinations(zip(pages.samples, given, strict=True), 2):
        read_alike = are_read_alike(pages, one, two, own, also)
        found = None if read_alike else _telling(pages, one, two, bearers, frozenset(marks))
        if found is None:
            continue
        if any(sum(mark in pages.marks(sample) for sample in pages.samples) < 2 for mark in found):
            share, rest = (f"{len(bearers[mark]) / len(marks):.0%}" for mark in found)
            yield Doubt(
                KINDS,
                f"the samples are of two sorts: {share} of the targets have {shown_mark([found[0]])}, as {one.url} "
                f"has, and {rest} have {shown_mark([found[1]])}, as {two.url} has; if only one sort is wanted, replace "
                "the other sample, else make a site file for each",
            )
        return


def _telling(
    pages: Pages, one: StoredPage, other: StoredPage, bearers: Mapping[str, frozenset[str]], targets: frozenset[str]
) -> tuple[str, str] | None:
    """Find a mark of each of two samples that, perhaps with marks of further sorts, part the *targets*, or those whose
    URLs have the form of either sample's; None unless there are several such pairs."""
    first, second = pages.marks(one), pages.marks(other)
    sides = [{mark: urls for mark, urls in bearers.items() if mark in own} for own in (first - second, second - first)]
    forms = {url for page in (one, other) for url in pages.group_of.get(pages.clean(page.url), ())}
    wholes = [some for some in (targets, targets & forms) if some]
    further = [urls for mark, urls in bearers.items() if mark not in first and mark not in second]
    found = list(_parting(sides[0], sides[1], wholes, further))
    return found[0] if len(found) >= 2 else None  # in one alone differ two values of a field ("in stock", "sold out")


def _parting(
    one: Mapping[str, frozenset[str]],
    other: Mapping[str, frozenset[str]],
    wholes: Sequence[Collection[str]],
    further: Sequence[frozenset[str]],
) -> Iterator[tuple[str, str]]:
    """Yield pairs of marks that are never on one page, so that each page of a *whole* has one of them or of *further*
    marks of that kind; those with the most pages first."""
    pairs = {pair: one[pair[0]] | other[pair[1]] for pair in product(one, other) if not one[pair[0]] & other[pair[1]]}
    are_sorts = {some: any(_covered(whole, some, further) for whole in wholes) for some in set(pairs.values())}
    for pair, some in sorted(pairs.items(), key=lambda row: -len(row[1])):
        if are_sorts[some] and not say_the_same(*pair):
            yield pair


def _covered(whole: Collection[str], some: frozenset[str], further: Sequence[frozenset[str]]) -> bool:
    """Tell whether *some* pages, with those of *further* sorts that share no page with them, are nearly a whole."""
    taken = some
    for urls in sorted(further, key=len, reverse=True):
        if not urls & taken:
            taken |= urls
    return len(taken.intersection(whole)) >= NEARLY_ALL * len(whole)
