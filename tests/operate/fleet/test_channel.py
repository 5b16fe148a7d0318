"""The channel of a crawl: one behaviour for the file of an embedded crawl and for Redis; what a worker makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import redis

from gwc_crawler.errors import OutageError
from gwc_crawler.operate.fleet.channel import (
    FORGET_SECONDS,
    PAUSE,
    SILENT_SECONDS,
    Activity,
    Channel,
    Pace,
    Report,
    SqliteChannel,
    read_desired,
)
from gwc_crawler.operate.fleet.control import Steering
from gwc_crawler.operate.fleet.redis_channel import RedisChannel
from gwc_crawler.spiders.fleet.worker import FleetSteering
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.redis_server import RedisServer


@pytest.fixture(params=["sqlite", "redis"])
def channels(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Channel]]:
    """Make channels of one crawl, each with a connection of its own."""
    if request.param == "sqlite":
        opened: list[CrawlDatabase] = []

        def open_file() -> Channel:
            opened.append(CrawlDatabase(tmp_path / "crawl.db"))
            return SqliteChannel(opened[-1])

        yield open_file
        for database in opened:
            database.close()
        return
    client = request.getfixturevalue("client")
    yield lambda: RedisChannel(client, "{shop}:requests:board")


def report(channel: Channel, owner: str, activity: Activity = Activity.RUNNING, *, ago: float = 0.0) -> Report:
    now = channel.now() - ago
    return Report(owner, activity, (), 10, 5, 10, 3, now - 60, now)


def test_a_pause_is_one_until_it_is_taken_off(channels: Callable[[], Channel]) -> None:
    worker, person = channels(), channels()
    assert worker.desired().pause is None
    first = person.pause("ann@desk")
    assert person.pause("bob@desk") == first
    assert worker.exchange(report(worker, "one:1")).pause == first
    assert worker.desired().pause == first
    assert person.resume() == first
    assert person.resume() is None
    assert worker.exchange(report(worker, "one:1")).pause is None


def test_a_stop_is_for_those_that_are_at_work(channels: Callable[[], Channel]) -> None:
    early = Steering("shop", channels(), "one:1")
    channels().stop()
    late = Steering("shop", channels(), "two:2")
    for steering in (early, late):
        steering.heed(steering.channel.exchange(steering.report(0, 0, stopping=False)))
    assert (early.stop_asked, late.stop_asked) == (True, False)


def test_reports_are_there_until_their_worker_leaves(channels: Callable[[], Channel]) -> None:
    worker, person = channels(), channels()
    told = report(worker, "one:1", Activity.PAUSED)
    worker.exchange(told)
    assert person.reports() == [told]
    worker.leave("one:1")
    assert person.reports() == []


def test_whoever_begins_a_crawl_ends_its_pause(channels: Callable[[], Channel]) -> None:
    channels().pause("ann@desk")
    assert Steering("shop", channels(), "one:1", stays_paused=True).paused
    assert not Steering("shop", channels(), "one:1").paused
    assert channels().desired().pause is None


@pytest.mark.parametrize("channels", ["redis"], indirect=True)
def test_who_joins_others_pauses_with_them(channels: Callable[[], Channel]) -> None:
    channel = channels()
    channel.pause("ann@desk")
    channel.exchange(report(channel, "dead:1", ago=SILENT_SECONDS + 1))
    channel.exchange(report(channel, "alive:2", ago=1.0))
    assert Steering("shop", channels(), "new:3").paused
    channel.leave("alive:2")
    assert not Steering("shop", channels(), "new:3").paused


@pytest.mark.parametrize("channels", ["redis"], indirect=True)
def test_a_fleet_forgets_who_vanished_a_day_ago(channels: Callable[[], Channel]) -> None:
    channel = channels()
    assert isinstance(channel, RedisChannel)
    channel.exchange(report(channel, "dead:1", ago=FORGET_SECONDS + 1))
    channel.exchange(report(channel, "killed:2", ago=60.0))
    FleetSteering(channel, "new:3").look(None, stopping=False)
    assert [one.owner for one in channel.reports()] == ["killed:2", "new:3"]


def test_two_reasons_to_pause_are_both_to_be_gone(channels: Callable[[], Channel]) -> None:
    channel = channels()
    steering = Steering("shop", channel, "one:1")
    channel.pause("ann@desk")
    steering.heed(channel.desired())
    steering.pause("drift", "by drift")
    told = steering.report(1, 2, stopping=False)
    assert (told.activity, len(told.reasons)) == (Activity.PAUSED, 2)
    channel.resume()
    steering.heed(channel.desired())
    assert steering.paused
    steering.resume("drift")
    assert not steering.paused


def test_what_cannot_be_read_still_pauses() -> None:
    assert read_desired(b"\x00", b"3").pause is not None
    assert Report.from_json(b'{"owner": "one:1"}') is None
    told = Report("one:1", Activity.RUNNING, (), 1, 1, 1, 1, 0.0, 1.0)
    assert Report.from_json(json.dumps({**asdict(told), "mood": "good"})) is None
    assert Report.from_json(json.dumps({**asdict(told), "seen_at": 2})) == replace(told, seen_at=2.0)


def test_half_a_character_in_a_report_ends_no_tick(channels: Callable[[], Channel]) -> None:
    channel = channels()
    told = replace(report(channel, "one:1"), silent=("shop\ud800",), reasons=("\udcff",))
    channel.exchange(told)
    assert channels().reports() == [told]


def test_a_full_tenth_of_reports_that_say_nothing_new_is_not_written(tmp_path: Path) -> None:
    """Each report is a transaction in the crawl's file."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        channel = SqliteChannel(database, report_seconds=2.0)

        def writes() -> int:
            return database.connection.total_changes

        told = report(channel, "one:1")
        channel.exchange(told)
        before = writes()
        channel.exchange(told)
        assert writes() == before
        channel.exchange(report(channel, "one:1", Activity.PAUSED))
        assert writes() == before + 1


