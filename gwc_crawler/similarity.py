"""How much two sets have in common: the one measure of it, for pages, URLs, texts and decisions."""

from __future__ import annotations

from collections.abc import Set
from typing import Any


def overlap(one: Set[Any], other: Set[Any], *, of_nothing: float = 0.0) -> float:
    """The share of what either set has that both have (Jaccard); *of_nothing* where both are empty.

    >>> overlap({"a", "b"}, {"b", "c"}), overlap(set(), set()), overlap(set(), set(), of_nothing=1.0)
    (0.3333333333333333, 0.0, 1.0)
    """
    either = len(one | other)
    return len(one & other) / either if either else of_nothing
