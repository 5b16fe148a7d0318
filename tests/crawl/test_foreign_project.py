"""A Scrapy project with nothing else of ours and the settings that docs/library.md shows: each part does its work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import started
from tests.conftest import ROOT, Outcome, ended
from tests.docs.pages import BY_NAME
from tests.site_server import SiteServer
from tests.tds_server import TdsServer

PAGES = [f"/p/{number}" for number in range(12)]
SPIDER = """
import scrapy

class Books(scrapy.Spider):
    name = "books"
    known = frozenset({"/"})

    async def start(self):
        for number in range(2):  # the second is a duplicate
            yield scrapy.Request(self.url + "/")

    def parse(self, response):
        yield {"url": response.url, "html": response.text, "slot": response.meta["download_slot"]}
        yield from response.follow_all(response.css("a"), self.parse)
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "shelf" / "spiders").mkdir(parents=True)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shelf.settings\n", encoding="utf-8")
    for name in ("shelf/__init__.py", "shelf/spiders/__init__.py"):
        (tmp_path / name).touch()
    (tmp_path / "shelf" / "spiders" / "books.py").write_text(SPIDER, encoding="utf-8")
    shown = next(block for block in BY_NAME["docs/library.md"].blocks("py") if "DUPEFILTER_CLASS" in block.text)
    own = 'BOT_NAME, SPIDER_MODULES, ROBOTSTXT_OBEY = "shelf", ["shelf.spiders"], True\nTELNETCONSOLE_ENABLED = False\n'
    (tmp_path / "shelf" / "settings.py").write_text(own + shown.text, encoding="utf-8")
    return tmp_path


def crawl(shelf: Path, site: SiteServer, *options: str) -> Outcome:
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "shelf.settings", "PYTHONPATH": f"{ROOT}:{shelf}"}
    arguments = ["crawl", "books", "-a", f"url={site.url}", "-s", "LOG_LEVEL=INFO", *options]
    return ended(started.start("scrapy.cmdline", *arguments, cwd=shelf, env=environment, stdout=-1, stderr=-1))


def stats_of(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    assert "Traceback" not in outcome.err, outcome.err
    assert "ERROR" not in outcome.err, outcome.err
    lines = outcome.err.partition("Dumping Scrapy stats:")[2].replace("{", "").replace("}", "").splitlines()
    return {name.strip(" '"): value.strip(" ,'") for name, _, value in (line.partition(":") for line in lines)}


def link(site: SiteServer) -> None:
    site.links = {"/": PAGES, **{page: ["/", *PAGES[:3]] for page in PAGES}}


def test_all_parts_do_their_work(shelf: Path, site: SiteServer, tds: TdsServer) -> None:
    link(site)
    stats = stats_of(crawl(shelf, site, "-s", "DOWNLOAD_DELAY=0.02", "-O", "items.jsonl"))
    assert site.hits == {"/robots.txt": 1, **dict.fromkeys(["/", *PAGES], 1)}
    assert stats["response_received_count"] == str(len(PAGES) + 2)
    assert int(stats["dupefilter/filtered"]) == 1 + len(PAGES) * 4
    assert int(stats["gwc/dns/lookups"]) > len(PAGES)

    rows = dict(tds.rows("SELECT url, html FROM dbo.items_books"))
    assert len(rows) == len(PAGES) + 1
    assert all("<h1>" in html and "<title" not in html and "<script" not in html for html in rows.values())

    slots = {json.loads(line)["slot"] for line in (shelf / "items.jsonl").read_text("utf-8").splitlines()}
    assert len(slots) > 5
    assert {slot.partition("#")[0] for slot in slots} == {site.url.removeprefix("http://")}


def test_a_host_that_asks_for_a_pause_gets_it_in_all_its_slots(shelf: Path, site: SiteServer, tds: TdsServer) -> None:
    link(site)
    site.statuses["/p/1"], site.headers["/p/1"] = [429, 200], {"Retry-After": "2"}
    stats_of(crawl(shelf, site, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"))
    log = [(request.arrived, request.target) for request in site.log]
    refused = next(number for number, (_, target) in enumerate(log) if target == "/p/1")
    assert log[refused + 1][0] - log[refused][0] >= 2.0
    assert site.hits["/p/1"] == 2


def test_a_host_that_fails_without_a_word_has_the_default_pause(shelf: Path, site: SiteServer, tds: TdsServer) -> None:
    link(site)
    site.statuses["/p/1"] = [503, 200]
    stats_of(crawl(shelf, site, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"))
    log = [(request.arrived, request.target) for request in site.log]
    refused = next(number for number, (_, target) in enumerate(log) if target == "/p/1")
    assert log[refused + 1][0] - log[refused][0] >= 0.9, "GWC_RETRY_BASE_SECONDS"


@pytest.mark.parametrize("name", ["Md5TreeDupeFilter", pytest.param("Md5DirectoryDupeFilter", marks=pytest.mark.slow)])
def test_a_job_that_continues_asks_for_nothing_twice(shelf: Path, site: SiteServer, tds: TdsServer, name: str) -> None:
    link(site)
    options = ("-s", "JOBDIR=job", "-s", f"DUPEFILTER_CLASS=gwc_crawler.{name}")
    stats_of(crawl(shelf, site, *options, "-s", "CLOSESPIDER_PAGECOUNT=4", "-s", "CONCURRENT_REQUESTS=1"))
    begun = site.page_hits()
    assert 0 < len(begun) < len(PAGES)
    stats_of(crawl(shelf, site, *options))
    assert site.page_hits() == dict.fromkeys(["/", *PAGES], 1)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("GWC_QUEUES=0", "setting GWC_QUEUES is '0'; it can be a whole number, 1 or more"),
        ("GWC_QUEUE_POLICY=bkd", "setting GWC_QUEUE_POLICY is 'bkd'; it can be host, bkdr, column, ip, or"),
        ("GWC_STRIP_GROUPS=scrips", "'scrips' is no group"),
        (
            "GWC_STRIP_FEILDS=html",
            "unknown setting GWC_STRIP_FEILDS on the command line (did you mean 'GWC_STRIP_FIELDS'",
        ),
    ],
)
def test_what_can_not_be_is_told_in_a_line(
    shelf: Path, site: SiteServer, tds: TdsServer, option: str, words: str
) -> None:
    outcome = crawl(shelf, site, "-s", option)
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert not site.hits
