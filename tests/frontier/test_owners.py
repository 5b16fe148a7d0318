"""Workers own parts of a shared crawl's queues (GWC_QUEUE_LEASE): who leases what, and when a part changes hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest
import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gwc_crawler.frontier.queues import part_of, queue_name, queue_policy
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Lease, Link
from tests.frontier.behaviour import Clock, done
from tests.state_machines import run_both

LASTS = 20.0
HOSTS = tuple(f"http://h{number}.example/" for number in range(5))


class Worker:
    """One worker of the crawl of a site."""

    def __init__(self, client: redis.Redis, clock: Clock, name: str, policy: str = "host") -> None:
        self.name = name
        self.queue_of = queue_policy(policy, queues=64)
        self.frontier = RedisFrontier(
            client, "shop", queue_of=self.queue_of, queue_lease_seconds=LASTS, lease_seconds=600.0, clock=clock
        )

    def lease(self, n: int = 100) -> list[Lease]:
        return self.frontier.lease(n, self.name)

    def finish(self, leases: Iterable[Lease], links: Iterable[str] = ()) -> None:
        self.frontier.complete([done(lease, links) for lease in leases])

    def parts_of(self, leases: Iterable[Lease]) -> set[int]:
        return {part_of(queue_name(lease.url, self.queue_of), 16) for lease in leases}


@pytest.fixture
def clock() -> Clock:
    return Clock()


def pages(host: str, count: int, first: int = 0) -> list[Link]:
    return [Link(f"{host}{number}") for number in range(first, first + count)]


def test_by_host_a_big_host_is_one_workers_and_by_bkdr_everybodys(client: redis.Redis, clock: Clock) -> None:
    for policy, workers_with_work in (("host", 1), ("bkdr", 4)):
        client.flushall()
        workers = [Worker(client, clock, str(number), policy) for number in range(4)]
        workers[0].frontier.add(pages(HOSTS[0], 400))
        for worker in workers * 2:  # at first nobody knows how many there are
            worker.frontier.beat() if worker.frontier.under_way else worker.frontier.release(worker.lease(1))
        leased = [worker.lease(20) for worker in workers]
        assert sum(map(bool, leased)) == workers_with_work
        assert not workers[0].parts_of(leased[0]) & workers[0].parts_of(leased[-1])


@pytest.mark.parametrize("policy", ["host", "bkdr", "column"])
def test_all_is_given_once_and_each_part_by_its_owner_alone(client: redis.Redis, clock: Clock, policy: str) -> None:
    workers = [Worker(client, clock, str(number), policy) for number in range(3)]
    urls = [f"{host}c{column}/{n}" for host in HOSTS for column in range(4) for n in range(5)]
    workers[0].frontier.add([Link(url) for url in urls])
    given: list[str] = []
    while not workers[0].frontier.counts().finished:
        round_of_leases = [worker.lease(7) for worker in workers]
        owned = [worker.parts_of(leases) for worker, leases in zip(workers, round_of_leases, strict=True)]
        assert sum(map(len, owned)) == len(set[int]().union(*owned))
        for worker, leases in zip(workers, round_of_leases, strict=True):
            given += [lease.url for lease in leases]
            worker.finish(leases)
    assert sorted(given) == sorted(urls)


def test_a_new_worker_has_its_share_within_one_lease_and_nothing_that_is_under_way(
    client: redis.Redis, clock: Clock
) -> None:
    first, second = (Worker(client, clock, name, "bkdr") for name in ("first", "second"))
    first.frontier.add(pages(HOSTS[0], 400))
    under_way = first.lease(40)
    begun = first.parts_of(under_way)
    assert second.lease() == []
    first.frontier.beat()
    not_to_begin = [lease for lease in under_way if not first.frontier.may_begin(lease)]
    assert first.parts_of(not_to_begin), "it has more than its share"
    assert not second.parts_of(second.lease(400)) & begun
    first.finish([lease for lease in under_way if lease not in not_to_begin])
    first.frontier.release(not_to_begin)
    clock.now += LASTS / 4
    first.frontier.beat()
    assert second.lease(400)
    assert len(first.frontier.owned_parts) == len(second.frontier.owned_parts) == 8


def test_what_a_killed_owner_had_is_free_after_its_lease(client: redis.Redis, clock: Clock) -> None:
    killed, other = (Worker(client, clock, name) for name in ("killed", "other"))
    killed.frontier.add(pages(HOSTS[0], 10))
    begun = killed.lease(3)
    for _ in range(3):
        assert other.lease() == []
        clock.now += LASTS / 4
    clock.now += LASTS / 4
    taken_over = other.lease()
    assert len(taken_over) == 7
    other.finish(taken_over)
    clock.now += 600
    assert {lease.url for lease in other.lease()} == {lease.url for lease in begun}


def test_an_owner_that_slept_begins_nothing_of_what_it_has_lost(client: redis.Redis, clock: Clock) -> None:
    asleep, other = (Worker(client, clock, name) for name in ("asleep", "other"))
    asleep.frontier.add(pages(HOSTS[0], 10))
    begun = asleep.lease(3)
    clock.now += LASTS
    assert len(other.lease(4)) == 4
    assert asleep.lease() == []
    assert [asleep.frontier.may_begin(lease) for lease in begun] == [False] * 3
    asleep.finish(begun)
    assert asleep.frontier.outdated == 0, "what it has fetched by then counts: the URLs' leases hold"


def test_an_owner_without_anything_to_do_gives_its_queues_up(client: redis.Redis, clock: Clock) -> None:
    first, second = (Worker(client, clock, name) for name in ("first", "second"))
    first.frontier.add(pages(HOSTS[0], 2))
    leases = first.lease()
    first.frontier.add(pages(HOSTS[0], 5, first=100))
    assert second.lease() == [], "it has some under way"
    first.finish(leases)
    first.finish(first.lease())
    first.frontier.beat()
    assert first.frontier.owned_parts == []
    second.frontier.add(pages(HOSTS[0], 5, first=200))
    assert len(second.lease()) == 5


def test_who_stops_or_wants_nothing_just_now_takes_no_more(client: redis.Redis, clock: Clock) -> None:
    first, second = (Worker(client, clock, name, "bkdr") for name in ("first", "second"))
    first.frontier.add(pages(HOSTS[0], 400))
    under_way = first.lease(1)
    assert len(first.frontier.owned_parts) == 16
    assert second.lease() == []
    second.frontier.beat()
    first.frontier.beat(stopping=True)
    assert second.frontier.owned_parts == []
    assert not first.parts_of(under_way) & second.parts_of(second.lease())
    first.frontier.release(under_way)
    first.frontier.beat(stopping=True)
    assert first.frontier.owned_parts == []


def test_who_closes_leaves_everything_to_the_others_at_once(client: redis.Redis, clock: Clock) -> None:
    first, second = (Worker(client, clock, name) for name in ("first", "second"))
    first.frontier.add(pages(HOSTS[0], 10))
    assert len(first.lease(4)) == 4
    first.frontier.close()
    assert len(second.lease()) == 10


class Owners(RuleBasedStateMachine):
    """Workers that come, work, fall silent and wake up. `client` is set by the test."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.clock = Clock()
        self.workers = [Worker(self.client, self.clock, str(number), "bkdr") for number in range(3)]
        self.heard = [self.clock()] * 3
        self.number = 0
        self.strays: set[int] = set()
        """Tokens of what was begun by workers that were silent for longer than their lease."""

    def heard_of(self, number: int) -> Worker:
        self.heard[number] = self.clock()
        return self.workers[number]

    @rule(number=st.integers(0, 2), count=st.integers(1, 40))
    def finds(self, number: int, count: int) -> None:
        self.workers[number].frontier.add(pages(HOSTS[self.number % 3], count, self.number))
        self.number += count

    @rule(number=st.integers(0, 2), count=st.integers(1, 9))
    def leases(self, number: int, count: int) -> None:
        self.heard_of(number).lease(count)

    @rule(number=st.integers(0, 2), count=st.integers(1, 9))
    def ends_some(self, number: int, count: int) -> None:
        worker = self.workers[number]
        worker.finish(list(worker.frontier.under_way.values())[:count])

    @rule(number=st.integers(0, 2))
    def beats(self, number: int) -> None:
        if self.workers[number].frontier.under_way:
            self.heard_of(number).frontier.beat()

    @rule(seconds=st.sampled_from((1.0, 6.0, 25.0)))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        for worker, heard in zip(self.workers, self.heard, strict=True):
            if heard + LASTS <= self.clock():
                self.strays.update(worker.frontier.under_way)

    @invariant()
    def no_two_workers_touch_one_part(self) -> None:
        touched = defaultdict(set)
        for worker in self.workers:
            known = [lease for lease in worker.frontier.under_way.values() if lease.token not in self.strays]
            for part in worker.parts_of(known):
                touched[part].add(worker.name)
        assert all(len(names) == 1 for names in touched.values()), touched


def test_no_order_of_events_gives_a_part_to_two(client: redis.Redis) -> None:
    Owners.client = client
    run_both(Owners, runs=60, steps=40)
