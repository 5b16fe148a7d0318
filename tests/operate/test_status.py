"""Status figures of databases that a test wrote itself."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.stats import tally, workers
from gwc_crawler.items import Done, Failure, Link, PageKind
from gwc_crawler.operate.status import SiteStatus, site_status, stage_text
from gwc_crawler.operate.status_text import StatusReport
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import FIRST_RECORDS, ChannelRows

A, B = "http://a.example", "http://b.example"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> CrawlDatabase:
    """Six URLs on two hosts: two complete at different times, one in error, two leased, one waiting."""
    database = CrawlDatabase(tmp_path / "crawl.db")
    SqliteSink(database, site="shop", fields=["title"])
    frontier = SqliteFrontier(database, max_weight=3, lease_seconds=100, clock=clock)
    frontier.add(
        [Link(f"{A}/{n}", depth=1) for n in range(4)] + [Link(f"{B}/{n}", weight=1, depth=1) for n in range(2)]
    )
    first, second, third = frontier.lease(3, "one:1")
    frontier.complete([Done(first, first.url, PageKind.TARGET, relevant=True)])
    clock.now += 300
    frontier.complete([Done(second, second.url, PageKind.INDEX, relevant=False)])
    frontier.fail(third, Failure("HTTP 404"))
    frontier.lease(1, "one:1")
    clock.now += 50
    frontier.lease(1, "two:2")
    return database


def test_the_tally(database: CrawlDatabase, clock: Clock) -> None:
    told = tally(database, clock.now)
    assert told.states == {"U": 1, "R": 2, "C": 2, "E": 1}
    assert told.kinds == {"target": 1, "index": 1}
    assert told.reasons == {"HTTP 404": 1}
    assert told.hosts == {
        "a.example": {"U": 0, "R": 1, "C": 2, "E": 1},
        "b.example": {"U": 1, "R": 1, "C": 0, "E": 0},
    }
    assert told.weights[1] == {"U": 1, "R": 1, "C": 1, "E": 0}
    assert (told.last_minute, told.last_ten_minutes) == (1, 2)
    database.close()


def test_the_workers(database: CrawlDatabase, clock: Clock) -> None:
    told = {one.owner: (one.leased, one.until) for one in workers(database)}
    assert told == {"one:1": (1, 1400.0), "two:2": (1, 1450.0)}
    database.close()
    status = status_in(database.path, clock)
    assert status.crawl is not None
    assert {one.owner: one.oldest_lease_seconds for one in status.crawl.workers} == {"one:1": 50, "two:2": 0}
    assert stage_text(status) == "at rest"
    for whole, words in ((True, "`scrapy crawl shop` goes on"), (False, "`scrapy crawl SITE`")):
        told = Console(file=StringIO(), width=200)
        told.print(StatusReport("shop" if whole else None, [status], []).rendered())
        assert words in told.file.getvalue()  # type: ignore[attr-defined]
    assert (status.knowledge, status.precrawl, status.problem) == (None, None, None)


def status_in(path: Path, clock: Clock) -> SiteStatus:
    return site_status(
        "shop",
        knowledge=path.with_name("knowledge.json"),
        samples_db=path.with_name("samples.db"),
        crawl_db=path,
        now=clock.now,
        lease_seconds=100,
    )


def test_a_crawl_that_was_killed_while_it_made_its_tables_has_not_begun(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "crawl.db").touch()
    status = status_in(tmp_path / "crawl.db", clock)
    assert (status.crawl, status.problem) == (None, None)


def test_who_looks_at_a_crawl_that_is_making_its_tables_waits_for_them(tmp_path: Path, clock: Clock) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database, ThreadPoolExecutor(1) as pool:
        SqliteFrontier(database)
        looking = pool.submit(status_in, database.path, clock)
        SqliteSink(database, site="shop", fields=["title"])
        status = looking.result(60)
    assert status.problem is None
    assert status.crawl is None or status.crawl.running_as


@pytest.mark.parametrize(
    ("told", "seen"),
    [
        (
            {"pages": 25, "count": 9, "refused": "", "latest": [{"url": f"{A}/1", "title": f"Thor {A * 2}"}]},
            ("first records, 9 on the first 25 pages", "Thor"),
        ),
        ({"pages": 25, "count": 0, "refused": "no such sample", "latest": []}, ("first 25 pages yet: no such sample",)),
    ],
)
def test_a_site_that_is_being_learned_shows_its_first_records(
    tmp_path: Path, clock: Clock, told: dict[str, object], seen: tuple[str, ...]
) -> None:
    with CrawlDatabase(tmp_path / "samples.db") as database:
        SqliteSink(database, site="shop", fields=[])
        SqliteFrontier(database)
        ChannelRows(database).put(FIRST_RECORDS, json.dumps(told))
    status = status_in(tmp_path / "crawl.db", clock)
    assert status.as_json()["precrawl"]["first_records"] == told
    for learned in (None, {"learned_at": "today", "mode": "best", "targets": [], "directories": [], "max_weight": 1}):
        shown = Console(file=StringIO(), width=200)
        shown.print(StatusReport("shop", [replace(status, knowledge=learned)], []).rendered())
        text = shown.file.getvalue()  # type: ignore[attr-defined]
        assert [part in text for part in seen] == [learned is None] * len(seen)


def test_who_holds_the_lock_is_told_and_looking_keeps_nobody_off(database: CrawlDatabase) -> None:
    assert (crawl_holder(database.path) or "").startswith("process ")
    database.close()
    assert crawl_holder(database.path) is None
    with CrawlDatabase(database.path) as again:
        again.lock()
        with CrawlDatabase(database.path) as other, pytest.raises(StoreError, match="is being crawled by process"):
            other.lock()
    assert crawl_holder(database.path.with_name("nothing.db")) is None
