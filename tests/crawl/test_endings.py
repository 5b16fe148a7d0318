"""How a crawl ends when something is wrong: one clear word, a documented exit code, nothing lost, no traceback."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gwc_crawler.store.sqlite.database import APPLICATION_ID
from tests.conftest import Outcome, Project, ended
from tests.graphs import star
from tests.processes import catches, wait_until
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer
from tests.small_disk import small_disk
from tests.stars import begin_hanging_star, begin_star, interrupted


def assert_clear(outcome: Outcome, code: int, *words: str) -> None:
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    said = outcome.err + outcome.out
    for word in words:
        assert word in said, f"{word!r} is not in:\n{said[-3000:]}"


def test_one_interrupt_ends_in_order_and_the_next_crawl_continues(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 300, 0.02)
    assert_clear(interrupted(project, site), 130, "interrupted", "continues")
    assert "R" not in project.states().values()
    assert project.scrapy("crawl", "graph").code == 0
    assert set(site.page_hits().values()) == {1}, "an orderly end fetches nothing twice"
    assert set(project.states().values()) == {"C"}


def test_two_interrupts_end_at_once_and_nothing_is_lost(project: Project, site: SiteServer) -> None:
    begin_hanging_star(project, site, 300)  # an orderly end would wait for what is under way
    process = project.start("crawl", "graph", settings={"DOWNLOAD_TIMEOUT": 600})
    site.wait_for_pages(5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert_clear(ended(process), 130, "interrupted")
    site.delays["*"] = 0.0
    assert project.scrapy("crawl", "graph").code == 0
    assert set(project.states().values()) == {"C"}
    assert len(project.states()) == 301


@pytest.mark.parametrize("moment", ["spider_opened", "engine_started"])
def test_an_interrupt_while_the_spider_opens_ends_in_order(project: Project, site: SiteServer, moment: str) -> None:
    begin_star(project, site, 100)
    settings = {"EXTENSIONS": '{"tests.crawl.early_interrupt.InterruptAt": 1}', "INTERRUPT_AT": moment}
    outcome = project.scrapy("crawl", "graph", settings=settings)
    assert_clear(outcome, 130, "Spider closed (shutdown)", "continues")
    assert "R" not in project.states().values()


def test_an_interrupt_of_a_process_that_has_done_its_work_changes_nothing(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 100, 0.02)
    process = project.start("crawl", "graph")
    site.wait_for_pages(5)
    process.send_signal(signal.SIGINT)
    wait_until(lambda: not catches(process, signal.SIGINT), 60)  # the interpreter ends
    for number in (signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
    assert_clear(ended(process), 130, "interrupted", "continues")


def test_a_site_that_is_down(project: Project) -> None:
    project.write_graph_site("http://127.0.0.1:9")
    assert_clear(project.scrapy("crawl", "graph"), 3, "http://127.0.0.1:9/", "can't be fetched", "check the address")


def test_a_site_that_refuses_everything(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    site.statuses["/"] = 403
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert_clear(project.scrapy("crawl", "graph"), 3, "HTTP 403", "refuses this crawler", "USER_AGENT", "[login]")


def test_an_entry_that_redirects_off_the_site(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    site.statuses["/"] = 302
    site.headers["/"] = {"Location": "http://elsewhere.invalid/"}
    project.write_graph_site(site.url)
    assert_clear(project.scrapy("crawl", "graph"), 3, "redirects to http://elsewhere.invalid/", "off the site", "hosts")


def test_an_entry_that_redirects_off_the_site_is_told_where_others_give_pages(
    project: Project, site: SiteServer
) -> None:
    site.links = {"/": ["/a"], "/a": [], "/moved": []}
    site.statuses["/moved"] = 302
    site.headers["/moved"] = {"Location": "http://elsewhere.invalid/"}
    project.write_site("graph", f'entry = ["{site.url}/", "{site.url}/moved"]\nkeywords = "treasure"\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    told = f"start URL not followed: {site.url}/moved redirects to http://elsewhere.invalid/, off the site; make that"
    assert told in outcome.err


def test_a_sample_page_that_redirects_off_the_site(project: Project, site: SiteServer) -> None:
    shop(site)
    site.statuses["/item/2"] = 302
    site.headers["/item/2"] = {"Location": "http://elsewhere.invalid/item/2"}
    project.write_site("shop", f'entry = ["{site.url}/"]\n{SAMPLES.format(url=site.url)}')
    outcome = project.scrapy("learn", "shop")
    told = f"sample page {site.url}/item/2 redirects to http://elsewhere.invalid/item/2, off the site; name the page"
    assert_clear(outcome, 4, told)


def test_sample_pages_that_lead_to_a_login_page(project: Project, site: SiteServer) -> None:
    shop(site)
    for number in (1, 2):
        site.statuses[f"/item/{number}"] = 302
        site.headers[f"/item/{number}"] = {"Location": "/login"}
    site.links["/login"] = []
    project.write_site("shop", f'entry = ["{site.url}/"]\n{SAMPLES.format(url=site.url)}')
    outcome = project.scrapy("learn", "shop")
    assert_clear(outcome, 4, f"redirects to {site.url}/login, as another page does", "[login] of the site file")
    assert "off the site" not in outcome.err


def test_a_site_without_target_pages(project: Project, site: SiteServer) -> None:
    site.links = star(30)
    project.write_graph_site(site.url)
    outcome = project.scrapy("crawl", "graph")
    assert_clear(outcome, 4, "graph")


def test_a_file_where_the_data_directory_should_be(project: Project, site: SiteServer) -> None:
    site.links = star(3)
    project.write_graph_site(site.url)
    (project.directory / "data").write_text("in the way")
    assert_clear(project.scrapy("crawl", "graph"), 5, "data", "GWC_DATA_DIR")


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ((), "file is not a database"),
        (("CREATE TABLE notes (text)",), "belongs to another program"),
        ((f"PRAGMA application_id = {APPLICATION_ID}", "CREATE TABLE t (c)", "PRAGMA user_version = 99"), "99"),
    ],
    ids=["a text", "another program's", "a newer version's"],
)
def test_a_database_that_can_not_be_used_is_told_before_learning(
    project: Project, site: SiteServer, statements: Sequence[str], told: str
) -> None:
    site.links = star(3)
    project.write_graph_site(site.url)
    path = project.directory / "data" / "graph" / "crawl.db"
    path.parent.mkdir(parents=True)
    if not statements:
        path.write_text("notes of mine " * 100)
    for statement in statements:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
    assert_clear(project.scrapy("crawl", "graph"), 5, "crawl.db", told)
    assert not site.hits


@pytest.mark.parametrize("begun", ["", "PRAGMA journal_mode = WAL"], ids=["empty", "without tables"])
def test_a_database_that_a_killed_process_had_only_begun_is_filled(
    project: Project, site: SiteServer, begun: str
) -> None:
    shop(site)
    project.write_site("shop", f'entry = ["{site.url}/"]\n{SAMPLES.format(url=site.url)}')
    assert project.scrapy("learn", "shop").code == 0
    directory = project.directory / "data" / "shop"
    for name in ("crawl.db", "samples.db"):
        (directory / name).unlink(missing_ok=True)
        (directory / name).touch()
        with closing(sqlite3.connect(directory / name)) as connection:
            connection.execute(begun)
    assert_clear(project.scrapy("export", "shop", "-o", "-"), 2, "crawl.db: not crawled yet")
    assert_clear(project.scrapy("learn", "shop", "--offline"), 2, "samples.db: no stored pages to learn from")
    assert project.scrapy("status", "shop").code == 0
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert project.rows("SELECT count(*) FROM records_shop", name="shop") == [(12,)]


def test_a_read_only_data_directory(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 3)
    data = project.directory / "data"
    with small_file_system(data, megabytes=2) as mounted:
        if mounted:
            subprocess.run(["mount", "-o", "remount,ro", str(data)], check=True)
        elif os.geteuid() == 0:
            pytest.skip("root may write anywhere, and nothing can be mounted here")
        else:
            (data / "graph").chmod(0o555)
        assert_clear(project.scrapy("crawl", "graph"), 5, "data/graph", "GWC_DATA_DIR")
    assert not site.page_hits()


def test_a_full_disk(project: Project, site: SiteServer) -> None:
    site.links = star(200)
    for page in site.links:
        site.texts[page] = "word " * 4000
    project.write_graph_site(site.url)
    project.write_knowledge()
    with small_file_system(project.directory / "data", megabytes=2) as mounted:
        if not mounted:
            pytest.skip("a small file system can only be mounted by root")
        assert_clear(project.scrapy("crawl", "graph"), 5, "full")
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    assert set(project.states().values()) == {"C"}


@contextmanager
def small_file_system(directory: Path, *, megabytes: int) -> Iterator[bool]:
    """A small disk with the directory's content on it; what it holds at the end is copied back. False: no disk."""
    aside = directory.with_name("aside")
    shutil.copytree(directory, aside)
    with small_disk(directory, megabytes) as mounted:
        if mounted:
            shutil.copytree(aside, directory, dirs_exist_ok=True)
        try:
            yield mounted
        finally:
            if mounted:
                shutil.copytree(directory, aside, dirs_exist_ok=True)
    if mounted:
        shutil.copytree(aside, directory, dirs_exist_ok=True)


