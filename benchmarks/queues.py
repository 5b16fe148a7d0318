"""`python -m benchmarks.queues`: queues by host against queues by BKDR hash, for one big site and for five.

Workers of one crawl share its queues: each has parts of its own, as in a fleet (`scrapy work`). With a queue for each
host a big site is in one part, so one worker crawls it and the others look on; with BKDR its URLs are in many queues,
so all have work. How much the site is asked is the limiter's affair: where it doesn't allow more, the policy changes
nothing.

Source:
    BKDR-queue, *queue assignment*: active threads and URLs per second of Heritrix with its host queues and with BKDR. A
    thread is a request slot of a worker here. What we do differently: politeness belongs to the host in both.
"""

from __future__ import annotations

import argparse
import os
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

from gwc_crawler.demo.serving import PageServer, Request, ServedReply
from gwc_crawler.knowledge import Knowledge, UrlClass
from gwc_crawler.modes import LearnMode
from tests.redis_server import RedisServer

WORKERS = 4
SLOTS = 4
"""CONCURRENT_REQUESTS of each worker."""

PARTS, QUEUES = 16, 64
CHILDREN = 12
SAMPLE_SECONDS = 0.1


@dataclass(frozen=True)
class Case:
    """One crawl."""

    name: str
    sites: int
    policy: str
    per_host: int


@dataclass(frozen=True)
class Result:
    """What the servers saw of one crawl. Figures: of the second and third quarter of the pages."""

    case: Case
    pages: int
    samples: list[tuple[float, int, int]]
    """(seconds, requests under way, pages asked for so far)."""

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
    """Crawl with both policies, where politeness allows more and where it doesn't; print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.queues", description=__doc__)
    parser.add_argument("--pages", type=int, default=300, help="pages of each crawl, all sites together")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds until a page is answered")
    options = parser.parse_args(arguments)
    everything = WORKERS * SLOTS
    results = [
        crawl(Case(name, sites, policy, per_host), options.pages, options.latency)
        for name, sites, per_host in (
            ("one site, as much as the workers can", 1, everything),
            (f"one site, {SLOTS} requests at once allowed", 1, SLOTS),
            ("five sites, as much as the workers can", 5, everything),
        )
        for policy in ("host", "bkdr")
    ]
    print(table(results, options.latency))
    allowed, limited = (results[place + 1].active / results[place].active for place in (0, 2))
    if allowed < WORKERS or limited != 1:
        print(f"expected {WORKERS} times where politeness allows it, and once where it doesn't", file=sys.stderr)
        return 1
    return 0


def crawl(case: Case, pages: int, latency: float) -> Result:
    """Crawl *pages* pages of all sites together with `WORKERS` workers, from nothing."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-queues-")))
        redis = stack.enter_context(RedisServer(directory / "redis"))
        sites = [stack.enter_context(PageServer(site_of(pages // case.sites, latency))) for _ in range(case.sites)]
        write_site(directory, [site.url for site in sites])
        samples = stack.enter_context(sampled(sites))
        workers = [start_worker(directory, case, redis.url, number) for number in range(WORKERS)]
        stack.callback(stop, workers)
        for worker in workers:
            if worker.wait(timeout=600):
                raise SystemExit((directory / "workers.log").read_text("utf-8"))
    print(f"{case.name}: {case.policy}: {samples[-1][0]:.0f} s", file=sys.stderr)
    return Result(case, pages // case.sites * case.sites, samples)


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


def start_worker(directory: Path, case: Case, redis_url: str, number: int) -> subprocess.Popen[bytes]:
    """One worker with every fourth part."""
    settings = {
        "REDIS_URL": redis_url,
        "GWC_QUEUE_POLICY": case.policy,
        "GWC_QUEUES": QUEUES,
        "GWC_PARTS": PARTS,
        "GWC_LEASE_BATCH": 2 * SLOTS,
        "CONCURRENT_REQUESTS": SLOTS,
        "CONCURRENT_REQUESTS_PER_DOMAIN": case.per_host,
        "GWC_COMMIT_SECONDS": 0.2,
        "LOG_LEVEL": "ERROR",
        "GWC_PROGRESS": "off",
    }
    command = [sys.executable, "-m", "scrapy.cmdline", "crawl", "portal"]
    command += [option for name, value in settings.items() for option in ("-s", f"{name}={value}")]
    environment = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "benchmarks.part_worker",
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "PARTS": ",".join(map(str, range(number, PARTS, WORKERS))),
    }
    with (directory / "workers.log").open("ab") as log:
        return subprocess.Popen(command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=log)


def stop(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    """End what has not ended."""
    for worker in workers:
        if worker.poll() is None:
            worker.kill()
            worker.wait()


@contextmanager
def sampled(sites: Sequence[PageServer]) -> Iterator[list[tuple[float, int, int]]]:
    """Look ten times a second how many requests are under way at the sites, from the first page on."""
    samples: list[tuple[float, int, int]] = []
    over = threading.Event()

    def look() -> None:
        began = 0.0
        while not over.wait(SAMPLE_SECONDS):
            asked = sum(len(site.log) for site in sites)
            if asked:
                began = began or time.monotonic()
                samples.append((time.monotonic() - began, sum(site.open_requests for site in sites), asked))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def table(results: Sequence[Result], latency: float) -> str:
    """All figures."""
    lines = [
        f"{WORKERS} workers with {SLOTS} request slots each; a page is answered after {latency} s; medians",
        "",
        "| crawl | queues by | active downloads | at most | pages/s | times host |",
        "|---|---|---|---|---|---|",
    ]
    for host, bkdr in zip(results[::2], results[1::2], strict=True):
        for one in (host, bkdr):
            times = "" if one is host else f"{one.active / host.active:.1f}"
            lines.append(
                f"| {one.case.name} | {one.case.policy} | {one.active:.0f} | {one.most} "
                f"| {one.pages_a_second:.0f} | {times} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
