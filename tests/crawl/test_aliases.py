"""Second addresses of records: a target page that names another one as its canonical address has no record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Project, ended
from tests.processes import kill_when
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

TOPICS = 12
SITE = """entry = ["{url}/"]

[[samples]]
url = "{url}/topic/3-1"
[samples.fields]
name = "Topic 3"
author = "Ann 3"

[[samples]]
url = "{url}/topic/4-1"
[samples.fields]
name = "Topic 4"
author = "Ann 4"
"""


def forum(site: SiteServer, *, right: bool = True) -> None:
    """Topics whose address says on which page of the list they were found: `/topic/N-2`, `/topic/N-3` are N-1.

    One is only ever linked at a second address. With a slip in the template all name the first topic.
    """
    addresses = [f"/topic/{n}-{page}" for n in range(1, TOPICS + 1) for page in (1, 2, 3)]
    addresses.remove(f"/topic/{TOPICS}-1")
    site.links["/"] = addresses
    for n in range(1, TOPICS + 1):
        main = f"/topic/{n if right else 1}-1"
        for page in (1, 2, 3):
            site.bodies[f"/topic/{n}-{page}"] = (
                f"<html><head><title>Topic {n}</title><link rel=canonical href='{main}'></head><body><h1>Topic {n}</h1>"
                f"<p class=by>Ann {n}</p><p>Says {7 * n}.</p><a href='/'>up</a></body></html>".encode(),
                "text/html; charset=utf-8",
            )


def write(project: Project, site: SiteServer, *, canonical: bool = True) -> None:
    """Write the site file, and a knowledge whose filter takes every address of a topic."""
    path = project.write_site("forum", SITE.format(url=site.url))
    outcome = project.scrapy("learn", path.stem, timeout=60)
    assert outcome.code == 0, outcome.err
    knowledge = project.directory / "data" / "forum" / "knowledge.json"
    learned = json.loads(knowledge.read_text())
    assert learned["page_check"].get("canonical", False) is canonical
    learned["targets"] = [{"regex": f"{site.url}/topic/[0-9]+-[0-9]"}]
    knowledge.write_text(json.dumps(learned))


def kinds(project: Project) -> dict[str, int]:
    return dict(project.rows("SELECT kind, count(*) FROM pages GROUP BY kind", name="forum"))  # type: ignore[arg-type]


def records(project: Project) -> list[Any]:
    return project.rows("SELECT url, name, author FROM records_forum ORDER BY rowid", name="forum")


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_record_is_taken_once_at_its_canonical_address(project: Project, site: SiteServer, workers: int) -> None:
    forum(site)
    write(project, site)
    settings = {"GWC_WORKERS": workers}
    for _ in range(2):
        outcome = project.scrapy("crawl", "forum", settings=settings, timeout=60)
        assert outcome.code == 0, outcome.err
        expected = {(f"{site.url}/topic/{n}-1", f"Topic {n}", f"Ann {n}") for n in range(1, TOPICS + 1)}
        assert {tuple(row) for row in records(project)} == expected
        assert kinds(project) == {"directory": 1, "target": TOPICS, "alias": 2 * TOPICS}
        assert project.scrapy("extract", "forum").code == 0

    told = json.loads(project.scrapy("parse", f"{site.url}/topic/5-2", "--json").out)
    assert told["verdict"] == "alias"
    assert any(f"{site.url}/topic/5-1" in why for why in told["why"])
    (row,) = project.rows("SELECT reason FROM exceptions WHERE url = ?", f"{site.url}/topic/5-2", name="forum")
    assert f"{site.url}/topic/5-1" in row[0]


def test_what_a_template_names_by_a_slip_costs_no_record(project: Project, site: SiteServer) -> None:
    forum(site, right=False)
    write(project, site, canonical=False)
    assert project.scrapy("crawl", "forum", timeout=60).code == 0
    assert {row[1] for row in records(project)} == {f"Topic {n}" for n in range(1, TOPICS + 1)}


def test_workers_that_share_a_crawl_take_each_record_once(
    project: Project, site: SiteServer, redis_server: RedisServer
) -> None:
    forum(site)
    write(project, site)
    settings = {"REDIS_URL": redis_server.url}
    workers = [project.start("crawl", "forum", settings=settings, profile="cluster") for _ in range(2)]
    for worker in workers:
        assert ended(worker, 60).code == 0
    assert {row[0] for row in records(project)} == {f"{site.url}/topic/{n}-1" for n in range(1, TOPICS + 1)}
    assert kinds(project) == {"directory": 1, "target": TOPICS, "alias": 2 * TOPICS}


ANEW: dict[str, Any] = {"GWC_REUSE_SAMPLES_SECONDS": 0, "RETRY_TIMES": 1}

DEAD = (2, 5, 9, TOPICS)
"""Topics whose canonical address answers with an error."""


def breaks(site: SiteServer) -> None:
    """Some canonical addresses answer with an error at once, others only after several tries."""
    for place, n in enumerate(DEAD):
        site.statuses[f"/topic/{n}-1"] = (404, 500)[place % 2]


def assert_all_are_there(project: Project, site: SiteServer) -> None:
    """Each topic has one record: at its canonical address, or at the one of its aliases that stands in for it."""
    assert project.rows("SELECT url FROM urls WHERE state NOT IN ('C', 'E')", name="forum") == []
    found = records(project)
    assert sorted(row[1] for row in found) == sorted(f"Topic {n}" for n in range(1, TOPICS + 1))
    standing_in = {row[1] for row in found if not row[0].endswith("-1")}
    assert standing_in == {f"Topic {n}" for n in DEAD}
    assert kinds(project) == {"directory": 1, "target": TOPICS, "alias": 2 * TOPICS - len(DEAD)}


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_an_alias_whose_canonical_address_gives_no_page_has_the_record(
    project: Project, site: SiteServer, workers: int
) -> None:
    forum(site)
    write(project, site)
    breaks(site)
    settings = {"GWC_WORKERS": workers, **ANEW}
    for more in ((), (), ("-a", "recrawl=all")):
        outcome = project.scrapy("crawl", "forum", *more, settings=settings, timeout=60)
        assert outcome.code == 0, outcome.err
        assert_all_are_there(project, site)
        again = project.scrapy("extract", "forum", settings={"GWC_WORKERS": workers})
        assert again.code == 0, again.err
        assert_all_are_there(project, site)
    site.statuses.clear()
    assert project.scrapy("queue", "forum", "retry", "--yes").code == 0
    for more in ((), ("-a", "recrawl=all")):
        assert project.scrapy("crawl", "forum", *more, settings=settings, timeout=60).code == 0
    assert {row[0] for row in records(project)} == {f"{site.url}/topic/{n}-1" for n in range(1, TOPICS + 1)}


@pytest.mark.parametrize(
    ("profile", "seed"),
    [
        ("local", 0),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("local", 1), ("local", 2), ("cluster", 1))),
    ],
)
def test_a_killed_crawl_has_each_record_once_all_the_same(
    profile: str, seed: int, project: Project, site: SiteServer, request: pytest.FixtureRequest
) -> None:
    forum(site)
    write(project, site)
    breaks(site)
    site.delays["*"] = 0.02
    settings = {**ANEW, "GWC_COMMIT_PAGES": 3, "CONCURRENT_REQUESTS_PER_DOMAIN": 2, "GWC_LEASE_SECONDS": 2}
    if profile == "cluster":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings["REDIS_URL"] = server.url
    kills = 0
    for _ in range(3):
        moment = site.hits.total() + 9 + 4 * seed
        process = project.start("crawl", "forum", settings=settings, profile=profile)
        kills += kill_when(process, lambda moment=moment: site.hits.total() >= moment)
    assert kills
    outcome = project.scrapy("crawl", "forum", settings=settings, profile=profile)
    assert outcome.code == 0, outcome.err
    assert_all_are_there(project, site)


def test_workers_that_share_a_crawl_have_one_alias_stand_in(
    project: Project, site: SiteServer, redis_server: RedisServer
) -> None:
    forum(site)
    write(project, site)
    breaks(site)
    settings = {"REDIS_URL": redis_server.url, **ANEW}
    workers = [project.start("crawl", "forum", settings=settings, profile="cluster") for _ in range(2)]
    for worker in workers:
        assert ended(worker, 60).code == 0
    assert_all_are_there(project, site)