def test_an_unknown_site(project: Project) -> None:
    outcome = project.scrapy("crawl", "nothere")
    assert outcome.code == 2
    assert "nothere" in outcome.err
    assert outcome.err.startswith("Usage"), "it is said before Scrapy says that it begins"


def test_a_site_file_with_mistakes_names_each_line(project: Project) -> None:
    path = project.write_site("bad", 'entry = ["http://127.0.0.1/"]\nkeywods = "a"\n\n[crawl]\nmax_weight = "much"\n')
    for command in (("crawl", "bad"), ("learn", "bad"), ("crawl", str(path)), ("crawl", "-a", f"site={path}")):
        outcome = project.scrapy(*command)
        assert outcome.code == 2
        assert "bad.toml:2: unknown key 'keywods'" in outcome.err
        assert "bad.toml:5:" in outcome.err
        assert "Traceback" not in outcome.err
        assert outcome.err.count("bad.toml:2") == 1


def test_scrapy_list_shows_the_site_files(project: Project) -> None:
    project.write_graph_site("http://127.0.0.1", name="one")
    project.write_graph_site("http://127.0.0.1", name="two")
    outcome = project.scrapy("list")
    assert (outcome.code, outcome.out.split()) == (0, ["one", "two"])


def test_two_crawls_of_one_site_at_once_are_refused(project: Project, site: SiteServer) -> None:
    begin_star(project, site, 100, 0.5)
    first = project.start("crawl", "graph")
    site.wait_for("/")
    assert_clear(project.scrapy("crawl", "graph"), 5, "is being crawled by process")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)


def test_a_host_that_asks_to_wait_is_told_once_with_what_helps(project: Project, site: SiteServer) -> None:
    site.links = star(3)
    site.statuses.update({f"/p/{number}": [429, 200] for number in range(3)})
    project.write_graph_site(site.url)
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", "-L", "WARNING", settings={"GWC_RETRY_BASE_SECONDS": 0.1})
    assert outcome.code == 0
    assert outcome.err.count("answers HTTP 429: it is asked again after seconds=") == 1
    assert "DOWNLOAD_DELAY" in outcome.err
    assert set(project.states().values()) == {"C"}
