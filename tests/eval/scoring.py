"""Compare what was extracted with the truth: counts of right, wrong and missing items per field, and their F1.

A single value counts as one item. A list counts item by item as a multiset (order is not scored), a list of records
record by record: a record is right when all its known sub-fields are equal. Truth None means "not known": no score.
Nothing expected and nothing extracted counts nowhere; a value too many is wrong, a value too few is missing, a
different value is both.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[\s​⁠﻿]+")
_TYPOGRAPHY = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "--", "—": "---", "…": "..."})


def fold(text: str) -> str:
    """Fold white space (all of Unicode's, and zero-width ones) to single blanks; else leave every character."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def fold_typography(text: str) -> str:
    """Fold white space, typographic quotes, dashes and ellipses (the scipydoc truth is written so)."""
    return fold(text).translate(_TYPOGRAPHY)


def fold_url(text: str) -> str:
    """Return the URL as the crawler writes it, so that a relative, absolute or differently escaped one are equal."""
    from gwc_crawler.urls import normalize_url

    return normalize_url(text.strip()) or fold(text)


@dataclass
class Score:
    """Counted items of one field; add them up with `+=`. `pages_exact` counts pages with the whole value right."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    pages: int = 0
    pages_exact: int = 0

    def __iadd__(self, other: Score) -> Score:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def precision(self) -> float:
        """Right of all extracted; 1 where nothing was extracted."""
        return _ratio(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Right of all expected; 1 where nothing was expected."""
        return _ratio(self.right, self.right + self.missing)

    @property
    def f1(self) -> float:
        """2·right / (2·right + wrong + missing); 1 where there was nothing to find and nothing was found."""
        return _ratio(2 * self.right, 2 * self.right + self.wrong + self.missing)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def score_value(expected: Any, extracted: Any, *, folding: Any = fold, unique: bool = False) -> Score:
    """Score one field of one page; *unique*: equal texts of a list count once."""
    wanted = _items(expected, folding)
    found = _items(extracted, folding)
    if wanted is None:
        return Score()
    if unique:
        wanted, found = list(dict.fromkeys(wanted)), list(dict.fromkeys(found or []))
    right = _matches(wanted, found or [])
    wrong, missing = len(found or []) - right, len(wanted) - right
    return Score(right, wrong, missing, 1, int(not wrong and not missing))


def _items(value: Any, folding: Any) -> list[Any] | None:
    """Return *value* as a list of folded texts or records; None where it isn't known."""
    if value is None:
        return None
    if isinstance(value, str):
        return [folding(value)] if folding(value) else []
    if isinstance(value, Mapping):
        return [{key: _folded(part, folding) for key, part in value.items()}]
    if isinstance(value, Iterable):
        return [item for part in value for item in _items(part, folding) or []]
    return [folding(str(value))]


def _folded(value: Any, folding: Any) -> Any:
    if isinstance(value, str):
        return folding(value)
    if value is None:
        return None
    return [folding(part) for part in value]


def _matches(wanted: list[Any], found: list[Any]) -> int:
    if wanted and isinstance(wanted[0], dict):
        return _record_matches(wanted, [one for one in found if isinstance(one, dict)])
    plain = Counter(one for one in found if isinstance(one, str))
    return (Counter(wanted) & plain).total()


def _record_matches(wanted: list[dict[str, Any]], found: list[dict[str, Any]]) -> int:
    """Pair records off in order; each found one serves once."""
    free = list(found)
    right = 0
    for record in wanted:
        for place, other in enumerate(free):
            if _agrees(record, other):
                del free[place]
                right += 1
                break
    return right


def _agrees(record: dict[str, Any], other: dict[str, Any]) -> bool:
    return all((other.get(key) or _nothing(part)) == part for key, part in record.items() if part is not None)


def _nothing(like: Any) -> Any:
    return "" if isinstance(like, str) else []
