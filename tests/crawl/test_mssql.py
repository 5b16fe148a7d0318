"""Whole crawls into a SQL Server: every page is there once, whatever ends the crawl, its writer or the server."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.conftest import Project, ended
from tests.crawl.test_endings import assert_clear
from tests.graphs import star
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.site_server import SiteServer
from tests.tds_server import Hook, TdsServer

PAGES = 61


def settings(sink: str = "mssql", **more: Any) -> dict[str, Any]:
    return {"GWC_SINK": sink, "GWC_COMMIT_PAGES": 10, "GWC_MSSQL_RETRY_SECONDS": 0.3, **more}


@pytest.fixture
def shop(project: Project, site: SiteServer) -> Project:
    site.links = star(PAGES - 1)
    project.write_graph_site(site.url)
    project.write_knowledge()
    return project


def test_pages_links_and_urls_are_on_the_server(shop: Project, site: SiteServer, tds: TdsServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings("sqlite,mssql"))
    assert_clear(outcome, 0)
    urls = {f"{site.url}{path}" for path in site.links}
    assert {row[0] for row in tds.rows("SELECT url FROM dbo.pages")} == urls
    here = shop.rows("SELECT src_url, dst_url, pruned FROM links")
    assert set(tds.rows("SELECT src_url, dst_url, pruned FROM dbo.links")) == set(here)
    assert tds.rows("SELECT state, count(*) FROM dbo.urls GROUP BY state") == [("C", PAGES)]
    assert tds.password not in outcome.err + outcome.out


def test_status_tells_of_the_server_and_the_next_run_brings_over_what_waits(
    shop: Project, site: SiteServer, tds: TdsServer
) -> None:
    tds.hook(Hook("drop", match="bulk rows", times=9999))
    outcome = shop.scrapy("crawl", "graph", settings=settings())
    assert_clear(outcome, 5, "what goes there waits on disk", "batches of", "nothing is on the SQL Server")
    assert set(shop.states().values()) == {"C"}
    assert "batches of" in shop.scrapy("status", "graph").out
    told = json.loads(shop.scrapy("status", "graph", "--json").out)["sql_server"]
    assert (told["reachable"], told["written"]) == (False, 0)
    assert told["waiting_batches"] > 1
    tds.hook()
    assert_clear(shop.scrapy("crawl", "graph", settings=settings()), 0)
    assert_whole(site, tds)


def test_a_crawl_that_is_killed_again_and_again_loses_no_page_and_doubles_none(
    shop: Project, site: SiteServer, tds: TdsServer
) -> None:
    site.delays["*"] = 0.02
    for pages in (10, 30, 50):
        process = shop.start("crawl", "graph", settings=settings(GWC_COMMIT_PAGES=5))
        kill_after(process, site, pages)
    assert_clear(shop.scrapy("crawl", "graph", settings=settings(GWC_COMMIT_PAGES=5)), 0)
    assert set(shop.states().values()) == {"C"}
    assert_whole(site, tds)


def test_a_crawl_waits_while_no_more_may_lie_on_disk_and_goes_on(
    shop: Project, site: SiteServer, tds: TdsServer
) -> None:
    tds.hook(Hook("drop", match="bulk rows", times=9999))
    process = shop.start("crawl", "graph", settings=settings(GWC_MSSQL_SPILL_BYTES=1, GWC_LEASE_BATCH=4))
    wait_until(lambda: site.hits.total() > 25, 60)
    tds.hook()
    assert_clear(ended(process), 0, "so the crawl waits", "so the crawl goes on")
    assert_whole(site, tds)


def test_workers_of_a_cluster_write_to_one_server(
    shop: Project, site: SiteServer, tds: TdsServer, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_server.url)
    workers = [shop.start("crawl", "graph", settings=settings(), profile="cluster") for _ in range(2)]
    for worker in workers:
        assert_clear(ended(worker), 0)
    assert_whole(site, tds)


def kill_after(process: subprocess.Popen[str], site: SiteServer, pages: int) -> None:
    """kill -9 when the site was asked for so many pages, unless the crawl is over by then."""
    wait_until(lambda: site.hits.total() > pages or process.poll() is not None, 60)
    process.kill()
    ended(process)


def assert_whole(site: SiteServer, tds: TdsServer) -> None:
    """Every page is there, once, with its links."""
    urls = [row[0] for row in tds.rows("SELECT url FROM dbo.pages")]
    assert sorted(urls) == sorted(f"{site.url}{path}" for path in site.links)
    assert tds.count("link_ids") == sum(len(set(links)) for links in site.links.values())
