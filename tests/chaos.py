"""A shared crawl of a site whose graph is known, while workers are killed, Redis is restarted and sinks refuse.

`run_chaos` does it and returns the balance sheet: what the site had, what the frontier says, what is in the store, what
the server was asked for. `tests/crawl/test_chaos.py` is the short form, `python -m benchmarks.chaos` the long one.
"""

from __future__ import annotations

import errno
import random
import re
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.conftest import Project
from tests.graphs import crossed_tree
from tests.redis_server import RedisServer
from tests.site_server import SiteServer
from tests.small_disk import small_disk
from tests.tds_server import TdsServer

LEASE_SECONDS = 3.0
BUSY_SECONDS = 1.0
OUTAGE_SECONDS = (0.3, 1.5)
LONGEST_FAULT_SECONDS = 60.0
STORE_MEGABYTES = 256
PAGES_THERE = "SELECT url FROM dbo.pages WHERE kind <> 'redirect'"

LEASE_BATCH = 8

FLEET_SETTINGS = {
    "GWC_LEASE_SECONDS": LEASE_SECONDS,
    "GWC_LEASE_BATCH": LEASE_BATCH,
    "GWC_MAX_LEASES": 1000,  # no page is to blame for what happens here
    "GWC_BUSY_SECONDS": BUSY_SECONDS,
    "GWC_COMMIT_PAGES": 20,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,  # of all workers together
    "DOWNLOAD_TIMEOUT": 6,  # so long what a killed worker has begun counts on
}


@dataclass(frozen=True)
class Plan:
    """What is to happen. Faults come after so many pages as `seed` says, whatever the machine's speed."""

    pages: int
    kills: int
    redis_restarts: int = 1
    locks: int = 1
    full_disks: int = 1
    workers: int = 4
    seed: int = 1
    page_seconds: float = 0.1
    limit_seconds: float = 600.0
    queue_lease: float = 0.0
    """GWC_QUEUE_LEASE of the workers."""
    servers: int = 0
    """So often the SQL Server is killed that pages also go to; 0: there is none."""

    def faults(self) -> list[tuple[int, str]]:
        """(number of requests after which it comes, fault), in order."""
        rng = random.Random(self.seed)
        names = ["kill"] * self.kills + ["redis"] * self.redis_restarts
        names += ["lock"] * self.locks + ["disk"] * self.full_disks + ["server"] * self.servers
        rng.shuffle(names)
        step = 0.9 * self.pages / len(names)
        return [(int(step * (place + rng.uniform(0.3, 1.0))), name) for place, name in enumerate(names)]


class ChaosSite(SiteServer):
    """A tree with cross links; some links are dead, some addresses redirect, some pages fail the first time."""

    def __init__(self, pages: int, seconds: float) -> None:
        super().__init__(crossed_tree(pages))
        self.pages = list(self.links)
        self.gone = [f"/gone/{n}" for n in range(0, pages, 50)]
        self.moved = {f"/old/{n}": f"/p/{n * 11 % pages}" for n in range(7, pages, 40)}
        self.flaky = {f"/p/{n}" for n in range(13, pages, 60)}
        for path in (*self.gone, *self.moved):
            page = "/p/" + path.rpartition("/")[2]
            self.links[page] = [*self.links[page], path]
        self.statuses.update(dict.fromkeys(self.moved, 301))
        self.statuses.update(dict.fromkeys(self.flaky, (500, 200)))
        self.headers.update((path, {"Location": target}) for path, target in self.moved.items())
        self.delays["*"] = seconds

    def expected(self) -> dict[str, int]:
        """Path → requests that a crawl without faults makes."""
        paths = [*self.pages, *self.gone, *self.moved]
        return {path: 2 if path in self.flaky else 1 for path in paths}


