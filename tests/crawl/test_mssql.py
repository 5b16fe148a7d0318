"""Whole crawls into a SQL Server: every page is there once, whatever ends the crawl, its writer or the server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest

from tests import shop_site
from tests.conftest import Project, ended
from tests.crawl.test_endings import assert_clear
from tests.graphs import star
from tests.postgres_server import PostgresServer
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
    more = {name: value for name, value in settings().items() if name != "GWC_SINK"}
    workers = [shop.start("crawl", "graph", settings=more, profile="cluster_mssql") for _ in range(2)]
    for worker in workers:
        assert_clear(ended(worker), 0)
    assert_whole(site, tds)
    assert_clear(shop.scrapy("graph", "graph", "-o", "graph.csv", profile="cluster_mssql"), 0)
    assert (shop.directory / "graph.csv").stat().st_size


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


@pytest.mark.parametrize("any_server", ["mssql", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_what_a_server_alone_has_is_read_there_by_every_command(
    project: Project, site: SiteServer, any_server: TdsServer | PostgresServer
) -> None:
    shop_site.shop(site)
    sinks = {"alone": any_server.engine, "both": f"sqlite,{any_server.engine}"}
    for name, sink in sinks.items():
        text = f'entry = ["{site.url}/"]\n' + shop_site.SAMPLES.format(url=site.url)
        project.write_site(name, text + f'[settings]\nGWC_SINK = "{sink}"\n')
        assert_clear(project.scrapy("crawl", name), 0)

    def told(command: str, *args: str) -> list[Any]:
        outcomes = [project.scrapy(command, name, *args) for name in sinks]
        for outcome in outcomes:
            assert outcome.code == 0, outcome.err
        return [json.loads(outcome.out) for outcome in outcomes]

    def compare(what: tuple[str, ...], *args: str, inside: str = "") -> None:
        for name in what:
            there, here = (one[inside][name] if inside else one[name] for one in told(*args))
            assert without_time(there) == without_time(here), (args, name)

    there, here = exported(project, sinks)
    assert there == here
    url = f"{site.url}/item/1"
    compare(("record", "title", "read_by", "exceptions", "note"), "view", "--url", url, "--json")
    compare(("page", "record", "exceptions"), "why", url, "--json")
    compare(("records", "exceptions", "pages_by_kind", "exceptions_by_field"), "status", "--json", inside="crawl")
    for name in sinks:
        assert_clear(project.scrapy("graph", name, "-o", f"{name}.csv"), 0)
    graphs = [sorted((project.directory / f"{name}.csv").read_text().splitlines()) for name in sinks]
    assert graphs[0] == graphs[1]
    assert_clear(project.scrapy("changes", "alone"), 2, "no history is kept where its records are", "GWC_SINK")
    assert_clear(project.scrapy("extract", "alone"), 2, "keep them here, too")


def exported(project: Project, sites: Iterable[str]) -> list[list[Any]]:
    """Return what an export has of each site, in the order of URLs."""
    found = []
    for name in sites:
        outcome = project.scrapy("export", name, "-o", "-")
        assert outcome.code == 0, outcome.err
        rows = [without_time(json.loads(line)) for line in outcome.out.splitlines()]
        assert rows
        found.append(sorted(rows, key=lambda row: row["url"]))
    return found


def without_time(value: Any) -> Any:
    return {key: one for key, one in value.items() if key != "fetched_at"} if isinstance(value, dict) else value
