"""The benchmark's site is what it says, and its checks notice what a crawl left out."""

from __future__ import annotations

import json
import sqlite3
import sys
import urllib.request
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from benchmarks.catalogue import LINKS_A_PAGE, PAGE_BYTES, Catalogue
from benchmarks.contenders import BenchmarkError, Ours, check_hits, site_file
from benchmarks.measure import Cost, Job, run_in_turns, run_measured
from benchmarks.server import CatalogueServer
from gwc_crawler.sites.site_files import load_site

COST = Cost(exit_code=0, cpu_seconds=1.0, wall_seconds=1.0, peak_mb=1.0)


@pytest.mark.parametrize("pages", [100, 131, 132, 1000])
def test_every_page_is_reached_by_links(pages: int) -> None:
    catalogue = Catalogue(pages)
    seen, waiting = {"/"}, ["/"]
    while waiting:
        body = catalogue.render(waiting.pop())
        assert body is not None
        links = html.document_fromstring(body).xpath("//a/@href")
        assert len(links) == LINKS_A_PAGE
        assert PAGE_BYTES <= len(body) < PAGE_BYTES + 1000
        waiting += set(links) - seen
        seen |= set(links)
    assert seen == set(catalogue.paths())
    assert len(seen) == pages


def test_a_product_page_shows_its_record() -> None:
    catalogue = Catalogue(200)
    body = catalogue.render("/product/7")
    assert body is not None
    tree = html.document_fromstring(body.decode())
    shown = {name: tree.xpath(f"string(//*[@class='{name}'])") for name in ("price", "brand", "code")}
    shown |= {"title": tree.xpath("string(//h1)"), "features": tree.xpath("//ul[@class='features']/li/text()")}
    assert shown == catalogue.record(7)


def test_what_does_not_exist_is_not_rendered() -> None:
    catalogue = Catalogue(200)
    bad = ("/product/0", f"/product/{catalogue.products + 1}", "/list/x", "/list/999", "/other", "/product/٣")
    assert [catalogue.render(path) for path in bad] == [None] * len(bad)


def test_the_server_counts_what_it_is_asked_for() -> None:
    with CatalogueServer(100) as server:
        for path in ("/", "/", "/product/3", "/robots.txt"):
            with urllib.request.urlopen(server.url + path) as response:
                assert response.status == 200
        assert server.take_hits() == {"/": 2, "/product/3": 1, "/robots.txt": 1}
        assert server.take_hits() == {}


def test_the_site_file_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.toml"
    path.write_text(site_file(Catalogue(200), "http://127.0.0.1:1"), encoding="utf-8")
    site = load_site(path)
    assert site.field_names == ("title", "price", "brand", "code", "features")
    assert site.warnings == ()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"/product/9": 0}, "1 of 200 pages not fetched"),
        ({"/product/9": 2}, "1 fetched more than once"),
        ({"/product/999": 1}, "1 fetched more than once or missing"),
    ],
)
def test_a_page_left_out_or_fetched_again_fails_the_run(change: dict[str, int], word: str) -> None:
    catalogue = Catalogue(200)
    hits = Counter(catalogue.paths())
    check_hits(catalogue, hits, "fine")
    dict.update(hits, change)
    with pytest.raises(BenchmarkError, match=word):
        check_hits(catalogue, hits, "bad")


def test_a_wrong_record_fails_the_run(tmp_path: Path) -> None:
    catalogue = Catalogue(100)
    ours = Ours(catalogue, "http://a.example", tmp_path)
    database = write_crawl(tmp_path, catalogue)
    hits = Counter([*catalogue.paths(), "/robots.txt"])
    ours.check(COST, hits)
    with database:
        database.execute("UPDATE records_catalogue SET price = '$0.00' WHERE url LIKE '%/product/9'")
    with pytest.raises(BenchmarkError, match=r"1 wrong or missing; product 9 is"):
        ours.check(COST, hits)
    with database:
        database.execute("UPDATE pages SET stripped_html = '' WHERE url LIKE '%/list/1'")
    with pytest.raises(BenchmarkError, match=r"stored 99 stripped pages of 100"):
        ours.check(COST, hits)
    database.close()


def test_a_crawl_that_failed_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "ours.log").write_text("disk full", encoding="utf-8")
    with pytest.raises(BenchmarkError, match=r"exit code 5:\ndisk full"):
        Ours(Catalogue(100), "http://a.example", tmp_path).check(replace(COST, exit_code=5), Counter())


def write_crawl(directory: Path, catalogue: Catalogue) -> sqlite3.Connection:
    """A database as a complete crawl leaves it, with the two tables that are checked."""
    (directory / "data" / "catalogue").mkdir(parents=True)
    database = sqlite3.connect(directory / "data" / "catalogue" / "crawl.db")
    with database:
        database.execute("CREATE TABLE pages (url, stripped_html)")
        database.execute("CREATE TABLE records_catalogue (url, title, price, brand, code, features)")
        database.executemany("INSERT INTO pages VALUES (?, 'x')", [[f"http://a.example{p}"] for p in catalogue.paths()])
        for number in range(1, catalogue.products + 1):
            *texts, features = catalogue.record(number).values()
            row = [f"http://a.example/product/{number}", *texts, json.dumps(features)]
            database.execute("INSERT INTO records_catalogue VALUES (?, ?, ?, ?, ?, ?)", row)
    return database


def test_cost_is_that_of_the_command_alone(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < .3: pass\nraise SystemExit(3)"
    cost = run_measured(Job([sys.executable, "-c", burn], tmp_path / "log", tmp_path), 30)
    assert cost.exit_code == 3
    assert 0.3 <= cost.cpu_seconds < 3


def test_jobs_take_turns(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    work = (
        "import sys, time\nfor number in range(1, 51):\n    while time.process_time() < number / 100: pass\n"
        f"    open({str(marks)!r}, 'a').write(sys.argv[1])"
    )
    jobs = [Job([sys.executable, "-c", work, name], tmp_path / name, tmp_path, turn_seconds=0.2) for name in "ab"]
    costs = run_in_turns(jobs, limit_seconds=30)
    written = marks.read_text()
    assert (written.count("a"), written.count("b")) == (50, 50)
    assert "ab" in written and "ba" in written
    assert written.count("ab") + written.count("ba") < 50, "they ran side by side"
    assert [cost.exit_code for cost in costs] == [0, 0]
    assert all(0.5 <= cost.cpu_seconds < 3 for cost in costs)


def test_a_job_over_its_limit_is_ended_and_the_other_goes_on(tmp_path: Path) -> None:
    work = ("import time; time.sleep(60)", "import time\nwhile time.process_time() < .3: pass")
    jobs = [Job([sys.executable, "-c", code], tmp_path / "log", tmp_path, turn_seconds=0.2) for code in work]
    costs = run_in_turns(jobs, limit_seconds=4)
    assert costs[1].exit_code == 0
    assert costs[0].exit_code == -9


def test_a_command_over_its_limit_is_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    cost = run_measured(Job(command, tmp_path / "log", tmp_path), 0.3)
    assert cost.exit_code == -9
