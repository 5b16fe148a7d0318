"""`python -m benchmarks.peers`: our crawl beside CrawlSpider, a Scrapy loop, scrapy-redis, Crawlee, httrack, wget2.

All crawl the same pages of 40 KB, served by nginx. They run in turns of seconds, only one at a time, so that a slow
phase of the machine falls on all; a round in which one left a page out fails. CPU time is that of the crawler with its
children, without nginx and Redis. Compare ratios, not machines.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.catalogue import LINKS_A_PAGE, Catalogue
from benchmarks.measure import Cost, machine, run_in_turns
from benchmarks.peers.contenders import COUNT, Contender, peers
from benchmarks.peers.site import Site
from tests.redis_server import RedisServer

LIMIT_SECONDS_A_PAGE = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print the table; 0 if all fetched every page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=1, help="how often each crawl runs; the medians are shown")
    options = parser.parse_args(arguments)
    catalogue = Catalogue(options.pages)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-peers-")))
        redis = stack.enter_context(RedisServer(scratch / "redis"))
        site = stack.enter_context(Site(catalogue, scratch, COUNT))
        contenders = peers(catalogue, site.urls, scratch, redis.url)
        for contender in contenders:
            contender.prepare()
        rounds = [_round(contenders, site, redis, options.pages) for _ in range(options.rounds)]
    print(f"{options.pages:,} pages of 40 KB with {LINKS_A_PAGE} links each, served by nginx; rounds: {options.rounds}")
    print(f"{machine()}\n")
    print(table(options.pages, contenders, rounds))
    return 0


def _round(contenders: Sequence[Contender], site: Site, redis: RedisServer, pages: int) -> list[Cost]:
    """Let all crawl; give what each cost."""
    with redis.client() as client:
        client.flushall()
    for url in site.urls:
        site.take_hits(url)
    costs = run_in_turns([contender.job() for contender in contenders], max(120.0, pages * LIMIT_SECONDS_A_PAGE))
    for contender, url, cost in zip(contenders, site.urls, costs, strict=True):
        contender.check(cost, site.take_hits(url))
        print(f"{contender.name}: {1000 * cost.cpu_seconds / pages:.2f} ms CPU a page", file=sys.stderr)
    return costs


def table(pages: int, contenders: Sequence[Contender], rounds: Sequence[Sequence[Cost]]) -> str:
    """Return the figures as Markdown: medians of the rounds."""
    lines = [
        "| crawler | version | CPU ms a page | our CPU is | pages a CPU second | pages a second | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    first = median(costs[0].cpu_seconds for costs in rounds)
    for one, costs in zip(contenders, zip(*rounds, strict=True), strict=True):
        cpu, wall = (median(cost.cpu_seconds for cost in costs), median(cost.wall_seconds for cost in costs))
        lines.append(
            f"| {one.name} | {one.version} | {1000 * cpu / pages:.2f} | {first / cpu:.3f} x | {pages / cpu:,.0f} "
            f"| {pages / wall:,.0f} | {median(cost.peak_mb for cost in costs):.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
