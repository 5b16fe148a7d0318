"""A crawl that continues leaves whole feeds: each record is in them once, whatever ended the runs before."""

from __future__ import annotations

import csv
import gzip
import json
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Outcome, Project
from tests.crawl.fleet import TIMEOUT_SECONDS
from tests.processes import kill_when, wait_until
from tests.redis_server import RedisServer
from tests.shop_site import fresh_products, product, product_site_file
from tests.site_server import SiteServer

PRODUCTS = 60
FORMATS = ("jsonl", "csv", "json", "xml")


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A shop of which everything is learned, and nothing crawled."""
    project = Project(tmp_path_factory.mktemp("learned"))
    with SiteServer() as site:
        fresh_products(site, PRODUCTS)
        project.write_site("shop", product_site_file(site.url, (3, 7)))
        outcome = project.scrapy("learn", "shop")
        assert outcome.code == 0, outcome.err
        (project.directory / "data" / "shop" / "samples.db").unlink()
        yield project, site


@pytest.fixture
def shop(project: Project, learned: tuple[Project, SiteServer]) -> SiteServer:
    first, site = learned
    fresh_products(site, PRODUCTS)
    project.copy(first)
    return site


def crawl(project: Project, *arguments: str, code: int = 0, **settings: Any) -> Outcome:
    outcome = project.scrapy("crawl", "shop", *arguments, settings=settings)
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    return outcome


def feeds(flag: str, *names: str) -> list[str]:
    return [word for name in names for word in (flag, name)]


def killed(project: Project, site: SiteServer, *arguments: str, pages: int) -> None:
    site.delays["*"] = 0.02
    moment = sum(site.page_hits().values()) + pages
    process = project.start("crawl", "shop", *arguments, settings={"GWC_COMMIT_SECONDS": 0.05})
    assert kill_when(process, lambda: sum(site.page_hits().values()) >= moment)
    site.delays.clear()


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return a feed's rows, whatever its format; fails where it is no whole document."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8")
    match path.name.removesuffix(".gz").rpartition(".")[2]:
        case "json":
            return list(json.loads(text))
        case "jsonl":
            assert not text or text.endswith("\n")
            return [json.loads(line) for line in text.splitlines()]
        case "csv":
            return list(csv.DictReader(text.splitlines()))
        case _:
            items = ElementTree.fromstring(text)
            return [{field.tag: field.text for field in item} for item in items]


def stored(project: Project) -> list[tuple[str, str, str]]:
    return sorted(project.rows("SELECT url, title, price FROM records_shop", name="shop"))


def in_feed(project: Project, name: str) -> list[tuple[str, str, str]]:
    return sorted((row["url"], row["title"], row["price"]) for row in rows_of(project.directory / name))


def assert_whole(project: Project, *names: str, records: int = PRODUCTS) -> None:
    expected = stored(project)
    assert len(expected) == records
    for name in names:
        assert in_feed(project, name) == expected, name


ALL = tuple(f"out/books.{name}" for name in FORMATS)


def test_after_page_limits_each_format_is_whole(project: Project, shop: SiteServer) -> None:
    crawl(project, *feeds("-O", *ALL), GWC_MAX_PAGES=15)
    first = {name: in_feed(project, name) for name in ALL}
    assert all(first.values())
    crawl(project, *feeds("-O", *ALL), GWC_MAX_PAGES=15)
    for name in ALL:
        assert set(in_feed(project, name)) > set(first[name])
    crawl(project, *feeds("-O", *ALL))
    assert_whole(project, *ALL)
    shop.clear()
    crawl(project, *feeds("-O", *ALL))
    assert not shop.page_hits()
    assert_whole(project, *ALL)


def test_after_kill_9_each_format_is_whole(project: Project, shop: SiteServer) -> None:
    for pages in (12, 20):
        killed(project, shop, *feeds("-O", *ALL), pages=pages)
        with (project.directory / "out/books.jsonl").open("a") as file:
            file.write('{"url": "half a li')
    crawl(project, *feeds("-O", *ALL))
    assert_whole(project, *ALL)


OWN_FORMAT = """
import json
from scrapy.exporters import BaseItemExporter


class Whole(BaseItemExporter):
    def __init__(self, file, **kwargs):
        super().__init__(**kwargs)
        self.file, self.items = file, []

    def export_item(self, item):
        self.items.append(dict(item))

    def finish_exporting(self):
        self.file.write(json.dumps(self.items).encode())
