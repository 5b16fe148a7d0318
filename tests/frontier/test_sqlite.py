"""SqliteFrontier keeps the frontier's promises, and those that only a file has to keep."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.frontier.queues import column_queue
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.stats import paused_hosts
from gwc_crawler.items import Failure, Link, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.frontier.behaviour import HOME, Clock, FrontierBehaviour, World, done, page, urls
from tests.frontier.revisit_behaviour import RevisitBehaviour


class SqliteWorld(World):
    """Opens `path` each time."""

    path: Path
    database: CrawlDatabase


def open_sqlite(path: Path, *, reopens: bool = False, **options: object) -> SqliteWorld:
    def opening(world: World) -> Frontier:
        assert isinstance(world, SqliteWorld)
        world.database = CrawlDatabase(path)
        return SqliteFrontier(world.database, clock=world.clock, **world.options)

    def closing(world: World) -> None:
        assert isinstance(world, SqliteWorld)
        world.frontier.close()
        world.database.close()

    return SqliteWorld(opening, closing, reopens, dict(options))


@pytest.fixture(params=[False, True], ids=["open", "reopened"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteWorld]:
    world = open_sqlite(tmp_path / "crawl.db", reopens=request.param)
    yield world
    world.close(world)


class TestSqliteFrontier(FrontierBehaviour):
    """The behaviour suite over SqliteFrontier."""


class TestSqliteRevisits(RevisitBehaviour):
    """Looking again over SqliteFrontier."""


def test_a_new_process_takes_over_the_leases_of_a_dead_one(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    world.start(page(1), page(2))
    late = world.lease(2)
    world.settle(max_weight=None)
    assert world.frontier.counts().waiting == 2
    again = world.lease(2)
    assert [lease.attempt for lease in again] == [2, 2]
    world.frontier.complete([done(lease) for lease in late])
    assert world.frontier.counts().outdated == 2
    world.close(world)


def test_a_page_that_kills_its_worker_is_given_up_and_takes_no_other_along(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db", max_lost_leases=3)
    world.start(page("poison"), page(1))
    for _ in range(5):
        assert len(world.lease(9)) == 2
        world.settle(max_weight=None)
    assert urls(world.lease(9)) == [page("poison")]
    world.settle(max_weight=None)
    world.clock.now += 10
    world.frontier.complete([done(lease) for lease in world.lease(9)])
    assert (world.state(page("poison")), world.state(page(1))) == ("E", "C")
    world.close(world)


def test_looking_takes_nothing_over_and_needs_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gwc_crawler.store.sqlite.database.MAKING_SECONDS", 0.0)  # no pages will come into this file
    world = open_sqlite(tmp_path / "crawl.db")
    world.start()
    world.lease_one()
    with CrawlDatabase(tmp_path / "crawl.db", read_only=True) as database:
        counts = SqliteFrontier(database).counts()
        assert (counts.running, counts.waiting) == (1, 0)
        world.start(page(1))
        assert SqliteFrontier(database).counts().waiting == 1
    assert world.state(HOME) == UrlState.RUNNING
    world.close(world)


def test_a_second_crawl_of_the_same_file_is_refused(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    with (
        CrawlDatabase(tmp_path / "crawl.db") as database,
        pytest.raises(StoreError, match=r"crawl\.db is being crawled by"),
    ):
        SqliteFrontier(database)
    world.close(world)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqliteFrontier(database).close()


def test_the_crawl_notices_what_a_command_changes(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    world.start(HOME, page(1))
    world.lease_one()
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        command = SqliteFrontier(database, exclusive=False)
        assert command.drop("*/p/1") == 1
        assert command.add([Link("http://new.example/")]) == 1
        assert command.counts().running == 1
    assert urls(world.lease(5)) == ["http://new.example/"]
    counts = world.frontier.counts()
    assert (counts.running, counts.error) == (2, 1)
    world.close(world)


def test_a_raised_threshold_enters_held_links(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world = open_sqlite(tmp_path / "crawl.db", max_weight=1)
    world.start()
    world.finish(world.lease_one(), [page(1)])
    world.finish(world.lease_one(), [page(2)])
    world.settle(max_weight=2)
    assert "threshold changed old=1 new=2 urls_entered=1" in caplog.text
    world.finish(world.lease_one(), [page(3)])
    assert world.lease() == []
    world.settle(max_weight=None)
    assert urls(world.lease()) == [page(3)]
    world.close(world)


def test_a_lowered_threshold_holds_waiting_urls_back(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db", max_weight=3)
    world.start()
    world.finish(world.lease_one(), [page(1)])
    world.finish(world.lease_one(), [page(2)])
    world.settle(max_weight=1)
    assert world.lease() == []
    assert world.frontier.counts().finished
    world.settle(max_weight=2)
    assert urls(world.lease()) == [page(2)]
    world.close(world)


def test_the_counts_are_those_of_the_table(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    world.start(*(page(i) for i in range(10)))
    leases = world.lease(6)
    world.finish(leases[0], [page(20)])
    world.frontier.redirect(leases[1], page(30))
    world.finish(leases[1], [], url=page(30))
    world.frontier.release([leases[2]])
    world.frontier.redirect(leases[3], page(40))
    world.clock.now += 601
    world.lease(1)
    assert_counts_are_true(world)
    world.close(world)


def assert_counts_are_true(world: SqliteWorld) -> None:
    counts = world.frontier.counts()
    rows = dict(world.database.connection.execute("SELECT state, count(*) FROM urls GROUP BY state").fetchall())
    kept = [counts.waiting, counts.running, counts.complete, counts.error]
    assert kept == [rows.get(state, 0) for state in "URCE"]


def test_a_rolled_back_step_leaves_no_trace_in_memory(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    world.start()
    lease = world.lease_one()

    def interrupted() -> None:
        with world.database.transaction():
            world.finish(lease, [page(1)])
            world.start("http://other.example/")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    counts = world.frontier.counts()
    assert (counts.waiting, counts.running, counts.complete) == (0, 1, 0)
    world.finish(lease, [page(1)])
    assert urls(world.lease(5)) == [page(1)]
    assert_counts_are_true(world)
    world.close(world)


def test_many_urls_of_a_paused_host_cost_nothing(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db")
    world.frontier.add([Link(f"http://big.example/{i}") for i in range(20_000)])
    world.frontier.add([Link(f"http://small.example/{i}", 5, 1) for i in range(50)])
    world.frontier.pause_host("big.example", world.clock() + 3600)
    steps = 0

    def count_step() -> int:
        nonlocal steps
        steps += 1
        return 0

    world.database.connection.set_progress_handler(count_step, 100)
    assert len(world.lease(50)) == 50
    world.database.connection.set_progress_handler(None, 0)
    assert steps < 300, "thousands of virtual machine instructions: the lease walked over the paused URLs"
    world.close(world)


def test_a_resting_host_is_told_by_its_name_whatever_the_queues(tmp_path: Path) -> None:
    world = open_sqlite(tmp_path / "crawl.db", queue_of=column_queue)
    world.frontier.add([Link("http://a.example/sport/1.html"), Link("http://b.example/news/1.html")])
    world.frontier.pause_host("a.example", world.clock() + 30)
    assert paused_hosts(world.database, world.clock()) == {"a.example": world.clock() + 30}
    world.close(world)


def test_a_clock_that_is_put_back_makes_nothing_wait_longer(world: SqliteWorld) -> None:
    world.frontier.add([Link("http://a.example/1"), Link("http://b.example/1")])
    for lease in world.frontier.lease(2, "me"):
        if "a.example" in lease.url:
            world.frontier.fail(lease, Failure("HTTP 500", retry_at=world.clock() + 20))
        else:
            world.frontier.release([lease])
    world.frontier.pause_host("b.example", world.clock() + 30)
    assert not world.frontier.lease(2, "me")
    world.clock.now -= 86_400
    world.settle()
    assert not world.frontier.lease(2, "me")
    world.clock.now += 21
    assert [lease.url for lease in world.frontier.lease(2, "me")] == ["http://a.example/1"]
    world.clock.now += 10
    assert [lease.url for lease in world.frontier.lease(2, "me")] == ["http://b.example/1"]


def test_the_clock_is_the_wall_clock_by_default(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqliteFrontier(database)
        frontier.add([Link(HOME)])
        assert frontier.lease(1, "w")[0].expires_at > Clock().now
        frontier.close()
