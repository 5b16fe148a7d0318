"""Politeness: limits how much one host is asked, whatever queues and slots its Requests are in.

In: starts, sends, answers and ends of requests. Out: whether, and when, the next may start. This is the limiter of one
worker; the one for several is in `shared`, the memory beyond a crawl in `store.sqlite.side_file`."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from gwc_crawler.errors import GwcError
from gwc_crawler.store.sqlite.side_file import HostMemory, HostNote
from gwc_crawler.urls import KEPT_HOSTS, host_of

BACK_OFF_STATUSES = frozenset({429, 503})  # statuses by which a host says itself that it is asked too much

FAULT_STATUSES = frozenset({500, 502, 504, *range(520, 531)})
"""One of these may be the page's fault; a run of them is a host in trouble. (520 to 530 say it of a server behind.)"""

CUT_SHORT = 520  # status that stands for an answer that ends in its middle, or can't be read
FAULTS_IN_A_ROW = 3  # faults in a row from which on each counts as a back-off, until an answer of another kind

FAULT_FACTOR = 8
"""The longest back-off for faults, in lengths of the first one: a host may have a whole class of broken pages, and
the others have to be reached between them."""

RECOVERY = 0.5
"""Factor by which an answer shrinks a host's penalty: after a back-off of 8 s the gaps are 4, 2, 1 … seconds."""

NO_PENALTY_SECONDS = 0.05  # a penalty smaller than this is over


class HostSignal(IntEnum):
    """The meaning of an answer for its host."""

    BAD = 0
    """The host is to be left alone."""

    GOOD = 1
    OTHER = 2
    FAULT = 3
    """The host is in trouble if this happens again and again."""

    ABSENT = 4
    """There is no host to spare: no such name, or a port without a server. See `Limiter.forget`."""


SHARED: dict[str, float | dict[str, int]] = {
    "FAULTS_IN_A_ROW": FAULTS_IN_A_ROW,
    "RECOVERY": RECOVERY,
    "NO_PENALTY_SECONDS": NO_PENALTY_SECONDS,
    "SIGNAL": {signal.name: int(signal) for signal in HostSignal},
}
"""The constants that lua/limit.lua uses, too."""


def signal_of(status: int | None, retry_after: float | None = None) -> HostSignal:
    """Judge an answer; status None: there was none. A server in trouble that names a time means it."""
    if status == 200:
        return HostSignal.GOOD
    if status is None or status in BACK_OFF_STATUSES or (status in FAULT_STATUSES and retry_after):
        return HostSignal.BAD
    return HostSignal.FAULT if status in FAULT_STATUSES else HostSignal.OTHER


@dataclass(frozen=True, slots=True)
class HostLimits:
    """The limits for requests to one host. `jitter`: the share of the delay by which it varies at random. `adaptive`:
    the delay follows the latency, up to `max_delay_seconds`, so that about `target_concurrency` requests are under way.
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

    @property
    def longest_gap(self) -> float:
        """Maximum seconds for which a host is left alone; its memory never makes that longer."""
        own = max(self.delay_seconds * (1 + self.jitter), self.max_delay_seconds if self.adaptive else 0.0)
        return max(self.longest_wait_seconds, own)

    def longest_back_off(self, signal: HostSignal) -> float:
        """Return the most seconds that a host's penalty grows to by answers of that kind."""
        if signal is HostSignal.FAULT:
            return min(FAULT_FACTOR * self.back_off_seconds, self.longest_wait_seconds)
        return self.longest_wait_seconds


def limits_of(key: str, limits: HostLimits, others: Mapping[str, HostLimits]) -> HostLimits:
    """Return the limits of a host: *others* has those with their own, by "host:port" or by name."""
    return others.get(key) or others.get(key.partition(":")[0]) or limits


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


TICK_SECONDS = 0.1  # how often limiters do what no event triggers
NEWS_SECONDS = 1.0  # how often a crawl looks whether others on this machine were told to wait


