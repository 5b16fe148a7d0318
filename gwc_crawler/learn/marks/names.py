"""What elements are called in nesting marks: their classes and ids.

In: marks (`page_features`). Out: the same without names; whether two name an element alike.
"""

from __future__ import annotations

import re

_NAMES = re.compile(r"[.#][^>]*")
_NAME = re.compile(r"[.#][^.#>]*")
_MOST_NAMES = 3


def tags_of(mark: str) -> str:
    """A nesting mark without classes and ids; a text mark as it is."""
    return _NAMES.sub("", mark) if ">" in mark else mark


def is_mostly(mark: str, place: str) -> bool:
    """Whether a nesting mark is another one with some further classes, or without some.

    >>> is_mostly("h1.class.private>code>a", "h1.class>code>a"), is_mostly("h1.module>code>a", "h1.class>code>a")
    (True, False)
    """
    steps = zip(*([frozenset(_NAME.findall(one)) for one in some.split(">")] for some in (mark, place)), strict=False)
    return mark != place and tags_of(mark) == tags_of(place) and all(_are_close(*pair) for pair in steps)


def _are_close(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one set of classes holds the other; a mark names the first three, so of what comes later nothing is
    known."""
    known, others = _up_to(one, other), _up_to(other, one)
    return one == other or (bool(known & others) and (known >= others or known <= others))


def _up_to(names: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    return names if len(others) < _MOST_NAMES else frozenset(one for one in names if one <= max(others))
