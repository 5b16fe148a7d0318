"""Requests in memory, in the order of the crawl: tunnel weight, then breadth first, hosts in fair turns.

The scheduler keeps the Requests of leased URLs here. It also works alone under Scrapy's own scheduler, as
`SCHEDULER_PRIORITY_QUEUE`, in memory and with `JOBDIR`.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from scrapy import Request, squeues
from scrapy.crawler import Crawler
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler

META_WEIGHT = "weight"
"""`Request.meta` key of the tunnel weight; a Request without it counts as weight 0."""


class TunnelWeightQueue:
    """A priority queue of Requests: least `meta["weight"] - priority` first, equal ones first in, first out.

    Among equal weights the hosts (download slots) take turns, so that one host with many pages does not keep the
    others waiting.

    Cost: push and pop are O(log w) for w distinct weights, whatever the number of hosts and Requests. (Scrapy's
    DownloaderAwarePriorityQueue looks at every host for each pop.)
    Source:
        GWC, *Crawl: supervised breadth first with tunnel weights*. The fair turns are ours: the paper crawls one host.
    """

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        downstream_queue_cls: type[Any],
        key: str,
        startprios: Mapping[str, Iterable[str]] | None = None,
        *,
        start_queue_cls: type[Any] | None = None,
    ) -> TunnelWeightQueue:
        return cls(crawler, downstream_queue_cls, key, startprios, start_queue_cls=start_queue_cls)

    def __init__(
        self,
        crawler: Crawler,
        downstream_queue_cls: type[Any],
        key: str,
        startprios: Mapping[str, Iterable[str]] | None = None,
        *,
        start_queue_cls: type[Any] | None = None,
    ) -> None:
        """Open the queue; *startprios* is what `close` returned when a disk queue was closed.

        *start_queue_cls* has no use: start URLs have weight 0 and need no queue of their own.
        """
        self.crawler = crawler
        self.downstream_queue_cls = _first_in_first_out(downstream_queue_cls)
        self.key = key
        self._levels: dict[int, _Level] = {}
        self._order: list[int] = []
        self._count = 0
        for level, hosts in (startprios or {}).items():
            for host in hosts:
                queue = self._level(int(level)).open(host)
                self._count += len(queue)

    def push(self, request: Request) -> None:
        """Add a Request to its weight and host."""
        self._level(level_of(request)).push(_slot_of(request), request)
        self._count += 1

    def pop(self) -> Request | None:
        """Remove and return the Request that is next, or None."""
        level = self._best()
        if level is None:
            return None
        self._count -= 1
        return level.pop()

    def peek(self) -> Request | None:
        """Return the Request that is next without removing it, or None."""
        level = self._best()
        return None if level is None else level.peek()

    def close(self) -> dict[str, list[str]]:
        """Close the downstream queues; return the weights and hosts that still hold Requests."""
        return {str(number): hosts for number, level in self._levels.items() if (hosts := level.close())}

    def __len__(self) -> int:
        return self._count

    def _level(self, number: int) -> _Level:
        level = self._levels.get(number)
        if level is None:
            level = self._levels[number] = _Level(self, number)
            heapq.heappush(self._order, number)
        return level

    def _best(self) -> _Level | None:
        while self._order:
            level = self._levels[self._order[0]]
            if level:
                return level
            level.close()
            del self._levels[heapq.heappop(self._order)]
        return None


class _Level:
    """The Requests of one weight: a downstream queue for each host, the hosts in a ring."""

    def __init__(self, owner: TunnelWeightQueue, number: int) -> None:
        self._owner = owner
        self._number = number
        self._queues: dict[str, Any] = {}
        self._turns: deque[str] = deque()

    def open(self, host: str) -> Any:
        owner = self._owner
        path = f"{owner.key}/{self._number}/{_safe(host)}" if owner.key else ""
        queue = build_from_crawler(owner.downstream_queue_cls, owner.crawler, path)
        self._queues[host] = queue
        self._turns.append(host)
        return queue

    def push(self, host: str, request: Request) -> None:
        (self._queues.get(host) or self.open(host)).push(request)

    def pop(self) -> Request:
        host = self._turns.popleft()
        queue = self._queues[host]
        request: Request = queue.pop()
        if len(queue):
            self._turns.append(host)
        else:
            queue.close()
            del self._queues[host]
        return request

    def peek(self) -> Request:
        request: Request = self._queues[self._turns[0]].peek()
        return request

    def close(self) -> list[str]:
        for queue in self._queues.values():
            queue.close()
        return list(self._queues)

    def __bool__(self) -> bool:
        return bool(self._turns)


def level_of(request: Request) -> int:
    """Return the number that orders a Request: its tunnel weight less its priority."""
    weight: int = request.meta.get(META_WEIGHT, 0)
    return weight - request.priority


def _slot_of(request: Request) -> str:
    slot: str | None = request.meta.get("download_slot")
    return slot if slot is not None else urlparse_cached(request).hostname or ""


def _safe(host: str) -> str:
    readable = "".join(char if char.isalnum() or char in "-._" else "_" for char in host)
    return f"{readable}-{hashlib.md5(host.encode(), usedforsecurity=False).hexdigest()[:8]}"


_FIFO_SIBLINGS: dict[type[Any], type[Any]] = {
    squeues.LifoMemoryQueue: squeues.FifoMemoryQueue,
    squeues.PickleLifoDiskQueue: squeues.PickleFifoDiskQueue,
    squeues.MarshalLifoDiskQueue: squeues.MarshalFifoDiskQueue,
}


def _first_in_first_out(queue_class: type[Any]) -> type[Any]:
    """Breadth first needs FIFO queues: take the sibling of Scrapy's LIFO ones, which are its default."""
    return _FIFO_SIBLINGS.get(queue_class, queue_class)
