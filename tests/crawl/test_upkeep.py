"""Knowledge over time: pages that change during a crawl, site files that change after learning, hand-made edits."""

from __future__ import annotations

import json
import time

import pytest

from gwc_crawler.errors import DriftError
from tests.conftest import Project
from tests.processes import wait_until
from tests.shop_site import product_site_file, put_products
from tests.site_server import SiteServer

PRODUCTS = 160
CHANGED_FROM = 60


def open_shop(project: Project, site: SiteServer, *, changed_from: int = PRODUCTS) -> None:
    """A shop with one list page and many products; from a number on, the price is not told any more."""
    put_products(site, PRODUCTS, priced=changed_from)
    project.write_site("shop", product_site_file(site.url, (7, 23)))


def test_a_field_that_falls_away_is_reported_once(project: Project, site: SiteServer) -> None:
    open_shop(project, site, changed_from=CHANGED_FROM)
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert outcome.err.count("drift site=shop field 'price' has fallen away") == 1
    missing = project.rows("SELECT count(*) FROM exceptions WHERE field = 'price'", name="shop")[0][0]
    assert missing == PRODUCTS - CHANGED_FROM


def test_drift_can_stop_the_crawl(project: Project, site: SiteServer) -> None:
    open_shop(project, site, changed_from=CHANGED_FROM)
    outcome = project.scrapy("crawl", "shop", settings={"GWC_ON_DRIFT": "stop"})
    assert outcome.code == DriftError.exit_code
    assert "field 'price' has fallen away" in outcome.err
    assert "Traceback" not in outcome.err


def test_drift_can_pause_the_crawl_until_the_knowledge_is_mended(project: Project, site: SiteServer) -> None:
    open_shop(project, site, changed_from=CHANGED_FROM)
    log = project.directory / "crawl.log"
    settings = {"GWC_ON_DRIFT": "pause", "GWC_LEASE_BATCH": 8, "LOG_FILE": log}
    process = project.start("crawl", "shop", settings=settings)
    wait_until(lambda: log.exists() and "paused site=shop" in log.read_text("utf-8"), 90)
    file = project.directory / "data" / "shop" / "knowledge.json"
    knowledge = json.loads(file.read_text("utf-8"))
    time.sleep(1)
    assert process.poll() is None, "a paused crawl goes on living"
    assert len(site.page_hits()) < PRODUCTS
    knowledge["evidence"]["fields"]["price"]["coverage"] = 0  # the price is gone for good: no longer expected
    file.write_text(json.dumps(knowledge), encoding="utf-8")
    assert process.wait(timeout=60) == 0
    assert "resumed site=shop" in log.read_text("utf-8")
    assert project.rows("SELECT count(*) FROM records_shop", name="shop") == [(PRODUCTS,)]


def test_a_wrong_word_for_a_setting_is_a_clear_error(project: Project, site: SiteServer) -> None:
    open_shop(project, site)
    project.scrapy("learn", "shop")
    outcome = project.scrapy("crawl", "shop", settings={"GWC_ON_DRIFT": "shrug"})
    assert outcome.code == 2
    assert "GWC_ON_DRIFT is 'shrug'; it can be warn, pause, stop" in outcome.err
    assert "Traceback" not in outcome.err


def test_knowledge_edited_by_hand_is_used_and_never_lost(project: Project, site: SiteServer) -> None:
    open_shop(project, site)
    project.scrapy("learn", "shop")
    file = project.directory / "data" / "shop" / "knowledge.json"
    knowledge = json.loads(file.read_text("utf-8"))
    knowledge["targets"] = [{"regex": f"{site.url}/item/[0-9]"}]
    file.write_text(json.dumps(knowledge), encoding="utf-8")
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert project.rows("SELECT count(*) FROM records_shop", name="shop") == [(10,)]
    project.scrapy("learn", "shop", "--offline")
    kept = json.loads(file.with_name("knowledge.previous.json").read_text("utf-8"))
    assert kept["targets"] == knowledge["targets"]


@pytest.mark.parametrize("damage", ["{", '{"version": 1}', '{"version": 99}', "[]"])
def test_a_damaged_knowledge_file_is_named(project: Project, site: SiteServer, damage: str) -> None:
    open_shop(project, site)
    file = project.directory / "data" / "shop" / "knowledge.json"
    file.parent.mkdir(parents=True)
    file.write_text(damage)
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 2
    assert "knowledge.json" in outcome.err
    assert "Traceback" not in outcome.err


def test_a_site_file_that_changed_since_learning_is_pointed_out(project: Project, site: SiteServer) -> None:
    open_shop(project, site)
    project.scrapy("learn", "shop")
    path = project.directory / "sites" / "shop.toml"
    path.write_text(path.read_text().replace("Product number 23", "Product number  23"))
    assert "the site file has changed since it was learned" in project.scrapy("crawl", "shop").err


def test_depth_can_be_limited(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/a"], "/a": ["/b"], "/b": ["/c"], "/c": []}
    project.write_graph_site(site.url, more="[crawl]\nmax_depth = 2\n")
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    assert site.page_hits() == {"/": 1, "/a": 1, "/b": 1}
