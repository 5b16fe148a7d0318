"""Several workers on one crawl: they share it, come and go, and end together; each page is fetched once."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Project
from tests.crawl.fleet import Fleet
from tests.crawl.ticking import PACE_SECONDS
from tests.graphs import crossed_tree
from tests.processes import kill, wait_until
from tests.redis_server import DURABLE, RedisServer
from tests.site_server import SiteServer


@pytest.fixture
def durable_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis server that may be killed."""
    with RedisServer(tmp_path / "redis", options=DURABLE) as server:
        yield server


def prepare(project: Project, site: SiteServer, pages: int, delay: float) -> None:
    site.links = crossed_tree(pages)
    site.delays["*"] = delay
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()


def assert_all_stored_once(project: Project, pages: int) -> None:
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(pages, pages)]
    assert project.rows("SELECT count(*) FROM urls WHERE state = 'C'") == [(pages,)]


def test_three_workers_fetch_each_page_once(project: Project, site: SiteServer, fleet: Fleet) -> None:
    prepare(project, site, 200, delay=0.03)
    for _ in range(3):
        fleet.join()
    logs = fleet.end()
    assert len(site.page_hits()) == 200
    assert set(site.page_hits().values()) == {1}
    assert_all_stored_once(project, 200)
    assert any("gwc/frontier/known_hits" in log for log in logs)


def test_one_is_killed_and_one_comes_later(project: Project, site: SiteServer, fleet: Fleet) -> None:
    prepare(project, site, 240, delay=0.04)
    victim = fleet.join()
    fleet.join()
    site.wait_for_pages(60)
    kill(victim)
    fleet.join()
    fleet.end()
    hits = site.page_hits()
    assert set(hits) == set(site.links)
    again = sum(count - 1 for count in hits.values())
    assert again <= 100 + 8 + 4, f"{again} pages fetched again: more than one worker's leases"
    assert_all_stored_once(project, 240)


def test_scrapy_queue_steers_the_shared_queue(
    project: Project, site: SiteServer, fleet: Fleet, redis_server: RedisServer
) -> None:
    def queue(*arguments: str) -> Any:
        options = ("--json", "-s", f"REDIS_URL={redis_server.url}")
        outcome = project.scrapy("queue", "graph", *arguments, *options, profile="cluster")
        assert outcome.code == 0, outcome.err
        return json.loads(outcome.out)

    site.links = {"/p/0": [], "/new": []}
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    fleet.join()
    fleet.end()
    assert queue("add", f"{site.url}/new")[0]["result"] == "added"
    assert [row["url"] for row in queue("list", "--state", "U")] == [f"{site.url}/new"]
    assert queue("retry", "*/p/0", "--state", "C", "--yes")["changed"] == 1
    assert queue("drop", "*/p/0", "--yes")["changed"] == 1
    fleet.join()
    fleet.end()
    assert site.page_hits()["/new"] == 1


def test_redis_goes_away_and_comes_back(project: Project, site: SiteServer, durable_redis: RedisServer) -> None:
    prepare(project, site, 200, delay=0.06)
    fleet = Fleet(project, durable_redis.url)
    fleet.join()
    fleet.join()
    site.wait_for_pages(80)
    durable_redis.kill()
    time.sleep(1.5)
    durable_redis.start()
    logs = fleet.end()
    assert_all_stored_once(project, 200)
    hits = site.page_hits()
    assert set(hits) == set(site.links)
    assert sum(count - 1 for count in hits.values()) <= 2 * 8, "only leases whose answer was lost are fetched again"
    for log in logs:
        pauses = log.count("the crawl pauses until Redis is back")  # a busy machine's Redis may seem away once more
        assert pauses == log.count("Redis is back, the crawl goes on") >= 1
        assert "Traceback" not in log


