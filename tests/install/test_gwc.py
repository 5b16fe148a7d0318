"""`gwc` where the wheel is installed: in an empty directory, and in a project that `gwc init` made."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.knowledge.model import Knowledge, UrlClass
from tests.graphs import tree
from tests.install.conftest import Installed
from tests.processes import kill
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

QUICK = ("-s", "GWC_COMMIT_SECONDS=0.2", "-s", "GWC_RETRY_BASE_SECONDS=0.05")


def serve_shop(site: SiteServer) -> str:
    """Serve a shop of thirty things; returns the text of its site file."""
    items = [f"/item/{n}.html" for n in range(101, 131)]
    site.links = {"/": ["/about.html", *items], "/about.html": ["/"], **{item: ["/"] for item in items}}
    site.texts = {item: f'<p class="price">${item[6:9]}.50</p>' for item in items}
    samples = (f'[[samples]]\nurl = "{site.url}/item/{n}.html"\nfields = {{ price = "${n}.50" }}\n' for n in (101, 102))
    return f'entry = ["{site.url}/"]\n{"".join(samples)}'


def serve_graph(site: SiteServer, directory: Path) -> None:
    """Serve a tree of pages; write its site file, and beside it what is known of it, into *directory*."""
    site.links = tree(20)
    (directory / "graph.toml").write_text(f'entry = ["{site.url}/p/0"]\nkeywords = "treasure"\n', encoding="utf-8")
    Knowledge(
        site="graph", mode="paper", targets=(), directories=(UrlClass(".*"),), max_weight=99, keywords="treasure"
    ).save(directory / "graph.knowledge.json")


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def test_it_is_the_wheels_program_that_runs(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "where.py").write_text("import gwc_crawler as ours, sys; print(ours.__file__, *sys.path, sep='\\n')")
    place, *paths = installed.run("where", cwd=tmp_path).out.splitlines()
    assert Path(place).is_relative_to(installed.home)
    assert not [path for path in paths if (Path(path) / "settings_profiles").exists()]


def test_a_site_file_is_crawled_in_an_empty_directory_and_goes_on_after_ctrl_c(
    installed: Installed, site: SiteServer, tmp_path: Path
) -> None:
    (tmp_path / "shop.toml").write_text(serve_shop(site), encoding="utf-8")
    site.delays["*"] = 0.2
    process = installed.start("gwc", "crawl", "./shop.toml", *QUICK, cwd=tmp_path)
    try:
        site.wait_for_pages(10)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=120)[1]
    finally:
        kill(process)
    assert process.returncode == 130, err
    assert len(site.page_hits()) < 32
    site.delays.clear()
    for _ in range(2):  # the second time nothing is left to do
        outcome = installed.run("gwc", "crawl", "./shop.toml", *QUICK, cwd=tmp_path)
        assert outcome.code == 0, outcome.err
        assert set(site.page_hits().values()) == {1}
    assert "Traceback" not in err + outcome.err
    assert rows(tmp_path / "data/shop/crawl.db", "SELECT count(*), min(price) FROM records_shop") == [(30, "$101.50")]
    assert {path.name for path in tmp_path.iterdir()} == {"shop.toml", "data"}


def test_workers_share_a_crawl_outside_a_project(
    installed: Installed, site: SiteServer, tmp_path: Path, redis_server: RedisServer
) -> None:
    serve_graph(site, tmp_path)
    shared = {"SCRAPY_PROJECT": "cluster", "REDIS_URL": redis_server.url}
    outcome = installed.run("gwc", "crawl", "./graph.toml", *QUICK, cwd=tmp_path, **shared)
    assert outcome.code == 0, outcome.err
    assert site.page_hits() == dict.fromkeys(site.links, 1)
    with redis_server.client() as client:
        assert list(client.scan_iter("{graph}*"))
    assert "graph" in installed.run("gwc", "status", cwd=tmp_path, **shared).out


@pytest.fixture(scope="module")
def project(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project made with `gwc init`."""
    base = tmp_path_factory.mktemp("init")
    outcome = installed.run("gwc", "init", "my-shops", cwd=base)
    assert (outcome.code, outcome.err) == (0, "")
    assert "gwc crawl" in outcome.out
    return base / "my-shops"


def test_in_a_project_gwc_and_scrapy_are_the_same(installed: Installed, project: Path, site: SiteServer) -> None:
    serve_graph(site, project / "sites")
    with (project / "settings_profiles" / "local.py").open("a") as profile:
        profile.write('GWC_DATA_DIR = "kept"\n')
    for program in ("scrapy", "gwc"):
        assert installed.run(program, "list", cwd=project).out == "graph\n"
        outcome = installed.run(program, "crawl", "graph", *QUICK, cwd=project)
        assert outcome.code == 0, outcome.err
    assert site.page_hits() == dict.fromkeys(site.links, 1)
    assert rows(project / "kept/graph/crawl.db", "SELECT count(*) FROM pages") == [(20,)]
    below = installed.run("gwc", "settings", "--get", "DOWNLOAD_DELAY", cwd=project / "sites", SCRAPY_PROJECT="polite")
    assert below.out == "4.0\n", "a project is one in its subdirectories, too"


def test_the_module_is_the_program(installed: Installed, tmp_path: Path) -> None:
    ways = [installed.run(program, "learn", "--help", cwd=tmp_path) for program in ("gwc", "gwc_crawler")]
    assert ways[0] == ways[1]
    assert "gwc learn [options]" in ways[0].out
    assert "scrapy learn" not in ways[0].out
