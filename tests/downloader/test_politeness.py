"""Politeness as the servers see it: times and concurrency in their logs. Gaps are only tested from below."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Any

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from gwc_crawler.demo.serving import Request
from gwc_crawler.errors import NotAnsweredError, TooLargeError, WireError
from gwc_crawler.middlewares.politeness import NO_WORD_ON_HOST, status_of
from gwc_crawler.network.politeness.limiter import CUT_SHORT
from tests.conftest import Project
from tests.site_server import SiteServer

POLICIES = ("host", "bkdr", *(pytest.param(one, marks=pytest.mark.slow) for one in ("column", "ip")))
CLOCK_SLACK = 0.15
"""What a busy machine may make a gap at the server shorter: a request that arrives late is nearer to the next one."""

QUIET = {"DOWNLOAD_DELAY_JITTER": 0.0}


@pytest.fixture
def second() -> Iterator[SiteServer]:
    """Another host."""
    with SiteServer() as server:
        yield server


def write_site(project: Project, *sites: SiteServer) -> None:
    entry = ", ".join(f'"{site.url}/"' for site in sites)
    hosts = ", ".join(f'"{site.url.removeprefix("http://")}"' for site in sites)
    project.write_site("graph", f'entry = [{entry}]\nhosts = [{hosts}]\nkeywords = "treasure"\n')
    project.write_knowledge()


def crawl(project: Project, **settings: Any) -> str:
    outcome = project.scrapy("crawl", "graph", settings={**QUIET, **settings})
    assert outcome.code == 0, outcome.err
    return outcome.err


def pages(count: int) -> dict[str, list[str]]:
    """A start page, and COUNT others in four columns."""
    paths = [f"/{'wxyz'[number % 4]}/{number}" for number in range(count)]
    return {"/": paths} | {path: [] for path in paths}


@pytest.mark.parametrize(
    ("moments", "kept"),
    [
        pytest.param([0, 0.3, 0.6, 0.9, 1.3], True, id="on time"),
        pytest.param([0, 0.456, 0.6, 0.9], True, id="one late"),
        pytest.param([0.2, 0.5, 0.75, 0.9, 1.2], True, id="several late"),
        pytest.param([0, 0.3, 0.34, 0.9], False, id="one that did not wait"),
        pytest.param([0, 0.15, 0.3, 0.45, 0.6], False, id="half of it"),
        pytest.param([0, 0.1, 0.3, 0.4, 0.6, 0.7], False, id="two senders"),
    ],
)
def test_what_a_server_was_asked_tells_whether_a_delay_was_kept(moments: list[float], kept: bool) -> None:
    site = SiteServer()
    site.log = [Request(moment, "/", "GET", {}) for moment in moments]
    site._loop.close()
    assert site.kept_apart(0.3) is kept


@pytest.mark.parametrize("policy", POLICIES)
def test_one_host_is_never_asked_more_at_once_than_allowed(project: Project, site: SiteServer, policy: str) -> None:
    site.links = pages(24)
    site.delays["*"] = 0.05
    write_site(project, site)
    crawl(project, GWC_QUEUE_POLICY=policy, GWC_QUEUES=8, CONCURRENT_REQUESTS_PER_DOMAIN=3)
    assert set(site.page_hits()) == set(site.links)
    assert site.max_concurrent <= 3


@pytest.mark.parametrize("policy", POLICIES)
def test_the_delay_holds_once_for_a_host_whatever_its_queues(project: Project, site: SiteServer, policy: str) -> None:
    site.links = pages(7)
    write_site(project, site)
    crawl(project, GWC_QUEUE_POLICY=policy, GWC_QUEUES=8, DOWNLOAD_DELAY=0.3)
    assert set(site.page_hits().values()) == {1}
    assert len(site.page_hits()) == 8
    assert site.kept_apart(0.3), site.gaps()


def test_many_queues_give_no_more_load_than_one_when_politeness_does_not_allow_it(
    project: Project, site: SiteServer
) -> None:
    site.links = pages(12)
    site.delays["*"] = 0.05
    write_site(project, site)
    crawl(project, GWC_QUEUE_POLICY="bkdr", CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert site.max_concurrent == 1


def test_many_queues_use_all_that_politeness_allows(project: Project, site: SiteServer) -> None:
    site.links = pages(60)
    site.delays["*"] = 0.2
    write_site(project, site)
    crawl(project, GWC_QUEUE_POLICY="bkdr", CONCURRENT_REQUESTS_PER_DOMAIN=12)
    assert 4 < site.max_concurrent <= 12


def test_limits_of_an_address_hold_for_all_its_hosts(project: Project, site: SiteServer) -> None:
    site.links = pages(12)
    site.delays["*"] = 0.05
    names = [site.url, site.url.replace("127.0.0.1", "localhost")]
    entry = ", ".join(f'"{name}/"' for name in names)
    project.write_site("graph", f'entry = [{entry}]\nkeywords = "treasure"\n')
    project.write_knowledge()
    crawl(project, CONCURRENT_REQUESTS_PER_IP=1)
    assert set(site.page_hits().values()) == {2}
    assert site.max_concurrent == 1


def test_a_slow_host_does_not_hold_up_another(project: Project, site: SiteServer, second: SiteServer) -> None:
    site.links, second.links = pages(6), pages(40)
    write_site(project, site, second)
    slow = site.url.removeprefix("http://")
    crawl(project, DOWNLOAD_SLOTS=f'{{"{slow}": {{"delay": 1.0}}}}', CONCURRENT_REQUESTS=4, GWC_LEASE_BATCH=8)
    assert site.kept_apart(1.0), site.gaps()
    assert len(second.page_hits()) == 41
    done = second.requests[-1].arrived
    assert sum(request.arrived < done for request in site.requests) < len(site.requests)


def test_a_paused_host_does_not_hold_up_another(project: Project, site: SiteServer, second: SiteServer) -> None:
    site.links, second.links = pages(20), pages(20)
    site.statuses["/"] = [429, 200]
    site.headers["/"] = {"Retry-After": "3"}
    write_site(project, site, second)
    crawl(project, CONCURRENT_REQUESTS=2, GWC_LEASE_BATCH=4)
    first, again = (request.arrived for request in site.requests if request.target == "/")
    assert again - first >= 3 - CLOCK_SLACK
    assert len(site.page_hits()) == len(second.page_hits()) == 21
    assert second.requests[-1].arrived < again


def test_crawl_delay_is_kept_from_the_first_page_on(project: Project, site: SiteServer) -> None:
    site.links = pages(4)
    site.bodies["/robots.txt"] = (b"User-agent: *\nCrawl-delay: 0.5\n", "text/plain")
    write_site(project, site)
    log = crawl(project, GWC_QUEUE_POLICY="bkdr")
    assert "robots.txt asks for slowness" in log
    assert set(site.page_hits().values()) == {1}
    assert len(site.gaps()) == 5
    assert site.kept_apart(0.5), site.gaps()


def test_many_starts_that_wait_for_robots_txt_are_no_burst(project: Project, site: SiteServer) -> None:
    site.links = pages(5)
    site.delays["/robots.txt"] = 1.0
    starts = ", ".join(f'"{site.url}{path}"' for path in site.links)
    project.write_site("graph", f'entry = [{starts}]\nkeywords = "treasure"\n')
    project.write_knowledge()
    crawl(project, DOWNLOAD_DELAY=0.3)
    assert len(site.page_hits()) == 6
    assert site.kept_apart(0.3), site.gaps()


def test_a_host_that_says_slow_down_is_asked_slowly_and_recovers(project: Project, site: SiteServer) -> None:
    site.links = pages(30)
    site.delays["*"] = 0.05
    for path in list(site.links)[1:4]:
        site.statuses[path] = [503, 200]
    write_site(project, site)
    crawl(project, GWC_RETRY_BASE_SECONDS=1.5)
    assert len(site.page_hits()) == 31
    limited = [request.arrived for request in site.requests if request.target in list(site.links)[1:4]]
    first = min(limited)
    after = [request.arrived for request in site.requests if request.arrived > first + 1]  # others were on their way
    assert len(after) > 3
    assert min(after) - first >= 1.5 - CLOCK_SLACK
    assert set(project.states().values()) == {"C"}


def test_adaptive_delay_is_each_hosts_own(project: Project, site: SiteServer, second: SiteServer) -> None:
    site.links, second.links = pages(5), pages(5)
    site.delays["*"] = 0.6
    write_site(project, site, second)
    crawl(project, AUTOTHROTTLE_ENABLED=True, AUTOTHROTTLE_START_DELAY=0.2)
    assert min(site.gaps()[2:]) >= 0.4
    assert len(second.page_hits()) == 6


def raised(error: Exception, cause: Exception | None = None) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (raised(DownloadConnectionRefusedError()), None),
        (raised(CannotResolveHostError()), None),
        (raised(DownloadTimeoutError()), None),
        (raised(DownloadFailedError("reset"), ConnectionResetError()), None),
        (raised(DownloadFailedError("certificate"), ssl.SSLError()), None),
        (raised(DownloadFailedError("no answer"), NotAnsweredError()), None),
        (raised(DownloadFailedError("no HTTP"), WireError()), CUT_SHORT),
        (raised(ResponseDataLossError()), CUT_SHORT),
        (raised(DownloadCancelledError(), TooLargeError(1, expected=True)), NO_WORD_ON_HOST),
        (raised(IgnoreRequest()), NO_WORD_ON_HOST),
    ],
    ids=lambda value: f"{value!r} {value.__cause__!r}" if isinstance(value, Exception) else str(value),
)
def test_what_an_error_says_of_its_host(error: Exception, status: int | None) -> None:
    assert status_of(error) == status


def test_redirects_and_missing_pages_give_their_turn_back(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/old", "/gone", "/cut", "/no/1", "/end"], "/new": [], "/cut": [], "/no/1": [], "/end": []}
    site.statuses["/old"] = 302
    site.headers["/old"] = {"Location": "/new"}
    site.cut.add("/cut")
    site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /no/\n", "text/plain")
    write_site(project, site)
    crawl(project, CONCURRENT_REQUESTS_PER_DOMAIN=1, RETRY_TIMES=0, DOWNLOAD_DELAY=0.1)
    assert set(site.page_hits()) == {"/", "/old", "/new", "/gone", "/cut", "/end"}
    assert not {"U", "R"} & set(project.states().values())
