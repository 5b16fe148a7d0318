"""`scrapy pause`, `resume` and `stop`: a crawl is steered from another shell while it runs."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.conftest import Project
from tests.graphs import star
from tests.processes import kill, wait_until
from tests.site_server import SiteServer
from tests.stars import begin_star

PAGES = 150


class Shell:
    """Starts crawls of the site `graph` and steers them, embedded or shared by a Redis server."""

    def __init__(self, project: Project, redis_url: str | None) -> None:
        self.project = project
        self.profile = "cluster" if redis_url else "local"
        self.settings: dict[str, Any] = {"CONCURRENT_REQUESTS": 2, "GWC_LEASE_BATCH": 16}
        self.options = ["-s", f"REDIS_URL={redis_url}"] if redis_url else []
        if redis_url:
            self.settings["REDIS_URL"] = redis_url
        self.crawls: list[subprocess.Popen[str]] = []

    def crawl(self, **settings: Any) -> subprocess.Popen[str]:
        process = self.project.start(
            "crawl", "graph", settings={**self.settings, **settings}, profile=self.profile, stdout=subprocess.DEVNULL
        )
        self.crawls.append(process)
        return process

    def ask(self, *arguments: str, code: int = 0) -> str:
        outcome = self.project.scrapy(*arguments, *self.options, profile=self.profile)
        assert outcome.code == code, outcome.out + outcome.err
        assert "Traceback" not in outcome.err
        return outcome.out + outcome.err

    def asked(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.ask(*arguments, "--json", code=code))


@pytest.fixture(params=["sqlite", "redis"])
def shell(request: pytest.FixtureRequest, project: Project, site: SiteServer) -> Shell:
    url = request.getfixturevalue("redis_server").url if request.param == "redis" else None
    begin_star(project, site, PAGES, 1.0)  # with it a crawl takes more than a minute: it can't end before it is steered
    return Shell(project, url)


@pytest.mark.parametrize("shell", [pytest.param("sqlite", marks=pytest.mark.slow), "redis"], indirect=True)
def test_a_running_crawl_is_looked_into_paused_and_resumed(shell: Shell, site: SiteServer) -> None:
    crawl = shell.crawl()
    site.wait_for_pages(10)
    look_into(shell, site)

    (told,) = shell.asked("pause", "graph")
    assert (told["obeyed"], len(told["asked"]), told["left"]) == (True, 1, [])
    before = sum(site.hits.values())
    assert before < PAGES
    text = shell.ask("status", "graph")
    assert "graph  crawling, paused (" in text
    assert "until `scrapy resume graph`" in text
    assert sum(site.hits.values()) == before, "a paused crawl asks for nothing"

    site.delays["*"] = 0.0
    assert "graph: resume asked of 1 worker; at work after" in shell.ask("resume", "graph")
    _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log
    assert (log.count("paused site=graph"), log.count("resumed site=graph")) == (1, 1)
    assert set(site.page_hits().values()) == {1}, "what was handed back is fetched once"
    assert len(site.page_hits()) == PAGES + 1


def look_into(shell: Shell, site: SiteServer) -> None:
    """Ask status, queue and why while a crawl runs."""
    told = shell.asked("status", "graph")["crawl"]
    (worker,) = told["workers"]
    assert told["frontier"] == ("redis" if shell.options else "sqlite")
    assert told["running"]
    assert (told["urls"]["U"] > 0, told["urls"]["R"] > 0, sum(told["urls"].values())) == (True, True, PAGES + 1)
    assert told["urls_by_host"][site.url.removeprefix("http://")]["U"] > 0
    assert told["urls_by_weight"]["0"]["U"] > 0
    assert (worker["activity"], worker["pages"] > 0, worker["leased"] > 0) == ("running", True, True)
    assert worker["owner"].endswith(f":{shell.crawls[0].pid}")
    assert 0 < worker["pages_per_second"] <= 5.1, "two at a time, each of which takes 0.4 seconds"
    assert worker["seen_seconds_ago"] < 10
    assert told["pages_per_second"] == worker["pages_per_second"]
    assert told["pages_last_minute"] > 0

    rows = shell.asked("queue", "graph", "list", "--state", "U", "--limit", "200")
    last = rows[-1]["url"]
    told = shell.asked("why", "graph", last)
    assert (told["known"], told["admitted"], told["shared"]) == (True, True, bool(shell.options))
    assert told["frontier"]["state"] in "UR"
    assert told["frontier"]["through"] == [[f"{site.url}/", 0]]


def workers_on_the_board(request: pytest.FixtureRequest) -> int:
    with request.getfixturevalue("redis_server").client() as client:
        return int(client.hlen("{graph}:requests:board"))


@pytest.mark.parametrize("shell", ["sqlite", pytest.param("redis", marks=pytest.mark.slow)], indirect=True)
def test_a_stopped_crawl_ends_in_order_and_the_next_one_continues(
    shell: Shell, site: SiteServer, request: pytest.FixtureRequest
) -> None:
    crawls = [shell.crawl() for _ in range(2 if shell.options else 1)]
    site.wait_for_pages(10)
    if shell.options:
        wait_until(lambda: workers_on_the_board(request) == 2, 30)
        shell.ask("pause", "graph")  # one that pauses is stopped like any other, and the next start ends the pause
    (told,) = shell.asked("stop", "graph")
    assert (told["obeyed"], len(told["asked"])) == (True, len(crawls))
    for crawl in crawls:
        _, log = crawl.communicate(timeout=10)
        assert crawl.returncode == 130, log
        assert "stopping reason='`scrapy stop`'" in log
        assert "Traceback" not in log
    if not shell.options:
        assert "graph: nothing runs" in shell.ask("stop", "graph", code=1)
    site.delays["*"] = 0.0
    crawl = shell.crawl()
    _, log = crawl.communicate(timeout=60)
    assert crawl.returncode == 0, log
    assert set(site.page_hits().values()) == {1}, "an orderly end fetches nothing twice"
    assert len(site.page_hits()) == PAGES + 1


@pytest.mark.parametrize("shell", ["sqlite"], indirect=True)
def test_a_killed_paused_crawl_goes_on_when_it_is_started_again(shell: Shell, site: SiteServer) -> None:
    crawl = shell.crawl()
    site.wait_for_pages(10)
    shell.ask("pause", "graph")
    kill(crawl)
    site.delays["*"] = 0.0
    _, log = shell.crawl().communicate(timeout=60)
    assert "resumed site=graph by its start" in log
    assert len(site.page_hits()) == PAGES + 1


def test_a_pre_crawl_is_stopped_too(project: Project, site: SiteServer) -> None:
    site.links = star(PAGES)
    site.delays["*"] = 0.4
    project.write_graph_site(site.url)
    learning = project.start("learn", "graph", settings={"CONCURRENT_REQUESTS": 2})
    site.wait_for_pages(5)
    outcome = project.scrapy("stop", "graph")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("graph (learning): stop asked of 1 worker; gone after")
    _, err = learning.communicate(timeout=20)
    assert learning.returncode == 130, err
    assert "the same command continues graph" in err
    assert "learning" not in project.scrapy("resume", "graph").out


@pytest.mark.parametrize("command", [("status", "graph"), ("why", "graph", "http://a.example/")])
def test_a_redis_that_is_away_is_named(project: Project, command: tuple[str, ...]) -> None:
    project.write_graph_site("http://a.example")
    project.write_knowledge()
    shell = Shell(project, "redis://127.0.0.1:9/0")
    said = shell.ask(*command, code=5)
    assert "Redis can't be reached" in said
    assert "REDIS_URL" in said
    if command[0] == "status":
        assert "learned" in said, "what is known here is told all the same"


def test_who_has_not_obeyed_in_time_is_named(project: Project, busy_crawl: subprocess.Popen[str]) -> None:
    wait_until(lambda: project.rows("SELECT 1 FROM board WHERE value LIKE '%\"under_way\": 1%'"), 30)
    outcome = project.scrapy("pause", "graph", "--wait", "0.5")
    assert outcome.code == 1
    assert f"not yet done: process {busy_crawl.pid} (1 under way)" in outcome.out
