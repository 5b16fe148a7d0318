"""`python -m benchmarks.queues`: queues by host against queues by BKDR hash, taken by all workers and owned by each.

Workers of one crawl share its queues: all take URLs of all, or each owns some (GWC_QUEUE_LEASE). With a queue for each
host an owned big site is one worker's, and the others look on; with BKDR its URLs are in many queues, so all have work.
How much a site is asked is the limiter's affair: where it doesn't allow more, the policy changes nothing. Then the same
for up to 1,000 slots, simulated (`benchmarks.queue_simulation`).

Source:
    BKDR-queue, *queue assignment*: active threads and URLs per second of Heritrix with its host queues and with BKDR. A
    thread is a request slot of a worker here. What we do differently: politeness belongs to the host in both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.contenders import ROOT, options_of
from benchmarks.queue_simulation import simulation_table
from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.modes import LearnMode
from tests.processes import kill
from tests.redis_server import RedisServer

WORKERS = 4
SLOTS = 4
"""CONCURRENT_REQUESTS of each worker."""

CHILDREN = 12
SAMPLE_SECONDS = 0.1
WAYS = (("host", 0), ("bkdr", 0), ("host", 10), ("bkdr", 10))
"""GWC_QUEUE_POLICY, and GWC_QUEUE_LEASE."""


@dataclass(frozen=True)
class Case:
    """What is crawled: so many sites, of each so many requests at once at most."""

    name: str
    sites: int
    per_host: int


CASES = (
    Case("one site, as much as the workers can", 1, WORKERS * SLOTS),
    Case(f"one site, {SLOTS} requests at once allowed", 1, SLOTS),
    Case("five sites, as much as the workers can", 5, WORKERS * SLOTS),
    Case(f"50 sites, {SLOTS} requests at once allowed", 50, SLOTS),
)


@dataclass(frozen=True)
class Result:
    """What the server saw of one crawl. Figures: of the second and third quarter of the pages."""

    pages: int
    samples: list[tuple[float, int, int]]
    """(seconds, requests under way, pages asked for so far)."""
    workers_a_site: float

    @property
    def busy(self) -> list[tuple[float, int, int]]:
        return [one for one in self.samples if self.pages <= 4 * one[2] <= 3 * self.pages]

    @property
    def active(self) -> float:
        return median(active for _, active, _ in self.busy)

    @property
    def most(self) -> int:
        return max(active for _, active, _ in self.samples)

    @property
    def pages_a_second(self) -> float:
        first, last = self.busy[0], self.busy[-1]
        return (last[2] - first[2]) / (last[0] - first[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl each case in each way; print the table, and that of the simulation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.queues", description=__doc__)
    parser.add_argument("--pages", type=int, default=400, help="pages of each crawl, all sites together")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds until a page is answered")
    parser.add_argument("--seconds", type=int, default=15, help="how long the simulated crawls go on")
    options = parser.parse_args(arguments)
    rows = [[crawl(case, *way, options.pages, options.latency) for way in WAYS] for case in CASES]
    print(table(rows, options.latency), simulation_table(options.seconds, options.latency), sep="\n\n")
    allowed, limited = (bkdr.active / host.active for _, _, host, bkdr in rows[:2])
    if round(allowed) < WORKERS or limited != 1:
        print(f"expected {WORKERS} times where politeness allows it, and once where it doesn't", file=sys.stderr)
        return 1
    return 0


def crawl(case: Case, policy: str, queue_lease: float, pages: int, latency: float) -> Result:
    """Crawl *pages* pages of all sites together with `WORKERS` workers, from nothing."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-queues-")))
        redis = stack.enter_context(RedisServer(directory / "redis"))
        site = stack.enter_context(PageServer(site_of(pages // case.sites, latency), host="0.0.0.0"))
        write_site(directory, [f"http://127.0.0.{number + 1}:{site.port}" for number in range(case.sites)])
        samples = stack.enter_context(sampled(site))
        settings = {"REDIS_URL": redis.url, "GWC_QUEUE_POLICY": policy, "GWC_QUEUE_LEASE": queue_lease}
        workers = [start_worker(directory, case, number, settings) for number in range(WORKERS)]
        for worker in workers:
            stack.callback(kill, worker)
        for worker in workers:
            if worker.wait(timeout=600):
                raise SystemExit((directory / "workers.log").read_text("utf-8"))
        asked = {(one.headers["host"], one.headers["user-agent"]) for one in site.log if one.target != "/robots.txt"}
    print(f"{case.name}: {policy}, lease {queue_lease}: {samples[-1][0]:.0f} s", file=sys.stderr)
    return Result(pages // case.sites * case.sites, samples, len(asked) / case.sites)


def site_of(pages: int, latency: float) -> Callable[[Request], ServedReply]:
    """A site of small pages, each with links to `CHILDREN` further ones."""

    def answer(request: Request) -> ServedReply:
        name = request.path.rpartition("/")[2]
        if not name.isdigit() or int(name) >= pages:
            return ServedReply(b"User-agent: *\nDisallow:\n", "text/plain")
        first = int(name) * CHILDREN + 1
        links = "".join(f'<a href="/p/{n}">{n}</a> ' for n in range(first, min(first + CHILDREN, pages)))
        return ServedReply(f"<html><title>{name}</title><body>{links}</body></html>".encode(), delay_seconds=latency)

    return answer


def write_site(directory: Path, urls: Sequence[str]) -> None:
    """The site file, and what would have been learned."""
    (directory / "sites").mkdir()
    entry = ", ".join(f'"{url}/p/0"' for url in urls)
    (directory / "sites" / "portal.toml").write_text(f'entry = [{entry}]\nkeywords = "portal"\n', encoding="utf-8")
    Knowledge(
        site="portal", mode=LearnMode.PAPER, targets=(), directories=(UrlClass(".*"),), max_weight=99, keywords="portal"
    ).save(directory / "data" / "portal" / "knowledge.json")


def start_worker(directory: Path, case: Case, number: int, settings: dict[str, object]) -> subprocess.Popen[bytes]:
    """One worker, which tells its number as its user agent."""
    slots = {
        "CONCURRENT_REQUESTS": SLOTS,
        "CONCURRENT_REQUESTS_PER_DOMAIN": case.per_host,
        "GWC_LEASE_BATCH": 2 * SLOTS,
    }
    quiet = {"USER_AGENT": number, "GWC_COMMIT_SECONDS": 0.2, "LOG_LEVEL": "ERROR", "GWC_PROGRESS": "off"}
    settings = {**settings, **slots, **quiet, "GWC_QUEUES": 64}
    command = [sys.executable, "-m", "scrapy.cmdline", "crawl", "portal", *options_of(settings)]
    environment = {"SCRAPY_SETTINGS_MODULE": "settings_profiles.cluster", "PYTHONPATH": str(ROOT)}
    with (directory / "workers.log").open("ab") as log:
        return subprocess.Popen(command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=log)


@contextmanager
def sampled(site: PageServer) -> Iterator[list[tuple[float, int, int]]]:
    """Look ten times a second how many requests are under way at the server, from the first page on."""
    samples: list[tuple[float, int, int]] = []
    over = threading.Event()

    def look() -> None:
        began = 0.0
        while not over.wait(SAMPLE_SECONDS):
            if asked := len(site.log):
                began = began or time.monotonic()
                samples.append((time.monotonic() - began, site.open_requests, asked))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def table(rows: Sequence[Sequence[Result]], latency: float) -> str:
    """All figures."""
    lines = [
        f"{WORKERS} workers, {SLOTS} slots each; a page takes {latency} s; active downloads, pages/s, workers a site\n",
        "| crawl | host | bkdr | host, owned | bkdr, owned |",
        "|---|---|---|---|---|",
    ]
    for case, results in zip(CASES, rows, strict=True):
        cells = (f"{one.active:.0f}, {one.pages_a_second:.0f}, {one.workers_a_site:.1f}" for one in results)
        lines.append(f"| {case.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
