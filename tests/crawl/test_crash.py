"""kill -9 in the middle of a crawl, at random moments: the next crawl continues; nothing is lost, nothing is double."""

from __future__ import annotations

import random
import signal
import time

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer

PAGES = 400
LEASES = 64


def tree(pages: int) -> dict[str, list[str]]:
    """Return a site in which page n links to pages 3n+1 … 3n+3, to the home page, and to a few others."""
    links = {}
    for number in range(pages):
        ahead = [f"/p/{3 * number + step}" for step in (1, 2, 3) if 3 * number + step < pages]
        links[f"/p/{number}"] = [*ahead, "/p/0", f"/p/{number * 7 % pages}"]
    return links


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_crawl_continues_and_loses_nothing(project: Project, site: SiteServer, seed: int) -> None:
    rng = random.Random(seed)
    site.links = tree(PAGES)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    kills = 0
    for _ in range(3):
        moment = sum(site.hits.values()) + rng.randint(1, 100)
        process = project.start("crawl", "graph", settings={"GWC_LEASE_BATCH": LEASES})
        while sum(site.hits.values()) < moment and process.poll() is None:
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
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
    site.links = tree(200)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    process = project.start("learn", "graph")
    while sum(site.hits.values()) < 60 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    project.scrapy("learn", "graph")
    hits = site.page_hits()
    assert set(hits) == set(site.links)
    assert sum(count - 1 for count in hits.values()) <= LEASES + 100
