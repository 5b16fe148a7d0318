"""The project as an egg: deployed to a real scrapyd, scheduled and cancelled over its API; jobs share one crawl."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.knowledge.model import Knowledge, UrlClass
from tests.conftest import Project
from tests.graphs import tree
from tests.redis_server import RedisServer
from tests.scrapyd_server import PROJECT, Scrapyd, copy_project, deploy
from tests.site_server import SiteServer

RECORD = '<p class="price">${}.50</p>'


@dataclass
class Parts:
    """What the tests share: the servers are started, and the egg is deployed, once."""

    scrapyd: Scrapyd
    redis: RedisServer
    site: SiteServer
    deployed: dict[str, Any]

    def schedule(self, spider: str, **settings: Any) -> str:
        quick = {"GWC_COMMIT_SECONDS": 0.2, "GWC_LEASE_SECONDS": 600, "GWC_LEASE_BATCH": 4, "REDIS_URL": self.redis.url}
        return self.scrapyd.schedule(spider, **{**quick, **settings})


@pytest.fixture(scope="module")
def all_parts(tmp_path_factory: pytest.TempPathFactory, session_redis: RedisServer) -> Iterator[Parts]:
    base = tmp_path_factory.mktemp("scrapyd")
    project = copy_project(base / "project")
    with SiteServer() as site, Scrapyd(base / "server") as scrapyd:
        write_sites(project / "sites", site.url)
        yield Parts(scrapyd, session_redis, site, deploy(project, scrapyd.port, "1"))


@pytest.fixture
def parts(all_parts: Parts, redis_server: RedisServer) -> Parts:
    all_parts.site.hits.clear()
    all_parts.site.links = {}
    return all_parts


def write_sites(directory: Path, url: str) -> None:
    """Two sites for the egg: `graph` with what was learned of it beside it, `shop` with samples only."""
    (directory / "graph.toml").write_text(f'entry = ["{url}/p/0"]\nkeywords = "treasure"\n', encoding="utf-8")
    Knowledge(
        site="graph", mode="paper", targets=(), directories=(UrlClass(".*"),), max_weight=99, keywords="treasure"
    ).save(directory / "graph.knowledge.json")
    samples = "".join(
        f'[[samples]]\nurl = "{url}/item/{n}.html"\nfields = {{ price = "${n}.50" }}\n' for n in (101, 102)
    )
    (directory / "shop.toml").write_text(f'entry = ["{url}/"]\n{samples}', encoding="utf-8")


def crawl_of(parts: Parts) -> Project:
    """Looks into the data directory of the jobs."""
    return Project(parts.scrapyd.directory)


def test_the_egg_carries_the_program_and_the_site_files(parts: Parts) -> None:
    assert parts.deployed["spiders"] == 3
    told = parts.scrapyd.ask("listspiders.json", project=PROJECT)
    assert told["spiders"] == ["graph", "mall", "shop"]
    code = (
        "from scrapyd.runner import project_environment\n"
        f"with project_environment({PROJECT!r}):\n"
        "    import gwc_crawler, settings_profiles.cluster as profile\n"
        "    print(gwc_crawler.__file__, profile.__file__)"
    )
    where = subprocess.run(
        [parts.scrapyd.python, "-c", code],
        cwd=parts.scrapyd.directory, env=parts.scrapyd.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.count(f"eggs/{PROJECT}/1.egg/") == 2


def test_a_cancelled_job_hands_its_leases_back_and_another_goes_on(parts: Parts) -> None:
    parts.site.links = tree(60)
    parts.site.delays["*"] = 0.1
    job = parts.schedule("graph", GWC_DATA_DIR="cancelled")
    parts.site.wait_for_pages(10)
    assert [one["id"] for one in parts.scrapyd.jobs()["running"]] == [job]
    assert parts.scrapyd.ask("cancel.json", project=PROJECT, job=job)["prevstate"] == "running"
    (log,) = parts.scrapyd.wait_for(job, seconds=20)
    assert "Closing spider (shutdown)" in log
    with parts.redis.client() as client:
        assert client.hlen("{graph}:requests:leased") == 0
    fetched = len(parts.site.page_hits())
    assert 10 <= fetched < 60
    parts.site.delays["*"] = 0.0
    parts.scrapyd.wait_for(parts.schedule("graph", GWC_DATA_DIR="cancelled"))
    assert parts.site.page_hits() == dict.fromkeys(parts.site.links, 1)


def test_the_first_job_learns_and_the_others_wait_for_it(parts: Parts) -> None:
    items = [f"/item/{n}.html" for n in range(101, 131)]
    parts.site.links = {"/": ["/about.html", *items], "/about.html": ["/"], **{item: ["/"] for item in items}}
    parts.site.texts = {item: RECORD.format(item[6:9]) for item in items}
    parts.site.delays["*"] = 0.02
    logs = parts.scrapyd.wait_for(*(parts.schedule("shop") for _ in range(2)))
    assert sum("learned site=shop" in log for log in logs) == 1
    assert [log for log in logs if "ERROR" in log] == []
    assert set(parts.site.page_hits().values()) == {1}
    crawl = crawl_of(parts)
    assert crawl.rows("SELECT url, price FROM records_shop ORDER BY url", name="shop") == [
        (f"{parts.site.url}{item}", f"${item[6:9]}.50") for item in items
    ]


def test_the_log_of_a_job_says_why_it_ended(parts: Parts) -> None:
    (log,) = parts.scrapyd.wait_for(parts.schedule("graph", GWC_NOPE=1))
    assert log.count("CRITICAL") == 1
    assert "GWC_NOPE" in log.partition("CRITICAL")[2]
