"""`scrapy queue`: looking into a crawl's URLs and steering it, at rest and while it runs."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer
from tests.stars import begin_star

LINKS = {"/": ["/p/1", "/p/2", "/gone/1", "/gone/2"], "/p/1": [], "/p/2": []}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer, dict[str, int]]]:
    """A finished crawl with three complete pages and two errors; its site, and how often each page was asked for."""
    project = Project(tmp_path_factory.mktemp("crawled"))
    with SiteServer(LINKS) as site:
        project.write_graph_site(site.url)
        project.write_knowledge(directories=(rf"{site.url}/(p|gone|new).*",))
        outcome = project.scrapy("crawl", "graph")
        assert outcome.code == 0, outcome.err
        yield project, site, dict(site.hits)


@pytest.fixture
def served(first: tuple[Project, SiteServer, dict[str, int]]) -> SiteServer:
    """The crawled site, as it was after that crawl."""
    _, site, hits = first
    site.links = dict(LINKS)
    site.clear()
    site.hits.update(hits)
    return site


@pytest.fixture
def crawled(project: Project, first: tuple[Project, SiteServer, dict[str, int]], served: SiteServer) -> Project:
    """That crawl, to work on."""
    project.copy(first[0])
    return project


def queue(project: Project, *arguments: str, code: int = 0) -> Any:
    outcome = project.scrapy("queue", "graph", *arguments, "--json")
    assert outcome.code == code, outcome.err
    return json.loads(outcome.out)


def test_listing_by_state_and_pattern(crawled: Project, served: SiteServer) -> None:
    assert len(queue(crawled, "list")) == 5
    errors = queue(crawled, "list", "--state", "E")
    assert [(row["url"], row["reason"]) for row in errors] == [(f"{served.url}/gone/{n}", "HTTP 404") for n in (1, 2)]
    assert [row["url"] for row in queue(crawled, "list", "*/p/[2-9]")] == [f"{served.url}/p/2"]
    assert [row["url"] for row in queue(crawled, "list", f"{served.url}/p/1")] == [f"{served.url}/p/1"]
    assert queue(crawled, "list", "/p/*", code=1) == []
    some = crawled.scrapy("queue", "graph", "list", "--limit", "2")
    assert len(some.out.splitlines()) == 2
    assert "there are more" in some.err


def test_adding_a_url_that_the_next_crawl_fetches(crawled: Project, served: SiteServer) -> None:
    served.links["/new"] = ["/p/3"]
    served.links["/p/3"] = []
    (row,) = queue(crawled, "add", f"{served.url}/new#top")
    assert row == {"url": f"{served.url}/new", "result": "added", "state": "U", "verdict": "directory"}
    assert queue(crawled, "add", f"{served.url}/new")[0]["result"] == "known"
    assert queue(crawled, "add", f"{served.url}/p/1")[0]["state"] == "C"
    assert crawled.scrapy("crawl", "graph").code == 0
    assert (served.hits["/new"], served.hits["/p/3"], served.hits["/p/1"]) == (1, 1, 1)


def test_adding_all_or_none(crawled: Project, served: SiteServer) -> None:
    other, neither, good = "http://b.example/", f"{served.url}/other", f"{served.url}/new"
    outcome = crawled.scrapy("queue", "graph", "add", good, other, neither, "nonsense")
    assert outcome.code == 2
    assert f"{other}: off the site" in outcome.err
    assert f"{neither}: no filter takes it" in outcome.err
    assert "nonsense: no http or https address" in outcome.err
    assert good not in crawled.states()
    assert crawled.scrapy("queue", "graph", "add", other, "--force").code == 2
    assert crawled.scrapy("queue", "graph", "add", neither, "--force", "--dry-run").code == 0
    assert neither not in crawled.states()
    assert crawled.scrapy("queue", "graph", "add", neither, "--force").code == 0
    assert crawled.states()[neither] == "U"


def test_adding_before_the_first_crawl(project: Project, site: SiteServer) -> None:
    site.links = {"/": [], "/far": []}
    project.write_graph_site(site.url)
    assert project.scrapy("queue", "graph", "add", f"{site.url}/far").code == 2, "nothing is learned"
    project.write_knowledge()
    assert project.scrapy("queue", "graph", "add", f"{site.url}/far").code == 0
    assert project.scrapy("crawl", "graph").code == 0
    assert site.page_hits() == {"/": 1, "/far": 1}


def test_retrying_counts_first_and_wants_a_yes(crawled: Project, served: SiteServer) -> None:
    assert queue(crawled, "retry", "--dry-run") == {"matching": {"*": 2}, "changed": 0}
    refused = crawled.scrapy("queue", "graph", "retry")
    assert refused.code == 2
    assert "2 URLs would be retried" in refused.err
    assert "--yes" in refused.err
    served.links["/gone/1"] = []
    assert queue(crawled, "retry", "*/gone/1", "--yes") == {"matching": {"*/gone/1": 1}, "changed": 1}
    assert queue(crawled, "retry", "*/p/*", "--state", "C", "--yes")["changed"] == 2
    assert crawled.scrapy("crawl", "graph").code == 0
    assert (served.hits["/gone/1"], served.hits["/gone/2"], served.hits["/p/1"]) == (2, 1, 2)


def test_a_start_that_was_dropped_stays_dropped(crawled: Project, served: SiteServer) -> None:
    assert queue(crawled, "retry", "*", "--state", "C", "--yes")["changed"] == 3
    assert queue(crawled, "drop", f"{served.url}/", "--yes")["changed"] == 1
    assert crawled.scrapy("crawl", "graph").code == 0
    assert (served.hits["/"], served.hits["/p/1"]) == (1, 2)
    assert queue(crawled, "retry", f"{served.url}/", "--yes")["changed"] == 1
    assert crawled.scrapy("crawl", "graph").code == 0
    assert served.hits["/"] == 2


def test_dropping_waiting_urls(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 20)
    limits = {"GWC_MAX_PAGES": 2, "CONCURRENT_REQUESTS": 1}
    assert project.scrapy("crawl", "graph", settings=limits).code == 0
    assert queue(project, "drop", "*/p/1?", "--yes")["changed"] == 10
    assert queue(project, "drop", "*/nothing/*", "--yes")["changed"] == 0
    assert project.scrapy("queue", "graph", "drop").code == 2
    assert project.scrapy("crawl", "graph").code == 0
    assert "/p/15" not in site.hits
    assert "/p/5" in site.hits
    assert {row["reason"] for row in queue(project, "list", "--state", "error")} == {"dropped"}


def test_a_person_is_asked(crawled: Project) -> None:
    for answer, code, waiting in ((b"n\n", 1, 0), (b"y\n", 0, 2)):
        master, slave = pty.openpty()
        process = crawled.start("queue", "graph", "retry", stdin=slave, stdout=slave, stderr=subprocess.STDOUT)
        os.close(slave)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(master, 4096)
        os.write(master, answer)
        assert process.wait(timeout=10) == code
        os.close(master)
        assert list(crawled.states().values()).count("U") == waiting


def test_a_running_crawl_notices_what_is_added(
    project: Project, site: SiteServer, busy_crawl: subprocess.Popen[str]
) -> None:
    """The crawl waits for one slow page, with nothing else to do, when a URL is added from outside."""
    site.links |= {"/added": ["/behind"], "/behind": []}
    assert project.scrapy("queue", "graph", "add", f"{site.url}/added").code == 0
    site.wait_for("/behind")
    assert "/slow" in str(queue(project, "list", "--state", "R"))
    site.send_delayed()
    _, err = busy_crawl.communicate(timeout=60)
    assert busy_crawl.returncode == 0, err
    assert set(project.states().values()) == {"C"}
    assert site.page_hits() == {"/": 1, "/slow": 1, "/added": 1, "/behind": 1}


def test_urls_dropped_from_a_running_crawl_are_not_fetched(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 40, 0.3)
    process = project.start("crawl", "graph", settings={"CONCURRENT_REQUESTS": 1, "GWC_LEASE_BATCH": 4})
    site.wait_for("/p/1")
    assert queue(project, "drop", "*/p/[23]?", "--yes")["changed"] == 20
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert len(site.page_hits()) == 21


@pytest.mark.parametrize(
    "arguments, word",
    [
        ((), "name a site"),
        (("graph", "lst"), "name a site"),
        (("graph", "list", "--state", "X"), "there are U (waiting)"),
        (("graph", "list", "--limt=2"), "unknown option --limt=2"),
        (("graph", "list"), "not crawled yet"),
        (("graph", "drop", "*", "--yes"), "not crawled yet"),
    ],
)
def test_mistakes_are_said_in_a_line(project: Project, arguments: tuple[str, ...], word: str) -> None:
    project.write_graph_site("http://127.0.0.1")
    outcome = project.scrapy("queue", *arguments)
    assert outcome.code == 2
    assert word in outcome.err
    assert "Traceback" not in outcome.err


def test_a_pipe_that_closes_early_is_no_error(crawled: Project) -> None:
    process = crawled.start("queue", "graph", "list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=20) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_an_interrupted_question_changes_nothing(crawled: Project) -> None:
    master, slave = pty.openpty()
    process = crawled.start("queue", "graph", "retry", stdin=slave, stdout=slave, stderr=subprocess.STDOUT)
    os.close(slave)
    while b"[y/N]" not in os.read(master, 4096):
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    os.close(master)
    assert "U" not in crawled.states().values()
