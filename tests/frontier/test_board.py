"""The board of a crawl: one behaviour for the file of an embedded crawl and for Redis; what a worker makes of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from gwc_crawler.database import Database
from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.board import (
    FORGET_SECONDS,
    PAUSE,
    SILENT_SECONDS,
    Activity,
    Board,
    Pace,
    Report,
    SqliteBoard,
    read_wishes,
)
from gwc_crawler.frontier.redis_board import RedisBoard
from gwc_crawler.spiders.fleet_steering import FleetSteering
from gwc_crawler.spiders.steering import Steering
from tests.redis_server import RedisServer


@pytest.fixture(params=["sqlite", "redis"])
def boards(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Board]]:
    """Make boards of one crawl, each with a connection of its own."""
    if request.param == "sqlite":
        opened: list[Database] = []

        def open_file() -> Board:
            opened.append(Database(tmp_path / "crawl.db"))
            return SqliteBoard(opened[-1])

        yield open_file
        for database in opened:
            database.close()
        return
    client = request.getfixturevalue("client")
    yield lambda: RedisBoard(client, "{shop}:requests:board")


def report(board: Board, owner: str, activity: Activity = Activity.RUNNING, *, ago: float = 0.0) -> Report:
    now = board.now() - ago
    return Report(owner, activity, (), 10, 5, 10, 3, now - 60, now)


def test_a_pause_is_one_until_it_is_taken_off(boards: Callable[[], Board]) -> None:
    worker, person = boards(), boards()
    assert worker.wishes().pause is None
    first = person.pause("ann@desk")
    assert person.pause("bob@desk") == first
    assert worker.exchange(report(worker, "one:1")).pause == first
    assert worker.wishes().pause == first
    assert person.resume() == first
    assert person.resume() is None
    assert worker.exchange(report(worker, "one:1")).pause is None


def test_a_stop_is_for_those_that_are_at_work(boards: Callable[[], Board]) -> None:
    early = Steering("shop", boards(), "one:1")
    boards().stop()
    late = Steering("shop", boards(), "two:2")
    for steering in (early, late):
        steering.heed(steering.board.exchange(steering.report(0, 0, stopping=False)))
    assert (early.stop_asked, late.stop_asked) == (True, False)


def test_reports_are_there_until_their_worker_leaves(boards: Callable[[], Board]) -> None:
    worker, person = boards(), boards()
    told = report(worker, "one:1", Activity.PAUSED)
    worker.exchange(told)
    assert person.reports() == [told]
    worker.leave("one:1")
    assert person.reports() == []


def test_whoever_begins_a_crawl_ends_its_pause(boards: Callable[[], Board]) -> None:
    boards().pause("ann@desk")
    assert Steering("shop", boards(), "one:1", stays_paused=True).paused
    assert not Steering("shop", boards(), "one:1").paused
    assert boards().wishes().pause is None


@pytest.mark.parametrize("boards", ["redis"], indirect=True)
def test_who_joins_others_pauses_with_them(boards: Callable[[], Board]) -> None:
    board = boards()
    board.pause("ann@desk")
    board.exchange(report(board, "dead:1", ago=SILENT_SECONDS + 1))
    board.exchange(report(board, "alive:2", ago=1.0))
    assert Steering("shop", boards(), "new:3").paused
    board.leave("alive:2")
    assert not Steering("shop", boards(), "new:3").paused


@pytest.mark.parametrize("boards", ["redis"], indirect=True)
def test_a_fleet_forgets_who_vanished_a_day_ago(boards: Callable[[], Board]) -> None:
    board = boards()
    assert isinstance(board, RedisBoard)
    board.exchange(report(board, "dead:1", ago=FORGET_SECONDS + 1))
    board.exchange(report(board, "killed:2", ago=60.0))
    FleetSteering(board, "new:3").look(None, stopping=False)
    assert [one.owner for one in board.reports()] == ["killed:2", "new:3"]


def test_two_reasons_to_pause_are_both_to_be_gone(boards: Callable[[], Board]) -> None:
    board = boards()
    steering = Steering("shop", board, "one:1")
    board.pause("ann@desk")
    steering.heed(board.wishes())
    steering.pause("drift", "by drift")
    told = steering.report(1, 2, stopping=False)
    assert (told.activity, len(told.reasons)) == (Activity.PAUSED, 2)
    board.resume()
    steering.heed(board.wishes())
    assert steering.paused
    steering.resume("drift")
    assert not steering.paused


def test_what_cannot_be_read_still_pauses() -> None:
    assert read_wishes(b"\x00", b"3").pause is not None
    assert Report.from_json(b'{"owner": "one:1"}') is None


def test_a_full_tenth_of_reports_that_say_nothing_new_is_not_written(tmp_path: Path) -> None:
    """Each report is a transaction in the crawl's file."""
    with Database(tmp_path / "crawl.db") as database:
        board = SqliteBoard(database, report_seconds=2.0)

        def writes() -> int:
            return database.connection.total_changes

        told = report(board, "one:1")
        board.exchange(told)
        before = writes()
        board.exchange(told)
        assert writes() == before
        board.exchange(report(board, "one:1", Activity.PAUSED))
        assert writes() == before + 1


def test_a_locked_file_costs_a_report_and_no_crawl(tmp_path: Path) -> None:
    with Database(tmp_path / "crawl.db") as crawl, Database(tmp_path / "crawl.db") as other:
        board = SqliteBoard(crawl)
        SqliteBoard(other).pause("ann@desk")
        with other.transaction():
            assert board.exchange(report(board, "one:1")).pause is not None
        assert board.reports() == []
        assert crawl.connection.execute("PRAGMA busy_timeout").fetchone()[0] > 1000
        board.exchange(report(board, "one:1"))
        assert len(board.reports()) == 1


def test_a_file_of_an_earlier_version_has_an_empty_board(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as old:
        old.execute("DROP TABLE IF EXISTS board")
    with Database(path, read_only=True) as database:
        board = SqliteBoard(database)
        assert (board.wishes().pause, board.reports()) == (None, [])


def test_an_outage_is_told_as_one(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        board = RedisBoard(client, "{shop}:requests:board")
        told = report(board, "one:1")
        server.kill()
        with pytest.raises(OutageError):
            board.wishes()
        with pytest.raises(OutageError):
            board.exchange(told)


def test_the_exchange_is_one_pipeline_in_a_cluster_too(cluster: redis.RedisCluster) -> None:
    board = RedisBoard(cluster, "{shop}:requests:board")
    board.pause("ann@desk")
    pipeline = cluster.pipeline(transaction=False)
    pipeline.lrange("shop:start_urls", 0, 9)  # on another node
    board.ask(pipeline, report(board, "one:1"))
    entries, _, wishes = pipeline.execute()
    assert entries == []
    assert board.answer(wishes).pause is not None
    assert len(board.reports()) == 1
    cluster.hset(board.key, PAUSE, "?")
    assert board.resume() is not None


def test_the_pace_forgets() -> None:
    pace = Pace()
    for second in range(2000):
        pace.note(float(second), second)
    assert (pace.last(60.0), pace.last(600.0)) == (60, 600)
    pace.note(3000.0, 2000)
    assert pace.last(600.0) == 0
