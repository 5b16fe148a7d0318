"""Rank the candidates that fit all samples, judged on further pages without labels.

A candidate's score depends on its agreement with the others (one voice per family), how often it finds something,
whether its values are of the samples' kind and differ from page to page, and the features its address relies on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.fields import is_blank, kind_of, value_key
from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, FEW, HARDLY_ANY, MANY, MOST, NEARLY_ALL, OFTEN
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.wrapper.ranking.candidates import (
    NEAR_LABEL_COST,
    Candidate,
    ChosenLocators,
    Ranked,
    is_named,
    is_right_behind_label,
    path_of,
    says_what_pages_are_called,
    voice,
    weight,
)
from gwc_crawler.learn.wrapper.ranking.corrections import corrected
from gwc_crawler.learn.wrapper.ranking.fallbacks import fallbacks
from gwc_crawler.learn.wrapper.ranking.named import letters

_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
MOST_RANKED = 48
MOST_PER_END = 6
"""Maximum number of candidates with the same last step that go before others of their family."""
LABEL_COVERAGE = 0.4
"""Score for finding a field that all samples have, for an address by a label that stands beside the value."""
RATHER_KIND = 0.69
"""Likeness to the samples' kind from which on a find costs candidates that find nothing on any page their gain."""


def choose(
    candidates: Sequence[Candidate],
    read: Callable[[Any, int], Any],
    pages: int,
    wanted: Sequence[Any],
    doubt: Callable[[Any, int], bool] | None = None,
    called: Sequence[str] = (),
    field: str = "",
) -> ChosenLocators:
    """Rank *candidates* and take the best with fallbacks of other families.

    Args:
        read: gives a candidate's value on further page number n.
        pages: the number of further pages.
        wanted: the samples' values, which show the field's kind.
        doubt: tells whether a candidate reads something else on page n; asked if candidates differ.
        called: the names of further pages in their URLs, if the samples' values are their names there.
        field: the name of the field.
    """
    ranked = _read_all(_shortlist(candidates), read, pages)
    if doubt is not None:
        _refute(ranked, pages, doubt)
    optional = any(map(is_blank, wanted))
    _judge(ranked, pages, kind_of(wanted), optional, len(wanted))
    _add_names(ranked, called)
    ranked.sort(key=lambda one: -one.score)
    ranked = _never_refuted_first(ranked)
    best = corrected(ranked, wanted, field)
    others = [one for one in ranked if one is not best]
    around = [ranked[0]] if path_of(best.locator).startswith(f"{path_of(ranked[0].locator)}/") else []
    chosen = [best, *around, *(one for one in fallbacks(best, others, optional) if one not in around)]
    evidence = {
        "candidates": len(candidates),
        "family": best.locator.family,
        "pages": pages,
        "coverage": round(best.coverage, 3),
        "agreement": round(best.agreement, 3),
        "distinct": len({*best.values} - {None}),
    }
    return ChosenLocators([one.locator for one in chosen], evidence)


def _never_refuted_first(ranked: list[Ranked]) -> list[Ranked]:
    """The candidates; if the best was seen to read something else, first one with a name that never was and says the
    same: "the first span.since" gives a method's where the page has none, one in the page's heading does not."""
    best = ranked[0]
    sure = (one for one in ranked if not one.refuted and one.values == best.values)
    told = (one for one in sure if is_named(one.locator) or is_right_behind_label(one.locator))
    first = next(told, best) if best.refuted else best
    return [first, *(one for one in ranked if one is not first)]


def names_in_urls(name: str, samples: Sequence[ExampleContext], pages: Sequence[LearnPage]) -> list[str]:
    """Return the names of further pages in their URLs, if the samples' values are their names there; else [].

    Only for a field that names a page: two packages may each have their own family, but the family is no name.
    """
    if not says_what_pages_are_called(name):
        return []
    called = [(letters(one.wanted).casefold(), _file_of(one.at)) for one in samples if isinstance(one.wanted, str)]
    same = len(called) == len(samples) and all(value == name != "" for value, name in called)
    return [_file_of(one) for one in pages] if same else []


def _file_of(page: LearnPage) -> str:
    """Return the letters and digits of the last segment of a page's URL, without its extension."""
    segment = unquote(urlsplit(page.page.url).path).rstrip("/").rpartition("/")[2]
    return letters(_EXTENSION.sub("", segment)).casefold()


