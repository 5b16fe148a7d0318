"""`python -m benchmarks.simulate`: 64 to 1,000 workers on 100,000 hosts and millions of URLs, on a virtual clock.

The frontier, the politeness, the fleet's plan and the cache of names are the crawl's own, and so is Redis; simulated
are time, network, pages and processors. Prints what comes home a second, who waits for what, and where it saturates.
Exit code 1 where a host was asked more than it may be, or a page was completed twice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.measure import machine
from benchmarks.record import Recorder
from benchmarks.simulate.simulation import Case, Outcome, fill, simulate
from benchmarks.simulate.table import table
from benchmarks.simulate.world import World
from tests.redis_server import RedisServer


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate each number of workers; print the table."""
    options = _parser().parse_args(arguments)
    recorder = Recorder("simulate")
    world = World(options.hosts, options.urls, options.sites)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="simulate-") as directory:
        for masters in options.masters:
            for workers in options.workers:
                case = Case(workers, masters, options.seconds, delay=options.delay, per_host=options.per_host)
                outcomes.append(_run(Path(directory) / f"{workers}-{masters}", world, case))
    rows = [asdict(one) for one in outcomes]
    recorder.write({"hosts": world.hosts, "urls": sum(world.sizes), "sites": world.sites, "outcomes": rows})
    print(machine())
    print(f"{world.hosts} hosts, {sum(world.sizes)} URLs that wait, {world.sites} sites\n")
    print(table(rows))
    return 1 if any(one.most_at_once > options.per_host or one.twice for one in outcomes) else 0


def _run(directory: Path, world: World, case: Case) -> Outcome:
    began = time.monotonic()
    with RedisServer(directory) as redis, redis.client(socket_timeout=60) as client:
        fill(client, world, case)
        print(f"filled in {time.monotonic() - began:.0f} s", file=sys.stderr)
        outcome = simulate(client, world, case)
    print(f"{case.workers} workers: {time.monotonic() - began:.0f} s; {outcome}", file=sys.stderr)
    return outcome


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[16, 64, 256])
    parser.add_argument("--masters", type=int, nargs="+", default=[1], help="masters of a Redis Cluster")
    parser.add_argument("--hosts", type=int, default=10_000, help="of power-law size")
    parser.add_argument("--urls", type=int, default=200_000, help="URLs that wait at the beginning")
    parser.add_argument("--sites", type=int, default=64, help="crawls of their own, that the fleet deals out")
    parser.add_argument("--seconds", type=float, default=15.0, help="virtual time")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between requests to a host")
    parser.add_argument("--per-host", type=int, default=2, help="requests to a host at a time")
    return parser


if __name__ == "__main__":
    sys.exit(main())