@dataclass
class Sheet:
    """The balance sheet."""

    plan: Plan
    site: ChaosSite
    counts: dict[str, int] = field(default_factory=dict)
    stored: list[str] = field(default_factory=list)
    on_server: list[str] | None = None
    """URLs of the pages in the SQL Server, if there is one."""
    requests: Counter[str] = field(default_factory=Counter)
    leases_lost: int = 0
    unsaved: int = 0
    exits: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    tracebacks: list[str] = field(default_factory=list)

    @property
    def fetched_again(self) -> int:
        """Requests beyond what a crawl without faults makes."""
        return sum(max(0, count - self.site.expected().get(path, 0)) for path, count in self.requests.items())

    @property
    def accounted_for(self) -> int:
        """So many requests may be made again. A worker whose store fails hands back what it had under way: no lease is
        lost, but the server has seen the requests."""
        return self.leases_lost + self.unsaved + LEASE_BATCH * self.exits[5]

    def problems(self) -> list[str]:
        """What does not balance; nothing if all is well."""
        counts, expected = self.counts, self.site.expected()
        checks = {
            "something waits or is leased": counts["U"] == counts["R"] == 0,
            "discovered is not complete + error": counts["known"] == counts["C"] + counts["E"],
            "not every page and redirect is complete": counts["C"] == len(self.site.pages) + len(self.site.moved),
            "not every dead link is an error": counts["E"] == len(self.site.gone),
            "a page is in the store twice": len(self.stored) == len(set(self.stored)),
            "a page is missing in the store": {*self.site.pages} <= {*self.stored},
            "the store has what is no page": {*self.stored} <= {*self.site.pages},
            "a page is on the SQL Server twice, or not at all": self.on_server is None
            or sorted(self.on_server) == sorted(self.stored),
            "a page was never asked for": expected.keys() <= self.requests.keys(),
            "more was fetched again than can be accounted for": self.fetched_again <= self.accounted_for,
            "a worker ended in a way that is not documented": set(self.exits) <= {0, 5, -signal.SIGKILL},
            "a worker has logged a traceback": not self.tracebacks,
        }
        return [problem for problem, holds in checks.items() if not holds]

    def __str__(self) -> str:
        counts, site, exits = self.counts, self.site, self.exits
        faultless = sum(site.expected().values())
        faults = ", ".join(f"{count} × {name}" for name, count in sorted(self.faults.items()))
        return "\n".join(
            [
                f"the site        {len(site.pages)} pages, {len(site.moved)} redirects, {len(site.gone)} dead links",
                (
                    f"the frontier    {counts['known']} discovered = {counts['C']} complete + {counts['E']} error, "
                    f"{counts['U']} waiting, {counts['R']} leased"
                ),
                f"the store       {len(self.stored)} pages, {len(set(self.stored))} different ones"
                + ("" if self.on_server is None else f"; on the SQL Server {len(self.on_server)}"),
                (
                    f"the server      {self.requests.total()} requests, {faultless} without faults, "
                    f"so {self.fetched_again} fetched again"
                ),
                f"to account for  {self.leases_lost} leases lost, {self.unsaved} pages that a failing store refused",
                f"what happened   {faults}",
                (
                    f"the workers     {exits.total()} started, {exits[-signal.SIGKILL]} killed, "
                    f"{exits[5]} ended because the store or Redis failed, {exits[0]} to the end"
                ),
                f"took            {self.seconds:.0f} s with {self.plan.workers} workers at a time",
                "balance         " + ("; ".join(self.problems()) or "even"),
            ]
        )


def run_chaos(plan: Plan, directory: Path, *, fsync: str = "everysec") -> Sheet:
    """Run one crawl with all faults of *plan*, in an empty *directory*; Redis writes its log with *fsync*."""
    site = ChaosSite(plan.pages, plan.page_seconds)
    project = Project(directory)
    options = ("--appendonly", "yes", "--appendfsync", fsync)
    with ExitStack() as stack:
        stack.enter_context(site)
        server = stack.enter_context(RedisServer(directory / "redis", options=options))
        project.write_graph_site(site.url, entry="/p/0")
        (directory / "data").mkdir()
        mounted = stack.enter_context(small_disk(directory / "data", STORE_MEGABYTES)) if plan.full_disks else False
        project.write_knowledge()
        tds = stack.enter_context(TdsServer(directory / "tds")) if plan.servers else None
        fleet = _Fleet(plan, stack.enter_context(project), site, server, tds, can_fill=mounted)
        began = time.monotonic()
        fleet.run()
        sheet = fleet.sheet
        sheet.seconds = time.monotonic() - began
        if tds is not None:
            fleet.bring_over_the_rest()
            sheet.on_server = [url.removeprefix(site.url) for (url,) in tds.rows(PAGES_THERE)]
        _read_ledgers(sheet, project, server)
    return sheet


def _read_ledgers(sheet: Sheet, project: Project, server: RedisServer) -> None:
    names = ("known", "U", "R", "C", "E", "lost")
    with server.client() as client:
        values = client.hmget("{graph}:requests:values", names)
    figures = {name: int(value or 0) for name, value in zip(names, values, strict=True)}
    sheet.leases_lost = figures.pop("lost")
    sheet.counts = figures
    rows = project.rows("SELECT url FROM pages WHERE kind <> 'redirect'")
    sheet.stored = [url.removeprefix(sheet.site.url) for (url,) in rows]
    sheet.requests = Counter(sheet.site.page_hits())
    for log in sorted(project.directory.glob("worker-*.log")):
        text = log.read_text(encoding="utf-8")
        sheet.unsaved += sum(int(count) for count in re.findall(r"last batch not stored.* pages=(\d+)", text))
        if "Traceback" in text:
            sheet.tracebacks.append(text)