def test_redis_hangs_and_goes_on(project: Project, site: SiteServer, durable_redis: RedisServer) -> None:
    prepare(project, site, 120, delay=0.04)
    fleet = Fleet(project, durable_redis.url)
    path, ticks = project.directory / "log", project.directory / "ticks"
    with path.open("w+") as log:
        fleet.join(stderr=log, EXTENSIONS='{"tests.crawl.ticking.Ticking": 1}', TICKS=ticks)
        site.wait_for_pages(50)
        with durable_redis.hanging():
            wait_until(lambda: "the crawl pauses until Redis is back" in path.read_text())
        fleet.end()
    assert "Traceback" not in path.read_text()
    assert_all_stored_once(project, 120)
    assert set(site.page_hits()) == set(site.links)
    assert int(ticks.read_text()) * PACE_SECONDS < 2.5, "the event loop waited for Redis for seconds"


def test_redis_loses_its_last_second_with_the_power(
    project: Project, site: SiteServer, durable_redis: RedisServer
) -> None:
    prepare(project, site, 200, delay=0.06)
    fleet = Fleet(project, durable_redis.url)
    fleet.join()
    fleet.join()
    site.wait_for_pages(70)
    size = durable_redis.log_bytes()
    time.sleep(1)
    durable_redis.lose_power(size)
    fleet.end()
    assert_all_stored_once(project, 200)
    assert set(site.page_hits()) == set(site.links)
    with durable_redis.client() as client:
        states = client.hmget("{graph}:requests:values", "U", "R", "C", "E")
    assert [int(count or 0) for count in states] == [0, 0, 200, 0]


def test_sigterm_hands_back_at_once_and_start_urls_come_from_outside(
    project: Project, site: SiteServer, fleet: Fleet, redis_server: RedisServer
) -> None:
    prepare(project, site, 100, delay=0.05)
    site.links |= {"/extra": ["/extra/1"], "/extra/1": []}
    leaving = fleet.join(GWC_LEASE_SECONDS=600)
    site.wait_for_pages(30)
    with redis_server.client() as client:
        client.lpush(
            "graph:start_urls",
            f"{site.url}/extra/1?utm_source=mail",
            json.dumps({"url": f"{site.url}/extra", "meta": {"a": 1}}),
        )
        client.lpush("graph:start_urls", "no URL", "http://elsewhere.example/")
        wait_until(lambda: client.llen("graph:start_urls") == 0)
        leaving.send_signal(signal.SIGTERM)
        _, log = leaving.communicate(timeout=15)
        assert leaving.returncode == 130, log
        assert log.count("start URL left out") == 2
        assert client.hlen("{graph}:requests:leased") == 0
    fleet.workers.remove(leaving)
    fleet.join()
    fleet.end()
    assert set(site.page_hits().values()) == {1}
    assert_all_stored_once(project, 102)


def test_a_redis_that_is_not_there_is_named(project: Project, site: SiteServer) -> None:
    prepare(project, site, 3, delay=0.0)
    fleet = Fleet(project, "redis://127.0.0.1:9/0")
    worker = fleet.join()
    _, log = worker.communicate(timeout=30)
    assert worker.returncode == 5
    assert "127.0.0.1:9" in log
    assert "REDIS_URL" in log
    assert "Traceback" not in log
    assert not site.page_hits()


def test_a_worker_whose_store_fails_hands_its_leases_back(
    project: Project, site: SiteServer, fleet: Fleet, redis_server: RedisServer
) -> None:
    prepare(project, site, 60, delay=0.03)
    worker = fleet.join(GWC_LEASE_SECONDS=600, GWC_BUSY_SECONDS=0.2)
    site.wait_for_pages(20)
    with closing(sqlite3.connect(project.directory / "data/graph/crawl.db", isolation_level=None)) as other:
        other.execute("PRAGMA busy_timeout = 10000")
        other.execute("BEGIN IMMEDIATE")
        _, log = worker.communicate(timeout=30)
    assert worker.returncode == 5, log
    assert "locked" in log
    assert "Traceback" not in log
    with redis_server.client() as client:
        assert client.hlen("{graph}:requests:leased") == 0
    fleet.workers.remove(worker)
    fleet.join()
    fleet.end()
    assert_all_stored_once(project, 60)
    unsaved = sum(int(count) for count in re.findall(r"last batch not stored.* pages=(\d+)", log))
    assert sum(count - 1 for count in site.page_hits().values()) <= unsaved
