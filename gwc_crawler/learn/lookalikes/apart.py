"""Set pages of other kinds under one form of URL apart: by fields that go together, by company, by quoted values.

In: a `Split`. Out: the same without the pages of the other kind, and the fields that tell, for the page check. A
record may lack any single field; a page that lacks three which nearly all others have, and has things of its own
instead, does not do so by chance.

Source:
    Of fields that go together: latent class analysis of binary traits (Goodman, "Exploratory latent structure
    analysis", 1974), by expectation maximisation (Dempster, Laird and Rubin 1977): two classes, in which fields are
    there independently. We begin with what the samples have, hold them in the first class, and believe the second one
    only if the pages' marks, which had no part in it, say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from math import exp, log

from gwc_crawler.items import Extracted
from gwc_crawler.learn.degrees import (
    A_HANDFUL,
    ENOUGH,
    FEW,
    HALF,
    HARDLY_ANY,
    MANY,
    MOST,
    NEARLY_ALL,
    NEXT_TO_NONE,
    OFTEN,
    SEVERAL,
    SLIPS,
)
from gwc_crawler.learn.kinds.cuts import UNLIKE
from gwc_crawler.learn.lookalikes.lacking import are_unlike, share_with_own, without_pages
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probe_matrix import ProbeMatrix
from gwc_crawler.learn.lookalikes.probes import RENAMED, Split

_MOST_LOG_ODDS = 50.0


def set_other_kind_apart(split: Split) -> tuple[Split, list[str]]:
    """Take the pages of another kind out of *split*; and the fields that tell the samples' kind, [] for none."""
    known = [probe for probe in split.good if probe.found is not None]
    if not any(probe.is_sample for probe in known):
        return split, []
    odds = _odds_of_the_samples_kind(known)
    alike, others = (
        [one for one, p in zip(known, odds, strict=True) if (p >= 0.5) is is_so] for is_so in (True, False)
    )
    unsure = sum(SLIPS < p < 1 - SLIPS for p in odds)
    if len(alike) < MANY or len(others) < A_HANDFUL or unsure > SLIPS * len(known):
        return split, []
    names = sorted(frozenset[str]().union(*(probe.shown for probe in alike)))
    told = [name for name in names if _share(name, alike) >= MOST and _share(name, others) <= FEW]
    matrix = ProbeMatrix(split.good, {})
    least = 2 if are_unlike(matrix, others, SLIPS) else SEVERAL
    if len(told) < least or not are_unlike(matrix, others, UNLIKE):
        return split, []
    # a class page without members lacks as much, but has nothing instead; any page has a title and a field more
    kept = sum(_share(name, others) >= MOST for name in names)
    if share_with_own(matrix, others) < HALF or kept > 2:
        return split, []
    return without_pages(split, others, f"{', '.join(told)} not there, which go together on the other pages"), told


def _share(name: str, probes: Sequence[Probe]) -> float:
    return sum(name in one.shown for one in probes) / len(probes)


def _odds_of_the_samples_kind(known: Sequence[Probe]) -> list[float]:
    """Return how likely each page is of the samples' kind; rounds × pages × fields."""
    names = sorted(frozenset[str]().union(*(probe.shown for probe in known)))
    shared = frozenset.intersection(*(probe.shown for probe in known if probe.is_sample))
    odds = [float(one.is_sample or 2 * len(one.shown & shared) > len(shared)) for one in known]
    for _ in range(ENOUGH):
        before, prior = odds, (sum(odds) + 1) / (len(known) + 2)
        having = [_log_ratio([name in one.shown for one in known], odds) for name in names]
        odds = [
            1.0
            if one.is_sample
            else _logistic(
                log(prior / (1 - prior)) + sum(h[name not in one.shown] for name, h in zip(names, having, strict=True))
            )
            for one in known
        ]
        if max(abs(a - b) for a, b in zip(before, odds, strict=True)) < 1e-6:
            break
    return odds


def _log_ratio(flags: Sequence[bool], odds: Sequence[float]) -> tuple[float, float]:
    """Return the evidence for the first class (log odds) if a trait is there, and if it is missing."""
    one, other = sum(odds), len(odds) - sum(odds)
    mine = (sum(p for p, flag in zip(odds, flags, strict=True) if flag) + 0.5) / (one + 1)
    theirs = (sum(1 - p for p, flag in zip(odds, flags, strict=True) if flag) + 0.5) / (other + 1)
    return log(mine / theirs), log((1 - mine) / (1 - theirs))


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, value))))


# --- Pages of a group's kind that went unnoticed: they lack all that the group lacks ----------------------------------


def set_companions_apart(split: Split, holders: Set[str] = frozenset()) -> Split:
    """Move pages to a group if they lack the template, and all fields that the group lacks and most target pages have.

    The template: the marks that pages with these fields have in common and the group lacks. Samples stay. If the group
    was told by other names of the elements that hold the samples' values, pages with one of these *holders* stay, too.
    """
    good = list(split.good)
    foreign = []
    for group, reason in zip(split.foreign, split.reasons, strict=True):
        staying = holders if reason == RENAMED else frozenset[str]()
        may_go = [probe for probe in good if staying.isdisjoint(probe.marks)]
        companions = _companions(group, good, may_go) if len(group) >= SEVERAL else []
        good = [probe for probe in good if probe not in companions]
        foreign.append([*group, *companions])
    return replace(split, good=good, foreign=foreign)


