"""Pages of all kinds under one form of URL, told from the samples' kind by the only fields that others lack.

In: a `Split`. Out: the same without these, and the fields that tell, for the page check. A title and a text stand on
each page of a manual; if hardly one of those taken has the table that both samples have, the table is what is wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_ALWAYS = 0.9
"""A field that more of the pages have tells nothing."""
_EXAMPLES = 10
"""So many pages with the fields, without them, and beside the targets have to be known."""
_SELDOM = 0.25
"""No more of the pages taken may have them: two samples would have them by chance once in sixteen times."""
_EVERYWHERE = 0.9
"""The samples' other fields are found on so many of the pages that are no targets."""


def set_lacking_apart(split: Split, beside: Sequence[Probe]) -> tuple[Split, list[str]]:
    """Take the pages out of *split* that lack all fields which tell the samples' kind; and these fields, [] for none.

    Where anything else tells the samples from pages of other kinds, what lacks these fields is a sparse target.

    Args:
        beside: some pages that are no targets.
    """
    known = [probe for probe in split.good if probe.found is not None]
    samples = [probe.shown for probe in known if probe.is_sample]
    if not samples or len(beside) < _EXAMPLES:
        return split, []
    counts = Counter(name for probe in known for name in probe.shown)
    shared = frozenset.intersection(*samples)
    told = sorted(name for name in shared if counts[name] < _ALWAYS * len(known))
    without = [probe for probe in known if probe.shown.isdisjoint(told)]
    having = len(known) - len(without)
    everywhere = all(sum(name in one.shown for one in beside) >= _EVERYWHERE * len(beside) for name in shared - {*told})
    if not told or not everywhere or having > _SELDOM * len(known) or min(having, len(without)) < _EXAMPLES:
        return split, []
    reason = f"{', '.join(told)} not there, and nothing else tells the samples from pages of other kinds"
    reasons = [*split.reasons[: len(split.foreign)], reason, *split.reasons[len(split.foreign) :]]
    good = [probe for probe in split.good if probe not in without]
    return replace(split, good=good, foreign=[*split.foreign, without], reasons=reasons), told
