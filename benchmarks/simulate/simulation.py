"""A fleet of workers crawls the world for some virtual seconds; what came of it as figures."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from benchmarks.simulate.events import Events
from benchmarks.simulate.redis_nodes import Nodes
from benchmarks.simulate.worker import Share, Tally, Worker
from benchmarks.simulate.world import World
from gwc_crawler.dns import DnsAnswer, DnsCache, DnsOptions
from gwc_crawler.fleet import Fleet, SiteEntry
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Link
from gwc_crawler.politeness import HostLimits

WARM_UP = 1 / 3
"""The first part of the time is not counted."""

BATCH = 5_000
STALL_SECONDS = 10.0
WORKERS_A_MACHINE = 16
"""They share their names."""

BIG_HOSTS = 200
"""Fairness is judged among so many of the biggest hosts: they have work for all the time."""

NAME_HOLDS_SECONDS = 300.0
LONG_WAIT_MS = 250.0
"""With calls that wait so long for a master, it is Redis that holds the crawl back, busy or not in what is counted."""


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    workers: int
    masters: int = 1
    seconds: float = 30.0
    concurrency: int = 16
    per_host: int = 2
    delay: float = 0.0
    page_seconds: float = 0.002
    churn: float = 0.2
    """The share of the workers that are killed, and of those that stall, in a minute; for each killed one comes one."""
    parts: int = 16
    seed: int = 1


@dataclass(frozen=True)
class Outcome:
    """Figures of the time that counts. Rates are a virtual second's; shares are of 1."""

    workers: int
    masters: int
    pages_a_second: float
    slots_used: float
    workers_idle: float
    workers_cpu: float
    busiest_master: float
    redis_calls_a_second: float
    redis_wait_ms: float
    redis_ms_a_page: float
    redis_mb: float
    fairness: float
    name_hits: float
    most_at_once: int
    shortest_gap: float
    refused: int
    twice: int
    limit: str


def fill(server: Any, world: World, case: Case) -> None:
    """Let all URLs of the world wait, and enrol the sites."""
    for site in range(world.sites):
        frontier = RedisFrontier(server, f"site{site}", parts=case.parts, known_urls=1000)
        urls = world.known_urls(site)
        while batch := list(islice(urls, BATCH)):
            frontier.add([Link(url, 0, 1) for url in batch])
        frontier.close()


def simulate(server: Any, world: World, case: Case) -> Outcome:
    """Run one case from a frontier that was filled."""
    events, tally = Events(), Tally()
    nodes = Nodes(server, case.masters, events)
    _enrol(server, world, events)
    limits = HostLimits(delay_seconds=case.delay, concurrency=case.per_host)
    share = Share(world, events, nodes, tally, limits, case.concurrency, case.page_seconds, case.parts)
    loop = asyncio.new_event_loop()
    caches: list[DnsCache] = []
    numbers = iter(range(1, 1 << 30))

    def hire() -> Worker:
        number = next(numbers)
        if len(caches) <= number // WORKERS_A_MACHINE:
            caches.append(_names(nodes))
        worker = Worker(share, f"w{number}", caches[-1], loop, case.seed * 1_000_003 + number)
        worker.begin()
        return worker

    workers = [hire() for _ in range(case.workers)]
    _plan_churn(case, events, workers, hire)
    end = events.now + case.seconds
    warm = events.now + WARM_UP * case.seconds
    events.run_until(warm)
    before = _snapshot(tally, nodes)
    events.run_until(end)
    loop.close()
    return _outcome(server, case, world, tally, nodes, caches, before, end - warm)


def _names(nodes: Nodes) -> DnsCache:
    async def ask(name: str) -> DnsAnswer:
        return DnsAnswer(("192.0.2.1",), NAME_HOLDS_SECONDS)

    return DnsCache(ask, DnsOptions(), clock=lambda: nodes.now, hosts_file=dict)


def _enrol(server: Any, world: World, events: Events) -> None:
    fleet = Fleet(server, clock=lambda: events.now)
    fleet.enrol(SiteEntry(f"site{number}", f"h{number}.example") for number in range(world.sites))


