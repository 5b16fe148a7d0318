"""`scrapy status`: figures of crawls that rest, run, are missing or are damaged."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from gwc_crawler.operate.status import SiteStatus
from gwc_crawler.operate.status_text import StatusReport
from tests.conftest import Project
from tests.processes import free_port
from tests.site_server import SiteServer
from tests.stars import begin_star


def status(project: Project, *arguments: str) -> Any:
    outcome = project.scrapy("status", *arguments, "--json")
    assert (outcome.code, outcome.err) == (0, ""), outcome.out
    return json.loads(outcome.out)


def crawl_when(project: Project, what: Callable[[Any], bool]) -> Any:
    """Return the status of the crawl of `graph` as soon as *what* is true of it."""
    for _ in range(60):
        crawl = status(project, "graph")["crawl"]
        if crawl and what(crawl):
            return crawl
        time.sleep(0.1)
    raise AssertionError(f"never came to pass: {crawl}")


def test_a_finished_crawl(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1", "/p/2", "/gone"], "/p/1": [], "/p/2": []}
    project.write_graph_site(site.url)
    project.write_knowledge(targets=(rf"{site.url}/p/[0-9]+",))
    assert project.scrapy("crawl", "graph").code == 0
    told = status(project, "graph")
    assert told["site"] == "graph"
    assert told["knowledge"]["targets"] == [rf"{site.url}/p/[0-9]+"]
    assert told["precrawl"] is None
    crawl = told["crawl"]
    host = site.url.removeprefix("http://")
    assert crawl["urls"] == {"U": 0, "R": 0, "C": 3, "E": 1}
    assert crawl["urls_by_host"] == {host: crawl["urls"]}
    assert crawl["urls_by_weight"] == {"0": crawl["urls"]}
    assert crawl["pages_by_kind"] == {"target": 2, "directory": 1}
    assert crawl["errors_by_reason"] == {"HTTP 404": 1}
    assert crawl["pages_last_minute"] == crawl["pages_last_10_minutes"] == 3
    assert (crawl["running"], crawl["workers"], crawl["paused_hosts"]) == (False, [], {})
    assert [row["site"] for row in status(project)] == ["graph"]
    text = project.scrapy("status", "graph").out
    for part in ("graph  finished", "0 waiting, 0 running, 3 complete, 1 error", "HTTP 404", host):
        assert part in text


def test_a_running_crawl_and_its_worker(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 60, 1.0)  # it must not end before it is looked at, on a busy machine either
    process = project.start("crawl", "graph", settings={"CONCURRENT_REQUESTS": 2, "GWC_LEASE_BATCH": 8})
    crawl = crawl_when(project, lambda crawl: crawl["urls"]["C"] >= 2)
    assert crawl["running"] is True
    assert crawl["running_as"] == f"process {process.pid}"
    (worker,) = crawl["workers"]
    assert worker["owner"].endswith(f":{process.pid}")
    assert worker["leased"] == crawl["urls"]["R"] > 0
    assert 0 <= worker["oldest_lease_seconds"] < 60
    assert f"crawling (process {process.pid})" in project.scrapy("status").out
    acts = (b"p", b"asked", b"r", b"asked", b"s", b"s again", b"s", b"asked", b"q")
    watched_on_a_terminal(project, b"q quit", *acts)
    process.communicate(timeout=60)
    assert process.returncode == 130, "s was pressed twice"
    assert status(project, "graph")["crawl"]["running"] is False


def test_a_host_that_asked_for_a_pause(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/p/1", "/p/2"], "/p/1": [], "/p/2": []}
    site.statuses["/p/1"] = 429
    site.headers["/p/1"] = {"Retry-After": "200"}
    project.write_graph_site(site.url)
    project.write_knowledge()
    process = project.start("crawl", "graph", settings={"CONCURRENT_REQUESTS": 1})
    crawl = crawl_when(project, lambda crawl: crawl["paused_hosts"])
    (until,) = crawl["paused_hosts"].values()
    assert 60 < until - time.time() <= 200
    assert "more" in project.scrapy("status", "graph").out
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_site_without_data_and_one_that_does_not_exist(project: Project) -> None:
    project.write_graph_site("http://127.0.0.1")
    assert status(project) == []
    told = status(project, "graph")
    assert (told["crawl"], told["precrawl"], told["knowledge"]) == (None, None, None)
    outcome = project.scrapy("status", "nothere")
    assert outcome.code == 2
    assert "nothere" in outcome.err
    assert project.scrapy("status", "graph", "--jsn").code == 2


def test_a_damaged_database_is_named_and_hides_no_other_site(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    broken = project.directory / "data" / "broken" / "crawl.db"
    broken.parent.mkdir()
    broken.write_text("no database at all, and long enough to be looked at " * 20)
    outcome = project.scrapy("status", "--json")
    assert (outcome.code, outcome.err) == (5, "")
    told = {row["site"]: row for row in json.loads(outcome.out)}
    assert "not a database" in told["broken"]["problem"]
    assert told["graph"]["crawl"]["urls"]["C"] == 1


def test_while_redis_is_away_what_is_stored_here_is_told_and_why_the_rest_is_not(
    project: Project, site: SiteServer
) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    away = ("-s", f"REDIS_URL=redis://127.0.0.1:{free_port()}/0")
    outcome = project.scrapy("status", "graph", "--json", *away, profile="cluster")
    told = json.loads(outcome.out)
    assert outcome.code == 5
    assert "Redis" in told["problem"]
    assert (told["crawl"]["urls"], told["crawl"]["pages_by_kind"]) == (None, {"directory": 1})
    overview = project.scrapy("status", *away, profile="cluster")
    assert overview.code == 5
    assert "its queue is away" in overview.out
    assert "Redis" in overview.out


def test_watching_renews_the_figures_until_a_key_or_a_signal(
    project: Project, site: SiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    site.links = {"/": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    watched_on_a_terminal(project, b"no keys", signal.SIGINT, keyboard=False)
    shown = watched_on_a_terminal(project, b"q quit", signal.SIGTERM)
    assert b"\x1b[?1049l" in shown, "the screen of before is back"
    assert b"\x1b[?25h" in shown, "the cursor is back"
    watched_on_a_terminal(project, b"q quit", b"p", b"graph: ", b"s", b"s again", b"q")
    assert watched_lines(project, "graph")[1].startswith("graph  finished  0 waiting  0 running  1 complete")
    assert json.loads(watched_lines(project, "graph", "--json")[1])["crawl"]["urls"]["C"] == 1
    assert json.loads(watched_lines(project, "--json")[1])["sites"][0]["site"] == "graph"


def watched_on_a_terminal(
    project: Project, begun: bytes, *acts: bytes | signal.Signals, keyboard: bool = True
) -> bytes:
    """What a full screen shows: *acts* are, in turn, a key or signal and what is waited for after it, the last ends it.

    The terminal has to be as it was before.
    """
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    process = project.start(
        "status",
        "graph",
        "--watch",
        stdin=slave if keyboard else subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.STDOUT,
    )
    shown = read_until(master, begun)
    try:
        for number, act in enumerate(acts):
            if isinstance(act, signal.Signals):
                process.send_signal(act)
            elif number % 2 == 0:
                os.write(master, act)
            else:
                read_until(master, act)
        while process.poll() is None or select.select([master], [], [], 0)[0]:
            if select.select([master], [], [], 0.1)[0]:
                shown += os.read(master, 65536)
        assert process.returncode == (143 if signal.SIGTERM in acts else 0)
        assert termios.tcgetattr(slave) == before
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)
    assert b"Traceback" not in shown
    return shown


def read_until(terminal: int, words: bytes) -> bytes:
    """What comes until *words* have come."""
    shown = b""
    while words not in shown:
        assert select.select([terminal], [], [], 60)[0], f"{words!r} never came after {shown!r}"
        shown += os.read(terminal, 65536)
    return shown


def watched_lines(project: Project, *arguments: str) -> list[str]:
    """Two lines of what `--watch` prints where there is no terminal."""
    process = project.start("status", *arguments, "--watch", "--every", "0.1")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (0, "")
    return lines


def test_a_problem_with_brackets_is_shown_as_it_is() -> None:
    console = Console(width=300, file=io.StringIO(), record=True)
    console.print(StatusReport(None, [SiteStatus("shop", 0.0, problem="data[/old]: can't be read")], []).rendered())
    assert "data[/old]: can't be read" in console.export_text()
