"""Politeness: how much one host is asked, whatever queues and slots its Requests are in.

In come starts, sends, answers and ends of requests; out comes whether, and when, the next may start. The scheduler
hands out nothing that may not start, so a host that has to wait holds no slot. Pure: the clock is given. This is one
worker's; what many workers share is in `shared_hosts`.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gwc_crawler.urls import host_of

BACK_OFF_STATUSES = frozenset({429, 503})
RECOVERY = 0.5
"""What an answer leaves of a host's penalty: after a back-off of 8 s the gaps are 4, 2, 1 … seconds."""

NO_PENALTY_SECONDS = 0.05
"""A penalty smaller than this is over."""

TICK_SECONDS = 0.1

IDLE_HOSTS = 10_000
"""So many hosts are kept in mind before those without anything to remember are forgotten."""


@dataclass(frozen=True, slots=True)
class HostLimits:
    """What one host may be asked.

    `jitter` is the share of the delay by which it varies at random; it never shortens a crawl-delay or a back-off.
    With `adaptive` the delay follows the latency between `delay_seconds` and `max_delay_seconds`, so that about
    `target_concurrency` requests are under way.
    """

    delay_seconds: float = 0.0
    concurrency: int = 8
    jitter: float = 0.0
    adaptive: bool = False
    start_delay_seconds: float = 5.0
    max_delay_seconds: float = 60.0
    target_concurrency: float = 1.0
    back_off_seconds: float = 1.0
    longest_wait_seconds: float = 300.0

    @property
    def first_pace(self) -> float:
        """Seconds between requests before anything is known of the latency."""
        return max(self.delay_seconds, self.start_delay_seconds) if self.adaptive else self.delay_seconds


def limits_of(key: str, limits: HostLimits, others: Mapping[str, HostLimits]) -> HostLimits:
    """The limits of a host: *others* has those with their own, by "host:port" or by name."""
    return others.get(key) or others.get(key.partition(":")[0]) or limits


class Limiter(Protocol):
    """What scheduler and downloader ask: `HostLimiter`, or `SharedLimiter` where several workers share a crawl.

    A *key* stands for all that is limited together: a host, or an address.
    """

    clock: Callable[[], float]
    when_free: Callable[[str], None] | None
    """Called when the state of a key has changed so that it may start something, now or at a known time."""

    def key_of(self, url: str) -> str:
        """The key that *url* falls under."""

    def may_start(self, key: str) -> bool:
        """Whether a request may be handed out now."""

    def next_at(self, key: str) -> float:
        """When one may (on the limiter's clock); infinity when another has to be sent or to end first."""

    def room(self, key: str, seconds: float) -> float:
        """How many may start within *seconds* at most; infinity where only answers decide."""

    def started(self, key: str) -> None:
        """A request was handed out; it will be sent, and it will end."""

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        """0: send it now, it is counted. More: not before that many seconds, then ask again."""

    def answered(
        self, key: str, status: int | None, sent_at: float, latency: float, retry_after: float | None = None
    ) -> None:
        """A request was answered; status None: not in time, or the host could not be reached."""

    def ended(self, key: str, *, sent: bool = True) -> None:
        """A started request is over, or was not sent after all."""

    def ask_slowly(self, key: str, seconds: float) -> None:
        """robots.txt asks for so many seconds between requests."""

    def tick(self) -> None:
        """Do what is due without an event; called every `TICK_SECONDS`."""

    def close(self) -> None:
        """Nothing more will be asked."""


@dataclass(slots=True)
class _Host:
    limits: HostLimits
    pace: float
    """Seconds between requests by setting and latency."""
    active: int = 0
    on_the_way: int = 0
    """Handed out, not sent yet."""
    sent_at: float = -math.inf
    drawn: float = 0.0
    """The pace with its jitter, drawn when the last request was sent."""
    crawl_delay: float = 0.0
    penalty: float = 0.0
    rest_until: float = -math.inf
    failed_at: float = -math.inf
    failing: bool = False

    @property
    def gap(self) -> float:
        """Seconds that have to lie between the last request and the next."""
        return max(self.drawn, self.crawl_delay, self.penalty)

    @property
    def free_at(self) -> float:
        return max(self.sent_at + self.gap, self.rest_until)

    @property
    def is_full(self) -> bool:
        """A host in trouble is asked one thing at a time."""
        return self.active >= (1 if self.failing else self.limits.concurrency)


