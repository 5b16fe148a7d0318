"""What every target page has but once: a page on which it stands several times is a list of records, and no target.

In: the probes of a `Split` that are target pages. Out: a part of `Knowledge.page_check`, and the pages that it refuses.
Kinds of which several pages were met are told apart by `probes`; here a single page is enough, for all others speak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import is_list
from gwc_crawler.learn.marks.board import Probe
from gwc_crawler.learn.marks.probes import Split

_FEW = 0.25
"""More pages with a field that stands several times: it is none that a target page has once."""
_EXAMPLES = 10


def set_lists_apart(split: Split, beside: Sequence[frozenset[str]]) -> tuple[Split, list[str]]:
    """Take lists of whole records out of the target pages of *split*.

    Args:
        beside: for some pages that are no targets the fields that stand several times there.
    Returns:
        The split without them, and the fields that target pages have once; [] where the site shows no such list.
    """
    known = [probe for probe in split.good if probe.found is not None]
    single = _single(known)
    lists = [probe for probe in known if not probe.is_sample and _shows_many(probe.several, single)]
    if not lists:
        return split, single if any(_shows_many(several, single) for several in beside) else []
    good = [probe for probe in split.good if probe not in lists]
    reason = f"{', '.join(single)} stand there several times, on the other pages once"
    return replace(split, good=good, lists=lists, reasons=[*split.reasons, reason]), single


def _shows_many(several: frozenset[str], single: Sequence[str]) -> bool:
    return is_list(several.intersection(single), single)


def _single(probes: Sequence[Probe]) -> list[str]:
    """The fields that hardly a page has several times; [] where too few pages speak."""
    if len(probes) < _EXAMPLES:
        return []
    names = frozenset[str]().union(*(probe.fields | probe.several for probe in probes))
    most = _FEW * len(probes)
    return [name for name in sorted(names) if sum(name in probe.several for probe in probes) <= most]
