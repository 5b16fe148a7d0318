"""Whose turn is it: the queues (one per host) that have something to give, in the order of `frontier.order`.

`SqliteFrontier` tells it the best waiting weight of each queue; it keeps them in a heap, so a turn costs O(log queues)
however many hosts there are. A resting queue (Retry-After) takes no part until its time. Memory only, no clock.
"""

from __future__ import annotations

import heapq

from gwc_crawler.frontier.order import place_of, weight_at


class ReadyQueue:
    """The ready queues by their places: (place, queue)."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all queues, and who rests."""
        self._entries: dict[int, tuple[int, int]] = {}
        self._heap: list[tuple[int, int]] = []
        self._turn = 0
        self._resting: dict[int, float] = {}
        self._busy: set[int] = set()
        self._passed_over: list[tuple[int, int]] = []

    def offer(self, queue: int, weight: int) -> None:
        """*queue* has something of *weight* to give."""
        entry = self._entries.get(queue)
        if (entry is None or weight < weight_at(entry[0])) and queue not in self._resting:
            self._turn += 1
            self._entries[queue] = entry = (place_of(weight, self._turn), queue)
            heapq.heappush(self._heap, entry)

    def take(self, limit: int) -> tuple[int, list[int]]:
        """Up to *limit* queues of the best weight, the longest waiting first; they must be offered again afterwards."""
        weight = 0
        queues: list[int] = []
        while self._heap and len(queues) < limit:
            entry = self._heap[0]
            if self._entries.get(entry[1]) != entry:
                heapq.heappop(self._heap)  # outdated: the queue came up with a better weight or was put to rest
                continue
            if entry[1] in self._busy:
                heapq.heappop(self._heap)
                self._passed_over.append(entry)
                continue
            if queues and weight_at(entry[0]) != weight:
                break
            heapq.heappop(self._heap)
            del self._entries[entry[1]]
            weight = weight_at(entry[0])
            queues.append(entry[1])
        return weight, queues

    def pass_over(self, busy: set[int]) -> None:
        """The queues in *busy* get no turns, and keep their places, until this is called again."""
        if not self._busy and not busy:
            return
        self._busy, passed_over, self._passed_over = busy, self._passed_over, []
        for entry in passed_over:
            if entry[1] not in busy:
                heapq.heappush(self._heap, entry)
            elif self._entries.get(entry[1]) == entry:
                self._passed_over.append(entry)

    def skip(self, queue: int) -> None:
        """*queue* gets no turns, too, until `pass_over` is called again."""
        self._busy = self._busy | {queue}

    def rest(self, queue: int, until: float) -> None:
        """*queue* gives nothing before *until*."""
        self._resting[queue] = max(until, self._resting.get(queue, until))
        self._entries.pop(queue, None)

    def awaken(self, now: float) -> list[int]:
        """The queues whose rest is over; the caller offers what they have."""
        rested = [queue for queue, until in self._resting.items() if until <= now] if self._resting else []
        for queue in rested:
            del self._resting[queue]
        return rested

    @property
    def ready(self) -> bool:
        """Whether any queue has something to give."""
        return bool(self._entries)

    @property
    def resting(self) -> dict[int, float]:
        """Queue → end of its rest."""
        return self._resting