class Limiter(Protocol):
    """What scheduler and downloader ask; a *key* stands for requests that are limited together: a host, an address."""

    clock: Callable[[], float]
    when_free: Callable[[str], None] | None
    """Called when the state of a key has changed so that it may start something, now or at a known time."""

    @property
    def refusal(self) -> GwcError | None:
        """Why nothing will ever be sent."""
        return None

    def key_of(self, url: str) -> str:
        """Return the key that *url* falls under."""
        return host_of(url)

    def may_start(self, key: str) -> bool:
        """Say whether a request may be handed out now."""

    def next_at(self, key: str) -> float:
        """Return the time from which one may (limiter's clock); infinity if another has to be sent or to end first."""

    def room(self, key: str, seconds: float) -> float:
        """Return the most requests that may start within *seconds*; infinity if only answers decide."""

    def started(self, key: str) -> None:
        """Note that a request was handed out; it will be sent, and it will end."""

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        """Return 0 to send now (it is counted), else the seconds to wait; not *started*: within another one's turn."""

    def answered(self, key: str, status: int | None, sent_at: float, latency: float, wish: float | None = None) -> None:
        """Note an answer, *latency* seconds after its request, with the wait it asks for; status None: no answer."""

    def ended(self, key: str, *, sent: bool = True) -> None:
        """Note that a started request is over, or was not sent after all."""

    def ask_slowly(self, key: str, seconds: float) -> None:
        """Obey robots.txt, which asks for this many seconds between requests, up to `longest_wait_seconds`."""

    def forget(self, key: str) -> None:
        """Forget the state of a host that does not exist: neither this crawl nor the next has to wait for it."""

    def tick(self) -> None:
        """Do the work that no event triggers; called every `TICK_SECONDS`."""

    def close(self) -> None:
        """End the limiter, after the last request."""

    def _changed(self, key: str) -> None:
        if self.when_free is not None:
            self.when_free(key)


@dataclass(slots=True)
class _Host:
    limits: HostLimits
    pace: float  # seconds between requests by setting and latency
    active: int = 0
    on_the_way: int = 0  # handed out, not sent yet
    sent_at: float = -math.inf
    drawn: float = 0.0  # the pace with its jitter, drawn when the last request was sent
    crawl_delay: float = 0.0
    penalty: float = 0.0
    rest_until: float = -math.inf
    failed_at: float = -math.inf
    failing: bool = False
    faults: int = 0  # faults in a row

    @property
    def gap(self) -> float:
        """Seconds that have to lie between the last request and the next."""
        return max(self.drawn, self.crawl_delay, self.penalty)

    @property
    def free_at(self) -> float:
        return max(self.sent_at + self.gap, self.rest_until)

    def is_as_new(self, now: float) -> bool:
        return not (self.active or self.crawl_delay or self.penalty or self.free_at > now)

    @property
    def is_full(self) -> bool:
        """A host in trouble is asked one thing at a time."""
        return self.active >= (1 if self.failing else self.limits.concurrency)


