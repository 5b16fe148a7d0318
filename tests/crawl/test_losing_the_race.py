"""Two workers with the same leases: one was stopped for longer than they last. What it does late has no effect."""

from __future__ import annotations

import re
import signal
import subprocess
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import Project
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

PAGES = 60
HOLD_BACK = {"GWC_COMMIT_PAGES": 1000, "GWC_COMMIT_SECONDS": 1000}
"""The stopped worker has fetched pages that it has not stored: those it does too late."""


@pytest.mark.parametrize("machines", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_late_worker_changes_nothing(
    tmp_path: Path, site: SiteServer, redis_server: RedisServer, machines: int
) -> None:
    """On one machine both workers write to one file, on two each has its own."""
    pages = [f"/p/{n}" for n in range(PAGES)]
    site.links = {page: [*pages, "http://elsewhere.example/"] for page in pages}
    site.delays["*"] = 0.05
    with ExitStack() as stack:
        projects = [stack.enter_context(Project(tmp_path / str(number))) for number in range(machines)]
        for project in projects:
            project.directory.mkdir()
            project.write_graph_site(site.url, entry="/p/0")
            project.write_knowledge()

        def join(project: Project, **settings: object) -> subprocess.Popen[str]:
            own = {"REDIS_URL": redis_server.url, "GWC_LEASE_SECONDS": 2, "GWC_LEASE_BATCH": 16, **settings}
            own["DOWNLOAD_TIMEOUT"] = 3  # so long the requests that the stopped one has begun count for its host
            return project.start("crawl", "graph", settings=own, profile="cluster", stdout=subprocess.DEVNULL)

        client = stack.enter_context(redis_server.client())
        late = join(projects[0], **HOLD_BACK)
        wait_until(lambda: len(site.page_hits()) >= 12, 30)
        late.send_signal(signal.SIGSTOP)
        other = join(projects[-1])
        _, log = other.communicate(timeout=60)
        assert other.returncode == 0, log
        lost = int(client.hget("{graph}:requests:values", "lost") or 0)
        late.send_signal(signal.SIGCONT)
        _, log = late.communicate(timeout=60)
        assert late.returncode == 0, log
        states = client.hmget("{graph}:requests:values", "U", "R", "C", "E")

    refused = int(re.findall(r"'gwc/frontier/outdated': (\d+)", log)[-1])
    assert 0 < refused <= lost, "the fencing tokens have refused what was late"
    assert [int(count or 0) for count in states] == [0, 0, PAGES, 0]
    stored = Counter(url for project in projects for (url,) in project.rows("SELECT url FROM pages"))
    assert stored == Counter(f"{site.url}{page}" for page in pages), "a page has two effects"
    links = [project.rows("SELECT link_count FROM sites WHERE name <> 'graph'") for project in projects]
    assert sum(count for rows in links for (count,) in rows) == PAGES
    again = sum(count - 1 for count in site.page_hits().values())
    assert again <= lost, "more was fetched again than leases were lost"