"""

FEEDS = """
[settings.FEEDS]
"stdout:" = { format = "jsonl" }
"parts/%(batch_id)d-%(batch_time)s.csv" = { format = "csv", batch_item_count = 7 }
"own.json" = { format = "whole", overwrite = true }
[settings.FEEDS."books.jsonl.gz"]
format = "jsonl"
overwrite = true
postprocessing = ["scrapy.extensions.postprocessing.GzipPlugin"]
[settings.FEED_EXPORTERS]
whole = "own_format.Whole"
"""


def test_what_cannot_go_on_in_place_is_written_anew_or_added_to(project: Project, shop: SiteServer) -> None:
    """Compressed, in batches, on standard output, and a feed that earlier runs did not have."""
    (project.directory / "own_format.py").write_text(OWN_FORMAT)
    (project.directory / "sites" / "shop.toml").write_text(product_site_file(shop.url, (3, 7)) + FEEDS)
    said = [crawl(project, GWC_MAX_PAGES=12)]
    process = project.start("crawl", "shop", settings={"GWC_MAX_PAGES": 20})
    said.append(Outcome(0, *process.communicate(timeout=60)))
    said.append(crawl(project))
    crawl(project, "-O", "late.csv")
    batches = sorted(path.name for path in (project.directory / "parts").iterdir())
    rows = [row for name in batches for row in in_feed(project, f"parts/{name}")]
    assert sorted(rows) == stored(project), batches
    assert len({name.split("-")[0] for name in batches}) == len(batches)
    out = [json.loads(line)["url"] for one in said for line in one.out.splitlines() if line.startswith("{")]
    assert sorted(out) == sorted(url for url, _, _ in stored(project))
    assert "rows went out in earlier runs" in said[-1].err
    assert_whole(project, "books.jsonl.gz", "own.json", "late.csv")


def test_a_feed_that_cannot_be_written_ends_with_5_and_the_next_run_writes_it(
    project: Project, shop: SiteServer
) -> None:
    (project.directory / "file").write_text("in the way")
    outcome = crawl(project, "-O", "file/books.csv", code=5)
    assert "file/books.csv" in outcome.err
    assert not shop.page_hits()
    outcome = crawl(project, "-O", "/dev/full:jsonl", code=5)
    assert "/dev/full" in outcome.err
    assert "No space left" in outcome.err
    begun = len(stored(project))
    assert begun
    crawl(project, "-O", "books.jsonl")
    assert_whole(project, "books.jsonl")
    hits = shop.page_hits()
    assert set(hits.values()) == {1}, "no page is fetched again for a feed"


def test_appending_goes_on_behind_what_is_there(project: Project, shop: SiteServer) -> None:
    before = {"books.jsonl": '{"url": "old", "title": "", "price": ""}\n', "books.csv": "url,title,price\nold,,\n"}
    for name, text in before.items():
        (project.directory / name).write_text(text)
    appended = feeds("-o", *before, "fresh.json")
    killed(project, shop, *appended, pages=20)
    crawl(project, *appended, GWC_MAX_PAGES=10)
    crawl(project, *appended)
    assert_whole(project, "fresh.json")
    for name, text in before.items():
        kept = (project.directory / name).read_text()
        assert kept.startswith(text)
        (project.directory / name).write_text(kept.removeprefix(text))
    assert_whole(project, *before)


def test_pipelines_of_the_project_change_and_drop_what_is_exported(project: Project, shop: SiteServer) -> None:
    (project.directory / "mine.py").write_text(
        "import asyncio\nfrom scrapy.exceptions import DropItem\n\n\nclass Louder:\n"
        "    async def process_item(self, item):\n        await asyncio.sleep(0.05)\n"
        "        number = int(item['url'].rpartition('/')[2])\n"
        "        if number % 10 == 0:\n            raise DropItem('not this one')\n"
        "        return {'url': item['url'], 'loud': item['title'].upper()}\n"
    )
    text = product_site_file(shop.url, (3, 7)) + '[settings.ITEM_PIPELINES]\n"mine.Louder" = 400\n'
    (project.directory / "sites" / "shop.toml").write_text(text)
    killed(project, shop, "-O", "books.csv", pages=20)
    crawl(project, "-O", "books.csv", GWC_MAX_PAGES=10)
    crawl(project, "-O", "books.csv")
    process = project.start("crawl", "shop", "-O", "late.csv")
    late = project.directory / "late.csv"
    wait_until(lambda: late.exists() or process.poll() is not None, 60)
    process.send_signal(signal.SIGINT)  # while it brings rows out of the store
    process.communicate(timeout=60)
    crawl(project, "-O", "late.csv")
    expected = sorted((u, t.upper()) for u, t, _ in stored(project) if int(u.rpartition("/")[2]) % 10)
    for name in ("books.csv", "late.csv"):
        assert sorted((row["url"], row["loud"]) for row in rows_of(project.directory / name)) == expected
    assert len(expected) == PRODUCTS - PRODUCTS // 10


FAULTY = """
class Faulty:
    begun = False

    def process_item(self, item):
        if not self.begun:
            self.begun = True
            return {**item, 1: "no name of an XML element"}
        number = int(item["url"].rpartition("/")[2])
        if number % 10 == 0:
            raise ValueError("no price list")
        if number % 10 == 1:
            return {**item, "odd": object()}
        if number % 10 == 2:
            return None
        return item
