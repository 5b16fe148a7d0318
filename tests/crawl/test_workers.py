"""A crawl on several cores is the crawl on one: the same pages and records, whichever of its processes is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import read_records
from tests.conftest import ROOT, Project
from tests.graphs import crossed_tree
from tests.processes import kill, wait_until
from tests.site_server import SiteServer

PAGES = 300

QUERIES = {
    "pages": "SELECT url, title, kind, relevant, status, content_type, charset, abstract, body, "
    "stripped_html FROM pages WHERE kind <> 'redirect'",
    "links": "SELECT src_url, dst_url, pruned FROM links",
    "exceptions": "SELECT url, field, reason, closest FROM exceptions",
    "urls": "SELECT url, state, reason FROM urls WHERE state IS NOT NULL",
    "sites": "SELECT site, host, link_count FROM sites",
    "signatures": "SELECT url, signature FROM revisits JOIN urls USING (id)",
}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, MallServer]]:
    """A mall that is learned, and crawled by one process."""
    project = Project(tmp_path_factory.mktemp("mall"))
    with MallServer(Mall(seed=5, size=60)) as server:
        project.write_site("mall", mall_site_toml(server.mall, server.url))
        outcome = project.scrapy("crawl", "mall", settings={"GWC_KEEP_HTML": "raw"})
        assert outcome.code == 0, outcome.err
        yield project, server


def told(project: Project) -> dict[str, Any]:
    """Return what a crawl has stored, but for moments, and for what the order of fetching decides (depths)."""
    found: dict[str, Any] = {
        table: sorted(project.rows(query, name="mall"), key=repr) for table, query in QUERIES.items()
    }
    with closing(CrawlDatabase(project.directory / "data/mall/crawl.db", read_only=True)) as database:
        found["records"] = sorted(
            ({**record, "fetched_at": 0} for record in read_records(database, "mall")), key=lambda one: one["url"]
        )
        found["html"] = {
            url: database.bodies.unpack(html)
            for url, html in database.connection.execute("SELECT url, html FROM pages WHERE html IS NOT NULL")
        }
    return found


def test_three_processes_bring_home_what_one_does(learned: tuple[Project, MallServer], project: Project) -> None:
    one, _ = learned
    project.copy(one)
    for path in (project.directory / "data/mall").glob("crawl.*"):
        path.unlink()
    outcome = project.scrapy("crawl", "mall", "-a", "workers=3", settings={"GWC_KEEP_HTML": "raw"})
    assert outcome.code == 0, outcome.err
    assert "'gwc/workers/reading': 2" in outcome.err
    assert "'gwc/workers/died'" not in outcome.err
    mine, theirs = told(project), told(one)
    for table in theirs:
        assert mine[table] == theirs[table], table
    assert mine["records"]
    with closing(sqlite3.connect(project.directory / "data/mall/crawl.db")) as database, database:
        database.execute("DELETE FROM records_mall")
    outcome = project.scrapy("extract", "mall", "--workers", "2")
    assert outcome.code == 0, outcome.err
    assert told(project) == mine, "extracted again on two cores, they are what they were"


def readers_of(pid: int) -> list[int]:
    """Return the reading processes of a crawl; a process may end while it is looked at."""
    found = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if "gwc_crawler.extract.reading" in Path(f"/proc/{child}/cmdline").read_text():
                found.append(int(child))
    return found


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_kill_9_of_any_process_loses_nothing(project: Project, site: SiteServer) -> None:
    site.links = crossed_tree(PAGES)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    first = project.start("crawl", "graph", "-a", "workers=2")
    wait_until(lambda: (site.hits.total() >= 50 and readers_of(first.pid)) or first.poll() is not None)
    killed = readers_of(first.pid)
    assert killed, "the crawl was over before one could be killed: make the site larger"
    with suppress(ProcessLookupError):
        os.kill(killed[0], signal.SIGKILL)
    wait_until(lambda: set(readers_of(first.pid)) - set(killed) or first.poll() is not None)
    wait_until(lambda: site.hits.total() >= 150 or first.poll() is not None)
    left = readers_of(first.pid)
    kill(first)
    wait_until(lambda: not any(map(runs, left)))
    outcome = project.scrapy("crawl", "graph", "-a", "workers=2")
    assert outcome.code == 0, outcome.err
    states = project.states()
    assert len(states) == PAGES
    assert set(states.values()) == {"C"}
    assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages") == [(PAGES, PAGES)]


DEADLY = """
import sys
from gwc_crawler.extract.reading import readers
from scrapy.cmdline import execute
readers.PROGRAM = "tests.extract.deadly_process"
execute(["scrapy", *sys.argv[1:]])
"""


def test_a_page_at_which_processes_die_is_an_error_with_its_reason(project: Project, site: SiteServer) -> None:
    site.links = crossed_tree(20)
    site.texts["/p/7"] = "deadly"
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    (project.directory / "deadly.py").write_text(DEADLY)
    done = subprocess.run(
        [sys.executable, "deadly.py", "crawl", "graph", "-a", "workers=2", "-s", "GWC_ALLOW_PRIVATE=all"],
        cwd=project.directory,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.local", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    errors = project.rows("SELECT url, reason FROM urls WHERE state = 'E'")
    assert [(url.removeprefix(site.url), "2 reading processes died at it" in reason) for url, reason in errors] == [
        ("/p/7", True)
    ]
    assert set(project.states().values()) == {"C", "E"}


@pytest.mark.parametrize("asked", ["0", "-3", "many"])
def test_no_number_of_processes_is_an_error_in_a_line(project: Project, asked: str) -> None:
    project.write_graph_site("http://127.0.0.1:1")
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", "-a", f"workers={asked}")
    assert outcome.code == 2
    assert f"-a workers={asked}: it can be the number of processes" in outcome.err
    assert "Traceback" not in outcome.err
