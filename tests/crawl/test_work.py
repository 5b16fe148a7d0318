"""A fleet: workers join and leave at any time, take sites and parts of them, and bring each page home once."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from gwc_crawler.frontier.fleet import Fleet
from gwc_crawler.frontier.fleet_plan import SiteEntry
from tests.conftest import Project
from tests.redis_server import RedisServer, wait_until
from tests.site_server import SiteServer

LEASE_SECONDS = 3.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_server(server: RedisServer) -> RedisServer:
    with server.client() as client:
        client.flushall()
    return server


class Workers:
    """A fleet's processes."""

    def __init__(self, project: Project, redis_server: RedisServer) -> None:
        self.project = project
        self.redis_server = redis_server
        self.processes: list[subprocess.Popen[str]] = []

    def join(self, *options: str, **settings: Any) -> subprocess.Popen[str]:
        base = {
            "REDIS_URL": self.redis_server.url,
            "GWC_LEASE_SECONDS": LEASE_SECONDS,
            "GWC_LEASE_BATCH": 8,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
            "GWC_QUEUE_POLICY": "bkdr",
            "GWC_WORK_SHARE": 20,
        }
        worker = self.project.start("work", *options, settings={**base, **settings}, profile="cluster")
        self.processes.append(worker)
        return worker

    def entries(self) -> dict[str, SiteEntry]:
        with self.redis_server.client() as client:
            return {entry.name: entry for entry in Fleet(client).sites()}

    def states(self) -> dict[str, str]:
        return {name: entry.state.value for name, entry in self.entries().items()}

    def holders(self, site: str) -> int:
        entry = self.entries().get(site)
        return len(entry.holders) if entry else 0


@pytest.fixture
def workers(project: Project, redis_server: RedisServer) -> Iterator[Workers]:
    workers = Workers(project, redis_server)
    yield workers
    for worker in workers.processes:
        if worker.poll() is None:
            worker.kill()
            worker.communicate()


def ended(worker: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for a worker; returns what it said."""
    out, err = worker.communicate(timeout=60)
    assert worker.returncode == code, f"{out}\n{err[-4000:]}"
    assert "Traceback" not in err, err
    return out


def tree(pages: int) -> dict[str, list[str]]:
    return {f"/p/{n}": [f"/p/{3 * n + k}" for k in (1, 2, 3) if 3 * n + k < pages] for n in range(pages)}


def test_workers_come_and_go_and_all_sites_are_done(project: Project, workers: Workers) -> None:
    with SiteServer(tree(400)) as big, SiteServer(tree(20)) as one, SiteServer(tree(20)) as two:
        for name, site in (("big", big), ("one", one), ("two", two)):
            site.delays["*"] = 0.1 if site is big else 0.0
            project.write_graph_site(site.url, name=name, entry="/p/0")
            project.write_knowledge(name)
        first = workers.join("--sites", "big")
        wait_until(lambda: sum(big.page_hits().values()) >= 40, 30)
        victim = workers.join("--sites", "big")
        wait_until(lambda: workers.holders("big") == 2, 30)
        assert sorted(part for one in workers.entries()["big"].holders for part in one.parts) == list(range(16))
        wait_until(lambda: sum(big.page_hits().values()) >= 80, 30)
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        third = workers.join("--idle", "2", "--once")
        wait_until(lambda: workers.holders("big") == 2 and workers.states().get("two") == "C", 30)
        first.send_signal(signal.SIGTERM)
        said = ended(first, 130)
        assert "hands back" in said
        assert not any(one.owner.endswith(f":{first.pid}") for one in workers.entries()["big"].holders)
        big.delays.clear()
        said = ended(third)
        assert "done   big" in said
        assert workers.states() == {"big": "C", "one": "C", "two": "C"}
        for name, site, pages in (("big", big, 400), ("one", one, 20), ("two", two, 20)):
            hits = site.page_hits()
            assert set(hits) == set(site.links)
            assert sum(count - 1 for count in hits.values()) <= (100 + 8 + 4 if name == "big" else 0)
            assert project.rows("SELECT count(*), count(DISTINCT url) FROM pages", name=name) == [(pages, pages)]
