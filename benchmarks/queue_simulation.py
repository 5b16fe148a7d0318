"""Crawls of five sites by up to 1,000 request slots, in simulated time: queues by host against queues by BKDR hash.

Workers own their queues. Each has a real `RedisFrontier`, all on one real server, so who may fetch what is decided as
in a crawl; only pages, the time they take and the clock are made up. Politeness allows everything, as in the paper.

Source:
    BKDR-queue, its three figures: active threads, URLs and KB over time; five portals as seeds, 1,000 threads.
"""

from __future__ import annotations

import heapq
import random
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from redis import Redis

from gwc_crawler.frontier.queues import queue_policy
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Done, Lease, Link, PageKind
from tests.redis_server import RedisServer

SLOTS_A_WORKER = 20
SLOTS = (100, 300, 1000)
SEEDS = 5
CHILDREN = 12
MEAN_KB = 40
ASK_SECONDS = 0.5
QUEUE_LEASE_SECONDS = 10.0


class Worker:
    """One worker: it leases as many URLs ahead as it has slots, and commits what it has read when it leases."""

    def __init__(self, name: str, frontier: RedisFrontier) -> None:
        self.active = 0
        self.read: list[Done] = []
        self._frontier = frontier
        self._name = name
        self._waiting: list[Lease] = []

    def begin(self, *, ask: bool) -> list[Lease]:
        """Fill the free slots; asks the frontier where little waits."""
        if ask or (len(self._waiting) < SLOTS_A_WORKER // 2 and len(self.read) >= SLOTS_A_WORKER // 2):
            self._frontier.complete(self.read)
            self.read.clear()
            self._waiting += self._frontier.lease(SLOTS_A_WORKER - len(self._waiting), self._name)
            self._frontier.release([one for one in self._waiting if not self._frontier.may_begin(one)])
            self._waiting = [one for one in self._waiting if one.token in self._frontier.under_way]
        free = SLOTS_A_WORKER - self.active
        begun, self._waiting = self._waiting[:free], self._waiting[free:]
        self.active += len(begun)
        return begun


class Crawl:
    """One crawl in simulated time."""

    def __init__(self, client: Redis, policy: str, slots: int, latency: float) -> None:
        client.flushall()
        self.now = 1e9
        self.urls, self.kilobytes = 0, 0.0
        self._chance = random.Random(slots)
        self._latency = latency
        frontiers = [
            RedisFrontier(
                client, "five", queue_of=queue_policy(policy, queues=64), parts=256, known_urls=10_000,
                queue_lease_seconds=QUEUE_LEASE_SECONDS, clock=lambda: self.now,
            )
            for _ in range(slots // SLOTS_A_WORKER)
        ]  # fmt: skip
        frontiers[0].add([Link(f"http://portal{number}.example/0") for number in range(SEEDS)])
        self._workers = [Worker(str(number), frontier) for number, frontier in enumerate(frontiers)]
        self._numbers = count()
        self._events: list[tuple[float, int, Worker, Lease | None]] = []
        for place, worker in enumerate(self._workers):
            self._plan(ASK_SECONDS * place / len(self._workers), worker, None)

    @property
    def active(self) -> int:
        """How many downloads are under way."""
        return sum(worker.active for worker in self._workers)

    def go_on(self, seconds: float) -> None:
        """Let so much time pass."""
        until = self.now + seconds
        while self._events[0][0] <= until:
            self.now, _, worker, lease = heapq.heappop(self._events)
            if lease is None:
                self._plan(ASK_SECONDS, worker, None)
            else:
                self._end(worker, lease)
            for begun in worker.begin(ask=lease is None):
                self._plan(self._chance.gammavariate(4, self._latency / 4), worker, begun)
        self.now = until

    def _plan(self, seconds: float, worker: Worker, lease: Lease | None) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), worker, lease))

    def _end(self, worker: Worker, lease: Lease) -> None:
        host, _, number = lease.url.rpartition("/")
        first = int(number) * CHILDREN + 1
        links = tuple(f"{host}/{child}" for child in range(first, first + CHILDREN))
        worker.active -= 1
        worker.read.append(Done(lease, lease.url, PageKind.DIRECTORY, relevant=True, links=links))
        self.urls += 1
        self.kilobytes += self._chance.expovariate(1 / MEAN_KB)


def simulation_table(seconds: int, latency: float) -> str:
    """Both policies over time with the most slots, and at the end with fewer."""
    steps = [one for one in (1, 2, 4, 8, 15, 30) if one <= seconds]
    lines = [
        f"five sites, simulated; a worker has {SLOTS_A_WORKER} slots, a page {MEAN_KB} KB, and takes {latency} s\n",
        "| slots | second | host: active | URLs | KB | bkdr: active | URLs | KB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    folder = tempfile.TemporaryDirectory(prefix="bench-queues-")
    with folder, RedisServer(Path(folder.name)) as server, server.client() as client:
        for slots in SLOTS:
            both = [over_time(Crawl(client, policy, slots, latency), steps) for policy in ("host", "bkdr")]
            rows = [f"| {slots} | {step} | {host} | {bkdr} |" for step, host, bkdr in zip(steps, *both, strict=True)]
            lines += rows if slots == max(SLOTS) else rows[-1:]
    return "\n".join(lines)


def over_time(crawl: Crawl, steps: Sequence[int]) -> list[str]:
    """Active downloads, URLs and KB after each of so many seconds."""
    told, before = [], 0
    for step in steps:
        crawl.go_on(step - before)
        told.append(f"{crawl.active:,} | {crawl.urls:,} | {crawl.kilobytes:,.0f}")
        before = step
    return told
