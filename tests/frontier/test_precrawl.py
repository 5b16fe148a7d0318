"""The pre-crawl's frontier leases in three turns, by weight and by its order, and heeds hosts that rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gwc_crawler.frontier.sqlite.precrawl import PrecrawlFrontier
from gwc_crawler.items import Failure, Lease, Link
from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.frontier.behaviour import HOME, Clock, done, urls

SAMPLE = f"{HOME}item/red-1.html"
LISTS = [f"{HOME}list/{n}.html" for n in range(30)]
NEAR = [f"{HOME}item/red-{n}.html" for n in range(2, 8)]
OTHERS = [f"{HOME}{name}/x.html" for name in ("news", "people", "help")]


class World:
    """A pre-crawl's file, opened as often as one likes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.open()

    def open(self) -> None:
        self.database = CrawlDatabase(self.path)
        self.frontier = PrecrawlFrontier(self.database, clock=self.clock)
        self.frontier.direct(DirectedOrder([SAMPLE]))

    def close(self) -> None:
        self.frontier.close()
        self.database.close()

    def start(self, *found: str) -> None:
        """Fetch the home page, which leads to *found*."""
        self.frontier.add([Link(HOME)])
        (home,) = self.lease(1)
        self.frontier.complete([done(home, found)])

    def lease(self, n: int, *busy: str) -> list[Lease]:
        return self.frontier.lease(n, "worker", busy)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "samples.db")
    yield world
    world.close()


def test_a_third_is_leased_by_weight_and_two_by_the_order(world: World) -> None:
    world.start(*LISTS, *NEAR, *OTHERS)
    leased = urls(world.lease(12))
    assert leased[:4] == LISTS[:4]
    assert set(OTHERS) <= set(leased)
    assert sum(url in NEAR for url in leased) >= 4


def test_one_at_a_time_the_turns_are_the_same(world: World) -> None:
    world.start(*LISTS, *NEAR, *OTHERS)
    leased = [world.lease(1)[0].url for _ in range(9)]
    assert sum(url in LISTS for url in leased) in (3, 4)
    assert set(OTHERS) & set(leased)


def test_everything_is_leased_once_whatever_the_weights(world: World) -> None:
    world.start(*LISTS[:10], *NEAR, *OTHERS)
    (first, *_) = leases = world.lease(4)
    world.frontier.complete([done(first, [f"{HOME}deep/{n}.html" for n in range(20)]), *map(done, leases[1:])])
    rest: list[str] = []
    while batch := world.lease(5):
        rest += urls(batch)
    assert len(rest) == len(set(rest)) == 10 + len(NEAR) + len(OTHERS) + 20 - 4
    assert world.frontier.counts().waiting == 0


def test_what_is_wanted_comes_next(world: World) -> None:
    world.start(*LISTS, *NEAR)
    world.frontier.want([LISTS[20], f"{HOME}unknown", LISTS[25]])
    assert {LISTS[20], LISTS[25]} <= set(urls(world.lease(3)))


def test_what_is_handed_back_is_leased_again_before_others_of_its_kind(world: World) -> None:
    world.start(*LISTS, *NEAR)
    leases = world.lease(6)
    near = set(NEAR).intersection(urls(leases))
    world.frontier.release(leases)
    assert near <= set(urls(world.lease(9)))
    assert [lease.attempt for lease in leases] == [1] * 6


def test_a_resting_host_gives_nothing_and_keeps_its_turn(world: World) -> None:
    other = [f"http://second.example/page/{n}" for n in range(6)]
    world.start(*NEAR, *other)
    world.frontier.pause_host("shop.example", world.clock.now + 60)
    leased = urls(world.lease(4))
    assert len(leased) == 4
    assert set(leased) <= set(other)
    world.clock.now += 61
    assert any(url in NEAR for url in urls(world.lease(3)))


def test_a_busy_host_gives_nothing(world: World) -> None:
    world.start(*NEAR)
    assert world.lease(4, "shop.example") == []
    assert len(world.lease(4)) == 4


def test_a_retry_waits_for_its_time(world: World) -> None:
    world.start(*NEAR[:2])
    leases = world.lease(2)
    world.frontier.fail(leases[0], Failure("HTTP 503", world.clock.now + 100))
    assert world.lease(2) == []
    world.clock.now += 101
    assert urls(world.lease(2)) == [leases[0].url]


def test_opened_again_it_goes_on_with_the_forms_it_has_not_seen(world: World) -> None:
    world.start(*LISTS, *OTHERS)
    world.frontier.complete([done(lease) for lease in world.lease(3)])
    before = world.frontier.counts().complete
    world.close()
    world.open()
    seen = {url for url in (*OTHERS, *LISTS) if (info := world.frontier.find(url)) and info.state == "C"}
    assert len(seen) == before - 1
    assert set(OTHERS) - seen <= set(urls(world.lease(6)))


def test_an_undirected_one_goes_by_weight_alone(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "other.db") as database:
        frontier = PrecrawlFrontier(database)
        frontier.add([Link(url) for url in [*LISTS, *NEAR]])
        assert urls(frontier.lease(9, "worker")) == LISTS[:9]
        frontier.close()