def _companions(group: Sequence[Probe], good: Sequence[Probe], may_go: Sequence[Probe]) -> list[Probe]:
    lacked = frozenset[str]().union(*(probe.shown for probe in good)) - frozenset().union(
        *(probe.shown for probe in group)
    )
    telling = {name for name in lacked if 2 * sum(name in probe.shown for probe in good) >= len(good)}
    having = [probe for probe in good if not telling.isdisjoint(probe.shown)]
    if len(telling) < 2 or 2 * len(having) < len(good):
        return []
    template = _often(having, NEARLY_ALL) - _often(group, HARDLY_ANY)
    if len(template) < SEVERAL:
        return []
    most = HARDLY_ANY * len(template)
    return [
        probe
        for probe in may_go
        if telling.isdisjoint(probe.shown) and not probe.is_sample and len(template & probe.marks) <= most
    ]


def _often(probes: Sequence[Probe], share: float) -> Set[str]:
    """Return the marks that more than a share of the pages have."""
    counts = Counter(mark for probe in probes for mark in probe.marks)
    return {mark for mark, count in counts.items() if count > share * len(probes)}


# --- Pages that show the record of another one, in other places: an offer, a review, a picture alone ------------------


_LONG = 24
"""Characters of a text that two records don't share by chance."""

Values = Callable[[str], dict[str, Extracted]]
Marks = Callable[[str], Set[str]]


def set_quoting_apart(split: Split, links: Callable[[str], Sequence[str]], values: Values, marks: Marks) -> Split:
    """Take pages out of *split* that lead to another target page and show its values, in other places.

    For a page that lacks a usual field one value is enough, if that other page alone has it. Pages built in the same
    way go with them, though they show too little for a quotation to be seen.

    Args:
        links: the target pages, of *split* or others, that a page links to.
        values: gives the values that the wrapper finds on a page.
        marks: gives the marks of a page.
    """
    if len(split.good) < MANY:
        return split
    values = cache(values)
    usual = _usual(split.good)
    counts = Counter(mark for probe in split.good for mark in probe.marks)
    most = max(SEVERAL, SLIPS * len(split.good))
    rare = {mark for mark, count in counts.items() if ">" in mark and count <= most}
    strangers = {probe.url for group in split.foreign for probe in group}
    always = _usual_fields(split.good)
    odd = []
    for probe in split.good:
        lost = usual - probe.marks
        # of two pages built as records are, both may say the same of different things
        if probe.is_sample or len(lost) <= NEXT_TO_NONE * len(usual) or rare.isdisjoint(probe.marks):
            continue
        shown = values(probe.url)
        near = [url for url in links(probe.url) if url != probe.url and url not in strangers][:ENOUGH]
        quoted = [values(url) for url in near if len(usual - marks(url)) < len(lost)]
        alone: dict[str, Extracted] = {}
        if quoted and not all(map(shown.get, always)):
            apart = (one.url for one in split.good if one.url not in {probe.url, *near})
            alone = _of_one(shown, list(map(values, islice(apart, ENOUGH))))
        if any(_quotes(shown, other) or _holds(other, alone) for other in quoted):
            odd.append(probe)
    if not odd:
        return split
    built = [(usual - probe.marks, rare & probe.marks) for probe in odd]
    odd += [
        probe
        for probe in split.good
        if probe not in odd
        and not probe.is_sample
        and any(lost.isdisjoint(probe.marks) and own <= probe.marks for lost, own in built)
    ]
    rest = [probe for probe in split.good if probe not in odd]
    reason = "they lead to a target page and show its values"
    return replace(split, good=rest, foreign=[*split.foreign, odd], reasons=[*split.reasons, reason])


def _usual_fields(known: Sequence[Probe]) -> list[str]:
    """Return the fields that most target pages have."""
    counts = Counter(name for probe in known for name in probe.fields)
    return sorted(name for name, count in counts.items() if count >= OFTEN * len(known))


def _usual(probes: Sequence[Probe]) -> frozenset[str]:
    """Return the marks that nearly all of them have."""
    counts = Counter(chain.from_iterable(probe.marks for probe in probes))
    return frozenset(mark for mark, count in counts.items() if count >= NEARLY_ALL * len(probes))


def _quotes(one: dict[str, Extracted], other: dict[str, Extracted]) -> bool:
    """Say whether all values of a page but one are another's, a long text among them."""
    found = {name: value for name, value in one.items() if value}
    same = [value for name, value in found.items() if other.get(name) == value]
    return len(same) >= max(2, len(found) - 1) and any(isinstance(value, str) and len(value) >= _LONG for value in same)


def _holds(other: dict[str, Extracted], values: dict[str, Extracted]) -> bool:
    """Say whether a page has all these values, if there are some."""
    return bool(values) and all(other.get(name) == value for name, value in values.items())


def _of_one(shown: dict[str, Extracted], others: Sequence[dict[str, Extracted]]) -> dict[str, Extracted]:
    """Return the values of a page, where one of them is on none of the other pages, enough to say so: else {}."""
    found: dict[str, Extracted] = {name: value for name, value in shown.items() if value}
    tells = any(all(other.get(name) != value for other in others) for name, value in found.items())
    return found if tells and len(others) >= MANY else {}
