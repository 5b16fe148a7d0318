"""Pages among the targets that show the record of another one, in other places: an offer, a review, a picture alone.

In: the probes of a `Split` that are target pages. Out: the same without these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import chain, islice

from gwc_crawler.items import Extracted
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_EXAMPLES = 10
_USUAL = 0.9
"""Marks that so many have are a part of the template."""
_MOSTLY = 0.75
"""Most target pages have a field."""
_OWN = 0.05
"""An element that no greater share of the target pages has is a page's own."""
_FEW_OWN = 3
"""The same where there are few pages: so many of them may have it."""
_BUILT_ALIKE = 0.02
"""A page that lacks no more of the template is built as records are: two may say the same of different things."""
_LONG = 24
"""Characters of a text that two records don't share by chance."""
_COMPARED = 20
"""A value that none of so many pages has tells a record."""
_MOST_LED_TO = 40
"""Of so many target pages that a page leads to it is looked whether it shows their values."""

Values = Callable[[str], dict[str, Extracted]]
Marks = Callable[[str], Set[str]]


def set_quoting_apart(split: Split, links: Callable[[str], Sequence[str]], values: Values, marks: Marks) -> Split:
    """Take pages out of the target pages of *split* that lead to another one and show its values, in other places.

    A page that lacks a field which most have may show a single value, if it is of that other page alone. With them go
    those that are built as they are, and show too little for a quotation to be known.

    Args:
        links: the target pages, of *split* or others, that a page links to.
        values: what the wrapper finds on a page.
        marks: those of a page.
    """
    if len(split.good) < _EXAMPLES:
        return split
    values = cache(values)
    usual = _usual(split.good)
    counts = Counter(mark for probe in split.good for mark in probe.marks)
    most = max(_FEW_OWN, _OWN * len(split.good))
    rare = {mark for mark, count in counts.items() if ">" in mark and count <= most}
    strangers = {probe.url for group in split.foreign for probe in group}
    always = _usual_fields(split.good)
    odd = []
    for probe in split.good:
        lost = usual - probe.marks
        if probe.is_sample or len(lost) <= _BUILT_ALIKE * len(usual) or rare.isdisjoint(probe.marks):
            continue
        shown = values(probe.url)
        near = [url for url in links(probe.url) if url != probe.url and url not in strangers][:_MOST_LED_TO]
        quoted = [values(url) for url in near if len(usual - marks(url)) < len(lost)]
        alone: dict[str, Extracted] = {}
        if quoted and not all(map(shown.get, always)):
            apart = (one.url for one in split.good if one.url not in {probe.url, *near})
            alone = _of_one(shown, list(map(values, islice(apart, _COMPARED))))
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
    """The fields that most target pages have."""
    counts = Counter(name for probe in known for name in probe.fields)
    return sorted(name for name, count in counts.items() if count >= _MOSTLY * len(known))


def _usual(probes: Sequence[Probe]) -> frozenset[str]:
    """The marks that nearly all of them have."""
    counts = Counter(chain.from_iterable(probe.marks for probe in probes))
    return frozenset(mark for mark, count in counts.items() if count >= _USUAL * len(probes))


def _quotes(one: dict[str, Extracted], other: dict[str, Extracted]) -> bool:
    """Whether all values of a page but one are another's, a long text among them."""
    found = {name: value for name, value in one.items() if value}
    same = [value for name, value in found.items() if other.get(name) == value]
    return len(same) >= max(2, len(found) - 1) and any(isinstance(value, str) and len(value) >= _LONG for value in same)


def _holds(other: dict[str, Extracted], values: dict[str, Extracted]) -> bool:
    """Whether a page has all these values, if there are some."""
    return bool(values) and all(other.get(name) == value for name, value in values.items())


def _of_one(shown: dict[str, Extracted], others: Sequence[dict[str, Extracted]]) -> dict[str, Extracted]:
    """The values of a page, where one of them is on none of the other pages, enough to say so: else {}."""
    found: dict[str, Extracted] = {name: value for name, value in shown.items() if value}
    tells = any(all(other.get(name) != value for other in others) for name, value in found.items())
    return found if tells and len(others) >= _EXAMPLES else {}
