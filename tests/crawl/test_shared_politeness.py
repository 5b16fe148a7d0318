"""Politeness of a fleet as the server sees it: however many workers there are, a host is asked as if there were one.

Gaps are only tested from below, and what is under way at the server is read from its log: a killed worker's requests
go on there.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Project
from tests.crawl.fleet import Fleet
from tests.graphs import crossed_tree
from tests.processes import kill
from tests.site_server import SiteServer

CLOCK_SLACK = 0.15
"""What a busy machine may make a gap at the server shorter: a request that arrives late is nearer to the next one."""


def prepare(project: Project, site: SiteServer, pages: int, delay: float) -> None:
    """A tree of pages in a few columns."""
    site.links = {
        column(path): [column(link) for link in links] for path, links in crossed_tree(pages).items()
    }  # what links to what stays as it is
    site.delays["*"] = delay
    project.write_graph_site(site.url, entry=column("/p/0"))
    project.write_knowledge()


def column(path: str) -> str:
    number = path.rpartition("/")[2]
    return f"/{'wxyz'[int(number) % 4]}/{number}"


def most_at_once(site: SiteServer, seconds: float) -> int:
    """How many requests were under way together, each for *seconds*, whether or not somebody waited for the answer."""
    events = sorted(
        (moment, change) for request in site.requests for moment, change in
        ((request.arrived, 1), (request.arrived + (0 if request.target == "/robots.txt" else seconds), -1))
    )  # fmt: skip
    most = now = 0
    for _, change in events:
        now += change
        most = max(most, now)
    return most


def crawl(fleet: Fleet, workers: int, **settings: Any) -> None:
    for _ in range(workers):
        fleet.join(DOWNLOAD_DELAY_JITTER=0.0, **settings)
    fleet.end(timeout=120)


@pytest.mark.parametrize(
    ("workers", "policy"),
    [
        (1, "bkdr"),
        (4, "bkdr"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((2, "column"), (2, "ip"), (4, "host"), (8, "bkdr"))),
    ],
)
def test_a_host_is_never_asked_more_at_once_than_allowed(
    project: Project, site: SiteServer, fleet: Fleet, workers: int, policy: str
) -> None:
    prepare(project, site, 100, delay=0.1)
    crawl(fleet, workers, GWC_QUEUE_POLICY=policy, CONCURRENT_REQUESTS_PER_DOMAIN=3)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == 100
    assert most_at_once(site, 0.1) <= 3
    assert site.max_concurrent <= 3


@pytest.mark.parametrize("workers", [1, 4, pytest.param(8, marks=pytest.mark.slow)])
def test_the_delay_holds_once_for_all_workers(project: Project, site: SiteServer, fleet: Fleet, workers: int) -> None:
    prepare(project, site, 25, delay=0.0)
    crawl(fleet, workers, GWC_QUEUE_POLICY="bkdr", DOWNLOAD_DELAY=0.25)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == 25
    assert site.kept_apart(0.25), site.gaps()


def test_a_fleet_uses_all_that_politeness_allows(project: Project, site: SiteServer, fleet: Fleet) -> None:
    prepare(project, site, 200, delay=0.3)
    crawl(fleet, 4, GWC_QUEUE_POLICY="bkdr", CONCURRENT_REQUESTS_PER_DOMAIN=12)
    assert 6 < most_at_once(site, 0.3) <= 12


@pytest.mark.slow
def test_limits_hold_while_workers_are_killed(project: Project, site: SiteServer, fleet: Fleet) -> None:
    prepare(project, site, 150, delay=0.5)
    limits = {"CONCURRENT_REQUESTS_PER_DOMAIN": 4, "DOWNLOAD_TIMEOUT": 1, "GWC_QUEUE_POLICY": "bkdr"}
    victims = [fleet.join(**limits) for _ in range(3)]
    for number, victim in enumerate(victims):
        site.wait_for_pages(20 * (number + 1))
        kill(victim)
        fleet.join(**limits)
    fleet.end(timeout=120)
    assert set(site.page_hits()) == set(site.links)
    assert most_at_once(site, 0.5) <= 4


def test_a_host_that_says_wait_is_left_alone_by_all(project: Project, site: SiteServer, fleet: Fleet) -> None:
    prepare(project, site, 40, delay=0.3)
    slow = list(site.links)[3]
    site.statuses[slow] = [429, 200]
    site.headers[slow] = {"Retry-After": "3"}
    crawl(fleet, 3, GWC_QUEUE_POLICY="bkdr", CONCURRENT_REQUESTS_PER_DOMAIN=6)
    said = next(request.arrived for request in site.requests if request.target == slow) + 0.3
    later = [request.arrived - said for request in site.requests if request.arrived - said > 1.0]
    assert len(later) > 3, "the crawl was nearly over before all had heard of it: make the site larger"
    assert min(later) >= 3 - CLOCK_SLACK, "after a second at most all have heard of it"
    assert set(project.states().values()) == {"C"}