class HostLimiter:
    """One worker's `Limiter`.

    Args:
        limits: for every host.
        others: host or host name → its own limits.
        clock: seconds that never run backwards.
        chance: a number between 0 and 1, for the jitter.
    """

    def __init__(
        self,
        limits: HostLimits,
        others: Mapping[str, HostLimits] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.when_free: Callable[[str], None] | None = None
        self._others = others or {}
        self._chance = chance
        self._hosts: dict[str, _Host] = {}
        self._forget_at = IDLE_HOSTS

    def key_of(self, url: str) -> str:
        """See `Limiter.key_of`."""
        return host_of(url)

    def may_start(self, key: str) -> bool:
        """See `Limiter.may_start`. Where a gap is to be kept, requests are handed out one by one."""
        host = self._hosts.get(key) or self._host(key)
        if host.is_full:
            return False
        if host.on_the_way and (host.pace > 0 or host.gap > 0):
            return False
        return host.free_at <= self.clock()

    def next_at(self, key: str) -> float:
        """See `Limiter.next_at`."""
        host = self._host(key)
        return math.inf if host.is_full or host.on_the_way else host.free_at

    def room(self, key: str, seconds: float) -> float:
        """See `Limiter.room`."""
        host = self._host(key)
        gap = max(host.gap, host.pace)
        left = seconds - max(0.0, host.free_at - self.clock())
        if left < 0:
            return 0
        return math.inf if gap <= 0 else left // gap + 1

    def started(self, key: str) -> None:
        """See `Limiter.started`."""
        host = self._host(key)
        host.active += 1
        host.on_the_way += 1

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        """See `Limiter.seconds_to_turn`. What belongs to a started request (robots.txt) was not started itself."""
        host, now = self._host(key), self.clock()
        if (wait := host.free_at - now) > 0:
            return wait
        host.sent_at = now
        host.drawn = host.pace * (1 + host.limits.jitter * (2 * self._chance() - 1))
        if started:
            host.on_the_way -= 1
            if host.gap > 0:
                self._changed(key)
        return 0.0

    def answered(
        self, key: str, status: int | None, sent_at: float, latency: float, retry_after: float | None = None
    ) -> None:
        """See `Limiter.answered`. Of what was sent before the last back-off began only Retry-After counts."""
        host = self._host(key)
        if status is None or status in BACK_OFF_STATUSES:
            self._back_off(host, sent_at, retry_after or 0.0)
        elif sent_at >= host.failed_at:
            host.failing = False
            host.penalty *= RECOVERY
            if host.penalty < NO_PENALTY_SECONDS:
                host.penalty = 0.0
            if host.limits.adaptive:
                host.pace = adapted_delay(host.pace, latency, host.limits, good=status == 200)

    def _back_off(self, host: _Host, sent_at: float, retry_after: float) -> None:
        now, limits = self.clock(), host.limits
        if sent_at >= host.failed_at:
            host.penalty = min(max(2 * host.penalty, limits.back_off_seconds), limits.longest_wait_seconds)
            host.failed_at = now
            host.failing = True
        wait = min(max(host.penalty, retry_after), limits.longest_wait_seconds)
        host.rest_until = max(host.rest_until, now + wait)

    def ended(self, key: str, *, sent: bool = True) -> None:
        """See `Limiter.ended`."""
        host = self._host(key)
        host.active -= 1
        if not sent:
            host.on_the_way -= 1
        self._changed(key)

    def ask_slowly(self, key: str, seconds: float) -> None:
        """See `Limiter.ask_slowly`. Obeyed up to `longest_wait_seconds`."""
        self._host(key).crawl_delay = min(seconds, self.limits.longest_wait_seconds)

    def tick(self) -> None:
        """See `Limiter.tick`: nothing."""

    def close(self) -> None:
        """See `Limiter.close`."""

    def _changed(self, key: str) -> None:
        if self.when_free is not None:
            self.when_free(key)

    def _host(self, key: str) -> _Host:
        host = self._hosts.get(key)
        if host is None:
            if len(self._hosts) >= self._forget_at:
                self._forget_idle()
            limits = limits_of(key, self.limits, self._others)
            host = self._hosts[key] = _Host(limits, limits.first_pace)
        return host

    def _forget_idle(self) -> None:
        """Forget hosts that nothing is known of which a new one wouldn't start with."""
        now = self.clock()
        self._hosts = {
            key: host
            for key, host in self._hosts.items()
            if host.active or host.crawl_delay or host.penalty or host.free_at > now
        }
        self._forget_at = max(IDLE_HOSTS, 2 * len(self._hosts))


def adapted_delay(delay: float, latency: float, limits: HostLimits, *, good: bool) -> float:
    """Return the delay after an answer that took *latency* seconds; one that is no good never shortens it.

    Source:
        Scrapy's AutoThrottle, *Throttling algorithm*: half way to latency / target concurrency, at once where that is
        longer. There each slot has its delay, here each host.
    """
    target = latency / limits.target_concurrency
    new = max(target, (delay + target) / 2)
    new = min(max(new, limits.delay_seconds), max(limits.max_delay_seconds, limits.delay_seconds))
    return new if good or new > delay else delay
