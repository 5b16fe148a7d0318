"""`python -m benchmarks.growth`: does a page cost the same when a crawl knows a million URLs, or ten thousand hosts?

A frontier is filled with all URLs of a catalogue, then some thousand of its pages are crawled, each with 50 links to
anywhere in it: with few and with many known URLs, embedded and shared, turn by turn. Then URLs are leased from
frontiers with one host and with ten thousand. CPU time is that of the crawling process; Redis's own is told beside it.
Exit code 1 if a cost grows by more than it may.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, SITE, BenchmarkError, Ours
from benchmarks.measure import machine, run_measured
from benchmarks.server import CatalogueServer
from gwc_crawler.database import Database
from gwc_crawler.frontier import Frontier, RedisFrontier, SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.knowledge import Knowledge
from tests.redis_server import RedisServer

FEW, MANY = 10_000, 1_000_000
URLS, HOSTS = 50_000, 10_000
BATCH = 5_000
LEASE_BATCH = 64
LIMIT_SECONDS = 1800.0

MOST = {"known": 1.15, "shared": 1.6, "hosts": 3.0}
"""What a cost may grow by: a million known URLs against ten thousand; Redis against embedded; hosts against one."""


class Run(NamedTuple):
    """One crawl of some pages: CPU ms a page of the crawling process, and of Redis."""

    worker: float
    redis: float = 0.0


@dataclass
class Crawl:
    """One catalogue, all of whose URLs a frontier knows; each run goes on where the last one ended."""

    known: int
    shared: bool
    directory: Path
    server: CatalogueServer
    redis: RedisServer
    runs: list[Run] = field(default_factory=list)

    def prepare(self, learned: Path) -> None:
        """Take over what was learned of the site, and fill the frontier."""
        data = self.directory / "data" / SITE
        data.mkdir(parents=True)
        shutil.copy(learned / f"{SITE}.toml", self.directory)
        shutil.copy(learned / "learned" / SITE / "knowledge.json", data)
        max_weight = Knowledge.load(data / "knowledge.json").max_weight
        if self.shared:
            with self.redis.client(db=self._database) as client:
                fill(RedisFrontier(client, SITE, max_weight=max_weight), self._links())
        else:
            with Database(data / "crawl.db") as database:
                fill(SqliteFrontier(database, max_weight=max_weight), self._links())

    def run(self, pages: int) -> None:
        """Crawl so many pages more."""
        settings = {"GWC_DATA_DIR": self.directory / "data", "GWC_MAX_PAGES": pages, "GWC_REUSE_SAMPLES_SECONDS": 0}
        if self.shared:
            settings["REDIS_URL"] = f"redis://127.0.0.1:{self.redis.port}/{self._database}"
        options = [option for name, value in settings.items() for option in ("-s", f"{name}={value}")]
        command = [sys.executable, "-m", "scrapy", "crawl", str(self.directory / f"{SITE}.toml"), *options]
        log = self.directory / "crawl.log"
        before = self._redis_seconds()
        self.server.take_hits()
        cost = run_measured(
            command, log, cwd=ROOT, limit_seconds=LIMIT_SECONDS,
            environment={"SCRAPY_PROJECT": "cluster" if self.shared else "default"},
        )  # fmt: skip
        fetched = self.server.take_hits().total() - 1  # robots.txt
        if cost.exit_code or fetched < pages:
            raise BenchmarkError(f"exit code {cost.exit_code} after {fetched} pages:\n{log.read_text('utf-8')[-2000:]}")
        spent = self._redis_seconds() - before
        self.runs.append(Run(1000 * cost.cpu_seconds / fetched, 1000 * spent / fetched))

    @property
    def _database(self) -> int:
        return 0 if self.known == FEW else 1

    def _links(self) -> Iterator[Link]:
        return (Link(f"{self.server.url}{path}", 0, 1) for path in Catalogue(self.known).paths())

    def _redis_seconds(self) -> float:
        return server_seconds(self.redis) if self.shared else 0.0


def fill(frontier: Frontier, links: Iterator[Link]) -> None:
    """Add *links* a batch at a time."""
    with closing(frontier):
        batch: list[Link] = []
        for link in links:
            batch.append(link)
            if len(batch) == BATCH:
                frontier.add(batch)
                batch.clear()
        frontier.add(batch)


def server_seconds(redis: RedisServer) -> float:
    """CPU seconds that Redis has used so far."""
    with redis.client() as client:
        told: dict[str, Any] = client.info("cpu")
    return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])


def microseconds_a_lease(frontier: Frontier, hosts: int, others: Callable[[], float]) -> float:
    """µs of CPU for each URL that is leased, until none is left; *others* tells CPU seconds of a server."""
    fill_with_hosts(frontier, hosts)
    began, elsewhere = time.process_time(), others()
    leased = 0
    while leases := frontier.lease(LEASE_BATCH, "bench"):
        leased += len(leases)
    spent = time.process_time() - began + others() - elsewhere
    if leased != URLS:
        raise BenchmarkError(f"{leased} of {URLS} URLs were leased")
    return 1e6 * spent / leased


def fill_with_hosts(frontier: Frontier, hosts: int) -> None:
    """Put `URLS` in, each host's apart from each other."""
    for start in range(0, URLS, BATCH):
        frontier.add([Link(f"http://host{n % hosts}.example/{n}", 0, 1) for n in range(start, start + BATCH)])


