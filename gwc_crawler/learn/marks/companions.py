"""Pages that are what a group told apart is, though nobody noticed them: what the group lacks, they lack, too.

In: a `Split`. Out: the same, its groups grown. A group is told by marks of its own; an article that shares none of them
with the other articles stays among the records, and then no check can be learned that refuses these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

from gwc_crawler.learn.marks.board import LEAST_FOREIGN, LOST_MARKS
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_SEVERAL = 2
"""So many fields that the group lacks must tell the target pages."""
_USUAL = 0.9
"""Marks that so many target pages have are a part of their template."""
_HARDLY = 0.1
"""Of the template, a mark may be on so many pages of the group, and a companion may have so much."""


def set_companions_apart(split: Split) -> Split:
    """Let pages go with a group that lack all fields that it lacks and most target pages have, and the template.

    The template is what the pages with these fields have in common and the group has not. Samples stay.
    """
    good = list(split.good)
    foreign = []
    for group in split.foreign:
        companions = _companions(group, good) if len(group) >= LEAST_FOREIGN else []
        good = [probe for probe in good if probe not in companions]
        foreign.append([*group, *companions])
    return replace(split, good=good, foreign=foreign)


def _companions(group: Sequence[Probe], good: Sequence[Probe]) -> list[Probe]:
    lacked = frozenset[str]().union(*(probe.shown for probe in good)) - frozenset().union(
        *(probe.shown for probe in group)
    )
    telling = {name for name in lacked if 2 * sum(name in probe.shown for probe in good) >= len(good)}
    having = [probe for probe in good if not telling.isdisjoint(probe.shown)]
    if len(telling) < _SEVERAL or 2 * len(having) < len(good):
        return []
    template = _often(having, _USUAL) - _often(group, _HARDLY)
    if len(template) < LOST_MARKS:
        return []
    most = _HARDLY * len(template)
    return [
        probe
        for probe in good
        if telling.isdisjoint(probe.shown) and not probe.is_sample and len(template & probe.marks) <= most
    ]


def _often(probes: Sequence[Probe], share: float) -> Set[str]:
    """The marks that more than a share of the pages have."""
    counts = Counter(mark for probe in probes for mark in probe.marks)
    return {mark for mark, count in counts.items() if count > share * len(probes)}
