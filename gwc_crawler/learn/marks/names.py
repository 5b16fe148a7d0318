"""What elements are called in nesting marks: their classes and ids.

In: marks (`page_features`). Out: the same without names; whether two name an element alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMES = re.compile(r"[.#][^>]*")
_CLASS = re.compile(r"\.[^.#>]*")
_ID = re.compile(r"#[^>]*")
_MOST_NAMES = 3


def tags_of(mark: str) -> str:
    """A nesting mark without classes and ids; a text mark as it is."""
    return _NAMES.sub("", mark) if ">" in mark else mark


def is_mostly(mark: str, place: str) -> bool:
    """Whether a nesting mark is another one with some further classes, or without some, as far as is known.

    >>> is_mostly("h1.class.private>code>a", "h1.class>code>a"), is_mostly("h1.module>code>a", "h1.class>code>a")
    (True, False)
    """
    if mark == place or tags_of(mark) != tags_of(place) or _ID.findall(mark) != _ID.findall(place):
        return False
    theirs, mine = ([_CLASS.findall(one) for one in some.split(">")] for some in (mark, place))
    return all(map(_are_close, theirs, mine))


def _are_close(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one of two lists of classes, in the order of the alphabet, holds the other.

    A mark names the first three, so of what comes behind the last of three nothing is known; but three that differ in
    the last alone name kinds (`content node node-page`).
    """
    if one == other:
        return True
    if len(one) == len(other) == _MOST_NAMES and one[:-1] == other[:-1]:
        return False
    known, others = _up_to(one, other), _up_to(other, one)
    return bool(known & others) and (known >= others or known <= others)


def _up_to(names: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """Those of the *names* of which it is known whether the *others* have them."""
    return frozenset(one for one in names if len(others) < _MOST_NAMES or one <= others[-1])
