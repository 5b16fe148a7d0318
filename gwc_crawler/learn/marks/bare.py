"""Stubs under the targets' form of URL: "this event is over", "we sell this thing no more".

In: a `Split`. Out: the same without pages that have nothing of a record. Sparse records have its template.
"""

from __future__ import annotations

from collections.abc import Set

from gwc_crawler.learn.marks.board import LEAST_FOREIGN, ProbeBoard
from gwc_crawler.learn.marks.lacking import are_unlike, without_pages
from gwc_crawler.learn.marks.probes import Split

_HARDLY_LIKE = 0.1
"""A stub has no more of what tells the samples than this share of what the other pages have. At .35 a third of
a blog's posts are lost (recall .66 for .99; `python -m tests.eval.targets gitrknows/post --kind random --most 470`)."""
_LITTLE = 0.75
"""Nor more than this share of all that the samples have in common, the site's frame included. At .5 lists of
members come home as types (precision .47 for .93; the same command with qt/qmltype)."""


def set_bare_apart(split: Split, anywhere: Set[str]) -> Split:
    """Take the pages out of *split* that have no field which tells a record, and hardly anything of the template.

    Several: of a single one nothing can be learned that refuses others.

    Args:
        anywhere: fields that are found on the pages the crawl began with, too: they tell no record.
    """
    samples = [probe.shown for probe in split.good if probe.is_sample and probe.found is not None]
    telling = frozenset.intersection(*samples) - anywhere if samples else frozenset[str]()
    if not telling:
        return split
    board = ProbeBoard(split.good, {})
    empty = [probe for probe in split.good if probe.found is not None and telling.isdisjoint(probe.shown)]
    shared = frozenset.intersection(*(probe.marks for probe in split.good if probe.is_sample))
    little = [probe for probe in empty if len(shared & probe.marks) <= _LITTLE * len(shared)]
    bare = [probe for probe in little if are_unlike(board, [probe], _HARDLY_LIKE)]
    reason = f"none of {', '.join(sorted(telling))} there, nor what the other pages have in common"
    return without_pages(split, bare, reason) if len(bare) >= LEAST_FOREIGN else split
