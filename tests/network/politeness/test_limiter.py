"""The limiters of hosts, on a clock that the test turns: one worker's, and the one that workers share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gwc_crawler.network.politeness.limiter import CUT_SHORT, HostLimiter, HostLimits, Limiter, adapted_delay
from gwc_crawler.network.politeness.shared import SharedLimiter

A, B = "a.example", "b.example"


class Site:
    """A limiter and the requests under way; with *client* a limiter that is shared."""

    def __init__(self, client: redis.Redis | None = None, **limits: float) -> None:
        self.now = 100.0
        chosen = HostLimits(**limits)  # type: ignore[arg-type]
        self.limiter: Limiter
        if client is None:
            self.limiter = HostLimiter(chosen, clock=lambda: self.now, chance=lambda: 0.0)
        else:
            client.flushdb()
            self.limiter = SharedLimiter(
                client, "one", chosen, longest_request_seconds=30, chance=lambda: 0.0, clock=lambda: self.now,
                redis_clock=lambda: self.now,
            )  # fmt: skip

    def send(self, host: str = A) -> bool:
        """Start and send a request if it may be."""
        if not self.limiter.may_start(host):
            return False
        self.limiter.started(host)
        return self.limiter.seconds_to_turn(host) == 0

    def answer(self, status: int | None = 200, host: str = A, *, sent: float | None = None, wait: float = 0.0) -> None:
        self.limiter.answered(host, status, self.now if sent is None else sent, 0.1, wait or None)
        self.limiter.ended(host)

    def wait_for_next(self, host: str = A) -> float:
        """Turn the clock to when the host may be asked; returns the seconds that takes."""
        before, self.now = self.now, max(self.now, self.limiter.next_at(host))
        return self.now - before


Make = Callable[..., Site]


@pytest.fixture(params=["own", "shared"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a `Site`; the suite runs over both limiters."""
    if request.param == "own":
        return Site
    return partial(Site, request.getfixturevalue("client"))


def test_concurrency_is_kept_and_an_end_makes_room(make: Make) -> None:
    site = make(concurrency=2)
    assert [site.send() for _ in range(3)] == [True, True, False]
    assert site.limiter.next_at(A) == math.inf
    site.answer()
    assert site.send()


def test_hosts_do_not_hinder_each_other(make: Make) -> None:
    site = make(concurrency=1, delay_seconds=5)
    assert site.send(A)
    assert not site.send(A)
    assert site.send(B)


def test_gaps_are_kept(make: Make) -> None:
    site = make(delay_seconds=2)
    sent = []
    for _ in range(4):
        assert site.send()
        sent.append(site.now)
        assert not site.send()
        site.answer()
        assert site.wait_for_next() == 2
    assert sent == [100, 102, 104, 106]


def test_a_request_that_left_late_moves_the_next_one(make: Make) -> None:
    site = make(delay_seconds=2)
    assert site.send()
    site.now += 1  # the worker was busy; the answer takes .1 s
    site.answer()
    assert site.wait_for_next() == pytest.approx(1.9)
    assert site.send()


def test_so_does_a_robots_txt_that_left_late(make: Make) -> None:
    site = make(delay_seconds=2)
    site.limiter.started(A)
    assert site.limiter.seconds_to_turn(A, started=False) == 0
    site.now += 1
    site.limiter.answered(A, 200, site.now - 1, 0.1)
    assert site.limiter.seconds_to_turn(A) == pytest.approx(1.9)


def test_the_gap_of_a_crawl_delay_begins_when_robots_txt_went_out(make: Make) -> None:
    site = make()
    site.limiter.started(A)
    assert site.limiter.seconds_to_turn(A, started=False) == 0
    site.now += 1
    site.limiter.answered(A, 200, site.now - 1, 0.1)
    site.limiter.ask_slowly(A, 2)
    assert site.limiter.seconds_to_turn(A) == pytest.approx(1.9)


def test_jitter_varies_the_delay_but_no_crawl_delay(make: Make) -> None:
    site = make(delay_seconds=4, jitter=0.5)
    site.send()
    site.answer()
    assert site.wait_for_next() == 2
    site.limiter.ask_slowly(A, 3)
    assert site.wait_for_next() == 1
    site.send()
    site.answer()
    assert site.wait_for_next() == 3


