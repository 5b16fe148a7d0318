"""Crawling again: what is due is asked for, mostly with a 304; what has changed comes home, what is gone is marked."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Outcome, Project
from tests.processes import kill_when, wait_until
from tests.redis_server import RedisServer
from tests.shop_site import fresh_products, product, product_site_file
from tests.site_server import SiteServer

PRODUCTS = 12
LEASES = 4
NOW_DUE = {"GWC_RECRAWL_START_SECONDS": 0.01, "GWC_RECRAWL_MIN_SECONDS": 0.01}
"""Settings under which everything is due at once."""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A shop that was learned and crawled once; everything is due."""
    project = Project(tmp_path_factory.mktemp("crawled"))
    with SiteServer() as site:
        site.etags = True
        fresh_products(site, PRODUCTS)
        project.write_site("shop", product_site_file(site.url, (3, 7)))
        outcome = project.scrapy("crawl", "shop", settings=NOW_DUE)
        assert outcome.code == 0, outcome.err
        yield project, site


@pytest.fixture
def shop(project: Project, crawled: tuple[Project, SiteServer]) -> SiteServer:
    """The shop as it was after its first crawl, which is in the project."""
    first, site = crawled
    site.etags = True
    fresh_products(site, PRODUCTS)
    project.copy(first)
    return site


def recrawl(project: Project, which: str, **settings: Any) -> Outcome:
    outcome = project.scrapy(
        "crawl", "shop", "-a", f"recrawl={which}", "-O", "out.jsonl", settings={**NOW_DUE, **settings}
    )
    assert outcome.code == 0, outcome.err
    return outcome


