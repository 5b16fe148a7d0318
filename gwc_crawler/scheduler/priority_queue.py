"""Requests in memory, in the order of the crawl (`frontier.order`): tunnel weight, hosts in fair turns, breadth first.

It also works alone under Scrapy's own scheduler, as `SCHEDULER_PRIORITY_QUEUE`, in memory and with `JOBDIR`.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from scrapy import Request, squeues
from scrapy.crawler import Crawler
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler

from gwc_crawler.items import META_TURN, META_WEIGHT
from gwc_crawler.network.politeness.limiter import Limiter


class TunnelWeightQueue:
    """A priority queue of Requests: least `meta["weight"] - priority` first, equal ones first in, first out.

    Among equal weights the hosts (download slots) take turns, so that one host with many pages does not keep the
    others waiting. With a limiter, a host that may not start a request now rests: it is taken out of the turns until it
    may, at a known time or when `look_again` is called.

    Cost: push and pop are O(log w) for w distinct weights, whatever the number of hosts and Requests; with a limiter
    O(log h), amortised, for h resting hosts. (Scrapy's DownloaderAwarePriorityQueue looks at every host for each pop.)
    Source:
        GWC, *Crawl: supervised breadth first with tunnel weights*. The fair turns are ours: the paper crawls one host.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **named: Any) -> TunnelWeightQueue:
        return cls(crawler, *args, **named)

    def __init__(
        self,
        crawler: Crawler,
        downstream_queue_cls: type[Any],
        key: str,
        startprios: Mapping[str, Iterable[str]] | None = None,
        *,
        start_queue_cls: type[Any] | None = None,
    ) -> None:
        """Open the queue; *startprios* is the result of `close` when a disk queue was closed.

        *start_queue_cls* is unused: start URLs have weight 0 and need no queue of their own.
        """
        self.crawler = crawler
        self.downstream_queue_cls = _FIFO_OF.get(downstream_queue_cls, downstream_queue_cls)
        self.key = key
        self.limiter: Limiter | None = None
        """Says which hosts may start a request now; None: all."""
        self._on_rest: Callable[[str], None] | None = None
        self._levels: dict[int, _Level] = {}
        self._order: list[int] = []
        self._count = 0
        self._backlog: dict[str, int] = {}
        self._resting: dict[str, list[_Level]] = {}
        self._resting_count = 0
        self._due: list[tuple[float, str]] = []
        for number, hosts in (startprios or {}).items():
            level = self._level(int(number))
            for host in hosts:
                waiting = len(level.open(host))
                self._backlog[host] = self._backlog.get(host, 0) + waiting
                self._count += waiting
            self._list(level)

    def heed(self, limiter: Limiter | None, on_rest: Callable[[str], None] | None = None) -> None:
        """Give out only what *limiter* lets start; *on_rest* is called when a host begins to rest because of it."""
        self.limiter = limiter
        self._on_rest = on_rest

    def push(self, request: Request) -> None:
        """Add a Request to its weight and host."""
        host = _slot_of(request) if self.limiter is None else self.limiter.key_of(request.url)
        level = self._level(request.meta.get(META_WEIGHT, 0) - request.priority)
        resting = self._resting.get(host)
        opened = level.push(host, request, in_turn=resting is None)
        if opened and resting is not None and level not in resting:
            resting.append(level)
        self._list(level)
        self._backlog[host] = self._backlog.get(host, 0) + 1
        self._count += 1
        if resting is not None:
            self._resting_count += 1

    def pop(self) -> Request | None:
        """Remove and return the Request that is next, or None; with a limiter: of a host that may start one."""
        if self.limiter is None:
            level = self._best()
            return None if level is None else self._take(level)
        while self._due and self._due[0][0] <= self.limiter.clock():
            self.look_again(heapq.heappop(self._due)[1])
        while (level := self._best()) is not None:
            host = level.turns[0]
            if self.limiter.may_start(host):
                self.limiter.started(host)
                request = self._take(level)
                request.meta[META_TURN] = host
                return request
            self._rest(host, level)
        return None

    def peek(self) -> Request | None:
        """Return the Request that is next without removing it, or None."""
        level = self._best()
        return None if level is None else level.peek()

    def close(self) -> dict[str, list[str]]:
        """Close the downstream queues; return the weights and hosts that still hold Requests."""
        return {str(number): hosts for number, level in self._levels.items() if (hosts := level.close())}

    def __len__(self) -> int:
        return self._count

    # --- hosts that may not start anything now --------------------------------------------------------------------

    @property
    def ready(self) -> int:
        """The number of waiting Requests whose host is not known to have to wait itself."""
        return self._count - self._resting_count

    def backlog(self, host: str) -> int:
        """Return how many Requests of *host* wait."""
        return self._backlog.get(host, 0)

    def next_at(self) -> float | None:
        """Return the time when the first resting host may start something (limiter's clock); None if unknown."""
        while self._due and self._due[0][1] not in self._resting:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def look_again(self, host: str) -> None:
        """Check a resting host, which may be free now: give it turns again, or note when it may start something."""
        if self.limiter is None or host not in self._resting:
            return
        if self.limiter.may_start(host):
            self._awaken(host)
        elif (at := self.limiter.next_at(host)) < math.inf:
            heapq.heappush(self._due, (at, host))

    def take_surplus(self, host: str, keep: int) -> list[Request]:
        """Remove and return the Requests of *host* beyond its first *keep*, worst last. Cost: O(its backlog)."""
        surplus: list[Request] = []
        for number in sorted(self._levels):
            level = self._levels[number]
            if (queue := level.queues.get(host)) is not None:
                kept = min(keep, len(queue))
                keep -= kept
                surplus += _cut(queue, kept)
                if not kept:
                    level.drop(host)
        self._count -= len(surplus)
        self._backlog[host] -= len(surplus)
        if host in self._resting:
            self._resting_count -= len(surplus)
        return surplus

    def drain(self) -> Iterator[Request]:
        """Remove and yield all Requests in order, whatever the limiter says."""
        self.limiter = None
        for host in list(self._resting):
            self._awaken(host)
        while (request := self.pop()) is not None:
            yield request

    def _rest(self, host: str, level: _Level) -> None:
        level.turns.popleft()
        known = self._resting.get(host)
        if known is not None:
            known.append(level)
            return
        self._resting[host] = [level]
        self._resting_count += self._backlog[host]
        if self.limiter is not None and (at := self.limiter.next_at(host)) < math.inf:
            heapq.heappush(self._due, (at, host))
        if self._on_rest is not None:
            self._on_rest(host)

    def _awaken(self, host: str) -> None:
        self._resting_count -= self._backlog.get(host, 0)
        for level in self._resting.pop(host):
            if host in level.queues:
                level.turns.append(host)
                self._list(level)

    # --- levels ---------------------------------------------------------------------------------------------------

    def _level(self, number: int) -> _Level:
        level = self._levels.get(number)
        if level is None:
            level = self._levels[number] = _Level(self, number)
        return level

    def _list(self, level: _Level) -> None:
        if not level.listed and level.turns:
            level.listed = True
            heapq.heappush(self._order, level.number)

    def _best(self) -> _Level | None:
        while self._order:
            level = self._levels[self._order[0]]
            if level.turns:
                return level
            heapq.heappop(self._order)
            level.listed = False
            if not level.queues:
                del self._levels[level.number]
        return None

    def _take(self, level: _Level) -> Request:
        host, request = level.pop()
        self._count -= 1
        left = self._backlog[host] - 1
        if left:
            self._backlog[host] = left
        else:
            del self._backlog[host]
        return request


