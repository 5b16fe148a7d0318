"""`python -m benchmarks.latency`: how near a crawl comes to what a slow server allows.

A page is answered after 50 or 300 ms; so many connections at once allow connections / delay pages a second, unless the
processor is what bounds it. What is reached is measured at the server, between the first and the last tenth of the
pages: start-up and the first few pages, from which the others have to be found, are left out. Everything is on. Then
ten sites at once, each with the eight connections that one host gets where nobody says otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import Ours, options_of
from benchmarks.measure import Cost, run_measured
from benchmarks.server import CatalogueServer

CONNECTIONS_A_HOST = 8
HOSTS = 10
ROUNDS_OF_CONNECTIONS = 40
"""How often each connection answers in a run, at least."""

HEAD = """| crawl | delay ms | allowed | pages a second | share | CPU ms a page | of one core | peak MB |
|---|---|---|---|---|---|---|---|"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl with each delay and number of connections, then ten sites; print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--delays", type=int, nargs="*", default=[50, 300], help="ms until a page is answered")
    parser.add_argument("--connections", type=int, nargs="*", default=[16, 64, 256], help="connections at once")
    parser.add_argument("--pages", type=int, default=3_000, help="pages of a crawl at least (100 or more)")
    options = parser.parse_args(arguments)
    print(HEAD)
    for connections in options.connections:
        pages = max(options.pages, ROUNDS_OF_CONNECTIONS * connections)
        crawl(f"one site, {connections} connections", pages, 1, connections, options.delays)
    pages = max(100, options.pages // HOSTS)
    crawl(f"ten sites, {CONNECTIONS_A_HOST} connections each", pages, HOSTS, CONNECTIONS_A_HOST, options.delays)
    return 0


def crawl(name: str, pages: int, hosts: int, connections: int, delays: Sequence[int]) -> None:
    """Crawl the sites at *hosts* addresses, so many connections to each; print a row for each delay."""
    every = connections * hosts
    settings = options_of({"CONCURRENT_REQUESTS": every, "CONCURRENT_REQUESTS_PER_DOMAIN": connections})
    with tempfile.TemporaryDirectory(prefix="bench-latency-") as scratch, CatalogueServer(pages, hosts) as server:
        ours = Ours(Catalogue(pages), server.url, Path(scratch), settings=settings, more_urls=server.urls[1:])
        ours.prepare()
        for delay in delays:
            server.delay_seconds = delay / 1000
            server.clear()
            cost = run_measured(ours.job(), 600)
            times = [request.arrived for request in server.log if request.path != "/robots.txt"]
            ours.check(cost, server.take_hits())
            print(row(name, delay, 1000 * every / delay, cost, times), flush=True)


def row(name: str, delay: int, allowed: float, cost: Cost, times: Sequence[float]) -> str:
    """Return what was reached; *times*: when each page was asked for."""
    reached, cpu_ms = middle_pace(times), 1000 * cost.cpu_seconds / len(times)
    return (
        f"| {name} | {delay} | {allowed:,.0f} | {reached:,.0f} | {reached / allowed:.0%} "
        f"| {cpu_ms:.2f} | {reached * cpu_ms / 1000:.0%} | {cost.peak_mb:.0f} |"
    )


def middle_pace(times: Sequence[float]) -> float:
    """Return pages a second between the first and the last tenth of *times*, ascending."""
    first, last = len(times) // 10, len(times) - 1 - len(times) // 10
    return (last - first) / (times[last] - times[first])


if __name__ == "__main__":
    sys.exit(main())
