"""`python -m benchmarks.peers`: our crawl beside CrawlSpider, a Scrapy loop, scrapy-redis, Crawlee, httrack, wget2.

All crawl the same pages of 40 KB, served by nginx. They run in turns of seconds, only one at a time, so that a slow
phase of the machine falls on all; a round in which one left a page out fails. CPU time is that of the crawler with its
children, without nginx and Redis. Compare ratios, not machines.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.catalogue import LINKS_A_PAGE, Catalogue
from benchmarks.contenders import BenchmarkError
from benchmarks.measure import Cost, machine, run_in_turns
from benchmarks.peers.contenders import COUNT, Contender, peers
from benchmarks.peers.environments import EnvironmentFailedError
from benchmarks.peers.site import Site
from benchmarks.record import Recorder
from tests.redis_server import RedisServer

LIMIT_SECONDS_A_PAGE = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds, print the table, write results/peers.json; 0 if all fetched every page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=1, help="how often each crawl runs; the medians are shown")
    options = parser.parse_args(arguments)
    recorder = Recorder("peers")
    catalogue = Catalogue(options.pages)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-peers-")))
        redis = stack.enter_context(RedisServer(scratch / "redis"))
        site = stack.enter_context(Site(catalogue, scratch, COUNT))
        try:
            contenders = peers(catalogue, site.urls, scratch, redis.url)
            for contender in contenders:
                contender.prepare()
            rounds = [_round(contenders, site, options.pages) for _ in range(options.rounds)]
        except (BenchmarkError, EnvironmentFailedError) as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    figures = _figures(catalogue, contenders, rounds)
    recorder.write(figures)
    print(f"{options.pages:,} pages of 40 KB with {LINKS_A_PAGE} links each, served by nginx; rounds: {options.rounds}")
    print(f"{machine()}\n")
    print(table(figures))
    return 0


def _round(contenders: Sequence[Contender], site: Site, pages: int) -> list[tuple[Cost, int]]:
    """Let all crawl; give what each cost, and how many requests it sent."""
    for url in site.urls:
        site.take_hits(url)
    costs = run_in_turns([contender.job() for contender in contenders], max(120.0, pages * LIMIT_SECONDS_A_PAGE))
    found = []
    for contender, url, cost in zip(contenders, site.urls, costs, strict=True):
        hits = site.take_hits(url)
        contender.check(cost, hits)
        print(f"{contender.name}: {1000 * cost.cpu_seconds / pages:.2f} ms CPU a page", file=sys.stderr)
        found.append((cost, hits.total()))
    return found


def _figures(
    catalogue: Catalogue, contenders: Sequence[Contender], rounds: Sequence[Sequence[tuple[Cost, int]]]
) -> dict[str, Any]:
    rows = []
    for contender, runs in zip(contenders, zip(*rounds, strict=True), strict=True):
        costs = [cost for cost, _ in runs]
        rows.append(
            {
                "name": contender.name,
                "version": contender.version,
                "cpu_seconds": [round(cost.cpu_seconds, 3) for cost in costs],
                "wall_seconds": [round(cost.wall_seconds, 3) for cost in costs],
                "peak_mb": [round(cost.peak_mb, 1) for cost in costs],
                "requests": [requests for _, requests in runs],
            }
        )
    return {"pages": catalogue.pages, "rows": rows}


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown."""
    pages = figures["pages"]
    first = median(figures["rows"][0]["cpu_seconds"])
    lines = [
        "| crawler | version | CPU ms a page | our CPU is | pages a CPU second | pages a second | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        cpu, wall = median(row["cpu_seconds"]), median(row["wall_seconds"])
        lines.append(
            f"| {row['name']} | {row['version']} | {1000 * cpu / pages:.2f} | {first / cpu:.2f} x | {pages / cpu:,.0f} "
            f"| {pages / wall:,.0f} | {median(row['peak_mb']):.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