def test_a_locked_file_costs_a_report_and_no_crawl(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as crawl, CrawlDatabase(tmp_path / "crawl.db") as other:
        channel = SqliteChannel(crawl)
        SqliteChannel(other).pause("ann@desk")
        with other.transaction():
            assert channel.exchange(report(channel, "one:1")).pause is not None
        assert channel.reports() == []
        assert crawl.connection.execute("PRAGMA busy_timeout").fetchone()[0] > 1000
        channel.exchange(report(channel, "one:1"))
        assert len(channel.reports()) == 1


def test_an_outage_is_told_as_one(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        channel = RedisChannel(client, "{shop}:requests:board")
        told = report(channel, "one:1")
        server.kill()
        with pytest.raises(OutageError):
            channel.desired()
        with pytest.raises(OutageError):
            channel.exchange(told)


def test_the_exchange_is_one_pipeline_in_a_cluster_too(cluster: redis.RedisCluster) -> None:
    channel = RedisChannel(cluster, "{shop}:requests:board")
    channel.pause("ann@desk")
    pipeline = cluster.pipeline(transaction=False)  # type: ignore[no-untyped-call]
    pipeline.lrange("shop:start_urls", 0, 9)  # on another node
    channel.ask(pipeline, report(channel, "one:1"))
    entries, _, desired = pipeline.execute()
    assert entries == []
    assert channel.answer(desired).pause is not None
    assert len(channel.reports()) == 1
    cluster.hset(channel.key, PAUSE, "?")
    assert channel.resume() is not None


def test_the_pace_forgets() -> None:
    pace = Pace()
    for second in range(2000):
        pace.note(float(second), second)
    assert (pace.last(60.0), pace.last(600.0)) == (60, 600)
    pace.note(3000.0, 2000)
    assert pace.last(600.0) == 0
