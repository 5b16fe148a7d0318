"""What politeness goes by, for one worker as for many: a host's limits, what an answer says of it, the adaptive delay.

Pure. `lua/limit.lua` applies the same rules; its numbers come from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

BACK_OFF_STATUSES = frozenset({429, 503})
"""By these a host says itself that it is asked too much."""

FAULT_STATUSES = frozenset({500, 502, 504, *range(520, 531)})
"""One of these may be the page's fault; a run of them is a host in trouble. (520 to 530 say it of a server behind.)"""

CUT_SHORT = 520
"""What an answer counts as that ends in its middle, or can't be read."""

FAULTS_IN_A_ROW = 3
"""From so many on faults count as a back-off each, until an answer of another kind."""

FAULT_FACTOR = 8
"""The longest back-off for faults is so many times the first one: a host may have a whole class of broken pages, and
the others have to be reached between them."""

RECOVERY = 0.5
"""What an answer leaves of a host's penalty: after a back-off of 8 s the gaps are 4, 2, 1 … seconds."""

NO_PENALTY_SECONDS = 0.05
"""A penalty smaller than this is over."""


class HostSignal(IntEnum):
    """What an answer says of its host."""

    BAD = 0
    """It is to be left alone."""

    GOOD = 1
    OTHER = 2
    FAULT = 3
    """It is in trouble if this happens again and again."""

    ABSENT = 4
    """There is nobody to be left alone: no such name, or a port that nobody listens at. See `Limiter.forget`."""


SHARED: dict[str, float | dict[str, int]] = {
    "FAULTS_IN_A_ROW": FAULTS_IN_A_ROW,
    "RECOVERY": RECOVERY,
    "NO_PENALTY_SECONDS": NO_PENALTY_SECONDS,
    "SIGNAL": {signal.name: int(signal) for signal in HostSignal},
}
"""What lua/limit.lua goes by, too."""


def signal_of(status: int | None, retry_after: float | None = None) -> HostSignal:
    """Judge an answer; status None: there was none. A server in trouble that names a time means it."""
    if status == 200:
        return HostSignal.GOOD
    if status is None or status in BACK_OFF_STATUSES or (status in FAULT_STATUSES and retry_after):
        return HostSignal.BAD
    return HostSignal.FAULT if status in FAULT_STATUSES else HostSignal.OTHER


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

    @property
    def longest_gap(self) -> float:
        """Seconds that a host is left alone at most: what is remembered of it makes it no longer."""
        own = max(self.delay_seconds * (1 + self.jitter), self.max_delay_seconds if self.adaptive else 0.0)
        return max(self.longest_wait_seconds, own)

    def longest_back_off(self, signal: HostSignal) -> float:
        """Return the most seconds that a host's penalty grows to by answers of that kind."""
        if signal is HostSignal.FAULT:
            return min(FAULT_FACTOR * self.back_off_seconds, self.longest_wait_seconds)
        return self.longest_wait_seconds


def limits_of(key: str, limits: HostLimits, others: Mapping[str, HostLimits]) -> HostLimits:
    """The limits of a host: *others* has those with their own, by "host:port" or by name."""
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
