"""Records under a label that has their field's name: "constructors" in the table headed "Constructor and Description".

Of ways to records that fit the samples and further pages alike, one by such a label says what the others happen to
do: where the label is missing there are no such records, and rows that are built like them belong to something else.

Source:
    None; the names that people give to fields are a source of their own, as in attribute labelling of web tables
    (Cafarella et al., "WebTables", 2008).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import PageView, RowRule
from gwc_crawler.items import Family

MOST_SILENT = 0.15
"""On a greater share of the pages with such rows the label is missing: then it may just read otherwise there."""
LEAST_WORD = 4
"""Characters of a word that is looked for in labels; shorter ones stand in many."""
_LABEL = re.compile(r'normalize-space\(\)="([^"]*)"')
_WORD = re.compile(r"[^\W\d_]+")


def by_its_name(name: str, ways: Sequence[RowRule], pages: Sequence[PageView]) -> Sequence[RowRule]:
    """Those of the *ways* to records that go by a label with the field's name, if they read what all do; else all.

    Args:
        name: of the field.
        ways: best first.
        pages: further pages.
    """
    named = [one for one in ways if one.rows.family is Family.LABEL and has_name(name, one.rows.path)]
    read = [(_rows(ways, page), _rows(named, page)) for page in pages] if named else []
    speaking = [(rows, by_label) for rows, by_label in read if rows]
    silent = sum(not by_label for _, by_label in speaking)
    same = all(rows == by_label for rows, by_label in speaking if by_label)
    return named if named and same and silent <= MOST_SILENT * len(speaking) else ways


def has_name(name: str, path: str) -> bool:
    """Whether a label that *path* asks for has a word of a field's name, in the singular or the plural.

    >>> has_name("constructors", '//th[text()[normalize-space()="Constructor and Description"]]/..')
    True
    """
    words = {_stem(word) for label in _LABEL.findall(path) for word in _WORD.findall(label)}
    return not words.isdisjoint(_stem(word) for word in _WORD.findall(name) if len(word) >= LEAST_WORD)


def _stem(word: str) -> str:
    return word.casefold().removesuffix("s")


def _rows(ways: Sequence[RowRule], page: PageView) -> list[Any]:
    """What the first way that finds anything reads."""
    return next((found for one in ways if (found := one.read(page))), [])
