"""A pre-crawl ends as soon as its pages settle what is learned: the crawl then finds what it would have found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml
from gwc_crawler.knowledge.model import Knowledge
from tests.conftest import Outcome, Project
from tests.crawl.test_mall import compare
from tests.mall_truth import truth_of
from tests.processes import kill_when
from tests.redis_server import RedisServer

SIZE = 250
MOST = 2000
"""`[learn] pages`: more than the mall has."""


@pytest.fixture(scope="module")
def mall() -> Mall:
    return Mall(seed=11, size=SIZE)


@pytest.fixture
def server(mall: Mall) -> Iterator[MallServer]:
    with MallServer(mall) as running:
        yield running


def write(project: Project, server: MallServer, learn: str = "") -> None:
    text = mall_site_toml(server.mall, server.url)
    project.write_site("mall", re.sub(r"pages = \d+", f"pages = {MOST}\n{learn}", text))


def run(project: Project, *arguments: str) -> Outcome:
    outcome = project.scrapy(*arguments)
    assert outcome.code == 0, outcome.err
    return outcome


def looks(project: Project) -> list[tuple[int, str]]:
    """The looks at the pre-crawl's pages: how many there were, and what was doubtful."""
    return project.rows("SELECT pages, doubt FROM drafts ORDER BY pages", name="mall", database="samples.db")


def stored(project: Project) -> int:
    query = "SELECT count(*) FROM pages WHERE html IS NOT NULL AND kind <> 'redirect'"
    return int(project.rows(query, name="mall", database="samples.db")[0][0])


def verdicts(project: Project, mall: Mall, url: str) -> dict[str, str]:
    """What the knowledge says of every page of the mall."""
    text = json.dumps(project.knowledge("mall")).encode()
    knowledge = Knowledge.from_bytes(text, "mall")
    truth = truth_of(mall)
    return {path: knowledge.verdict(url + path).value for path in {*truth.records, *truth.lookalikes, *truth.in_scope}}


def test_few_pages_bring_every_record_home_and_the_report_says_how_many(project: Project, server: MallServer) -> None:
    write(project, server)
    run(project, "crawl", "mall")
    assert not compare(project, server)
    *doubtful, (pages, doubt) = looks(project)
    assert doubt == ""
    assert all(text for _, text in doubtful)
    assert pages == stored(project) < 0.95 * len(truth_of(server.mall).in_scope)
    evidence: Any = project.knowledge("mall")["evidence"]
    assert evidence["pages"] == evidence["looks"][-1]["pages"] == pages
    before = server.hits.total()
    told = " ".join(run(project, "learn", "mall").out.split())
    assert f"from {pages} pages, the decision is the same since {evidence['looks'][-1]['since']}" in told
    assert server.hits.total() == before, "what is settled needs no more pages"
    status = json.loads(run(project, "status", "mall", "--json").out)
    assert status["precrawl"]["looks"] == evidence["looks"]


def test_a_person_who_waits_is_shown_the_first_records(project: Project, server: MallServer) -> None:
    project.write_site("mall", re.sub(r"pages = \d+", "pages = 60", mall_site_toml(server.mall, server.url)))
    told = run(project, "learn", "mall", "-s", "DOWNLOAD_DELAY=0.25").err
    assert "first records site=mall pages=25 records=" in told
    shown = re.findall(rf"^  {server.url}(\S+) title=(.*?)(?:…| price=)", told, re.MULTILINE)
    titles = {path: str(fields["title"]) for path, fields in server.mall.records.items()}
    samples = re.findall(rf'^url = "{server.url}(.*)"', mall_site_toml(server.mall, server.url), re.MULTILINE)
    assert shown
    assert [path for path, title in shown if not titles[path].startswith(title.strip('"').strip("'"))] == []
    assert not {path for path, _ in shown} & {*samples}
    first = json.loads(run(project, "status", "mall", "--json").out)["precrawl"]["first_records"]
    last = re.findall(r"first records site=mall pages=(\d+) records=(\d+)", told)[-1]
    assert (str(first["pages"]), str(first["count"])) == last
    assert [row["title"] for row in first["latest"]] == [
        titles[row["url"].removeprefix(server.url)] for row in first["latest"]
    ]


@pytest.mark.slow
def test_the_decision_is_that_of_all_pages(project: Project, server: MallServer, mall: Mall) -> None:
    write(project, server)
    run(project, "learn", "mall")
    few, early = stored(project), verdicts(project, mall, server.url)
    write(project, server, 'stop = "never"')
    run(project, "learn", "mall")
    assert stored(project) > 1.2 * few
    late = verdicts(project, mall, server.url)
    targets = [path for path, verdict in late.items() if verdict == "target"]
    assert [path for path in targets if early[path] != "target"] == []
    assert [path for path in mall.records if early[path] != late[path]] == []


@pytest.mark.parametrize("share", [pytest.param(0.3, marks=pytest.mark.slow), 0.9])
def test_killed_before_and_after_the_first_look_it_goes_on(project: Project, server: MallServer, share: float) -> None:
    write(project, server)
    moment = share * 250
    assert kill_when(project.start("learn", "mall"), lambda: server.hits.total() >= moment)
    kept = looks(project) if share > 0.5 else []
    run(project, "crawl", "mall")
    assert looks(project)[: len(kept)] == kept
    assert looks(project)[-1][1] == ""
    assert stored(project) < 0.95 * len(truth_of(server.mall).in_scope)
    assert not compare(project, server)


def test_paper_mode_fetches_all_it_may(project: Project, server: MallServer) -> None:
    text = mall_site_toml(server.mall, server.url)
    project.write_site("mall", re.sub(r"pages = \d+", 'pages = 260\nmode = "paper"', text))
    run(project, "learn", "mall")
    assert looks(project) == []
    assert stored(project) >= 260


def test_two_workers_learn_once_from_few_pages(project: Project, server: MallServer, redis_server: RedisServer) -> None:
    write(project, server)
    settings = {"REDIS_URL": redis_server.url, "GWC_LEASE_SECONDS": 3.0}
    workers = [project.start("crawl", "mall", settings=settings, profile="cluster") for _ in range(2)]
    for worker in workers:
        _, log = worker.communicate(timeout=120)
        assert worker.returncode == 0, log
    assert looks(project)[-1][1] == ""
    assert not compare(project, server)