class _Level:
    """The Requests of one weight: a downstream queue for each host, and the hosts that have turns in a ring."""

    def __init__(self, owner: TunnelWeightQueue, number: int) -> None:
        self._owner = owner
        self.number = number
        self.listed = False
        self.queues: dict[str, Any] = {}
        self.turns: deque[str] = deque()

    def open(self, host: str, *, in_turn: bool = True) -> Any:
        owner = self._owner
        path = f"{owner.key}/{self.number}/{_safe(host)}" if owner.key else ""
        queue = build_from_crawler(owner.downstream_queue_cls, owner.crawler, path)
        self.queues[host] = queue
        if in_turn:
            self.turns.append(host)
        return queue

    def push(self, host: str, request: Request, *, in_turn: bool) -> bool:
        """Add a Request; whether a queue had to be opened for it."""
        opened = host not in self.queues
        queue = self.open(host, in_turn=in_turn) if opened else self.queues[host]
        try:
            queue.push(request)
        except ValueError:  # a disk queue can't take it: then nothing has changed
            if opened:
                self.drop(host)
            raise
        return opened

    def pop(self) -> tuple[str, Request]:
        host = self.turns.popleft()
        queue = self.queues[host]
        request: Request = queue.pop()
        if len(queue):
            self.turns.append(host)
        else:
            queue.close()
            del self.queues[host]
        return host, request

    def drop(self, host: str) -> None:
        self.queues.pop(host).close()
        if host in self.turns:
            self.turns.remove(host)

    def peek(self) -> Request:
        request: Request = self.queues[self.turns[0]].peek()
        return request

    def close(self) -> list[str]:
        for queue in self.queues.values():
            queue.close()
        return list(self.queues)


def _cut(queue: Any, keep: int) -> list[Request]:
    """Remove and return what stands in *queue* after its first *keep*."""
    everything = [queue.pop() for _ in range(len(queue))]
    for request in everything[:keep]:
        queue.push(request)
    return everything[keep:]


def _slot_of(request: Request) -> str:
    slot: str | None = request.meta.get("download_slot")
    return slot if slot is not None else urlparse_cached(request).hostname or ""


def _safe(host: str) -> str:
    readable = "".join(char if char.isalnum() or char in "-._" else "_" for char in host)
    return f"{readable}-{hashlib.md5(host.encode(), usedforsecurity=False).hexdigest()[:8]}"


_FIFO_OF: dict[type[Any], type[Any]] = {
    squeues.LifoMemoryQueue: squeues.FifoMemoryQueue,
    squeues.PickleLifoDiskQueue: squeues.PickleFifoDiskQueue,
    squeues.MarshalLifoDiskQueue: squeues.MarshalFifoDiskQueue,
}
"""The sibling of a Scrapy queue that keeps our order: the defaults are LIFO, breadth first needs FIFO."""
