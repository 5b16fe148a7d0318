"""What outlives a crawl of its hosts' limits: the next crawl, and the one beside it, go by the same word of a host."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gwc_crawler.network.politeness.limiter import NEWS_SECONDS, HostLimiter, HostLimits
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.side_file import KEPT_SECONDS, HostMemory

HOST = "a.example"


class Machine:
    """Crawls one after the other, or at the same time, and their clocks: one that runs, one that people set."""

    def __init__(self, path: Path) -> None:
        self.path = path / "data" / "hosts.db"
        self.now, self.wall = 100.0, 1.7e9

    def crawl(self, **limits: float) -> HostLimiter:
        """A crawl begins; one that is left without `close` was killed."""
        chosen = HostLimits(**limits)  # type: ignore[arg-type]
        memory = HostMemory(self.path, clock=lambda: self.wall)
        return HostLimiter(chosen, memory=memory, clock=lambda: self.now, chance=lambda: 0.5)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds

    def rows(self) -> list[str]:
        with closing(sqlite3.connect(self.path)) as connection:
            return [key for (key,) in connection.execute("SELECT key FROM hosts ORDER BY key")]

    def left(self, crawl: HostLimiter, host: str = HOST) -> float:
        """Seconds until the crawl may ask the host."""
        return round(max(0.0, crawl.next_at(host) - self.now), 6)


def ask(crawl: HostLimiter, status: int | None = 200, wait: float | None = None, host: str = HOST) -> None:
    assert crawl.may_start(host)
    crawl.started(host)
    assert crawl.seconds_to_turn(host) == 0
    crawl.answered(host, status, crawl.clock(), 0.1, wait)
    crawl.ended(host)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def end(crawl: HostLimiter) -> None:
    crawl.close()


def kill(_: HostLimiter) -> None:
    """Nothing more is written down."""


ends = pytest.mark.parametrize("ending", [end, kill])
Ending = Callable[[HostLimiter], None]


@ends
def test_a_rest_goes_on_in_the_next_crawl(machine: Machine, ending: Ending) -> None:
    first = machine.crawl()
    ask(first, 429, 20)
    ending(first)
    machine.wait(5)
    second = machine.crawl()
    assert machine.left(second) == 15
    assert machine.left(second, "b.example") == 0
    machine.wait(15)
    assert second.may_start(HOST)


@ends
def test_so_does_the_level_of_the_back_off_and_its_recovery(machine: Machine, ending: Ending) -> None:
    first = machine.crawl(back_off_seconds=1, concurrency=8)
    for _ in range(4):
        ask(first, 503)
        machine.wait(machine.left(first))
    ending(first)
    second = machine.crawl(back_off_seconds=1, concurrency=8)
    second.started(HOST)
    assert not second.may_start(HOST), "one at a time"
    assert second.seconds_to_turn(HOST) == 0
    second.answered(HOST, None, machine.now, 0.1)
    second.ended(HOST)
    assert machine.left(second) == 16
    machine.wait(16)
    waits = []
    for _ in range(8):
        ask(second, 200)
        waits.append(machine.left(second))
        machine.wait(waits[-1])
    end(second)
    assert waits == [8, 4, 2, 1, 0.5, 0.25, 0.125, 0.0625]
    third = machine.crawl(back_off_seconds=1)
    ask(third)
    assert machine.left(third) == 0


@ends
@pytest.mark.parametrize("by", ["delay", "crawl-delay", "a delay over the longest wait"])
def test_so_does_a_gap(machine: Machine, ending: Ending, by: str) -> None:
    seconds = 900 if "longest" in by else 30
    limits = {} if by == "crawl-delay" else {"delay_seconds": seconds}
    first = machine.crawl(**limits)
    ask(first)
    if by == "crawl-delay":
        first.ask_slowly(HOST, seconds)
    first.tick()
    ending(first)
    machine.wait(10)
    assert machine.left(machine.crawl(**limits)) == seconds - 10


def test_so_does_the_adaptive_delay(machine: Machine) -> None:
    limits = {"adaptive": True, "start_delay_seconds": 5}
    first = machine.crawl(**limits)
    for _ in range(5):
        ask(first)
        machine.wait(machine.left(first))
    end(first)
    second = machine.crawl(**limits)
    ask(second)
    assert 0 < machine.left(second) < 0.5
    machine.wait(60)
    ask(second, 503, host="b.example")
    assert HOST in machine.rows()


def test_crawls_at_the_same_time_hear_of_a_rest(machine: Machine) -> None:
    one, two = machine.crawl(), machine.crawl()
    ask(one)
    ask(two)
    ask(one, 429, 20)
    two.tick()
    assert machine.left(two) == 20
    end(two)
    end(one)


def test_news_are_looked_for_now_and_then_alone(machine: Machine) -> None:
    one, two = machine.crawl(), machine.crawl()
    ask(two)
    two.tick()
    ask(one, 429, 20)
    two.tick()
    assert machine.left(two) == 0
    machine.wait(NEWS_SECONDS)
    two.tick()
    assert machine.left(two) == 19


@pytest.mark.parametrize("jump", [-86_400 * 365, -5, 3, 86_400])
def test_a_clock_that_is_set_makes_no_rest_longer(machine: Machine, jump: float) -> None:
    first = machine.crawl(longest_wait_seconds=300)
    ask(first, 429, 9999)
    end(first)
    machine.wall += jump
    for _ in range(4):  # each has its clock from the file
        crawl = machine.crawl(longest_wait_seconds=300)
        crawl.may_start(HOST)
        machine.wait(75)
        crawl.tick()
        end(crawl)
    assert machine.crawl(longest_wait_seconds=300).may_start(HOST)


def test_a_shorter_longest_wait_holds_for_old_rests(machine: Machine) -> None:
    first = machine.crawl()
    ask(first, 429, 300)
    end(first)
    assert machine.left(machine.crawl(longest_wait_seconds=7)) == 7


def test_without_trouble_and_delay_there_is_no_file(machine: Machine) -> None:
    crawl = machine.crawl()
    for status in (200, 404, 500, 200):
        ask(crawl, status)
        crawl.tick()
    end(crawl)
    assert not machine.path.parent.exists()


def test_what_is_over_is_forgotten(machine: Machine) -> None:
    crawl = machine.crawl(delay_seconds=1)
    for number in range(50):
        ask(crawl, host=f"{number}.example")
    ask(crawl, 503)
    crawl.tick()
    assert len(machine.rows()) == 51
    machine.wait(120)
    ask(crawl, host="new.example")
    crawl.tick()
    assert machine.rows() == [HOST, "new.example"]
    machine.wait(KEPT_SECONDS)
    ask(crawl, host="newer.example")
    end(crawl)
    assert machine.rows() == ["newer.example"]


def damage(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 40)


def in_the_way(path: Path) -> None:
    path.mkdir(parents=True)


def foreign(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE hosts (name TEXT)")


def of_a_crawl(path: Path) -> None:
    CrawlDatabase(path.with_name("crawl.db")).close()
    path.with_name("crawl.db").rename(path)


def no_directory(path: Path) -> None:
    path.parent.write_text("a file")


@pytest.mark.parametrize("harm", [damage, in_the_way, foreign, of_a_crawl, no_directory])
def test_a_file_that_cannot_be_used_is_said_once_and_costs_no_crawl(
    machine: Machine, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    harm(machine.path)
    crawl = machine.crawl(delay_seconds=1)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            ask(crawl)
            machine.wait(1)
            crawl.tick()
    ask(crawl, 429, 20)
    assert machine.left(crawl) == 20
    end(crawl)
    assert len(caplog.messages) == 1
    assert str(machine.path) in caplog.text


def test_a_file_that_is_busy_for_a_while_is_written_later(machine: Machine) -> None:
    first = machine.crawl()
    ask(first, 503)
    machine.wait(1)
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ask(first, 429, 20)
        other.execute("ROLLBACK")
    first.tick()
    assert machine.left(machine.crawl()) == 20