def items(project: Project) -> list[dict[str, Any]]:
    text = (project.directory / "out.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def prices(project: Project) -> dict[str, str]:
    return {
        url.rpartition("/")[2]: price for url, price in project.rows("SELECT url, price FROM records_shop", name="shop")
    }


def revisited(outcome: Outcome) -> str:
    return next(line.strip() for line in outcome.out.splitlines() if "revisited" in line)


def conditional(site: SiteServer) -> set[str]:
    return {request.target for request in site.requests if "if-none-match" in request.headers}


def test_what_changed_comes_home_and_the_rest_costs_a_304(project: Project, shop: SiteServer) -> None:
    shop.bodies["/item/1"] = product(1, 99)
    shop.bodies["/item/2"] = product(2, advert="Buy two")
    shop.links["/"] = [*(f"/item/{number}" for number in range(1, PRODUCTS)), "/item/99"]
    shop.bodies["/item/99"] = product(77)
    del shop.bodies["/item/0"]
    before = dict(project.rows("SELECT url, fetched_at FROM pages", name="shop"))
    assert "13 pages to look at again" in project.scrapy("status", "shop").out
    outcome = recrawl(project, "due")
    assert revisited(outcome).endswith("13: 2 changed, 10 unchanged (9 by 304), 1 gone; 1 new page")
    assert set(shop.page_hits().values()) == {1}
    assert conditional(shop) == {"/", *(f"/item/{number}" for number in range(PRODUCTS))}
    assert [(item["url"].rpartition("/")[2], item["price"]) for item in items(project)] == [
        ("1", "$99.50"), ("99", "$77.50"),
    ]  # fmt: skip
    assert prices(project) == {**{str(n): f"${n}.50" for n in range(PRODUCTS)}, "1": "$99.50", "99": "$77.50"}
    after = dict(project.rows("SELECT url, fetched_at FROM pages", name="shop"))
    assert after[f"{shop.url}/item/5"] == before[f"{shop.url}/item/5"], "a 304 leaves the stored page as it is"
    assert project.rows("SELECT state, reason FROM urls WHERE url LIKE '%/item/0'", name="shop") == [
        ("E", "gone: HTTP 404")
    ]
    assert project.rows("SELECT count(*) FROM revisits WHERE gone_at IS NOT NULL", name="shop") == [(1,)]
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages", name="shop") == [(14, 14)]
    told = project.scrapy("why", "shop", f"{shop.url}/item/0").out
    assert "error, target: gone: HTTP 404" in told
    assert "1 of 1 looks found a change" in told
    assert "its record stays" in told


def test_pages_without_etag_are_compared_by_what_matters(project: Project, shop: SiteServer) -> None:
    shop.etags = False
    for number in range(PRODUCTS):
        shop.bodies[f"/item/{number}"] = product(number, advert=f"It is {time.time()}")
    shop.bodies["/item/4"] = product(4, 44)
    outcome = recrawl(project, "all")
    assert revisited(outcome).endswith("13: 1 changed, 12 unchanged (0 by 304), 0 gone; 0 new pages")
    assert [item["price"] for item in items(project)] == ["$44.50"]


def test_last_modified_is_sent_back_too(project: Project, shop: SiteServer) -> None:
    shop.etags = False
    shop.modified = {f"/item/{number}": "Tue, 01 Sep 2026 10:00:00 GMT" for number in range(PRODUCTS)}
    recrawl(project, "all")
    shop.clear()
    assert "(12 by 304)" in revisited(recrawl(project, "all"))


def test_nothing_is_due_before_its_time(project: Project, shop: SiteServer) -> None:
    project.scrapy("crawl", "shop", "-a", "recrawl=all")  # intervals of a day from now on
    shop.clear()
    outcome = project.scrapy("crawl", "shop", "-a", "recrawl=due")
    assert outcome.code == 0, outcome.err
    assert shop.page_hits() == {}
    assert revisited(outcome).endswith("nothing was due; `scrapy why SITE URL` tells when a page is")


def test_intervals_adapt_page_by_page(project: Project, shop: SiteServer) -> None:
    limits = {"GWC_RECRAWL_MIN_SECONDS": 0.001, "GWC_RECRAWL_START_SECONDS": 0.01}
    for price in (50, 51):
        shop.bodies["/item/1"] = product(1, price)
        recrawl(project, "due", **limits)
    rows = project.rows(
        "SELECT url, interval_seconds, checks, changes FROM revisits JOIN urls USING (id) WHERE url LIKE '%/item/%'",
        name="shop",
    )
    found = {url.rpartition("/")[2]: (seconds, checks, changes) for url, seconds, checks, changes in rows}
    assert found["1"][1:] == (2, 2)
    assert found["1"][0] < 0.01 < found["2"][0]
    assert found["2"][1:] == (1, 0), "it has not changed, so it was not due again"


def test_errors_are_tried_again_and_a_page_that_is_back_is_news(project: Project, shop: SiteServer) -> None:
    del shop.bodies["/item/0"]
    recrawl(project, "all")
    shop.bodies["/item/0"] = product(0)
    shop.clear()
    assert revisited(recrawl(project, "errors")).endswith("1: 1 changed, 0 unchanged (0 by 304), 0 gone; 0 new pages")
    assert shop.page_hits() == {"/item/0": 1}
    assert [item["title"] for item in items(project)] == ["Product number 0"]
    assert project.rows("SELECT gone_at FROM revisits JOIN urls USING (id) WHERE url LIKE '%/0'", name="shop") == [
        (None,)
    ]


def test_a_product_that_leads_elsewhere_now_is_gone_and_its_record_stays(project: Project, shop: SiteServer) -> None:
    shop.statuses["/item/1"] = 301
    shop.headers["/item/1"] = {"Location": "/"}
    shop.statuses["/item/2"] = 301
    shop.headers["/item/2"] = {"Location": "/item/99"}
    shop.bodies["/item/99"] = product(2, 22)
    outcome = recrawl(project, "all")
    assert "1 gone" in revisited(outcome)
    found = prices(project)
    assert found["1"] == "$1.50"
    assert found["99"] == "$22.50"
    assert "2" not in found, "it has a new address"
    shop.clear()
    assert "1 gone" in revisited(recrawl(project, "all"))
    assert shop.page_hits()["/item/99"] == 1


def test_a_killed_recrawl_goes_on_where_it_stood(project: Project, shop: SiteServer) -> None:
    shop.delays["*"] = 0.05
    slowly = {**NOW_DUE, "GWC_COMMIT_PAGES": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    process = project.start("crawl", "shop", "-a", "recrawl=all", settings=slowly)
    assert kill_when(process, lambda: len(shop.page_hits()) > 3)
    wait_until(lambda: not shop.open_requests, 10)
    outcome = project.scrapy("crawl", "shop", settings={**slowly, "GWC_MAX_PAGES": 2})
    assert " by 304), 0 gone; 0 new pages" in revisited(outcome), "a plain crawl goes on with it, too"
    recrawl(project, "all")
    assert set(shop.page_hits()) == {"/", *(f"/item/{number}" for number in range(PRODUCTS))}
    assert sum(shop.page_hits().values()) <= PRODUCTS + 1 + 2, "only what was under way is asked for twice"
    assert project.rows("SELECT max(checks), min(checks) FROM revisits", name="shop") == [(1, 1)]
    shop.clear()
    recrawl(project, "all")
    assert sum(shop.page_hits().values()) == PRODUCTS + 1, "the round was over, this is the next"


@pytest.mark.parametrize("which", ["foo", "", "duo"])
def test_a_wrong_word_is_a_clear_error_before_anything_is_fetched(
    project: Project, shop: SiteServer, which: str
) -> None:
    shutil.rmtree(project.directory / "data")
    outcome = project.scrapy("crawl", "shop", "-a", f"recrawl={which}")
    assert outcome.code == 2
    assert "it can be due (what is due by now), all, or errors (what failed)" in outcome.err
    assert ("did you mean 'due'?" in outcome.err) == (which == "duo")
    assert "Traceback" not in outcome.err
    assert shop.hits == {}


# --- shared by workers ----------------------------------------------------------------------------------------------


def worker(project: Project, redis_server: RedisServer, *arguments: str, **settings: Any) -> Any:
    settings = {
        "REDIS_URL": redis_server.url,
        "GWC_LEASE_SECONDS": 2,
        "GWC_LEASE_BATCH": LEASES,
        "GWC_COMMIT_PAGES": 1,
        **NOW_DUE,
        **settings,
    }
    return project.start("crawl", "shop", *arguments, settings=settings, profile="cluster")


def test_workers_share_a_recrawl(project: Project, shop: SiteServer, redis_server: RedisServer) -> None:
    (project.directory / "data" / "shop" / "crawl.db").unlink()
    _, log = (first := worker(project, redis_server)).communicate(timeout=60)
    assert first.returncode == 0, log
    shop.clear()
    shop.bodies["/item/1"] = product(1, 99)
    del shop.bodies["/item/0"]
    shop.delays["*"] = 0.05
    killed = worker(project, redis_server, "-a", "recrawl=all", CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert kill_when(killed, lambda: len(shop.page_hits()) > 2)
    workers = [worker(project, redis_server, "-a", "recrawl=all", "-O", f"out{n}.jsonl") for n in range(2)]
    logs = [one.communicate(timeout=60)[1] for one in workers]
    assert [one.returncode for one in workers] == [0, 0], logs
    assert conditional(shop) == {"/", *(f"/item/{number}" for number in range(PRODUCTS))}
    assert sum(shop.page_hits().values()) <= PRODUCTS + 1 + LEASES, "only what was leased or uncommitted is asked twice"
    brought = [
        json.loads(line)["price"]
        for n in range(2)
        for line in (project.directory / f"out{n}.jsonl").read_text("utf-8").splitlines()
    ]
    assert brought == ["$99.50"]
    assert prices(project)["0"] == "$0.50"
    told = project.rows(
        "SELECT r.url, v.gone_at IS NOT NULL FROM records_shop AS r JOIN urls USING (url) "
        "JOIN revisits AS v USING (id) WHERE v.changes > 0 ORDER BY 1",
        name="shop",
    )
    assert told == [(f"{shop.url}/item/0", 1), (f"{shop.url}/item/1", 0)]
