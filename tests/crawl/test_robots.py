"""robots.txt in whole crawls: what is forbidden costs no request, what can't be had is waited for, causes are said."""

from __future__ import annotations

import json
import sqlite3
from itertools import pairwise

import pytest

from tests.conftest import Outcome, Project
from tests.redis_server import RedisServer
from tests.shop_site import product_site_file, put_products
from tests.site_server import SiteServer

FORBIDS = b"User-agent: *\nDisallow: /no/\n"


def rules(site: SiteServer, text: bytes) -> None:
    site.bodies["/robots.txt"] = (text, "text/plain")


def crawl(project: Project, site: SiteServer, *args: str, **settings: object) -> Outcome:
    project.write_graph_site(site.url)
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", *args, settings=settings)
    assert "Traceback" not in outcome.err
    return outcome


def age(project: Project, seconds: float) -> None:
    """Have the rules be so much older."""
    path = project.directory / "data" / "graph" / "crawl.db"
    with sqlite3.connect(path) as sql:
        sql.execute("UPDATE robots SET read_at = read_at - ?", (seconds,))
    sql.close()


def test_forbidden_links_are_cut_when_found_and_explained(project: Project, site: SiteServer) -> None:
    forbidden = [f"/no/{number}" for number in range(3000)]
    site.links = {"/": ["/a", "/b"], "/a": forbidden, "/b": [*forbidden[:50], "/c"], "/c": []}
    rules(site, FORBIDS)
    outcome = crawl(project, site)
    assert outcome.code == 0, outcome.err
    assert "3,000 URLs: 3,000 forbidden by robots" in outcome.out
    assert set(site.page_hits()) == {"/", "/a", "/b", "/c"}
    assert set(project.states().values()) == {"C"}, "they were never in the queue"
    told = project.scrapy("why", "graph", f"{site.url}/no/7")
    assert told.code == 11
    assert "line 2 forbids it: Disallow: /no/" in told.out
    assert f"{site.url}/robots.txt, read " in told.out
    facts = json.loads(project.scrapy("why", "graph", f"{site.url}/no/7", "--json").out)
    assert (facts["robots"]["number"], facts["known"], facts["admitted"]) == (2, False, True)
    assert "forbidden by robots" in project.scrapy("status", "graph").out
    assert project.scrapy("why", "graph", f"{site.url}/c").out.count("forbids") == 0


def test_urls_that_wait_when_the_rules_become_known_end_in_batches(project: Project, site: SiteServer) -> None:
    with SiteServer({f"/no/{number}": [] for number in range(2000)} | {"/yes": []}) as other:
        rules(other, FORBIDS)
        other.delays["/robots.txt"] = 0.5
        site.links = {"/": [f"{other.url}{path}" for path in other.links]}
        project.write_graph_site(site.url, more=f'hosts = ["{other.url}"]\n')
        project.write_knowledge()
        outcome = project.scrapy("crawl", "graph")
        assert outcome.code == 0, outcome.err
        assert set(other.page_hits()) == {"/yes"}
    assert "2,000 forbidden by robots" in outcome.out
    counts = dict(project.rows("SELECT state, count(*) FROM urls GROUP BY state"))
    assert counts == {"C": 2, None: 2000}
    assert project.rows("SELECT count(*) FROM refused_links") == [(2000,)]
    assert project.rows("SELECT max(attempts) FROM urls WHERE state IS NULL") == [(0,)]
    assert ", 0 error" in outcome.out
    requests = outcome.err.count("robotstxt/forbidden")
    assert requests <= 1, "the stat is written once"
    stat = [line for line in outcome.err.splitlines() if "robotstxt/forbidden" in line]
    assert not stat or int(stat[0].split(":")[-1].strip(" ,}")) <= 200, "few became requests of their own"


