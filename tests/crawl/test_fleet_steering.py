"""A whole fleet is paused, resumed and stopped from another shell, whatever site its workers are at."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.conftest import Project
from tests.redis_server import RedisServer, wait_until
from tests.site_server import SiteServer


def test_a_fleet_is_paused_resumed_and_stopped(project: Project, site: SiteServer, tmp_path: Path) -> None:
    site.links = {"/": [f"/p/{n}" for n in range(150)]} | {f"/p/{n}": [] for n in range(150)}
    site.delays["*"] = 0.4
    project.write_graph_site(site.url)
    project.write_knowledge()
    with RedisServer(tmp_path / "redis") as server:
        address = ("-s", f"REDIS_URL={server.url}")

        def ask(command: str) -> Any:
            process = project.start(command, "--all", "--json", *address, profile="cluster")
            out, err = process.communicate(timeout=60)
            assert process.returncode == 0, out + err
            return json.loads(out)

        def work() -> subprocess.Popen[str]:
            options = ("--once", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2", *address)
            return project.start("work", *options, profile="cluster")

        workers = [work() for _ in range(2)]
        try:
            wait_until(lambda: sum(site.page_hits().values()) >= 10, 30)
            with server.client() as client:
                wait_until(lambda: client.hlen("{fleet}:board") == 2, 30)
            shown = project.start("status", *address, profile="cluster").communicate(timeout=60)[0]
            assert "crawling (1 worker); fleet: R" in shown
            assert "workers of the fleet" in shown
            told = ask("pause")
            assert [(one["site"], len(one["asked"]), one["obeyed"]) for one in told] == [("the fleet", 2, True)]
            before = sum(site.hits.values())
            late = work()
            workers.append(late)
            with server.client() as client:
                wait_until(lambda: client.hlen("{fleet}:board") == 3, 30)
            assert sum(site.hits.values()) == before, "who comes during a pause pauses, too"
            assert ask("resume")[0]["obeyed"]
            wait_until(lambda: sum(site.hits.values()) > before, 30)
            told = ask("stop")
            assert [(one["site"], len(one["asked"]), one["obeyed"]) for one in told] == [("the fleet", 3, True)]
            for worker in workers:
                out, err = worker.communicate(timeout=20)
                assert worker.returncode == 130, err
                assert "Traceback" not in err
                assert "leaves the fleet" in out
            with server.client() as client:
                assert client.hlen("{graph}:requests:leased") == 0, "everything was handed back"
        finally:
            for worker in workers:
                if worker.poll() is None:
                    worker.kill()
                    worker.communicate()


def test_nothing_runs(project: Project) -> None:
    outcome = project.scrapy("stop", "--all")
    assert (outcome.code, outcome.out) == (1, "nothing runs\n")
