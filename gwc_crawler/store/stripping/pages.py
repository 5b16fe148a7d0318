"""What goes through the strip engine, and what a place has to do that pages are read from or written to."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PageKey:
    """A page that waits, without its content.

    Attributes:
        place: where it stands in its source, which reads on behind it.
        url: names the page in the target.
        version: a text that is greater for what is newer; "" where a source does not tell.
    """

    place: Any
    url: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page as it came; *content_type* is what the server said, "" where nobody knows."""

    url: str
    version: str
    content: bytes
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class StrippedPage:
    """A page without its tags' noise; *problem* says why there is nothing of it, "" where there is."""

    url: str
    version: str
    content: str
    problem: str = ""


class PageSource(Protocol):
    """Where pages wait: read in the order of their places, never by counting rows (OFFSET)."""

    def count(self) -> int | None:
        """Return how many pages there are; None where nobody knows before the end."""

    def keys(self, after: PageKey | None, limit: int) -> Sequence[PageKey]:
        """Return the next pages behind *after* (None: the first); none at the end.

        A source that can only be read forwards is asked so.
        """

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Return the pages of those *keys* that are still there; they are of the last call of `keys`, in order."""

    def close(self) -> None:
        """Let go of what is open."""


class PageTarget(Protocol):
    """Where stripped pages go; what is done is known here alone."""

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of those *keys* whose page is here, in that version or a newer one."""

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Store pages, all of them or none; each URL once: a page takes the place of one that is not newer.

        Raises:
            StoreError: none is stored.
        """

    def close(self) -> None:
        """Let go of what is open."""


# --- How long each operation takes, inside the database and around it: what TagStrip measures with its advice ---------


@dataclass(slots=True)
class OperationTime:
    """One operation: how often, for how many pages, seconds inside the database (or the disk) and outside."""

    times: int = 0
    pages: int = 0
    inside: float = 0.0
    outside: float = 0.0


class StopWatch:
    """Adds up; one thread.

    Args:
        clock: seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.operations: dict[str, OperationTime] = {}
        self._clock = clock
        self._within = 0.0
        self._is_inside = False

    @contextmanager
    def operation(self, name: str) -> Iterator[OperationTime]:
        """Measure an operation; who does it adds to `pages`."""
        one = self.operations.setdefault(name, OperationTime())
        self._within = 0.0
        began = self._clock()
        try:
            yield one
        finally:
            one.times += 1
            one.inside += self._within
            one.outside += self._clock() - began - self._within
            self._within = 0.0

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Measure what is done in the database, as a part of the operation under way; nested, it counts once."""
        if self._is_inside:
            yield
            return
        self._is_inside = True
        began = self._clock()
        try:
            yield
        finally:
            self._is_inside = False
            self._within += self._clock() - began