class _Fleet:
    """As many workers as planned; one that ends before the crawl is over is replaced at once."""

    def __init__(
        self,
        plan: Plan,
        project: Project,
        site: ChaosSite,
        server: RedisServer,
        tds: TdsServer | None = None,
        *,
        can_fill: bool,
    ) -> None:
        self.plan, self.project, self.site, self.server, self.tds = plan, project, site, server, tds
        self.can_fill = can_fill
        self.sheet = Sheet(plan, site)
        self.rng = random.Random(plan.seed)
        self.running: list[subprocess.Popen[str]] = []
        self.started = 0
        self.over = False

    def run(self) -> None:
        """Let all faults happen in their turn, then wait until the workers end by themselves."""
        deadline = time.monotonic() + self.plan.limit_seconds
        faults = self.plan.faults()
        while self.running or not self.over:
            assert time.monotonic() < deadline, f"not over in time: {self.site.hits.total()} requests so far"
            self._keep_up()
            if faults and self.site.hits.total() >= faults[0][0]:
                self._let_happen(faults.pop(0)[1])
            time.sleep(0.01)
        assert not faults, f"the crawl was over before all had happened: {faults}"

    def _keep_up(self) -> None:
        for worker in [one for one in self.running if one.poll() is not None]:
            self.running.remove(worker)
            self.sheet.exits[worker.returncode] += 1
            self.over = self.over or worker.returncode == 0
        while not self.over and len(self.running) < self.plan.workers:
            self.started += 1
            with (self.project.directory / f"worker-{self.started}.log").open("w") as log:
                self.running.append(self._start(log))

    def _start(self, log: IO[str]) -> subprocess.Popen[str]:
        settings = {**FLEET_SETTINGS, "REDIS_URL": self.server.url, "GWC_QUEUE_LEASE": self.plan.queue_lease}
        if self.tds is not None:
            settings |= {**self.tds.settings, "GWC_SINK": "sqlite,mssql", "GWC_MSSQL_RETRY_SECONDS": 0.5}
        return self.project.start("crawl", "graph", settings=settings, profile="cluster", stdout=log, stderr=log)

    def bring_over_the_rest(self) -> None:
        """Have a run with nothing left to crawl take over what killed workers have left for the SQL Server."""
        with (self.project.directory / "worker-rest.log").open("w") as log:
            self._start(log).wait(120)

    def _let_happen(self, fault: str) -> None:
        happens: dict[str, Callable[[], Any]] = {
            "kill": self._kill_one,
            "redis": self._restart_redis,
            "lock": self._lock_the_store,
            "disk": self._fill_the_disk,
            "server": self._restart_the_sql_server,
        }
        if fault == "disk" and not self.can_fill:
            fault = "full disk left out (it takes root)"
        else:
            happens[fault]()
        self.sheet.faults[fault] += 1

    def _kill_one(self) -> None:
        self.rng.choice(self.running).send_signal(signal.SIGKILL)

    def _restart_redis(self) -> None:
        self.server.kill()
        time.sleep(self.rng.uniform(*OUTAGE_SECONDS))
        self.server.start()

    def _restart_the_sql_server(self) -> None:
        assert self.tds is not None
        self.tds.kill()
        time.sleep(self.rng.uniform(*OUTAGE_SECONDS))
        self.tds.start()

    def _lock_the_store(self) -> None:
        """Another process writes to the file for longer than anybody waits for it."""
        connection = sqlite3.connect(self.project.directory / "data" / "graph" / "crawl.db", isolation_level=None)
        connection.execute("PRAGMA busy_timeout = 30000")
        connection.execute("BEGIN IMMEDIATE")
        self._until_a_worker_fails()
        connection.execute("ROLLBACK")
        connection.close()

    def _fill_the_disk(self) -> None:
        filler = self.project.directory / "data" / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while file.write(b"\0" * 4096):
                    pass
        except OSError as error:
            assert error.errno == errno.ENOSPC
        self._until_a_worker_fails()
        filler.unlink()

    def _until_a_worker_fails(self) -> None:
        failed, deadline = self.sheet.exits[5], time.monotonic() + LONGEST_FAULT_SECONDS
        while self.sheet.exits[5] == failed and not self.over:
            assert time.monotonic() < deadline, "the store failed, and no worker has noticed"
            self._keep_up()
            time.sleep(0.01)
