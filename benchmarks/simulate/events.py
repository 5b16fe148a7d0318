"""Virtual time: what happens next, in order."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

EPOCH = 1_800_000_000.0
"""The clock begins there: limiter and frontier count in seconds since 1970."""


class Events:
    """A queue of things to do at a time; `now` is the time of what is being done."""

    def __init__(self) -> None:
        self.now = EPOCH
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Do *action* then, or at once where that is over. Cost: O(log events)."""
        heapq.heappush(self._queue, (max(moment, self.now), next(self._numbers), action))

    def run_until(self, moment: float) -> None:
        """Do what is due up to *moment*."""
        while self._queue and self._queue[0][0] <= moment:
            self.now, _, action = heapq.heappop(self._queue)
            action()
        self.now = moment
