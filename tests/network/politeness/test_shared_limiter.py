"""Limits that workers share, on a clock that the test turns: they hold for all together, whoever comes or dies."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.crc import key_slot

from gwc_crawler.network.politeness.limiter import HostLimits
from gwc_crawler.network.politeness.shared import GRACE_SECONDS, SharedLimiter, part_of
from tests.redis_server import DURABLE, RedisServer

HOST = "a.example"
LONGEST = 10.0


class Worker:
    """One worker's limiter, and when its requests were sent."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.under_way: list[float] = []
        self.limiter = SharedLimiter(
            world.client, "worker", world.limits, longest_request_seconds=LONGEST, clock=lambda: world.now,
            redis_clock=lambda: world.now + world.jumped,
        )  # fmt: skip

    def send(self) -> bool:
        """Send a request if it may be."""
        limiter = self.limiter
        if not limiter.may_start(HOST):
            return False
        limiter.started(HOST)
        if limiter.seconds_to_turn(HOST) > 0:
            limiter.ended(HOST, sent=False)
            return False
        self.under_way.append(self.world.now)
        self.world.sent.append(self.world.now)
        return True

    def end(self, status: int = 200) -> None:
        """The oldest request is over."""
        self.limiter.answered(HOST, status, self.under_way.pop(0), 0.1)
        self.limiter.ended(HOST)


