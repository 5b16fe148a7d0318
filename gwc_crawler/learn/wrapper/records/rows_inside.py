"""Rows inside rows: replies to a comment, which no sample may have.

Ways of finding the rows fit such samples equally: all items of a list, or also those of lists inside it. Further pages
tell: where rows inside a row have all that each sample record has, they are records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from gwc_crawler.extract import RowRule
from gwc_crawler.learn.texts import COUNTING, LearnPage

LEAST_PAGES = 2
"""On so many further pages there must be rows inside rows."""
LEAST_PARTS = 2
"""So many parts all sample records must have: a text alone is found inside each text."""
_DIGITS = re.compile(r"\d")

Rows: TypeAlias = Sequence[tuple[Any, dict[str, Any]]]
"""What a way gives of a page: each row with its record."""


def with_rows_inside(chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]) -> list[RowRule]:
    """The ways, before them the first of the *fitting* ones that gives their records and those inside them."""
    best = chosen[0]
    if best.flat or best.parts or len(best.always) < LEAST_PARTS or not more:
        return list(chosen)
    known = [best.rows_with_records(page.page) for page in more]
    names = _names([[scope for scope, _ in rows] for rows in known])
    for one in fitting:
        if one not in chosen and not one.flat and not one.parts and _adds_rows_inside(one, known, names, more):
            return [one, *chosen]
    return list(chosen)


def _adds_rows_inside(one: RowRule, known: Sequence[Rows], names: frozenset[str], more: Sequence[LearnPage]) -> bool:
    """Whether a way gives on all pages what the best one does, and on some more: rows of such names inside its rows."""
    added = 0
    for page, outer in zip(more, known, strict=True):
        all_rows = one.rows_with_records(page.page)
        expected = [record for _, record in outer]
        if len(all_rows) < len(outer):
            return False
        if len(all_rows) == len(outer):
            if [record for _, record in all_rows] != expected:
                return False
            continue
        scopes = [scope for scope, _ in outer]
        inside = _inside(scopes, [scope for scope, _ in all_rows])
        extra = [scope for scope, _ in all_rows if scope in inside]
        if [record for scope, record in all_rows if scope not in inside] != expected:
            return False
        if not all(names <= _words(scope) for scope in extra):
            return False
        added += 1
    return added >= LEAST_PAGES


def _inside(outer: Sequence[Any], rows: Sequence[Any]) -> frozenset[Any]:
    """Those of the *rows* that stand inside an outer one, or beside one that is alone in its parent."""
    alone = Counter(parent for row in outer if (parent := row.getparent()) is not None)
    bounds = {*outer, *(parent for parent, count in alone.items() if count == 1 and parent.getparent() is not None)}
    return frozenset(row for row in rows if row not in bounds and any(one in bounds for one in row.iterancestors()))


def _names(known: Sequence[Sequence[Any]]) -> frozenset[str]:
    """The element name and the classes that all rows have, those apart that tell a row's turn or depth."""
    return frozenset.intersection(*[_words(row) for rows in known for row in rows] or [frozenset()])


def _words(row: Any) -> frozenset[str]:
    classes = (row.get("class") or "").split()
    lasting = (one for one in classes if not COUNTING.search(one) and not _DIGITS.search(one))
    return frozenset({f"<{row.tag}>", *lasting})
