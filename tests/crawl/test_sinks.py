"""Whole crawls with sinks of a user's own: all get every page, at least once, however a crawl ends, and are closed."""

from __future__ import annotations

import signal
from collections import Counter
from typing import Any

import pytest

from tests.conftest import Project
from tests.crawl.test_endings import assert_clear
from tests.docs.pages import blocks
from tests.graphs import star
from tests.site_server import SiteServer

PAGES = 61
OWN = "tests.crawl.own_sinks"


def settings(sink: str, **more: Any) -> dict[str, Any]:
    return {"GWC_SINK": sink, "GWC_COMMIT_PAGES": 10, **more}


@pytest.fixture
def shop(project: Project, site: SiteServer) -> Project:
    site.links = star(PAGES - 1)
    project.write_graph_site(site.url)
    project.write_knowledge()
    return project


def journal(project: Project) -> Counter[str]:
    return Counter((project.directory / "data" / "graph" / "journal.txt").read_text().splitlines())


def assert_whole(project: Project, site: SiteServer, *, closed: int) -> None:
    assert set(project.states().values()) == {"C"}
    noted = journal(project)
    assert noted.pop("closed", 0) == closed
    assert set(noted) == {f"{site.url}{path}" for path in site.links}


def test_several_sinks_get_every_page(shop: Project, site: SiteServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings(f"sqlite, {OWN}.Journal"))
    assert_clear(outcome, 0, f"{OWN}.Journal: pages and records go there")
    assert_whole(shop, site, closed=1)
    assert set(journal(shop).values()) == {1}
    assert shop.rows("SELECT count(*) FROM pages") == [(PAGES,)]


def test_without_the_own_database_as_a_sink_it_keeps_the_state_alone(shop: Project, site: SiteServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings(f"{OWN}.Journal"))
    assert_clear(outcome, 0)
    assert "exceptions" not in outcome.out
    assert_whole(shop, site, closed=1)
    assert shop.rows("SELECT count(*) FROM pages") == [(0,)]
    assert shop.scrapy("status", "graph").code == 0
    outcome = shop.scrapy("crawl", "graph", "-O", "pages.jsonl", settings=settings(f"{OWN}.Journal"))
    assert_clear(outcome, 2, "a feed is made of the records in the crawl's own database", "add sqlite")
    assert journal(shop)["closed"] == 2, "it was opened again, and is closed though the crawl does not begin"


def test_a_sink_that_fails_ends_the_crawl_and_loses_nothing(shop: Project, site: SiteServer) -> None:
    marker = shop.directory / "data" / "graph" / "broken"
    marker.touch()
    sinks = settings(f"sqlite, {OWN}.Broken")
    outcome = shop.scrapy("crawl", "graph", settings=sinks)
    assert_clear(outcome, 5, f"sink {OWN}.Broken could not store", "the warehouse does not answer", "run again")
    assert journal(shop)["closed"] == 1
    marker.unlink()
    assert_clear(shop.scrapy("crawl", "graph", settings=sinks), 0)
    assert_whole(shop, site, closed=2)
    assert shop.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(PAGES, PAGES)]


def test_a_sink_that_can_not_be_closed_is_told_of(shop: Project, site: SiteServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings(f"sqlite, {OWN}.BrokenAtClose"))
    assert_clear(outcome, 5, f"sink {OWN}.BrokenAtClose could not be closed", "no space left")
    assert_whole(shop, site, closed=1)


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_closes_the_sinks(shop: Project, site: SiteServer, times: int) -> None:
    site.delays["*"] = 600.0 if times == 2 else 0.05
    site.delays["/"] = site.delays["/robots.txt"] = 0.0
    sinks = settings(f"sqlite, {OWN}.Journal", DOWNLOAD_TIMEOUT=600)
    process = shop.start("crawl", "graph", settings=sinks)
    site.wait_for_pages(3)
    process.send_signal(signal.SIGINT)
    if times == 2:
        site.wait_for_pages(3)
        assert process.stderr is not None
        for line in process.stderr:
            if "shutting down gracefully" in line:
                break
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert journal(shop)["closed"] == 1
    site.delays["*"] = 0.0
    assert_clear(shop.scrapy("crawl", "graph", settings=sinks), 0)
    assert_whole(shop, site, closed=2)


def test_killed_between_a_sink_and_the_frontier_nothing_is_lost(shop: Project, site: SiteServer) -> None:
    sinks = settings(f"sqlite, {OWN}.Deadly")
    assert shop.scrapy("crawl", "graph", settings=sinks).code == -signal.SIGKILL
    before = journal(shop)
    assert_clear(shop.scrapy("crawl", "graph", settings=sinks), 0)
    assert_whole(shop, site, closed=1)
    twice = [url for url, count in journal(shop).items() if count > 1]
    assert twice, "the batch that the frontier had not heard of comes once more"
    assert set(twice) <= set(before)
    assert shop.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(PAGES, PAGES)]


def test_a_sink_that_can_not_be_loaded_is_told_before_the_first_request(shop: Project, site: SiteServer) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings("sqlite,nowhere.Sink"))
    assert_clear(outcome, 2, "GWC_SINK names 'nowhere.Sink' on the command line", "can't be loaded")
    outcome = shop.scrapy("crawl", "graph", settings=settings("sqlit"))
    assert_clear(outcome, 2, "GWC_SINK names 'sqlit'", "it can be sqlite, mssql, postgres, or the import path")
    assert not site.hits


def test_a_component_that_can_not_start_closes_the_sinks(shop: Project) -> None:
    outcome = shop.scrapy("crawl", "graph", settings=settings(f"{OWN}.Journal", EXTENSIONS=f'{{"{OWN}.Journal": 1}}'))
    assert_clear(outcome, 2, "could not be started")
    assert journal(shop) == Counter(["closed"])


def test_the_sink_of_the_documentation_works(shop: Project, site: SiteServer) -> None:
    (block,) = [block for block in blocks("py") if block.page == "docs/sinks.md"]
    (shop.directory / "shop_sink.py").write_text(block.text, encoding="utf-8")
    outcome = shop.scrapy("crawl", "graph", settings=settings("sqlite, shop_sink.ShopSink"))
    assert_clear(outcome, 0, "shop_sink.ShopSink")
    assert (shop.directory / "data" / "graph" / "shop.db").exists()
