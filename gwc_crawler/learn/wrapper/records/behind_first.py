"""Records behind a first one that is none: the replies to the post with which a thread begins, built as these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import RowRule
from gwc_crawler.learn.texts import ExampleContext
from gwc_crawler.learn.wrapper.records.row_fields import is_read

_LEAST_SAMPLES = 2


def behind_the_first(way: RowRule, contexts: Sequence[ExampleContext]) -> RowRule:
    """The way without the first row of a page, if on each sample that is a whole record more than the sample has.

    A sample without records has that row alone. What a single sample has more may have been left out by chance.
    """
    if way.flat or way.parts or not way.always or len(contexts) < _LEAST_SAMPLES:
        return way
    for one in contexts:
        found, wanted = way.read(one.at.page), one.wanted or []
        if one.scope is not None or len(found) != len(wanted) + 1 or not all(key in found[0] for key in way.always):
            return way
        if not all(is_read(record, row, way.fields) for record, row in zip(found[1:], wanted, strict=True)):
            return way
    return replace(way, rows=replace(way.rows, path=f"({way.rows.path})[position()>1]"))
