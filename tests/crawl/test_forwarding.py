"""Lists link to addresses that lead on to the records' own: each record comes home once, under its own address."""

from __future__ import annotations

import pytest

from tests.conftest import Outcome, Project
from tests.forwarding_site import ForwardingShop
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

SHOP = ForwardingShop(
    short="/go/{n}",
    via="/p/{n}",
    is_short=lambda number: number % 3 > 0,
    samples=((7, False), (12, True)),
    list_short="/c/{n}",
    strays=("/", "/login", "http://elsewhere.invalid/x", "/nowhere", "/p/9/crimson-mirror"),
    products=20,
)


def records(project: Project) -> list[str]:
    return [url for (url,) in project.rows("SELECT url FROM records_shop", name="shop")]


def good(outcome: Outcome) -> None:
    assert outcome.code == 0, outcome.err[-4000:]


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(301, id="redirect"),
        pytest.param(0, id="refresh", marks=pytest.mark.slow),
        pytest.param(-1, id="script"),
    ],
)
def test_learned_crawled_and_looked_at_again(project: Project, site: SiteServer, status: int) -> None:
    """From nothing; again; by looking at all again; when one is gone and one has a new name; from knowledge alone."""
    shop = ForwardingShop(**{**vars(SHOP), "status": status})
    shop.put_into(site)
    project.write_site("shop", shop.site_file(site.url))
    good(project.scrapy("crawl", "shop"))
    assert sorted(records(project)) == sorted(shop.finals(site.url))
    asked = len(site.log)
    good(project.scrapy("crawl", "shop"))
    assert len(site.log) == asked
    good(project.scrapy("crawl", "shop", "-a", "recrawl=all"))
    assert sorted(records(project)) == sorted(shop.finals(site.url))
    good(project.scrapy("crawl", "shop", "-a", "recrawl=due"))
    assert sorted(records(project)) == sorted(shop.finals(site.url))
    (project.directory / "data" / "shop" / "crawl.db").unlink()
    (project.directory / "data" / "shop" / "samples.db").unlink()
    good(project.scrapy("crawl", "shop"))
    assert sorted(records(project)) == sorted(shop.finals(site.url))


def test_why_says_what_an_address_is(project: Project, site: SiteServer) -> None:
    SHOP.put_into(site)
    project.write_site("shop", SHOP.site_file(site.url))
    good(project.scrapy("crawl", "shop"))
    told = {path: project.scrapy("why", "shop", site.url + path).out for path in ("/go/8", "/go/900", "/c/1")}
    assert "complete, redirect" in told["/go/8"]
    assert "a target filter takes it" in told["/go/8"]
    assert f"redirect  {site.url}/" in told["/go/900"]
    assert "a directory filter takes it" in told["/c/1"]


def test_two_workers_share_it(project: Project, site: SiteServer, redis_server: RedisServer) -> None:
    SHOP.put_into(site)
    project.write_site("shop", SHOP.site_file(site.url))
    good(project.scrapy("learn", "shop"))
    shared = {"GWC_FRONTIER": "redis", "REDIS_URL": redis_server.url}
    for process in [project.start("crawl", "shop", settings=shared) for _ in range(2)]:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert sorted(records(project)) == sorted(SHOP.finals(site.url))