"""
MENDED = """
class Faulty:
    def process_item(self, item):
        return item
"""


def test_what_a_pipeline_or_an_exporter_fails_at_stays_owed(project: Project, shop: SiteServer) -> None:
    """At a record of this run as at one out of the store, and each time the run says how many rows are missing."""
    text = product_site_file(shop.url, (3, 7)) + '[settings.ITEM_PIPELINES]\n"faulty.Faulty" = 400\n'
    (project.directory / "sites" / "shop.toml").write_text(text)
    (project.directory / "faulty.py").write_text(FAULTY)
    names = ("a.jsonl", "b.json", "c.xml")
    missing = PRODUCTS // 10 * 2
    for more in ({"GWC_MAX_PAGES": 15}, {}, {}):
        outcome = project.scrapy("crawl", "shop", *feeds("-O", *names), settings=more)
        assert outcome.code == 0, outcome.err
        assert "<html" not in outcome.err.lower(), "the log shows the record, not the page"
        assert rows_of(project.directory / "c.xml"), "what was begun of an element is taken back"
    assert "can't be written as xml (" in outcome.err
    left = PRODUCTS - len(in_feed(project, "a.jsonl"))
    assert missing < left
    assert f"feed a.jsonl: {left} rows are missing" in outcome.err
    assert "Error processing Visit({'url': " in outcome.err or "Error processing {'url': " in outcome.err
    assert "an item pipeline returned None for http" in outcome.err
    assert "can't be written as jsonl (TypeError: " in outcome.err
    assert in_feed(project, "a.jsonl") == in_feed(project, "b.json")
    (project.directory / "faulty.py").write_text(MENDED)
    outcome = crawl(project, *feeds("-O", *names))
    assert "missing" not in outcome.err
    assert_whole(project, *names)


def test_standard_output_gets_each_row_once_even_if_it_shall_overwrite(project: Project, shop: SiteServer) -> None:
    said = [crawl(project, "-O", "-:json", GWC_MAX_PAGES=limit) for limit in (15, 15, 0, 0)]
    rows = [json.loads(one.out) if one.out.strip() else [] for one in said]
    assert sorted(row["url"] for part in rows for row in part) == sorted(url for url, _, _ in stored(project))
    assert all(rows[:3])
    assert not rows[3]
    assert "feed stdout: further rows become a second json document" in said[1].err
    assert "second json document" not in said[3].err


NOW_DUE = {"GWC_RECRAWL_START_SECONDS": 0.01, "GWC_RECRAWL_MIN_SECONDS": 0.01}


def test_a_recrawl_that_is_interrupted_leaves_all_its_changes_and_nothing_else(
    project: Project, shop: SiteServer
) -> None:
    crawl(project, "-O", "books.jsonl", "-a", "recrawl=all", **NOW_DUE)
    assert_whole(project, "books.jsonl")
    changed = range(0, PRODUCTS, 3)
    for number in changed:
        shop.bodies[f"/item/{number}"] = product(number, 1000 + number)
    again = ("-a", "recrawl=all", "-O", "changed.jsonl")
    crawl(project, *again, GWC_MAX_PAGES=20, **NOW_DUE)
    crawl(project, *again, **NOW_DUE)
    prices = sorted(price for _, _, price in in_feed(project, "changed.jsonl"))
    assert prices == sorted(f"${1000 + number}.50" for number in changed)
    crawl(project, *again, **NOW_DUE)
    assert in_feed(project, "changed.jsonl") == [], "another round has its own changes"
    crawl(project, "-O", "books.jsonl")
    assert_whole(project, "books.jsonl")


def test_workers_of_a_shared_crawl_write_what_they_fetched_each_into_its_own_file(
    project: Project, shop: SiteServer, redis_server: RedisServer
) -> None:
    settings = {
        "REDIS_URL": redis_server.url, "GWC_COMMIT_SECONDS": 0.05, "GWC_LEASE_SECONDS": 5, "GWC_LEASE_BATCH": 4,
        "DOWNLOAD_TIMEOUT": TIMEOUT_SECONDS,
    }  # fmt: skip
    commands = [("crawl", "shop", "-O", f"{name}.jsonl") for name in "ab"]
    shop.delays["*"] = 0.05
    workers = [project.start(*one, settings=settings, profile="cluster") for one in commands]
    assert kill_when(workers[0], lambda: sum(shop.page_hits().values()) >= 30), workers[0].communicate()[1]
    shop.delays.clear()
    outcome = project.scrapy(*commands[0], settings=settings, profile="cluster")
    assert outcome.code == 0, outcome.err
    _, err = workers[1].communicate(timeout=100)
    assert workers[1].returncode == 0, err
    first, second = in_feed(project, "a.jsonl"), in_feed(project, "b.jsonl")
    assert sorted({*first, *second}) == stored(project)
    assert len(stored(project)) == PRODUCTS
    assert (len(first), len(second)) == (len(set(first)), len(set(second)))