class World:
    """A Redis that forgets everything at the beginning, a clock, and some workers; the dead ones' requests go on."""

    def __init__(self, client: redis.Redis, workers: int, limits: HostLimits) -> None:
        client.flushdb()
        self.client, self.limits = client, limits
        self.now = 1000.0
        self.jumped = 0.0
        """By so much the clock of Redis was put on."""
        self.sent: list[float] = []
        self.workers = [Worker(self) for _ in range(workers)]
        self.left_behind: list[float] = []

    def jump(self, seconds: float) -> None:
        """The clock of Redis is put on, or back; what all others measure is spans of time."""
        self.jumped += seconds

    def kill(self, number: int) -> None:
        """kill -9, and another one comes in its place."""
        self.left_behind += self.workers[number].under_way
        self.workers[number] = Worker(self)

    def wait(self, seconds: float, *, ticks: bool = True) -> None:
        """Time goes by; requests end after `LONGEST` at the latest. Without ticks all workers hang."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + (0.1 if ticks else seconds))
            self.left_behind = [sent for sent in self.left_behind if sent > self.now - LONGEST]
            for worker in self.workers:
                while worker.under_way and worker.under_way[0] <= self.now - LONGEST:
                    worker.end()
                if ticks:
                    worker.limiter.tick()

    @property
    def open_requests(self) -> int:
        return len(self.left_behind) + sum(len(worker.under_way) for worker in self.workers)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["send", "send", "send", "end", "429", "wait", "hang", "kill"]),
        st.integers(0, 3),
        st.sampled_from([0.05, 0.2, 0.6, 2.5, 12.0]),
    ),
    max_size=60,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(EVENTS, st.sampled_from([0.0, 0.5]), st.integers(1, 6))
def test_no_order_of_events_breaks_a_limit(
    client: redis.Redis, events: list[tuple[str, int, float]], delay: float, concurrency: int
) -> None:
    world = World(client, 4, HostLimits(delay_seconds=delay, concurrency=concurrency))
    for event, number, seconds in events:
        worker = world.workers[number]
        if event == "send":
            worker.send()
        elif event in ("end", "429") and worker.under_way:
            worker.end(429 if event == "429" else 200)
        elif event in ("wait", "hang"):
            world.wait(seconds, ticks=event == "wait")
        elif event == "kill":
            world.kill(number)
        assert world.open_requests <= concurrency
    assert all(later - earlier >= delay - 1e-5 for earlier, later in pairwise(world.sent))


def test_workers_get_equal_shares_and_what_one_leaves_goes_to_the_others(client: redis.Redis) -> None:
    world = World(client, 3, HostLimits(concurrency=9))
    one, two, three = world.workers
    assert sum(one.send() for _ in range(20)) == 9
    assert not two.send()
    assert not three.send()
    for _ in range(9):
        one.end()
        world.wait(0.2)
        for worker in world.workers:
            while worker.send():
                pass
    assert [len(worker.under_way) for worker in world.workers] == [3, 3, 3]
    while three.under_way:
        three.end()
    world.wait(0.5)
    while one.send() or two.send():
        world.wait(0.1)
    assert len(one.under_way) + len(two.under_way) == 9


@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_where_one_request_is_allowed_every_worker_comes_to_its_turn(client: redis.Redis, delay: float) -> None:
    world = World(client, 4, HostLimits(concurrency=1, delay_seconds=delay))
    served = [0, 0, 0, 0]
    for _ in range(300):
        for number, worker in enumerate(world.workers):
            while worker.under_way:
                worker.end()
            served[number] += worker.send()
        world.wait(0.05)
        assert world.open_requests <= 1
    assert min(served) > sum(served) / 8
    assert sum(served) > (30 if delay else 150)


def test_permits_of_a_killed_worker_come_back_when_its_requests_must_be_over(client: redis.Redis) -> None:
    world = World(client, 2, HostLimits(concurrency=2))
    assert world.workers[0].send()
    assert world.workers[0].send()
    world.kill(0)
    world.wait(LONGEST)
    assert not world.workers[1].send()
    world.wait(4)
    assert world.workers[1].send()


def test_back_off_and_crawl_delay_hold_for_all(client: redis.Redis) -> None:
    world = World(client, 2, HostLimits(concurrency=8, back_off_seconds=2))
    one, two = world.workers
    assert one.send()
    world.wait(0.6)
    assert two.send()
    one.end(429)
    two.end()
    world.wait(0.6)  # so soon the other has heard of it
    assert not two.send()
    world.wait(2)
    assert two.send()
    assert not one.send(), "a host in trouble is asked one thing at a time"
    two.end()
    one.limiter.ask_slowly(HOST, 5)
    world.wait(0.6)
    assert not two.send()
    world.wait(5)
    assert two.send()


def test_a_quiet_host_is_not_forgotten_before_its_crawl_delay_is_over(client: redis.Redis) -> None:
    world = World(client, 1, HostLimits(concurrency=1))
    (one,) = world.workers
    assert one.send()
    one.end()
    one.limiter.ask_slowly(HOST, 100)
    world.wait(50)
    assert not one.send()
    world.wait(51)
    assert one.send()


def test_a_worker_that_leaves_gives_everything_back(client: redis.Redis) -> None:
    world = World(client, 2, HostLimits(concurrency=2))
    one, two = world.workers
    while one.send():
        pass
    one.end()
    one.end()
    one.limiter.close()
    assert two.send()
    assert two.send()


def test_nothing_is_sent_while_redis_is_away_nor_before_all_had_time_to_report(tmp_path: Path) -> None:
    with RedisServer(tmp_path, options=DURABLE) as server, server.client() as client:
        world = World(client, 2, HostLimits(concurrency=4))
        one, two = world.workers
        assert one.send()
        server.kill()
        world.wait(2.5)
        assert not one.send()
        assert not two.send()
        server.start()
        back_at = world.now
        while not (one.send() or two.send()):
            world.wait(0.1)
        assert world.now >= back_at + GRACE_SECONDS
        assert world.open_requests <= 4


def test_limits_are_kept_in_a_cluster(cluster: redis.RedisCluster) -> None:
    limiters = [SharedLimiter(cluster, "worker", HostLimits(concurrency=1), longest_request_seconds=5) for _ in "12"]
    hosts = [f"{letter}.example" for letter in "abcdefgh"]
    for host in hosts:
        assert [limiter.may_start(host) for limiter in limiters] == [True, False]
    for limiter in limiters:
        limiter.tick()
    masters = {key_slot(key) // 5462 for key in cluster.scan_iter("*:hosts:*")}  # each has a third of the slots
    assert len(masters) > 1  # none of them has to answer for all hosts
    for limiter in limiters:
        limiter.close()


def test_each_host_gets_its_own_answer_from_whatever_part(client: redis.Redis) -> None:
    """A renewal of many hosts is a question to each part; their answers are told apart."""
    hosts = [f"{letter}.example" for letter in "abcdefgh"]
    assert len({part_of(host, 4) for host in hosts}) > 1
    limits = {host: HostLimits(concurrency=1 + number % 2) for number, host in enumerate(hosts)}
    world = {"now": 1000.0}
    limiter = SharedLimiter(
        client,
        "worker",
        HostLimits(),
        limits,
        longest_request_seconds=5,
        clock=lambda: world["now"],
        redis_clock=lambda: world["now"],
        parts=4,
    )
    for host in hosts:
        assert limiter.may_start(host)
        limiter.started(host)
    for _ in range(3):
        world["now"] += 1
        limiter.tick()
    assert [limiter.may_start(host) for host in hosts] == [number % 2 == 1 for number in range(8)]
    world["now"] += 1
    limiter.tick()
    for host in hosts:
        limiter.ended(host)
        assert limiter.may_start(host)
    limiter.close()


def test_a_good_answer_at_one_worker_ends_the_run_of_faults_for_all(client: redis.Redis) -> None:
    world = World(client, 2, HostLimits(concurrency=4, back_off_seconds=1))
    one, two = world.workers
    for worker, status in ((one, 500), (two, 500), (one, 200), (two, 500), (one, 500)):
        assert worker.send()
        worker.end(status)
    world.wait(0.5)
    assert two.send()
    two.end(500)
    world.wait(0.5)
    assert not one.send()


@pytest.mark.parametrize("delay", [0.0, 2.0])
def test_a_clock_that_is_put_back_makes_no_host_wait_longer(client: redis.Redis, delay: float) -> None:
    world = World(client, 2, HostLimits(concurrency=1, delay_seconds=delay, longest_wait_seconds=60))
    one, two = world.workers
    assert one.send()
    one.limiter.answered(HOST, 429, one.under_way.pop(), 0.1, 30.0)
    one.limiter.ended(HOST)
    two.send()
    assert not two.send()
    world.jump(-86_400)
    world.wait(29)
    assert not two.send()
    world.wait(2)
    assert two.send()


def test_a_worker_that_was_killed_before_the_clock_was_put_back_holds_nothing_for_ever(client: redis.Redis) -> None:
    world = World(client, 2, HostLimits(concurrency=1))
    one, two = world.workers
    assert one.send()
    world.kill(0)
    world.jump(-86_400)
    two.send()
    world.wait(LONGEST + 5)
    assert two.send()