def _plan_churn(case: Case, events: Events, workers: list[Worker], hire: Any) -> None:
    """Have workers killed and replaced, and others stall, at random moments."""
    chance = random.Random(case.seed)
    happenings = round(case.churn * case.workers * case.seconds / 60)

    def replace() -> None:
        place = chance.randrange(len(workers))
        workers[place].kill()
        workers[place] = hire()

    def stall() -> None:
        chance.choice(workers).stalled_until = events.now + STALL_SECONDS

    for _ in range(happenings):
        events.at(events.now + chance.random() * case.seconds, replace)
        events.at(events.now + chance.random() * case.seconds, stall)


@dataclass(frozen=True)
class _Snapshot:
    tally: dict[str, Any]
    by_host: dict[int, int]
    busy: Sequence[float]
    waited: float
    calls: int


def _snapshot(tally: Tally, nodes: Nodes) -> _Snapshot:
    counts = {name: value for name, value in asdict(tally).items() if isinstance(value, int | float)}
    return _Snapshot(
        counts, dict(tally.by_host), [node.busy_seconds for node in nodes.masters],
        sum(node.waited_seconds for node in nodes.masters), sum(_calls(nodes)),
    )  # fmt: skip


def _calls(nodes: Nodes) -> Iterator[int]:
    return (node.calls for node in nodes.masters)


def _outcome(
    server: Any, case: Case, world: World, tally: Tally, nodes: Nodes, caches: Sequence[DnsCache], before: _Snapshot,
    seconds: float,
) -> Outcome:  # fmt: skip
    pages = tally.fetched - before.tally["fetched"]
    worked = tally.worker_seconds - before.tally["worker_seconds"]
    busy = [node.busy_seconds - was for node, was in zip(nodes.masters, before.busy, strict=True)]
    lookups = sum(cache.counts.lookups for cache in caches)
    rates = [tally.by_host.get(host, 0) - before.by_host.get(host, 0) for host in range(min(BIG_HOSTS, world.hosts))]
    calls = sum(_calls(nodes)) - before.calls
    waited = sum(node.waited_seconds for node in nodes.masters) - before.waited
    figures = {
        "slots_used": (tally.slot_seconds - before.tally["slot_seconds"]) / (worked * case.concurrency),
        "workers_cpu": (tally.cpu_seconds - before.tally["cpu_seconds"]) / worked,
        "busiest_master": max(busy) / seconds,
        "redis_wait_ms": 1000 * waited / max(calls, 1),
    }
    return Outcome(
        workers=case.workers,
        masters=case.masters,
        pages_a_second=pages / seconds,
        workers_idle=(tally.idle_seconds - before.tally["idle_seconds"]) / worked,
        redis_calls_a_second=calls / seconds,
        redis_ms_a_page=1000 * sum(busy) / max(pages, 1),
        redis_mb=server.info("memory")["used_memory"] / 1e6,
        fairness=jain(rates),
        name_hits=sum(cache.counts.hits for cache in caches) / max(lookups, 1),
        most_at_once=tally.most_at_once,
        shortest_gap=tally.shortest_gap,
        refused=tally.refused,
        twice=sum(count > 1 for count in tally.completed.values()),
        limit=_what_limits(**figures),
        **figures,
    )


def _what_limits(slots_used: float, workers_cpu: float, busiest_master: float, redis_wait_ms: float) -> str:
    """Say what holds the crawl back."""
    if busiest_master > 0.9 or redis_wait_ms > LONG_WAIT_MS:
        return f"Redis: a call waits {redis_wait_ms:,.0f} ms until its master gets to it"
    if workers_cpu > 0.9:
        return "the workers' processors"
    if slots_used > 0.9:
        return "the network's latency: all requests are under way that the workers may have"
    return "the hosts: politeness lets no more go out"


def jain(rates: Sequence[float]) -> float:
    """Jain's index of fairness, 1: all have the same; 1 / n: one has all.

    Source:
        Jain, Chiu & Hawe, *A Quantitative Measure of Fairness*, 1984.

    >>> jain([2, 2, 2]), jain([3, 0, 0])
    (1.0, 0.3333333333333333)
    """
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0
