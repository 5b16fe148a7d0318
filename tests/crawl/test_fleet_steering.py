"""A whole fleet is paused, resumed and stopped from another shell, whatever site its workers are at."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import Any

import pytest

from tests.conftest import Project
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.site_server import SiteServer
from tests.stars import begin_hanging_star, begin_star


def test_a_fleet_is_paused_resumed_and_stopped(project: Project, site: SiteServer, redis_server: RedisServer) -> None:
    begin_star(project, site, 150, 0.4)
    address = ("-s", f"REDIS_URL={redis_server.url}")

    def ask(command: str) -> Any:
        outcome = project.scrapy(command, "--all", "--json", *address, profile="cluster")
        assert outcome.code == 0, outcome.out + outcome.err
        return json.loads(outcome.out)

    def work() -> subprocess.Popen[str]:
        options = ("--once", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2", *address)
        return project.start("work", *options, profile="cluster")

    workers = [work() for _ in range(2)]
    site.wait_for_pages(10)
    with redis_server.client() as client:
        wait_until(lambda: client.hlen("{fleet}:board") == 2, 30)
        shown = project.scrapy("status", *address, profile="cluster").out
        assert "crawling (1 worker); fleet: R" in shown
        assert "workers of the fleet" in shown
        told = ask("pause")
        assert [(one["site"], len(one["asked"]), one["obeyed"]) for one in told] == [("the fleet", 2, True)]
        before = sum(site.hits.values())
        workers.append(work())
        wait_until(lambda: client.hlen("{fleet}:board") == 3, 30)
        assert sum(site.hits.values()) == before, "who comes during a pause pauses, too"
        assert ask("resume")[0]["obeyed"]
        wait_until(lambda: sum(site.hits.values()) > before, 30)
        told = ask("stop")
        assert [(one["site"], len(one["asked"]), one["obeyed"]) for one in told] == [("the fleet", 3, True)]
        for worker in workers:
            out, err = worker.communicate(timeout=20)
            assert worker.returncode == 130, err
            assert "Traceback" not in err
            assert "leaves the fleet" in out
        assert client.hlen("{graph}:requests:leased") == 0, "everything was handed back"


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_leaves_though_pages_are_under_way(
    project: Project, site: SiteServer, redis_server: RedisServer, times: int
) -> None:
    """After a moment by itself, at once when it is told twice: what it has read is stored, the rest handed back."""
    begin_hanging_star(project, site, 60)
    options = ("-s", "DOWNLOAD_TIMEOUT=600", "-s", "GWC_SINK=sqlite,tests.crawl.own_sinks.Journal")
    worker = project.start("work", *options, "-s", f"REDIS_URL={redis_server.url}", profile="cluster")
    site.wait_for_pages(2)
    for _ in range(times):
        worker.send_signal(signal.SIGTERM)
        time.sleep(0.5)
    out, err = worker.communicate(timeout=60)
    assert worker.returncode == 130, err
    assert "Traceback" not in err
    assert "leaves the fleet" in out
    assert project.states() == {f"{site.url}/": "C"}
    journal = project.directory / "data" / "graph" / "journal.txt"
    assert journal.read_text().split() == [f"{site.url}/", "closed"]
    with redis_server.client() as client:
        assert client.hlen("{graph}:requests:leased") == 0, "everything was handed back"
        assert client.hlen("{fleet}:board") == 0, "it has taken its report off"


def test_nothing_runs(project: Project) -> None:
    outcome = project.scrapy("stop", "--all")
    assert (outcome.code, outcome.out) == (1, "nothing runs\n")