def measure_leases(scratch: Path, redis: RedisServer) -> dict[str, tuple[float, float]]:
    """Frontier → µs a lease with one host, and with many."""
    costs: dict[str, list[float]] = {"SqliteFrontier": [], "RedisFrontier": []}
    for hosts in (1, HOSTS):
        with Database(scratch / f"hosts{hosts}.db") as database, closing(SqliteFrontier(database)) as embedded:
            costs["SqliteFrontier"].append(microseconds_a_lease(embedded, hosts, lambda: 0.0))
        with redis.client() as client:
            shared = RedisFrontier(client, f"hosts{hosts}")
            costs["RedisFrontier"].append(microseconds_a_lease(shared, hosts, lambda: server_seconds(redis)))
            shared.clear()
    return {name: (one, many) for name, (one, many) in costs.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a cost grows by more than it may."""
    options = _parser().parse_args(arguments)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="growth-")))
        redis = stack.enter_context(RedisServer(scratch / "redis"))
        try:
            leases = measure_leases(scratch, redis)
            crawls = [] if options.hosts_only else _crawl_in_turns(stack, scratch, redis, options.pages, options.rounds)
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    print(machine())
    ratios = [*_show_crawls(crawls), *_show_leases(leases)]
    return 1 if any(ratio > most for ratio, most in ratios) else 0


def _crawl_in_turns(stack: ExitStack, scratch: Path, redis: RedisServer, pages: int, rounds: int) -> list[Crawl]:
    servers = {known: stack.enter_context(CatalogueServer(known)) for known in (FEW, MANY)}
    crawls = [
        Crawl(known, shared, scratch / f"{known}-{'redis' if shared else 'sqlite'}", servers[known], redis)
        for shared in (False, True)
        for known in (FEW, MANY)
    ]
    for known, server in servers.items():
        learned = scratch / f"{known}-learned"
        learned.mkdir()
        Ours(Catalogue(known), server.url, learned).prepare()
        for crawl in crawls:
            if crawl.known == known:
                crawl.prepare(learned)
    for number in range(rounds):
        for crawl in crawls:
            crawl.run(pages)
            print(f"round {number + 1}: {crawl.directory.name}: {crawl.runs[-1].worker:.2f} ms a page", file=sys.stderr)
    return crawls


def _show_crawls(crawls: Sequence[Crawl]) -> list[tuple[float, float]]:
    if not crawls:
        return []
    print("\n| frontier | known URLs | CPU ms a page | Redis's beside it |\n|---|---|---|---|")
    for crawl in crawls:
        name = "RedisFrontier" if crawl.shared else "SqliteFrontier"
        own, beside = (median(part) for part in zip(*crawl.runs, strict=True))
        print(f"| {name} | {crawl.known:,} | {own:.2f} | {f'{beside:.2f}' if crawl.shared else '-'} |")
    few, many, shared_few, shared_many = crawls
    print()
    return [
        _show_ratio("embedded, a million known URLs against ten thousand", many, few, MOST["known"]),
        _show_ratio("shared, a million known URLs against ten thousand", shared_many, shared_few, MOST["known"]),
        _show_ratio("shared against embedded", shared_few, few, MOST["shared"]),
    ]


def _show_ratio(name: str, one: Crawl, other: Crawl, most: float) -> tuple[float, float]:
    ratios = [mine.worker / theirs.worker for mine, theirs in zip(one.runs, other.runs, strict=True)]
    shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"{name}: {median(ratios):.2f} times (rounds: {shown}; at most {most})")
    return median(ratios), most


def _show_leases(leases: dict[str, tuple[float, float]]) -> list[tuple[float, float]]:
    print(f"\n| frontier | µs a lease, 1 host | {HOSTS:,} hosts | times |\n|---|---|---|---|")
    for name, (one, many) in leases.items():
        print(f"| {name} | {one:.1f} | {many:.1f} | {many / one:.2f} |")
    return [(many / one, MOST["hosts"]) for one, many in leases.values()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2000, help="pages of one run (default 2000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs (default 3)")
    parser.add_argument("--hosts-only", action="store_true", help="leave the crawls out")
    return parser


if __name__ == "__main__":
    sys.exit(main())
