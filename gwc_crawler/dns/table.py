"""The names a cache keeps: so many at most; when there are more, those that are asked for least go. Used by `cache`.

Source:
    MD5-tree, *DNS cache*: a hash table whose collision chains hold name, address and weight, sorted by weight, so that
    popular names are found first. What we do differently: Python's dict has no chains to sort, so the weight serves
    what is left for it to do, to say who stays when the table is full. How (a generalised clock): A. J. Smith,
    *Sequentiality and Prefetching in Database Systems*, ACM TODS 3 (3), 1978. `python -m benchmarks.dns` measures the
    paper's table beside this one.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, Protocol, TypeVar

MOST_WEIGHT = 15
"""More hits than these count for nothing: fame of long ago is forgotten after four rounds."""

LOOKS = 64
"""So many names are looked at for one that goes, at most: then it is the lightest of them."""


class Weighted(Protocol):
    """What is kept of a name."""

    weight: int


V = TypeVar("V", bound=Weighted)


class NameTable(Generic[V]):
    """At most *size* names, with what is kept of each.

    The dict's order is the clock's: the name that is longest in its place is looked at first. One with weight loses
    half of it and goes to the end, one without goes out. Cost: a few looks for each new name.
    """

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._entries: OrderedDict[str, V] = OrderedDict()  # the first of a plain dict is found ever more slowly

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, name: str) -> V | None:
        """Return what is kept of *name*, and count that it was asked for."""
        entry = self._entries.get(name)
        if entry is not None and entry.weight < MOST_WEIGHT:
            entry.weight += 1
        return entry

    def peek(self, name: str) -> V | None:
        """Return what is kept of *name*, without a word on how often it is asked for."""
        return self._entries.get(name)

    def put(self, name: str, entry: V) -> None:
        """Keep *entry* of *name*, whose weight goes on."""
        if (old := self._entries.get(name)) is not None:
            entry.weight = old.weight
        elif len(self._entries) >= self._size:
            self._drop_one()
        self._entries[name] = entry

    def _drop_one(self) -> None:
        entries = self._entries
        lightest, least = "", MOST_WEIGHT + 1
        for _ in range(min(LOOKS, len(entries))):
            name, entry = entries.popitem(last=False)
            if not entry.weight:
                return
            entry.weight //= 2
            entries[name] = entry
            if entry.weight < least:
                lightest, least = name, entry.weight
        del entries[lightest]
