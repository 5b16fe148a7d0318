"""A host dies in the middle of a crawl: no URL pays for it, the others are crawled, and the crawl ends or goes on."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Outcome, Project
from tests.graphs import star
from tests.operate.receivers import hook_of
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

SILENCE_SECONDS = 2.0
SHORT_WAITS = {"GWC_RETRY_BASE_SECONDS": 0.05, "GWC_RETRY_MAX_SECONDS": 0.2, "GWC_SILENT_HOST_SECONDS": SILENCE_SECONDS}
PAGES = 60
LIMIT_SECONDS = 120.0


@pytest.fixture
def waits(redis_server: RedisServer) -> dict[str, Any]:
    return {**SHORT_WAITS, "REDIS_URL": redis_server.url}


def ended(process: subprocess.Popen[str]) -> Outcome:
    out, err = process.communicate(timeout=LIMIT_SECONDS)
    return Outcome(process.returncode, out, err)


def states(redis_server: RedisServer, project: Project, profile: str) -> dict[str, int]:
    """How many URLs are in each state that any is in."""
    if profile == "local":
        return dict(Counter(project.states().values()))
    with redis_server.client() as client:
        values = zip("URCE", client.hmget("{graph}:requests:values", list("URCE")), strict=True)
        return {state: int(value) for state, value in values if int(value or 0)}


def write_site(project: Project, *urls: str) -> None:
    entries = ", ".join(f'"{url}/"' for url in urls)
    project.write_site("graph", f'entry = [{entries}]\nkeywords = "treasure"\nhosts = ["127.0.0.1"]\n')
    project.write_knowledge()


def slow_star() -> SiteServer:
    server = SiteServer(star(PAGES))
    server.delays["*"] = 0.1
    return server


@pytest.mark.parametrize("profile", ["local", "cluster"])
def test_what_waits_for_a_dead_host_waits_for_the_next_run(
    project: Project, redis_server: RedisServer, waits: dict[str, Any], profile: str
) -> None:
    with slow_star() as dies, slow_star() as lives:
        lives.delays["*"] = 0.5
        write_site(project, dies.url, lives.url)
        with hook_of("hookSecret77") as hook:
            process = project.start("crawl", "graph", settings={**waits, "GWC_ALERTS": hook.url}, profile=profile)
            dies.wait_for_pages(15)
            dies.stop()
            outcome = ended(process)
        assert outcome.code == 3, outcome.err
        assert [event for event in hook.events if event != "error"] == ["silence", "end"]
        assert len(lives.page_hits()) == PAGES + 1, "the others are crawled to their end"
        left = states(redis_server, project, profile)
        assert left.keys() == {"U", "C"}, left
        last = outcome.err.strip().splitlines()[-1]
        host = f"127.0.0.1:{dies.port}"
        told = (host, "has been silent since", "refuses the connection", f"{left['U']} URLs of it wait", "same command")
        for words in told:
            assert words in last, outcome.err
        assert "Traceback" not in outcome.err
        if profile == "local":
            assert set(project.rows("SELECT state FROM sites WHERE name = 'graph'")) == {("U",)}
        with SiteServer(dies.links, port=dies.port) as again:
            outcome = project.scrapy("crawl", "graph", settings=waits, profile=profile)
            assert outcome.code == 0, outcome.err
            assert states(redis_server, project, profile) == {"C": 2 * (PAGES + 1)}
            assert len(again.page_hits()) == left["U"], "nothing is fetched twice"


@pytest.mark.parametrize("profile", ["local", pytest.param("cluster", marks=pytest.mark.slow)])
def test_a_host_that_is_back_in_time_has_lost_nothing(
    project: Project, redis_server: RedisServer, waits: dict[str, Any], profile: str
) -> None:
    with slow_star() as site:
        write_site(project, site.url)
        process = project.start("crawl", "graph", settings={**waits, "GWC_SILENT_HOST_SECONDS": 0}, profile=profile)
        site.wait_for_pages(15)
        site.stop()
        time.sleep(2 * SILENCE_SECONDS)  # ten times what a URL's attempts last
        assert process.poll() is None
        if profile == "local":
            wait_until(lambda: "refuses the connection" in "".join(silent_hosts(project)), 30)
            page = project.scrapy("why", "graph", f"{site.url}/p/{PAGES - 1}")
            assert "has been silent since" in page.out, page.out + page.err
        with SiteServer(site.links, port=site.port):
            assert ended(process).code == 0
        assert states(redis_server, project, profile) == {"C": PAGES + 1}


def silent_hosts(project: Project) -> list[str]:
    outcome = project.scrapy("status", "graph", "--json")
    return [words for worker in json.loads(outcome.out)["crawl"]["workers"] for words in worker["silent_hosts"]]


def hang_up(site: SiteServer) -> None:
    site.delays.clear()
    site.reset.update([*site.links, "/robots.txt"])


def say_nothing(site: SiteServer) -> None:
    site.delays.update(dict.fromkeys((*site.links, "/robots.txt"), 3600.0))


@pytest.mark.parametrize(
    ("trouble", "obeys", "seconds"),
    [(hang_up, True, 5), pytest.param(hang_up, False, 5, marks=pytest.mark.slow), (say_nothing, True, 12)],
)
def test_a_host_that_is_there_and_does_not_answer(
    project: Project, site: SiteServer, trouble: Callable[[SiteServer], None], obeys: bool, seconds: float
) -> None:
    site.links = star(5)
    site.delays["*"] = 0.2
    write_site(project, site.url)
    settings = {**SHORT_WAITS, "DOWNLOAD_TIMEOUT": 0.5, "CONCURRENT_REQUESTS": 1, "ROBOTSTXT_OBEY": obeys}
    settings["GWC_SILENT_HOST_SECONDS"] = seconds
    process = project.start("crawl", "graph", settings=settings)
    site.wait_for_pages(4)
    trouble(site)
    outcome = ended(process)
    assert outcome.code == 3, outcome.err
    assert set(project.states().values()) == {"U", "C"}, "each URL was tried more often than its attempts"
    assert site.hits["/robots.txt"] > obeys, "it was asked for something else, too"


def test_pages_that_never_answer_are_their_own_fault(project: Project, site: SiteServer) -> None:
    site.links = star(20) | {"/": [f"/p/{n}" for n in range(20)] + ["/bad/1", "/bad/2"]}
    site.reset.update(["/bad/1", "/bad/2"])
    write_site(project, site.url)
    settings = {**SHORT_WAITS, "GWC_SILENT_HOST_SECONDS": 3600}
    outcome = project.scrapy("crawl", "graph", settings=settings, timeout=LIMIT_SECONDS)
    assert outcome.code == 0, outcome.err
    states = project.states()
    assert {url.removeprefix(site.url) for url, state in states.items() if state == "E"} == {"/bad/1", "/bad/2"}
    assert site.hits["/robots.txt"] <= 3
    assert max(site.hits["/bad/1"], site.hits["/bad/2"]) <= 8, "four attempts, each sent again on a fresh connection"
