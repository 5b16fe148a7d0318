"""`python -m benchmarks.growth`: does a page cost the same when a crawl knows a million URLs, or ten thousand hosts?

Some thousand pages of a catalogue are crawled, all of whose URLs the frontier knows: alone, and among a million
others; embedded and shared, turn by turn. Beside it a catalogue of a million pages whose links lead anywhere, so that
nearly every link is one that the process has never seen. Then URLs are leased from frontiers with one host and with ten
thousand. CPU time is that of the crawling process; Redis's own is told beside it. Exit code 1 if a cost grows by more
than it may.
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
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, SITE, BenchmarkError, Ours, options_of, tail
from benchmarks.measure import Job, machine, run_measured
from benchmarks.server import CatalogueServer
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.redis_server import RedisServer

FEW, MANY = 10_000, 1_000_000
URLS, HOSTS = 50_000, 10_000
BATCH = 5_000
LEASE_BATCH = 64
LIMIT_SECONDS = 1800.0

MOST = {"known": 1.15, "shared": 1.6, "hosts": 3.0}
"""What a cost may grow by: a million known URLs against ten thousand; Redis against embedded; hosts against one."""


class Run(NamedTuple):
    """One crawl of some pages: CPU ms a page of the crawling process, and of Redis; its peak resident set."""

    worker: float
    redis: float
    peak_mb: float


@dataclass
class Crawl:
    """A catalogue in a frontier that knows so many URLs; each run goes on where the last one ended.

    `number` is that of its database in Redis.
    """

    known: int
    pages: int
    shared: bool
    number: int
    directory: Path
    server: CatalogueServer
    redis: RedisServer
    runs: list[Run] = field(default_factory=list)

    def prepare(self, learned: Path) -> None:
        """Take over what was learned of the site, and fill the frontier; the store has seen all of its URLs, too."""
        data = self.directory / "data" / SITE
        data.mkdir(parents=True)
        shutil.copy(learned / f"{SITE}.toml", self.directory)
        shutil.copy(learned / "learned" / SITE / "knowledge.json", data)
        max_weight = Knowledge.load(data / "knowledge.json").max_weight
        with CrawlDatabase(data / "crawl.db") as database:
            if self.shared:
                with self.redis.client(db=self.number) as client:
                    fill(RedisFrontier(client, SITE, max_weight=max_weight), self._links())
                for batch in batches(self._links()):
                    with database.transaction():
                        database.urls.ids([link.url for link in batch])
            else:
                fill(SqliteFrontier(database, max_weight=max_weight), self._links())

    def run(self, pages: int) -> None:
        """Crawl so many pages more."""
        settings = {"GWC_DATA_DIR": self.directory / "data", "GWC_MAX_PAGES": pages, "GWC_REUSE_SAMPLES_SECONDS": 0}
        if self.shared:
            settings["REDIS_URL"] = f"redis://127.0.0.1:{self.redis.port}/{self.number}"
        command = [sys.executable, "-m", "scrapy", "crawl", str(self.directory / f"{SITE}.toml"), *options_of(settings)]
        log = self.directory / "crawl.log"
        before = self._redis_seconds()
        self.server.take_hits()
        environment = {"SCRAPY_PROJECT": "cluster" if self.shared else "default"}
        cost = run_measured(Job(command, log, ROOT, environment), LIMIT_SECONDS)
        hits = self.server.take_hits()
        fetched = hits.total() - hits["/robots.txt"]  # which a run that goes on knows already
        if cost.exit_code or fetched < pages:
            raise BenchmarkError(f"exit code {cost.exit_code} after {fetched} pages:\n{tail(log)}")
        spent = self._redis_seconds() - before
        self.runs.append(Run(1000 * cost.cpu_seconds / fetched, 1000 * spent / fetched, cost.peak_mb))

    def _links(self) -> Iterator[Link]:
        """The catalogue's, then others that wait behind them."""
        others = (f"/product/{number}" for number in range(self.pages + 1, self.known + 1))
        return (Link(f"{self.server.url}{path}", 0, 1) for path in chain(Catalogue(self.pages).paths(), others))

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"{'Redis' if self.shared else 'Sqlite'}Frontier"

    def _redis_seconds(self) -> float:
        return server_seconds(self.redis) if self.shared else 0.0


def fill(frontier: Frontier, links: Iterator[Link]) -> None:
    """Add *links* a batch at a time."""
    with closing(frontier):
        for batch in batches(links):
            frontier.add(batch)


def batches(links: Iterator[Link]) -> Iterator[list[Link]]:
    """Some thousand links at a time."""
    while batch := list(islice(links, BATCH)):
        yield batch


