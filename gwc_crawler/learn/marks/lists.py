"""What every target page has but once: a page on which it stands several times is a list of records, and no target.

In: the probes of a `Split` that are target pages. Out: a part of `Knowledge.page_check`, and the pages that it refuses.
Kinds of which several pages were met are told apart by `probes`; here a single page is enough, for all others speak.
A list with few entries, or of entries that lack most fields, is told by what the other lists have in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import is_list
from gwc_crawler.learn.marks.check import spread
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_FEW = 0.25
"""More pages with a field that stands several times: it is none that a target page has once."""
_EXAMPLES = 10
_LEAST_LISTS = 3
_ALWAYS = 0.9
_LISTS_A_TARGET = 5
"""So many lists have what one page has that may be a target, and may as well be a list of a single record."""
_SHORT = 0.15
"""No greater share of the pages, and not more than the others, are lists that the fields do not tell."""
_MOST_MARKS = 32
"""So many of the lists' marks are enough, if no target has all of these."""


def set_lists_apart(split: Split, beside: Sequence[Probe]) -> tuple[Split, list[str], list[str]]:
    """Take lists of whole records out of the target pages of *split*.

    Args:
        beside: some pages that are no targets.
    Returns:
        The split without them; the fields that target pages have once, [] where the site shows no such list; the marks
        that are on all lists alone, [] where the fields tell each of them.
    """
    known = [probe for probe in split.good if probe.found is not None]
    single = _single(known)
    lists = [probe for probe in known if not probe.is_sample and _shows_many(probe.several, single)]
    models = [*lists, *(probe for probe in beside if _shows_many(probe.several, single))]
    if not models:
        return split, [], []
    marks = _own_marks(models, [probe for probe in known if probe not in lists])
    short = [probe for probe in known if probe not in lists and marks <= probe.marks] if marks else []
    if not lists and not short:
        return split, single, []
    apart = [*lists, *short]
    good = [probe for probe in split.good if probe not in apart]
    many = f"{', '.join(single)} stand there several times, on the other pages once"
    reason = many if lists else "they have what all lists have in common, and no other page has"
    found = replace(split, good=good, lists=apart, reasons=[*split.reasons, reason])
    return found, single, _enough(sorted(marks), good) if short else []


def _enough(marks: Sequence[str], good: Sequence[Probe]) -> list[str]:
    """Some of the marks, or all where a target has those."""
    some = spread(marks, _MOST_MARKS)
    return list(marks) if any(probe.marks.issuperset(some) for probe in good) else some


def _own_marks(lists: Sequence[Probe], rest: Sequence[Probe]) -> frozenset[str]:
    """The elements that nearly all *lists* have, and few pages of *rest*.

    Each of these, one for five lists apart, lacks a mark that nearly all have, or leads to more pages than any page
    without the elements.
    """
    if len(lists) < _LEAST_LISTS or len(rest) < _EXAMPLES:
        return frozenset()
    counts = Counter(mark for probe in rest for mark in probe.marks)
    usual = {mark for mark, count in counts.items() if count >= _ALWAYS * len(rest)}
    ours = Counter(mark for probe in lists for mark in probe.marks if ">" in mark)
    most = max(_LEAST_LISTS, min(len(lists), _SHORT * len(rest)))
    marks = {mark for mark, on in ours.items() if on >= _ALWAYS * len(lists) and counts[mark] <= most}
    links = max((len(probe.leads_to) for probe in rest if marks.isdisjoint(probe.marks)), default=0)
    whole = [probe for probe in rest if usual <= probe.marks and len(probe.leads_to) <= links]
    held = Counter(mark for probe in whole for mark in marks & probe.marks)
    own = {mark for mark in marks if _LISTS_A_TARGET * held[mark] <= len(lists)}
    return frozenset(own).difference(*(probe.marks for probe in rest if probe.is_sample))


def _shows_many(several: frozenset[str], single: Sequence[str]) -> bool:
    return is_list(several.intersection(single), single)


def _single(probes: Sequence[Probe]) -> list[str]:
    """The fields that hardly a page has several times; [] where too few pages speak."""
    if len(probes) < _EXAMPLES:
        return []
    names = frozenset[str]().union(*(probe.shown for probe in probes))
    most = _FEW * len(probes)
    return [name for name in sorted(names) if sum(name in probe.several for probe in probes) <= most]