class HostLimiter(Limiter):
    """One worker's `Limiter`; it never has a refusal. *others*: host or host name → its own limits; *memory*: the
    demands of hosts on crawls before and beside this one; *chance*: a number between 0 and 1, for the jitter.
    """

    def __init__(
        self,
        limits: HostLimits,
        others: Mapping[str, HostLimits] | None = None,
        *,
        memory: HostMemory | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.when_free: Callable[[str], None] | None = None
        self._others = others or {}
        self._chance = chance
        self._hosts: dict[str, _Host] = {}
        self._forget_at = KEPT_HOSTS
        self._memory = memory
        self._untold: set[str] = set()  # hosts whose state has changed since it was stored
        self._news_at = -math.inf

    def may_start(self, key: str) -> bool:
        host = self._hosts.get(key) or self._host(key)
        if host.is_full:
            return False
        if host.on_the_way and (host.pace > 0 or host.gap > 0):
            return False
        return host.free_at <= self.clock()

    def next_at(self, key: str) -> float:
        host = self._host(key)
        return math.inf if host.is_full or host.on_the_way else host.free_at

    def room(self, key: str, seconds: float) -> float:
        host = self._host(key)
        gap = max(host.gap, host.pace)
        left = seconds - max(0.0, host.free_at - self.clock())
        if left < 0:
            return 0
        return math.inf if gap <= 0 else left // gap + 1

    def started(self, key: str) -> None:
        host = self._host(key)
        host.active += 1
        host.on_the_way += 1

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        host, now = self._host(key), self.clock()
        if (wait := host.free_at - now) > 0:
            return wait
        host.sent_at = now
        host.drawn = host.pace * (1 + host.limits.jitter * (2 * self._chance() - 1))
        if started:
            host.on_the_way -= 1
        if host.gap > 0:
            self._note(key)
            if started:
                self._changed(key)
        return 0.0

    def answered(self, key: str, status: int | None, sent_at: float, latency: float, wish: float | None = None) -> None:
        """Note the answer to a request; of what was sent before the last back-off began only Retry-After counts."""
        host = self._host(key)
        host.sent_at = max(host.sent_at, self.clock() - latency)  # a busy worker may have sent it later than it could
        signal = signal_of(status, wish)
        if signal is HostSignal.FAULT:
            host.faults += 1
        elif signal is not HostSignal.BAD:
            host.faults = 0
        if signal is HostSignal.BAD or host.faults >= FAULTS_IN_A_ROW:
            now, limits = self.clock(), host.limits
            if sent_at >= host.failed_at:
                doubled = min(max(2 * host.penalty, limits.back_off_seconds), limits.longest_back_off(signal))
                host.penalty = max(host.penalty, doubled)
                host.failed_at = now
                host.failing = True
            wait = min(max(host.penalty, wish or 0.0), limits.longest_wait_seconds)
            host.rest_until = max(host.rest_until, now + wait)
            self._note(key)
            self._write_down()  # at once: a run that is killed now was told all the same
        elif sent_at >= host.failed_at:
            if signal is not HostSignal.FAULT:
                self._recover(key, host)
            if host.limits.adaptive:
                host.pace = adapted_delay(host.pace, latency, host.limits, good=signal is HostSignal.GOOD)

    def _recover(self, key: str, host: _Host) -> None:
        if host.failing or host.penalty:
            self._note(key)
        host.failing = False
        host.penalty *= RECOVERY
        if host.penalty < NO_PENALTY_SECONDS:
            host.penalty = 0.0

    def ended(self, key: str, *, sent: bool = True) -> None:
        host = self._host(key)
        host.active -= 1
        if not sent:
            host.on_the_way -= 1
        self._changed(key)

    def ask_slowly(self, key: str, seconds: float) -> None:
        host = self._host(key)
        host.crawl_delay = min(seconds, host.limits.longest_wait_seconds)
        self._note(key)

    def forget(self, key: str) -> None:
        host = self._host(key)
        host.penalty, host.failing, host.faults = 0.0, False, 0
        host.rest_until = host.failed_at = -math.inf
        self._note(key)
        self._write_down()

    def tick(self) -> None:
        """Do the work that no event triggers: store the state that outlives this crawl, and take other crawls' news."""
        if self._memory is None:
            return
        self._write_down()
        if (now := self.clock()) >= self._news_at:
            self._news_at = now + NEWS_SECONDS
            for key, note in self._memory.news():
                if (host := self._hosts.get(key)) is not None:
                    host.rest_until = max(host.rest_until, now + min(note.free_in, host.limits.longest_gap))

    def close(self) -> None:
        self._write_down()
        if self._memory is not None:
            self._memory.close()

    def _note(self, key: str) -> None:
        """Note that the stored part of a host's state has changed."""
        if self._memory is not None:
            self._untold.add(key)

    def _write_down(self) -> None:
        if self._memory is None or not self._untold:
            return
        now, notes = self.clock(), []
        for key in self._untold:
            host = self._hosts[key]
            pace = host.pace if host.limits.adaptive else None
            notes.append((key, HostNote(max(0.0, host.free_at - now), host.penalty, host.failing, pace)))
        if self._memory.keep(notes):
            self._untold.clear()

    def _remember(self, key: str, host: _Host) -> None:
        """Take over the state of a host that earlier crawls have stored."""
        if self._memory is None or (note := self._memory.recall(key)) is None:
            return
        host.rest_until = self.clock() + min(note.free_in, host.limits.longest_gap)
        host.penalty, host.failing = min(note.penalty, host.limits.longest_wait_seconds), note.failing
        if host.limits.adaptive and note.pace is not None:
            host.pace = min(max(note.pace, host.limits.delay_seconds), host.limits.longest_gap)
        if note.free_in > 0:
            self._note(key)  # counted from now on, in case the clock was put back

    def _host(self, key: str) -> _Host:
        host = self._hosts.get(key)
        if host is None:
            if len(self._hosts) >= self._forget_at:
                # hosts are forgotten in the state in which a new one starts
                self.tick()
                now = self.clock()
                hosts = self._hosts.items()
                self._hosts = {key: host for key, host in hosts if not host.is_as_new(now)}
                self._forget_at = max(KEPT_HOSTS, 2 * len(self._hosts))
            limits = limits_of(key, self.limits, self._others)
            host = self._hosts[key] = _Host(limits, limits.first_pace)
            self._remember(key, host)
        return host