def test_with_a_gap_to_keep_requests_are_handed_out_one_by_one(make: Make) -> None:
    site = make(delay_seconds=1)
    site.limiter.started(A)
    site.now += 60  # robots.txt takes its time
    assert not site.limiter.may_start(A)
    assert site.limiter.seconds_to_turn(A) == 0
    assert not site.limiter.may_start(A)


def test_a_request_that_is_not_sent_after_all_gives_its_turn_back(make: Make) -> None:
    site = make(delay_seconds=1, concurrency=1)
    site.limiter.started(A)
    site.limiter.ended(A, sent=False)
    assert site.send()


def test_robots_txt_counts_for_the_gap_under_the_turn_of_its_page(make: Make) -> None:
    site = make(delay_seconds=1, concurrency=1)
    site.limiter.started(A)
    assert site.limiter.seconds_to_turn(A, started=False) == 0
    assert site.limiter.seconds_to_turn(A) == 1
    site.now += 1
    assert site.limiter.seconds_to_turn(A) == 0


def test_back_off_doubles_and_recovers(make: Make) -> None:
    site = make(back_off_seconds=1)
    waits = []
    for status in (429, 503, None, 429, 200, 200, 200):
        assert site.send()
        site.answer(status)
        waits.append(site.wait_for_next())
    assert waits == [1, 2, 4, 8, 4, 2, 1]
    for _ in range(5):
        assert site.send()
        site.answer()
        site.wait_for_next()
    assert [site.send() for _ in range(9)] == [True] * 8 + [False]


@pytest.mark.parametrize("status", [500, 502, 504, CUT_SHORT])
def test_one_fault_may_be_the_pages_a_run_of_them_is_the_hosts(make: Make, status: int) -> None:
    site = make(back_off_seconds=1)
    waits = []
    for one in (status, status, 404, status, 200, status, status, status, status, 200):
        assert site.send()
        site.answer(one)
        waits.append(site.wait_for_next())
    assert waits == [0, 0, 0, 0, 0, 0, 0, 1, 2, 1]


def test_faults_back_off_less_far_than_a_host_that_says_so(make: Make) -> None:
    site = make(back_off_seconds=1)
    waits = []
    for status in [500] * 9 + [503] * 3 + [500]:
        assert site.send()
        site.answer(status)
        waits.append(site.wait_for_next())
    assert waits == [0, 0, 1, 2, 4, 8, 8, 8, 8, 16, 32, 64, 64]


def test_a_fault_that_names_a_time_is_one_to_wait_for(make: Make) -> None:
    site = make(back_off_seconds=1)
    site.send()
    site.answer(500, wait=7)
    assert site.wait_for_next() == 7


def test_a_host_with_faults_only_does_not_recover_by_them(make: Make) -> None:
    site = make(back_off_seconds=1, concurrency=8)
    for status in (503, 500):
        assert site.send()
        site.answer(status)
        site.wait_for_next()
    assert site.send()
    site.now += 30
    assert not site.send()


def test_a_host_in_trouble_is_asked_one_thing_at_a_time(make: Make) -> None:
    site = make(back_off_seconds=1, concurrency=8)
    site.send()
    site.answer(429)
    site.wait_for_next()
    assert site.send()
    site.now += 30
    assert not site.send()


def test_answers_to_what_was_sent_before_do_not_double_again(make: Make) -> None:
    site = make(back_off_seconds=1)
    for _ in range(8):
        site.send()
    sent, site.now = site.now, site.now + 0.5
    for _ in range(8):
        site.answer(429, sent=sent)
    assert site.wait_for_next() == 1


def test_retry_after_is_kept_up_to_the_longest_wait(make: Make) -> None:
    site = make(back_off_seconds=1, longest_wait_seconds=60)
    site.send()
    site.answer(429, wait=20)
    assert site.wait_for_next() == 20
    site.send()
    site.answer(503, wait=3600)
    assert site.wait_for_next() == 60


def test_a_long_crawl_delay_is_obeyed_up_to_the_longest_wait(make: Make) -> None:
    site = make(longest_wait_seconds=60)
    site.limiter.ask_slowly(A, 86_400)
    site.send()
    site.answer()
    assert site.wait_for_next() == 60