def test_rules_are_read_anew_after_a_day_and_what_they_kept_out_comes_in(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/no/1", "/no/2", "/yes"], "/no/1": ["/no/3"], "/no/2": [], "/no/3": [], "/yes": []}
    rules(site, FORBIDS)
    crawl(project, site)
    assert site.hits == {"/robots.txt": 1, "/": 1, "/yes": 1}
    site.links["/late"] = []
    project.scrapy("queue", "graph", "add", f"{site.url}/late")
    crawl(project, site)
    assert site.hits == {"/robots.txt": 1, "/": 1, "/yes": 1, "/late": 1}, "a restart knows the rules"
    rules(site, b"User-agent: *\nDisallow: /no/2\n")
    age(project, 90_000)
    site.links["/later"] = []
    project.scrapy("queue", "graph", "add", f"{site.url}/later")
    outcome = crawl(project, site)
    assert outcome.code == 0, outcome.err
    assert site.hits["/robots.txt"] == 2
    assert set(site.page_hits()) == {"/", "/yes", "/late", "/later", "/no/1", "/no/3"}
    assert project.rows("SELECT count(*) FROM refused_links") == [(1,)]


def test_what_was_kept_out_can_be_retried_by_hand(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/no/1", "/no/2"], "/no/1": [], "/no/2": []}
    rules(site, FORBIDS)
    crawl(project, site)
    retried = project.scrapy("queue", "graph", "retry", f"{site.url}/no/*", "--yes")
    assert "2 URLs retried" in retried.out, retried
    rules(site, b"")
    age(project, 90_000)
    crawl(project, site)
    assert set(site.page_hits()) == {"/", "/no/1", "/no/2"}


def test_while_new_rules_cannot_be_had_the_old_ones_hold(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/yes"], "/yes": [], "/late": ["/no/1", "/more"], "/no/1": [], "/more": []}
    rules(site, FORBIDS)
    crawl(project, site)
    site.statuses["/robots.txt"] = 503
    age(project, 90_000)
    project.scrapy("queue", "graph", "add", f"{site.url}/late")
    outcome = crawl(project, site)
    assert outcome.code == 0, outcome.err
    assert set(site.page_hits()) == {"/", "/yes", "/late", "/more"}
    assert "the old one holds" in outcome.err


def test_an_entry_that_is_forbidden(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    rules(site, b"User-agent: *\nDisallow: /\n")
    for _ in range(2):
        outcome = crawl(project, site)
        assert outcome.code == 3
        assert f"{site.url}/ is forbidden by robots.txt" in outcome.err
        assert "line 2: Disallow: /" in outcome.err
        assert "ROBOTSTXT_OBEY" in outcome.err
        assert "check the address" not in outcome.err
    rules(site, b"")
    outcome = crawl(project, site)
    assert outcome.code == 0, "a start is not refused by what was read in an earlier run"
    assert site.page_hits() == {"/": 1}


def test_a_sample_page_that_is_forbidden(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/item/1", "/no/2"], "/item/1": [], "/no/2": []}
    rules(site, FORBIDS)
    samples = "".join(
        f'[[samples]]\nurl = "{site.url}{path}"\nfields = {{ t = "{path}" }}\n' for path in ("/item/1", "/no/2")
    )
    project.write_site("graph", f'entry = ["{site.url}/"]\n{samples}')
    for _ in range(2):  # the second run fetches no page, and says the same
        outcome = project.scrapy("learn", "graph")
        assert outcome.code == 4, outcome.err
        assert f"{site.url}/no/2 is forbidden by robots.txt" in outcome.err
        assert "line 2: Disallow: /no/" in outcome.err
        assert "Traceback" not in outcome.err


def test_a_robots_txt_that_says_not_now_for_long_ends_in_one_error(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/a"], "/a": []}
    for status in (429, 503):
        site.clear()
        site.statuses["/robots.txt"] = status
        outcome = crawl(project, site, GWC_ROBOTS_PATIENCE_SECONDS=0.5)
        assert outcome.code == 3
        assert f"robots.txt of {site.host}:{site.port} can't be had: HTTP {status} (asked " in outcome.err
        assert "try later" in outcome.err
        assert "check the address" not in outcome.err
        assert site.page_hits() == {}
        assert 2 <= site.hits["/robots.txt"] <= 8


def test_the_urls_of_a_host_wait_while_its_robots_txt_says_not_now(project: Project, site: SiteServer) -> None:
    with SiteServer({f"/s/{number}": [] for number in range(300)}) as other:
        other.statuses["/robots.txt"] = [429, 503, 429, 200]
        other.headers["/robots.txt"] = {"Retry-After": "1"}
        site.links = {"/": [f"{other.url}{path}" for path in other.links] + ["/own"], "/own": []}
        project.write_graph_site(site.url, more=f'hosts = ["{other.url}"]\n')
        project.write_knowledge()
        outcome = project.scrapy("crawl", "graph")
        assert outcome.code == 0, outcome.err
        assert other.hits["/robots.txt"] == 4, "it is asked for once each time, whoever waits"
        assert sum(other.page_hits().values()) == 300
        asked = [one.arrived for one in other.requests if one.target == "/robots.txt"]
        assert all(later - earlier >= 0.9 for earlier, later in pairwise(asked))
    assert set(project.rows("SELECT max(attempts), state FROM urls GROUP BY state")) == {(1, "C")}


def test_workers_of_a_shared_crawl_know_the_rules(
    project: Project, site: SiteServer, redis_server: RedisServer
) -> None:
    site.links = {"/": [f"/s/{n}" for n in range(40)]} | {f"/s/{n}": [f"/no/{n}", f"/no/x{n}"] for n in range(40)}
    site.links |= {f"/no/{n}": [] for n in range(40)} | {f"/no/x{n}": [] for n in range(40)}
    rules(site, FORBIDS)
    project.write_graph_site(site.url)
    project.write_knowledge()
    shared = {"REDIS_URL": redis_server.url}
    workers = [project.start("crawl", "graph", settings=shared, profile="cluster") for _ in range(2)]
    for worker in workers:
        _, err = worker.communicate(timeout=120)
        assert worker.returncode == 0, err
    assert not any(path.startswith("/no/") for path in site.hits)
    assert site.hits["/robots.txt"] <= 2
    with redis_server.client() as client:
        assert client.hlen("{graph}:requests:refused") == 80
    there = ("-s", f"REDIS_URL={redis_server.url}")
    told = project.scrapy("why", "graph", f"{site.url}/no/3", *there, profile="cluster")
    assert told.code == 11, told
    assert "line 2 forbids it: Disallow: /no/" in told.out
    retried = project.scrapy("queue", "graph", "retry", f"{site.url}/no/x*", "--yes", *there, profile="cluster")
    assert "40 URLs retried" in retried.out, retried
    before = site.hits["/robots.txt"]
    outcome = project.scrapy("crawl", "graph", settings=shared, profile="cluster")
    assert outcome.code == 0, outcome.err
    assert site.hits["/robots.txt"] == before, "a worker that comes later knows the rules"
    assert not any(path.startswith("/no/") for path in site.hits)
    with redis_server.client() as client:
        assert client.hlen("{graph}:requests:reasons") == 0
        assert client.hlen("{graph}:requests:refused") == 80, "by the same rules they are refused again"


def test_a_link_to_a_robots_txt_is_no_page_of_its_own_rules(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/robots.txt", "/yes"], "/yes": []}
    rules(site, b"User-agent: *\nDisallow: /r\n")
    outcome = crawl(project, site)
    assert outcome.code == 0, outcome.err
    assert set(site.page_hits()) == {"/", "/yes"}


@pytest.mark.parametrize("profile", ["local", "cluster"])
def test_what_the_pre_crawl_read_keeps_links_out_of_the_crawl(
    project: Project, site: SiteServer, request: pytest.FixtureRequest, profile: str
) -> None:
    put_products(site, 24)
    site.links["/"] = [*site.links["/"], *(f"/item/{900_000 + number}" for number in range(2000))]
    rules(site, b"User-agent: *\nDisallow: /item/9\n")
    project.write_site("shop", product_site_file(site.url, (1, 2)))
    settings: dict[str, object] = {}
    if profile == "cluster":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings = {"REDIS_URL": server.url}
    outcome = project.scrapy("crawl", "shop", settings=settings, profile=profile)
    assert outcome.code == 0, outcome.err
    assert ", 0 error" in outcome.out
    assert not any(path.startswith("/item/9") for path in site.hits)
    assert site.hits["/robots.txt"] == 1, "the crawl knows what the pre-crawl has read"
    rejections = project.rows("SELECT count FROM cuts WHERE reason = 'forbidden_by_robots'", name="shop")
    if profile == "cluster":
        with server.client() as client:
            assert client.hlen("{shop}:requests:refused") == 2001
            assert client.hlen("{shop}:requests:reasons") == 0
    else:
        assert sum(count for (count,) in rejections) == 2001
        assert project.rows("SELECT count(*) FROM urls WHERE state = 'E' OR attempts > 1", name="shop") == [(0,)]
        assert project.rows("SELECT sum(attempts) FROM urls WHERE url LIKE '%/item/9%'", name="shop") == [(0,)]
    assert not any("/item/9" in url for (url,) in project.rows("SELECT url FROM pages", name="shop"))


def test_adding_what_robots_txt_has_refused_says_so(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/yes"], "/yes": []}
    rules(site, FORBIDS)
    project.write_graph_site(site.url)
    project.write_knowledge()
    added = project.scrapy("queue", "graph", "add", f"{site.url}/no/1")
    assert "added" in added.out
    crawl(project, site)
    added = project.scrapy("queue", "graph", "add", f"{site.url}/no/1")
    assert "not added, forbidden by robots.txt, line 2: Disallow: /no/" in added.out
