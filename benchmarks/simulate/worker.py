"""One worker in virtual time: frontier, limiter, fleet and names are the crawl's own, what a spider does is short."""

from __future__ import annotations

import asyncio
import heapq
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.simulate.events import Events
from benchmarks.simulate.redis_nodes import Nodes
from benchmarks.simulate.world import NAME_SECONDS, World, place_of
from gwc_crawler.dns import DnsCache
from gwc_crawler.errors import StoreError
from gwc_crawler.fleet import Fleet, SiteLease
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Done, Failure, Lease, PageKind
from gwc_crawler.politeness import TICK_SECONDS, HostLimits, SharedLimiter
from gwc_crawler.politeness.shared_limiter import PARTS
from gwc_crawler.urls import host_of

LEASE_BATCH, COMMIT_PAGES, COMMIT_SECONDS = 64, 100, 1.0
"""As GWC_LEASE_BATCH, GWC_COMMIT_PAGES, GWC_COMMIT_SECONDS."""

AHEAD_SECONDS = 60.0
"""Nothing is leased of a host that has enough here for so long."""

BEAT_SECONDS, LEASE_SECONDS = 2.0, 30.0
KNOWN_URLS = 100_000
"""Each worker's cache of known URLs: a thousand of them share this machine's memory."""

RETRY_SECONDS = 10.0


@dataclass
class Tally:
    """What the servers of the world, and the workers, have seen."""

    fetched: int = 0
    by_host: dict[int, int] = field(default_factory=dict)
    completed: dict[str, int] = field(default_factory=dict)
    last_sent: dict[str, float] = field(default_factory=dict)
    under_way: dict[str, int] = field(default_factory=dict)
    most_at_once: int = 0
    shortest_gap: float = math.inf
    slot_seconds: float = 0.0
    idle_seconds: float = 0.0
    worker_seconds: float = 0.0
    cpu_seconds: float = 0.0
    refused: int = 0

    def sent(self, host: str, now: float) -> None:
        """Note a request as its server does."""
        self.under_way[host] = self.under_way.get(host, 0) + 1
        self.most_at_once = max(self.most_at_once, self.under_way[host])
        self.shortest_gap = min(self.shortest_gap, now - self.last_sent.get(host, -math.inf))
        self.last_sent[host] = now


@dataclass(frozen=True)
class Share:
    """What all workers of one simulation have in common."""

    world: World
    events: Events
    nodes: Nodes
    tally: Tally
    limits: HostLimits
    concurrency: int
    page_seconds: float
    """CPU of a worker for each page."""
    parts: int