def test_a_long_crawl_delay_is_obeyed_up_to_the_longest_wait_of_its_own_host() -> None:
    limiter = HostLimiter(HostLimits(), {A: HostLimits(longest_wait_seconds=10)}, clock=lambda: 100.0)
    limiter.ask_slowly(A, 1000)
    limiter.started(A)
    assert limiter.seconds_to_turn(A) == 0
    limiter.ended(A)
    assert limiter.next_at(A) == 110


def test_the_gap_of_a_crawl_delay_begins_when_the_last_request_went_out_answered_or_not(make: Make) -> None:
    site = make()
    assert site.send()
    site.limiter.ended(A)
    site.limiter.ask_slowly(A, 4)
    assert not site.send()
    assert site.wait_for_next() == pytest.approx(4)


def test_room_tells_how_many_can_start_soon(make: Make) -> None:
    site = make(delay_seconds=4)
    assert site.limiter.room(A, 60) == 16
    site.send()
    site.answer(429, wait=100)
    assert site.limiter.room(A, 60) == 0
    assert make().limiter.room(A, 60) == math.inf


def test_some_hosts_have_limits_of_their_own() -> None:
    slow = HostLimits(delay_seconds=9)
    limiter = HostLimiter(HostLimits(), {B: slow, "127.0.0.1:81": slow}, clock=lambda: 0.0)
    assert limiter.room(A, 8) == math.inf
    assert limiter.room(f"{B}:8080", 8) == limiter.room("127.0.0.1:81", 8) == 1


def test_the_adaptive_delay_follows_the_latency(make: Make) -> None:
    site = make(adaptive=True, start_delay_seconds=5, delay_seconds=0.5, max_delay_seconds=60)
    gaps = []
    for _ in range(6):
        site.send()
        site.answer()
        gaps.append(site.wait_for_next())
    assert gaps[0] == 5
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.6


def test_an_error_never_shortens_the_adaptive_delay() -> None:
    limits = HostLimits(adaptive=True)
    assert adapted_delay(4, 0.1, limits, good=False) == 4
    assert adapted_delay(4, 10, limits, good=False) == 10
    assert adapted_delay(4, 1000, limits, good=True) == 60


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["send", "end", "429", "wait"]), st.floats(0, 3)), max_size=80),
    st.floats(0, 2),
    st.integers(1, 4),
)
def test_no_order_of_events_breaks_a_limit(
    make: Make, events: list[tuple[str, float]], delay: float, concurrency: int
) -> None:
    site = make(delay_seconds=delay, concurrency=concurrency, back_off_seconds=1)
    sent, under_way, rest_until = [], 0, 0.0
    for event, seconds in events:
        if event == "wait":
            site.now += seconds
        elif event == "send" and site.send():
            sent.append(site.now)
            under_way += 1
            assert site.now >= rest_until
        elif event in ("end", "429") and under_way:
            under_way -= 1
            site.answer(429 if event == "429" else 200)
            if event == "429":
                rest_until = site.now + 1
        assert under_way <= concurrency
    assert all(later - earlier >= delay - 1e-5 for earlier, later in pairwise(sent))


def test_idle_hosts_are_forgotten() -> None:
    now = 0.0
    limiter = HostLimiter(HostLimits(), clock=lambda: now)
    limiter.started("busy.example")
    for number in range(25_000):
        now += 1
        limiter.may_start(f"{number}.example")
    assert len(limiter._hosts) <= 20_000
    assert not HostLimiter(HostLimits(concurrency=0), clock=lambda: 0.0).may_start(A)
    assert limiter._hosts["busy.example"].active == 1


def test_of_a_host_that_is_not_there_nothing_is_remembered(make: Make) -> None:
    site = make(back_off_seconds=1)
    site.wait_for_next()
    for _ in range(5):
        assert site.send()
        site.answer(None)
        assert site.wait_for_next() >= 1
    assert site.send()
    site.answer(None)
    assert not site.send()
    site.limiter.forget(A)
    assert site.send()
    site.answer(None)
    assert site.wait_for_next() == pytest.approx(1.0), "it begins with the first back-off again"
