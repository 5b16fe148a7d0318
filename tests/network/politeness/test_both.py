"""The limiter of one worker and the one in Redis decide alike: one random run drives both, on one clock.

Their rules stand once in Python and once in Lua, the numbers of both in host_rules.py; this is what keeps them one. One
worker alone has all that there is, so it may start a request through the one when it may through the other. What many
workers do to each other is in test_shared_limiter.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
import redis
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from gwc_crawler.network.politeness.limiter import TICK_SECONDS, HostLimiter, HostLimits, Limiter
from gwc_crawler.network.politeness.shared import SharedLimiter
from tests.state_machines import run_both

HOSTS = ("a.example", "b.example", "slow.example:8080")
STATUSES = (200, 200, 200, 404, 500, 500, 429, None)
MOMENTS = (0.05, 0.2, 0.6, 2.5, 12.0, 400.0)
LATENCIES = (0.01, 0.3, 2.0)
LATE_SECONDS = 2 * TICK_SECONDS
"""So much later the shared one may know that a request may start: it asks for permits no oftener."""

limits = st.builds(
    HostLimits,
    delay_seconds=st.sampled_from((0.0, 0.0, 0.5)),
    concurrency=st.integers(1, 3),
    jitter=st.sampled_from((0.0, 0.5)),
    adaptive=st.booleans(),
    start_delay_seconds=st.just(1.0),
    max_delay_seconds=st.just(5.0),
    back_off_seconds=st.sampled_from((0.5, 2.0)),
    longest_wait_seconds=st.sampled_from((10.0, 300.0)),
)
hosts = st.sampled_from(HOSTS)


@dataclass
class Sent:
    """A request under way."""

    host: str
    at: float


class BothLimiters(RuleBasedStateMachine):
    """The same to both. `client` is set by the test."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushdb()
        self.now = 1000.0
        self.under_way: list[Sent] = []
        self.both: tuple[Limiter, ...] = ()

    @initialize(limits=limits, others=limits, chance=st.sampled_from((0.0, 0.5, 1.0)))
    def begin(self, limits: HostLimits, others: HostLimits, chance: float) -> None:
        own = {"slow.example": others}
        self.both = (
            HostLimiter(limits, own, clock=lambda: self.now, chance=lambda: chance),
            SharedLimiter(
                self.client, "one", limits, own, longest_request_seconds=1000.0, chance=lambda: chance,
                clock=lambda: self.now, redis_clock=lambda: self.now,
            ),
        )  # fmt: skip

    def teardown(self) -> None:
        for limiter in self.both:
            limiter.close()

    # --- requests ---------------------------------------------------------------------------------------------------

    @rule(host=hosts, with_robots=st.booleans())
    def send(self, host: str, with_robots: bool) -> None:
        if not self.agree_to_start(host):
            return
        for limiter in self.both:
            limiter.started(host)
        if with_robots:  # its robots.txt goes out first, under the same turn; then the gap has to be kept
            assert self.waits(host, started=False) == [0, 0]
        if (waits := self.waits(host)) == [0, 0]:
            self.under_way.append(Sent(host, self.now))
        else:
            assert waits[0] == pytest.approx(waits[1], abs=LATE_SECONDS)
            for limiter in self.both:
                limiter.ended(host, sent=False)

    def waits(self, host: str, *, started: bool = True) -> list[float]:
        return [limiter.seconds_to_turn(host, started=started) for limiter in self.both]

    def agree_to_start(self, host: str) -> bool:
        """Whether both let a request to *host* start, after a moment at the latest."""
        for _ in range(3):
            own, shared = (limiter.may_start(host) for limiter in self.both)
            if own == shared:
                return own
            self.pass_by(TICK_SECONDS)
        raise AssertionError(f"{host}: alone it may start {own}, with others {shared}")

    @precondition(lambda self: self.under_way)
    @rule(
        place=st.integers(0, 9),
        status=st.sampled_from(STATUSES),
        latency=st.sampled_from(LATENCIES),
        retry_after=st.sampled_from((None, None, 3.0, 1000.0)),
    )
    def answer(self, place: int, status: int | None, latency: float, retry_after: float | None) -> None:
        sent = self.under_way.pop(place % len(self.under_way))
        latency = min(latency, self.now - sent.at)
        for limiter in self.both:
            limiter.answered(sent.host, status, sent.at, latency, retry_after)
            limiter.ended(sent.host)

    @precondition(lambda self: self.under_way)
    @rule(place=st.integers(0, 9))
    def break_off(self, place: int) -> None:
        sent = self.under_way.pop(place % len(self.under_way))
        for limiter in self.both:
            limiter.ended(sent.host)

    # --- what is heard, and time ------------------------------------------------------------------------------------

    @rule(host=hosts, seconds=st.sampled_from((0.3, 4.0, 1000.0)))
    def ask_slowly(self, host: str, seconds: float) -> None:
        for limiter in self.both:
            limiter.ask_slowly(host, seconds)

    @rule(host=hosts)
    def forget(self, host: str) -> None:
        for limiter in self.both:
            limiter.forget(host)

    @rule(seconds=st.sampled_from(MOMENTS))
    def wait(self, seconds: float) -> None:
        self.pass_by(seconds)

    def pass_by(self, seconds: float) -> None:
        """Time goes by; long spans with the ticks at their end, as those that can be seen are near to it."""
        if seconds > 1:
            self.now += seconds - 1
            seconds = 1
        for _ in range(round(seconds / TICK_SECONDS) or 1):
            self.now += min(seconds, TICK_SECONDS)
            for limiter in self.both:
                limiter.tick()

    # --- what can be seen -------------------------------------------------------------------------------------------

    @precondition(lambda self: self.both)
    @invariant()
    def they_name_the_same_time(self) -> None:
        for host in HOSTS:
            own, shared = (max(self.now, limiter.next_at(host)) for limiter in self.both)
            assert own == shared == math.inf or own == pytest.approx(shared, abs=LATE_SECONDS), host


def machine(client: redis.Redis) -> type[BothLimiters]:
    return type("Both", (BothLimiters,), {"client": client})


def test_both_limiters_decide_alike(client: redis.Redis) -> None:
    run_both(machine(client), runs=40, steps=25)


@pytest.mark.slow
def test_both_limiters_decide_alike_in_long_runs(client: redis.Redis) -> None:
    run_both(machine(client), runs=400, steps=60)
