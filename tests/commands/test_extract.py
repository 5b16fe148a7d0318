"""`scrapy extract`: records from stored pages by new knowledge, without a request."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Project
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer
from tests.tds_server import TdsServer


def write_shop(project: Project, site: SiteServer) -> None:
    shop(site)
    project.write_site("shop", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A crawled shop."""
    project = Project(tmp_path_factory.mktemp("crawled"))
    with SiteServer() as site:
        write_shop(project, site)
        outcome = project.scrapy("crawl", "shop")
        assert outcome.code == 0, outcome.err
        yield project, site


@pytest.fixture
def served(first: tuple[Project, SiteServer]) -> SiteServer:
    """The crawled shop's site, which was asked for nothing since."""
    first[1].clear()
    return first[1]


@pytest.fixture
def crawled(project: Project, first: tuple[Project, SiteServer]) -> Project:
    """The crawl of the shop, to work on."""
    project.copy(first[0])
    return project


def edit_knowledge(project: Project, **changes: Any) -> None:
    path = project.directory / "data" / "shop" / "knowledge.json"
    path.write_text(json.dumps(project.knowledge("shop") | changes), encoding="utf-8")


def extract(project: Project, code: int = 0) -> dict[str, Any]:
    outcome = project.scrapy("extract", "shop", "--json")
    assert outcome.code == code, outcome.err
    told: dict[str, Any] = json.loads(outcome.out)
    return told


def records(project: Project) -> list[tuple[Any, ...]]:
    return project.rows("SELECT url, title, price, fetched_at FROM records_shop ORDER BY url", name="shop")


def test_extracting_again_gives_the_same_and_makes_no_request(crawled: Project, served: SiteServer) -> None:
    before = records(crawled), crawled.rows("SELECT * FROM exceptions ORDER BY url, field", name="shop")
    told = extract(crawled)
    assert (told["changed"], told["unreadable"]) == (0, [])
    after = records(crawled), crawled.rows("SELECT * FROM exceptions ORDER BY url, field", name="shop")
    assert after == before
    assert not served.hits


def test_another_wrapper_rewrites_records_and_exceptions(crawled: Project) -> None:
    good = crawled.knowledge("shop")["wrapper"]
    full = records(crawled)
    swapped = {"title": good["fields"]["price"], "price": good["fields"]["title"]}
    edit_knowledge(crawled, wrapper={**good, "fields": swapped})
    extract(crawled)
    assert [(url, price, title, moment) for url, title, price, moment in records(crawled)] == full
    edit_knowledge(crawled, wrapper=good)
    extract(crawled)
    assert records(crawled) == full


def test_a_narrower_target_filter_takes_records_away_and_a_wider_one_brings_them_back(
    crawled: Project, served: SiteServer
) -> None:
    full = records(crawled)
    targets = crawled.knowledge("shop")["targets"]
    edit_knowledge(crawled, targets=[{"regex": f"{served.url}/item/[1-3]"}])
    told = extract(crawled)
    assert told["changed"] > 0
    assert [row[0] for row in records(crawled)] == [f"{served.url}/item/{n}" for n in (1, 2, 3)]
    kinds = dict(crawled.rows("SELECT url, kind FROM pages", name="shop"))
    assert kinds == dict(crawled.rows("SELECT url, kind FROM urls WHERE state = 'C'", name="shop"))
    assert kinds[f"{served.url}/item/9"] != "target"
    edit_knowledge(crawled, targets=targets)
    extract(crawled)
    assert records(crawled) == full


def test_a_corrected_page_check_brings_look_alikes_back(project: Project, site: SiteServer) -> None:
    """A check that is too strict turned all but one item into look-alikes; their HTML is kept all the same."""
    write_shop(project, site)
    project.scrapy("learn", "shop")
    edit_knowledge(project, page_check={"required": ["h2:Thor"]})
    assert project.scrapy("crawl", "shop").code == 0
    assert [row[1] for row in records(project)] == ["Thor"]
    assert len(project.rows("SELECT url FROM exceptions WHERE field = ''", name="shop")) == 13
    edit_knowledge(project, page_check={"fields": ["title", "price"]})
    told = extract(project)
    assert told["changed"] == 11
    assert told["pages_by_kind"] == {"target": 12, "lookalike": 2, "directory": 1}
    assert len(records(project)) == told["records"] == 12
    rejected = project.rows("SELECT url, field FROM exceptions", name="shop")
    assert rejected == [(f"{site.url}/item/{n}", "") for n in (13, 14)]


def test_pages_without_html_are_told(crawled: Project, served: SiteServer) -> None:
    edit_knowledge(crawled, targets=[{"regex": f"{served.url}/.*"}], directories=[])
    told = extract(crawled)
    assert told["without_html"] == told["targets_without_html"] == 1
    text = crawled.scrapy("extract", "shop").out
    assert "1 pages were not looked at" in text
    assert "1 of them are targets by their URL now" in text


def test_nothing_to_extract_from(project: Project, site: SiteServer) -> None:
    write_shop(project, site)
    unlearned = project.scrapy("extract", "shop")
    assert (unlearned.code, "nothing is learned" in unlearned.err) == (2, True)
    assert project.scrapy("learn", "shop").code == 0
    uncrawled = project.scrapy("extract", "shop")
    assert (uncrawled.code, "not crawled yet" in uncrawled.err) == (2, True)
    assert project.scrapy("crawl", "shop", settings={"GWC_KEEP_HTML": "none"}).code == 0
    outcome = project.scrapy("extract", "shop")
    assert outcome.code == 2
    assert "GWC_KEEP_HTML" in outcome.err
    assert len(records(project)) == 12, "records stay when nothing could be looked at"


def test_it_refuses_to_run_beside_a_crawl(project: Project, busy_crawl: subprocess.Popen[str]) -> None:
    outcome = project.scrapy("extract", "graph")
    assert outcome.code == 5
    assert f"being crawled by process {busy_crawl.pid}" in outcome.err
    assert "Traceback" not in outcome.err


def test_no_record_at_all_is_an_error(crawled: Project, served: SiteServer) -> None:
    edit_knowledge(crawled, targets=[{"regex": f"{served.url}/nothing"}])
    assert extract(crawled, code=4)["records"] == 0


def test_a_field_that_was_added_later_reaches_every_sink(project: Project, site: SiteServer, tds: TdsServer) -> None:
    """Also one that was changed, one that is gone, and what is no target any more; a sink of another kind is named."""
    write_shop(project, site)
    sinks = {"GWC_SINK": "sqlite,mssql,tests.crawl.own_sinks.Journal", "GWC_MSSQL_RETRY_SECONDS": 0.3}
    assert project.scrapy("crawl", "shop", settings=sinks).code == 0
    before = tds.rows("SELECT url, title FROM dbo.records_shop")
    assert before
    site_file = project.directory / "sites" / "shop.toml"
    text = site_file.read_text().replace('title = "', 'name = "')
    site_file.write_text(text)
    assert project.scrapy("learn", "shop", "--offline", settings=sinks).code == 0
    outcome = project.scrapy("extract", "shop", settings=sinks)
    assert outcome.code == 0, outcome.err
    assert "what tests.crawl.own_sinks.Journal has stays as it was" in outcome.err
    assert sorted(tds.rows("SELECT url, name FROM dbo.records_shop")) == sorted(before)
    here = project.rows("SELECT url, kind FROM pages", name="shop")
    assert sorted(tds.rows("SELECT url, kind FROM dbo.pages")) == sorted(here)
    assert tds.rows("SELECT count(*) FROM dbo.urls WHERE state IS NULL AND kind IS NOT NULL") == [(0,)]