def server_seconds(redis: RedisServer) -> float:
    """CPU seconds that Redis has used so far."""
    with redis.client() as client:
        told: dict[str, Any] = client.info("cpu")
    return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])


def microseconds_a_lease(frontier: Frontier, hosts: int, others: Callable[[], float]) -> float:
    """µs of CPU for each URL that is leased, until none is left; *others* tells CPU seconds of a server."""
    for batch in batches(Link(f"http://host{n % hosts}.example/{n}", 0, 1) for n in range(URLS)):
        frontier.add(batch)
    began, elsewhere = time.process_time(), others()
    leased = 0
    while leases := frontier.lease(LEASE_BATCH, "bench"):
        leased += len(leases)
    spent = time.process_time() - began + others() - elsewhere
    if leased != URLS:
        raise BenchmarkError(f"{leased} of {URLS} URLs were leased")
    return 1e6 * spent / leased


def measure_leases(scratch: Path, redis: RedisServer) -> dict[str, tuple[float, float]]:
    """Frontier → µs a lease with one host, and with many."""
    costs: dict[str, list[float]] = {"SqliteFrontier": [], "RedisFrontier": []}
    for hosts in (1, HOSTS):
        with CrawlDatabase(scratch / f"hosts{hosts}.db") as database, closing(SqliteFrontier(database)) as embedded:
            costs["SqliteFrontier"].append(microseconds_a_lease(embedded, hosts, lambda: 0.0))
        with redis.client() as client:
            shared = RedisFrontier(client, f"hosts{hosts}")
            costs["RedisFrontier"].append(microseconds_a_lease(shared, hosts, lambda: server_seconds(redis)))
            shared.clear()
    return {name: (one, many) for name, (one, many) in costs.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a cost grows by more than it may."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2000, help="pages of one run (default 2000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs (default 3)")
    parser.add_argument("--hosts-only", action="store_true", help="leave the crawls out")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="growth-")))
        redis = stack.enter_context(RedisServer(scratch / "redis"))
        leases = measure_leases(scratch, redis)
        crawls = [] if options.hosts_only else _crawl_in_turns(stack, scratch, redis, options.pages, options.rounds)
    print(machine())
    ratios = [*_show_crawls(crawls), *_show_leases(leases)]
    return 1 if any(ratio > most for ratio, most in ratios) else 0


def _crawl_in_turns(stack: ExitStack, scratch: Path, redis: RedisServer, pages: int, rounds: int) -> list[Crawl]:
    servers = {size: stack.enter_context(CatalogueServer(size)) for size in (FEW, MANY)}
    for size, server in servers.items():
        Ours(Catalogue(size), server.url, scratch / f"learned{size}").prepare()
    crawls: list[Crawl] = []
    for shared in (False, True):
        for known, size in ((FEW, FEW), (MANY, FEW), (MANY, MANY)):
            number = len(crawls)
            crawls.append(Crawl(known, size, shared, number, scratch / str(number), servers[size], redis))
            crawls[-1].prepare(scratch / f"learned{size}")
    for number in range(rounds):
        for crawl in crawls:
            crawl.run(pages)
            told = f"{crawl.name}, {crawl.known:,} known, catalogue of {crawl.pages:,}"
            print(f"round {number + 1}: {told}: {crawl.runs[-1].worker:.2f} ms a page", file=sys.stderr)
    return crawls


def _show_crawls(crawls: Sequence[Crawl]) -> list[tuple[float, float]]:
    if not crawls:
        return []
    print("\n| frontier | known URLs | links lead to | CPU ms a page | Redis's beside it | peak MB |")
    print("|---|---|---|---|---|---|")
    for crawl in crawls:
        own, beside, peak = (median(part) for part in zip(*crawl.runs, strict=True))
        redis = f"{beside:.2f}" if crawl.shared else "-"
        print(f"| {crawl.name} | {crawl.known:,} | {crawl.pages:,} of them | {own:.2f} | {redis} | {peak:.0f} |")
    few, many, _, shared_few, shared_many, _ = crawls
    print()
    return [
        _show_ratio("embedded, a million known URLs against ten thousand", many, few, MOST["known"]),
        _show_ratio("shared, a million known URLs against ten thousand", shared_many, shared_few, MOST["known"]),
        _show_ratio("shared against embedded, ten thousand", shared_few, few, MOST["shared"]),
        _show_ratio("shared against embedded, a million", shared_many, many, MOST["shared"]),
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


if __name__ == "__main__":
    sys.exit(main())