def _shortlist(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the weightiest of each family, not all of them ways to the same kind of element."""
    ends: Counter[tuple[str, str]] = Counter()
    first, later = list[Candidate](), list[Candidate]()
    for one in sorted(candidates, key=lambda one: -weight(one)):
        end = one.family, path_of(one).rpartition("/")[2]
        ends[end] += 1
        (first if ends[end] <= MOST_PER_END else later).append(one)
    counts: Counter[str] = Counter()
    short = []
    for one in [*first, *later]:
        counts[one.family] += 1
        if counts[one.family] <= A_DOZEN:
            short.append(one)
    return sorted(short, key=lambda one: -weight(one))[:MOST_RANKED]


def _read_all(candidates: Sequence[Candidate], read: Callable[[Any, int], Any], pages: int) -> list[Ranked]:
    """Return the candidates with their values; of those that differ only in how they read the same the first."""
    ranked: dict[Any, Ranked] = {}
    for one in candidates:
        raw = [read(one, number) for number in range(pages)]
        values = list(map(value_key, raw))
        ranked.setdefault((getattr(one, "path", id(one)), tuple(values)), Ranked(one, values, raw))
    return list(ranked.values())


def _judge(ranked: Sequence[Ranked], pages: int, kind: Callable[[Any], float], optional: bool, samples: int) -> None:
    support = [_support(ranked, number) for number in range(pages)]
    for one in ranked:
        present = [value for value in one.values if value is not None]
        if pages:
            one.coverage = len(present) / max(1, pages - one.excused)
            # An optional field's kind is drawn towards that of no value.
            before = A_HANDFUL if optional else 0
            one.kind = (sum(map(kind, present)) + before * MOST) / max(1, len(present) + before)
            one.distinct = len(set(present)) / max(1, len(present))
    found_by_some = max((one.coverage for one in ranked if one.kind >= NEARLY_ALL), default=0.0)
    found_rather = max((one.coverage for one in ranked if one.kind >= RATHER_KIND), default=0.0)
    most = max((one.coverage for one in ranked), default=1.0)
    optional = optional or (samples > 1 and pages >= MANY and most <= FEW)
    for one in ranked:
        if pages:
            is_never_there = not one.coverage and found_rather >= OFTEN
            silent = not optional and (one.coverage < OFTEN * found_by_some or is_never_there)
            heard = [(n, value) for n, value in enumerate(one.values) if value is not None or not silent]
            one.agreement = sum(support[n].get(value, 0.0) for n, value in heard) / pages
            # A position always finds something, as a wrong neighbour does, more than an optional field's right label.
            is_near = one.locator.family is Family.LABEL and one.locator.cost <= NEAR_LABEL_COST
            found = MOST if is_named(one.locator) else LABEL_COVERAGE if is_near else FEW
            found = HARDLY_ANY if optional else found
            one.score = one.agreement - one.refuted / pages + found * one.coverage + 0.5 * one.kind + 0.1 * one.distinct
        one.score += weight(one.locator)


def _add_names(ranked: Sequence[Ranked], called: Sequence[str]) -> None:
    """Raise candidates by how often they say what pages are called in their URLs.

    Not ids and addresses, which do so anyway, nor what may be a part of a text: the first word of "Fail Task" is one.
    """
    for one in ranked if called else ():
        is_part = getattr(one.locator, "cut", NO_AFFIXES).optional
        if not is_part and not str(getattr(one.locator, "read", "")).startswith("@"):
            one.score += fmean(
                letters(str(value)).casefold() == name for value, name in zip(one.values, called, strict=True)
            )


def _refute(ranked: Sequence[Ranked], pages: int, doubt: Callable[[Any, int], bool]) -> None:
    """Take back what candidates read where it is something else; excuse all if all that speak were wrong."""
    for number in range(pages):
        if len({one.values[number] for one in ranked}) < 2:
            continue
        speaking = [one for one in ranked if one.values[number] is not None]
        refuted = [one for one in speaking if doubt(one.locator, number)]
        for one in refuted:
            one.values[number] = None
            one.refuted += 1
        if refuted and len(refuted) == len(speaking):
            for one in ranked:
                one.excused += 1


def _support(ranked: Sequence[Ranked], number: int) -> dict[Any, float]:
    """Return the share of all voices for each value on a page: of each family the weightiest that gives it speaks."""
    voices: dict[Any, dict[str, float]] = defaultdict(dict)
    for one in ranked:
        if one.values[number] is None and _asks_for_words(one.locator):
            continue
        here, said = voices[one.values[number]], voice(one.locator)
        here[said] = max(here.get(said, 0.0), weight(one.locator))
    total = sum(sum(here.values()) for here in voices.values()) or 1.0
    return {value: sum(here.values()) / total for value, here in voices.items()}


def _asks_for_words(locator: Candidate) -> bool:
    """Tell whether a candidate cuts words off its text: where it is silent, they may stand in the next such element."""
    if not isinstance(locator, Locator) or "starts-with(" in locator.path:
        return False
    return locator.cut.whole_before and any(map(str.isalpha, locator.cut.before))
