"""Workers that own queues (GWC_QUEUE_LEASE), as the server sees them: by host one has a big host, by bkdr all have.

Which worker asked is told by its user agent. What is asked of the host is the same as where nobody owns anything.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import redis

from tests.conftest import Project
from tests.crawl.fleet import Fleet
from tests.crawl.test_shared_politeness import most_at_once, prepare
from tests.processes import kill, wait_until
from tests.site_server import SiteServer

QUEUE_LEASE_SECONDS = 4.0
SLOW_SECONDS, FAST_SECONDS = 1.0, 0.1
PAGES = 240


def begin(project: Project, site: SiteServer, fleet: Fleet, client: redis.Redis, **settings: Any) -> None:
    """Start four workers; the crawl goes slowly until all are there."""
    prepare(project, site, PAGES, delay=SLOW_SECONDS)
    for number in range(4):
        fleet.join(USER_AGENT=f"w{number}", GWC_QUEUE_LEASE=QUEUE_LEASE_SECONDS, GWC_QUEUES=64, **settings)
    wait_until(lambda: len(client.hgetall("{graph}:requests:owners")) == 4, 60)
    site.delays["*"] = FAST_SECONDS


def asked_by(site: SiteServer) -> Counter[str]:
    """Worker → how many pages it asked for."""
    return Counter(one.headers["user-agent"] for one in site.requests if one.target != "/robots.txt")


@pytest.mark.parametrize(("policy", "busy"), [("host", 1), ("bkdr", 4)])
def test_a_big_host_keeps_as_many_workers_busy_as_own_its_queues(
    project: Project, site: SiteServer, fleet: Fleet, client: redis.Redis, policy: str, busy: int
) -> None:
    begin(project, site, fleet, client, GWC_QUEUE_POLICY=policy, CONCURRENT_REQUESTS_PER_DOMAIN=6)
    fleet.end(timeout=120)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == PAGES
    workers = asked_by(site)
    assert len(workers) == busy
    assert min(workers.values()) >= PAGES // 12
    assert most_at_once(site, FAST_SECONDS) <= 6


@pytest.mark.parametrize("policy", [pytest.param("host", marks=pytest.mark.slow), "bkdr"])
def test_the_delay_holds_whoever_owns_what(project: Project, site: SiteServer, fleet: Fleet, policy: str) -> None:
    prepare(project, site, 25, delay=0.0)
    for _ in range(4):
        fleet.join(
            DOWNLOAD_DELAY=0.25, DOWNLOAD_DELAY_JITTER=0.0, GWC_QUEUE_POLICY=policy, GWC_QUEUE_LEASE=QUEUE_LEASE_SECONDS
        )
    fleet.end(timeout=120)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == 25
    assert site.kept_apart(0.25), site.gaps()


@pytest.mark.parametrize("policy", [pytest.param("host", marks=pytest.mark.slow), "bkdr"])
def test_what_a_killed_worker_owns_goes_to_the_others(
    project: Project, site: SiteServer, fleet: Fleet, client: redis.Redis, policy: str
) -> None:
    begin(project, site, fleet, client, GWC_QUEUE_POLICY=policy, CONCURRENT_REQUESTS_PER_DOMAIN=6)
    site.wait_for_pages(60)
    victim = asked_by(site).most_common(1)[0][0]
    kill(fleet.workers[int(victim[1:])])
    fleet.end(timeout=120)
    hits = site.page_hits()
    assert set(hits) == set(site.links)
    again = sum(count - 1 for count in hits.values())
    assert again <= 100 + 8 + 6, f"{again} pages fetched again: more than one worker's leases"
    assert len(asked_by(site)) > 1
    assert most_at_once(site, FAST_SECONDS) <= 6
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(PAGES, PAGES)]
