"""How long each operation takes, inside the database and around it: what TagStrip measures with its advice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


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