class Worker:
    """A process of a fleet: takes a site or parts of it, leases, fetches, completes, goes on elsewhere."""

    def __init__(self, share: Share, name: str, names: DnsCache, loop: asyncio.AbstractEventLoop, seed: int) -> None:
        self.alive = True
        self.stalled_until = 0.0
        self._share, self._name, self._names, self._loop = share, name, names, loop
        self._chance = random.Random(seed)
        clock = self._clock
        self._fleet = Fleet(share.nodes.client("fleet"), lease_seconds=LEASE_SECONDS, clock=clock)
        self._limiter = SharedLimiter(
            share.nodes.cluster(), name, share.limits, longest_request_seconds=30.0, clock=clock, redis_clock=clock,
            parts=PARTS if len(share.nodes.masters) > 1 else 1,
            chance=self._chance.random,
        )  # fmt: skip
        self._limiter.when_free = self._look_again
        self._site: SiteLease | None = None
        self._frontier: RedisFrontier | None = None
        self._waiting: dict[str, deque[Lease]] = {}
        self._ready: deque[str] = deque()
        self._resting: list[tuple[float, str]] = []
        self._queued: set[str] = set()
        self._busy: set[str] = set()
        self._done: list[Done] = []
        self._active = 0
        self._queue_length = 0
        self._free_at = self._since = share.events.now
        self._tick_at = self._beat_at = self._dry_until = self._commit_at = self._quiet_since = share.events.now

    def begin(self) -> None:
        """Go to work; from then on the worker looks again by itself."""
        self._share.events.at(self._share.events.now + self._chance.random() * TICK_SECONDS, self._turn)

    def kill(self) -> None:
        """kill -9: what it has begun is not told to anybody."""
        self.alive = False

    # --- a turn of the loop ---------------------------------------------------------------------------------------

    def _clock(self) -> float:
        return self._share.nodes.now

    def _turn(self) -> None:
        events, nodes = self._share.events, self._share.nodes
        if not self.alive:
            return
        if (busy := max(self._free_at, self.stalled_until)) > events.now:
            events.at(busy, self._turn)
            return
        nodes.now = events.now
        self._account(events.now)
        self._do_what_is_due()
        self._free_at = nodes.now
        events.at(max(events.now + TICK_SECONDS, self._free_at), self._turn)

    def _account(self, now: float) -> None:
        """Add up how the time since the last turn was used."""
        tally, seconds = self._share.tally, now - self._since
        tally.worker_seconds += seconds
        tally.slot_seconds += seconds * self._active
        tally.idle_seconds += 0.0 if self._active else seconds
        self._since = now

    def _do_what_is_due(self) -> None:
        now = self._clock()
        if now >= self._tick_at:
            self._tick_at = now + TICK_SECONDS
            self._limiter.tick()
        if self._site is None:
            self._take_site()
        if self._site is None or self._frontier is None:
            return
        if now >= self._beat_at:
            self._beat()
        if self._done and (len(self._done) >= COMMIT_PAGES or now >= self._commit_at):
            self._commit()
        self._refill()
        self._start_some()

    # --- the site -------------------------------------------------------------------------------------------------

    def _take_site(self) -> None:
        self._site = self._fleet.take(self._name)
        if self._site is not None:
            nodes = self._share.nodes
            self._frontier = RedisFrontier(
                nodes.client(self._site.name), self._site.name, known_urls=KNOWN_URLS, lease_seconds=60.0,
                parts=self._share.parts, clock=self._clock,
            )  # fmt: skip
            self._quiet_since = self._clock()

    def _beat(self) -> None:
        assert self._site is not None
        assert self._frontier is not None
        self._beat_at = self._clock() + BEAT_SECONDS
        self._frontier.beat()
        lease = self._fleet.beat(self._site, self._frontier.part_counts())
        if lease is None:
            self._leave(told=True)
            return
        self._site = lease
        quiet = not (self._active or self._queue_length or self._done)
        if not quiet:
            self._quiet_since = self._clock()
        elif self._clock() - self._quiet_since > 3.0 and len(lease.entry.holders) > 1:
            self._leave(told=False)

    def _leave(self, *, told: bool) -> None:
        assert self._site is not None
        assert self._frontier is not None
        leases = [lease for queue in self._waiting.values() for lease in queue]
        self._frontier.release(leases)
        if not told:
            self._fleet.leave(self._site)
        self._site = self._frontier = None
        self._waiting.clear()
        self._ready.clear()
        self._resting.clear()
        self._queued.clear()
        self._busy.clear()
        self._done.clear()
        self._queue_length = 0

    # --- leases ---------------------------------------------------------------------------------------------------

    def _refill(self) -> None:
        assert self._site is not None
        assert self._frontier is not None
        if self._queue_length > LEASE_BATCH // 4 and len(self._ready) >= self._share.concurrency:
            return
        if self._queue_length > 4 * LEASE_BATCH or self._clock() < self._dry_until:
            return
        try:
            leases = self._frontier.lease(LEASE_BATCH, self._name, self._busy, self._site.parts)
        except StoreError:
            return
        if not leases:
            self._dry_until = self._clock() + 0.5
        for lease in leases:
            self._put(lease)

    def _put(self, lease: Lease) -> None:
        host = host_of(lease.url)
        self._waiting.setdefault(host, deque()).append(lease)
        self._queue_length += 1
        self._judge(host)
        self._look_again(host)

    def _look_again(self, host: str) -> None:
        if host not in self._queued and self._waiting.get(host):
            self._queued.add(host)
            self._ready.append(host)

    def _judge(self, host: str) -> None:
        """Lease nothing more of a host that has enough here."""
        enough = min(self._limiter.room(host, AHEAD_SECONDS), LEASE_BATCH // 4) // 2
        if len(self._waiting.get(host, ())) > enough:
            self._busy.add(host)
        else:
            self._busy.discard(host)

    def _hand_back_surplus(self, host: str) -> None:
        assert self._frontier is not None
        room = int(max(1, min(self._limiter.room(host, AHEAD_SECONDS), LEASE_BATCH)))
        queue = self._waiting[host]
        surplus = [queue.pop() for _ in range(len(queue) - room)]
        self._queue_length -= len(surplus)
        self._frontier.release(surplus)

    # --- requests -------------------------------------------------------------------------------------------------

    def _start_some(self) -> None:
        now = self._clock()
        while self._resting and self._resting[0][0] <= now:
            self._look_again(heapq.heappop(self._resting)[1])
        for _ in range(len(self._ready)):
            if self._active >= self._share.concurrency:
                return
            host = self._ready.popleft()
            self._queued.discard(host)
            if not self._limiter.may_start(host):
                self._rest(host)
                continue
            lease = self._waiting[host].popleft()
            self._queue_length -= 1
            self._limiter.started(host)
            self._active += 1
            self._judge(host)
            self._look_again(host)
            self._look_up(lease, host)

    def _rest(self, host: str) -> None:
        self._hand_back_surplus(host)
        self._judge(host)
        at = self._limiter.next_at(host)
        if at < math.inf:
            heapq.heappush(self._resting, (max(at, self._clock() + 0.01), host))

    def _look_up(self, lease: Lease, host: str) -> None:
        known = self._loop.run_until_complete(self._known(host))
        self._later(0.0 if known else NAME_SECONDS, lambda: self._send(lease, host))

    async def _known(self, host: str) -> bool:
        """Say whether the name was known; it is from now on."""
        known = self._names.known(host)
        if known is None:
            await self._names.addresses_of(host)
        return known is not None

    def _send(self, lease: Lease, host: str) -> None:
        wait = self._limiter.seconds_to_turn(host)
        if wait > 0:
            self._later(wait, lambda: self._send(lease, host))
            return
        share = self._share
        number, _ = place_of(lease.url)
        sent_at = self._clock()
        share.tally.sent(host, sent_at)
        latency = share.world.latency(number, self._chance)
        share.events.at(sent_at + latency, lambda: self._arrive(lease, host, sent_at))

    def _later(self, seconds: float, action: object) -> None:
        """Do something of this worker's own in some time, when its loop is free."""

        def when_free() -> None:
            events = self._share.events
            if not self.alive:
                return
            if (busy := max(self._free_at, self.stalled_until)) > events.now:
                events.at(busy, when_free)
                return
            self._share.nodes.now = events.now
            action()  # type: ignore[operator]
            self._free_at = self._share.nodes.now

        if seconds:
            self._share.events.at(self._clock() + seconds, when_free)
        else:
            action()  # type: ignore[operator]

    def _arrive(self, lease: Lease, host: str, sent_at: float) -> None:
        self._share.tally.under_way[host] -= 1
        self._later(1e-9, lambda: self._read(lease, host, sent_at))

    def _read(self, lease: Lease, host: str, sent_at: float) -> None:
        """A page is there: its server has sent it, the worker's processor reads it."""
        share, nodes = self._share, self._share.nodes
        self._account(share.events.now)
        number, page = place_of(lease.url)
        fails = share.world.fails(number, self._chance)
        self._limiter.answered(host, 503 if fails else 200, sent_at, nodes.now - sent_at)
        self._limiter.ended(host)
        self._active -= 1
        nodes.now += share.page_seconds
        share.tally.cpu_seconds += share.page_seconds
        if self._frontier is None or lease.token not in self._frontier.under_way:
            return
        if fails:
            self._frontier.fail(lease, Failure("503", nodes.now + RETRY_SECONDS))
            return
        if not self._done:
            self._commit_at = nodes.now + COMMIT_SECONDS
        links: Sequence[str] = share.world.links_of(number, page, self._chance)
        self._done.append(Done(lease, lease.url, PageKind.INFORMATION, True, tuple(links)))
        share.tally.fetched += 1
        share.tally.by_host[number] = share.tally.by_host.get(number, 0) + 1
        if len(self._done) >= COMMIT_PAGES:
            self._commit()
        self._start_some()

    def _commit(self) -> None:
        assert self._frontier is not None
        refused = self._frontier.outdated
        self._frontier.complete(self._done)
        self._share.tally.refused += self._frontier.outdated - refused
        completed = self._share.tally.completed
        if self._frontier.outdated == refused:
            for done in self._done:
                completed[done.url] = completed.get(done.url, 0) + 1
        self._done.clear()
