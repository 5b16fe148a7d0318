"""Knowledge over time: pages that change during a crawl, site files that change after learning, hand-made edits."""

from __future__ import annotations

import json
import os
import time

from gwc_crawler.errors import DriftError
from tests.conftest import Outcome, Project
from tests.operate.receivers import hook_of, mail_of
from tests.processes import wait_until
from tests.shop_site import product_site_file, put_products
from tests.site_server import SiteServer

PRODUCTS = 160
CHANGED_FROM = 60
FETCHED_ANEW = {"GWC_REUSE_SAMPLES_SECONDS": 0}
"""No page is taken as it was before the change."""


def open_shop(project: Project, site: SiteServer) -> None:
    """A shop with one list page and many products."""
    put_products(site, PRODUCTS)
    project.write_site("shop", product_site_file(site.url, (7, 23)))


def change_after_learning(project: Project, site: SiteServer) -> None:
    """Learn the shop; then, from a number on, products no longer say what they cost."""
    open_shop(project, site)
    learned = project.scrapy("learn", "shop")
    assert learned.code == 0, learned.err
    put_products(site, PRODUCTS, priced=CHANGED_FROM)
    site.clear()


def test_a_field_that_falls_away_is_reported_once(project: Project, site: SiteServer) -> None:
    change_after_learning(project, site)
    with hook_of("hookSecret77") as hook, mail_of("mailSecret77") as mail:
        alerts = {"GWC_ALERTS": f"{hook.url},{mail.url}"}
        outcome = project.scrapy("crawl", "shop", settings=FETCHED_ANEW | alerts)
    assert outcome.code == 0, outcome.err
    assert hook.events == mail.events == ["drift", "end"]
    assert outcome.err.count("drift site=shop field 'price' has fallen away") == 1
    missing = project.rows("SELECT count(*) FROM exceptions WHERE field = 'price'", name="shop")[0][0]
    assert missing == PRODUCTS - CHANGED_FROM


def test_drift_can_stop_the_crawl(project: Project, site: SiteServer) -> None:
    change_after_learning(project, site)
    outcome = project.scrapy("crawl", "shop", settings={"GWC_ON_DRIFT": "stop"} | FETCHED_ANEW)
    assert outcome.code == DriftError.exit_code
    assert "field 'price' has fallen away" in outcome.err
    assert "Traceback" not in outcome.err


def test_drift_can_pause_the_crawl_until_the_knowledge_is_mended(project: Project, site: SiteServer) -> None:
    change_after_learning(project, site)
    log = project.directory / "crawl.log"
    settings = {"GWC_ON_DRIFT": "pause", "GWC_LEASE_BATCH": 8, "LOG_FILE": log} | FETCHED_ANEW
    process = project.start("crawl", "shop", settings=settings)
    wait_until(lambda: log.exists() and "paused site=shop" in log.read_text("utf-8"), 90)
    file = project.directory / "data" / "shop" / "knowledge.json"
    knowledge = json.loads(file.read_text("utf-8"))
    time.sleep(1)
    assert process.poll() is None, "a paused crawl goes on living"
    assert len(site.page_hits()) < PRODUCTS
    damages = {"[" * 100_000: ": more than 60", '{"version": 1}': ": Object missing required field `site`"}
    for damage, named in damages.items():
        file.write_text(damage)
        wait_until(lambda: f"knowledge.json{named}" in log.read_text("utf-8"), 60)  # noqa: B023
    file.unlink()
    file.mkdir()
    wait_until(lambda: "knowledge.json: can't be read" in log.read_text("utf-8"), 60)
    assert process.poll() is None
    file.rmdir()
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


def test_damaged_knowledge_is_named_by_every_command_and_learning_replaces_it(
    project: Project, site: SiteServer
) -> None:
    open_shop(project, site)
    carried = project.directory / "sites" / "shop.knowledge.json"
    carried.write_text('{\n"version": 1,\n"targets": 7}')
    said = "shop.knowledge.json: targets: Expected `array`, got `int`"
    refused(project.scrapy("why", "shop", f"{site.url}/item/1"), said)
    carried.unlink()
    carried.mkdir()
    refused(project.scrapy("crawl", "shop"), "shop.knowledge.json: can't be read (Is a directory)")
    carried.rmdir()
    file = project.directory / "data" / "shop" / "knowledge.json"
    file.mkdir(parents=True)
    refused(project.scrapy("crawl", "shop"), "knowledge.json: can't be read (Is a directory)")
    file.rmdir()
    os.mkfifo(file)
    refused(project.scrapy("crawl", "shop"), "knowledge.json: can't be read (Not a regular file)")
    file.unlink()
    file.write_text("[" * 100_000)
    refused(project.scrapy("crawl", "shop"), "knowledge.json: more than 60 objects and lists inside each other")
    told = project.scrapy("status", "shop")
    assert (told.code, "knowledge.json: more than 60" in told.out, told.err) == (5, True, "")
    learned = project.scrapy("learn", "shop")
    assert learned.code == 0, learned.err
    assert file.with_name("knowledge.previous.json").read_text() == "[" * 100_000
    file.with_name("knowledge.previous.json").unlink()
    (file.with_name("knowledge.previous.json") / "mine").mkdir(parents=True)
    blocked = project.scrapy("learn", "shop", "--offline")
    assert (blocked.code, "knowledge.previous.json: can't be written" in blocked.err) == (5, True), blocked.err
    assert project.knowledge("shop")["site"] == "shop"


def refused(outcome: Outcome, what: str) -> None:
    assert outcome.code == 2, outcome.err
    assert what in outcome.err
    assert "Traceback" not in outcome.err


def test_knowledge_that_lacks_a_field_serves_no_site_that_names_it(project: Project, site: SiteServer) -> None:
    open_shop(project, site)
    project.write_knowledge("shop")
    refused(project.scrapy("crawl", "shop"), "knowledge.json: wrapper.fields: has no 'title', 'price', which")
    assert not site.page_hits()
    assert project.scrapy("learn", "shop").code == 0
    file = project.directory / "data" / "shop" / "knowledge.json"
    knowledge = project.knowledge("shop")
    del knowledge["wrapper"]["fields"]["price"]
    file.write_text(json.dumps(knowledge))
    refused(project.scrapy("crawl", "shop"), "knowledge.json: wrapper.fields: has no 'price', which")


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
