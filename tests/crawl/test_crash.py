"""kill -9 in the middle of a crawl, at random moments: the next crawl continues; nothing is lost, nothing is double."""

from __future__ import annotations

import random

import pytest

from tests.conftest import Project
from tests.graphs import crossed_tree
from tests.processes import kill_when
from tests.site_server import SiteServer

PAGES = 300
LEASES = 64


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))])
def test_a_killed_crawl_continues_and_loses_nothing(project: Project, site: SiteServer, seed: int) -> None:
    rng = random.Random(seed)
    site.links = crossed_tree(PAGES)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    kills = 0
    for _ in range(3):
        moment = sum(site.hits.values()) + rng.randint(1, 100)
        process = project.start("crawl", "graph", settings={"GWC_LEASE_BATCH": LEASES})
        kills += kill_when(process, lambda moment=moment: site.hits.total() >= moment)
    assert kills, "the crawl was over before it could be killed: make the site larger"
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    states = project.states()
    assert len(states) == PAGES
    assert set(states.values()) == {"C"}
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(PAGES, PAGES)]
    hits = site.page_hits()
    assert set(hits) == set(site.links), "a page was never fetched"
    again = sum(count - 1 for count in hits.values())
    assert again <= kills * (LEASES + 100), f"{again} pages fetched again after {kills} kills"


def test_a_killed_pre_crawl_continues(project: Project, site: SiteServer) -> None:
    site.links = crossed_tree(200)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    assert kill_when(project.start("learn", "graph"), lambda: site.hits.total() >= 60)
    project.scrapy("learn", "graph")
    hits = site.page_hits()
    assert set(hits) == set(site.links)
    assert sum(count - 1 for count in hits.values()) <= LEASES + 100
