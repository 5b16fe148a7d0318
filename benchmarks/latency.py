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
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours, check_hits
from benchmarks.measure import Cost, run_in_turns
from benchmarks.record import Recorder
from benchmarks.server import CatalogueServer

CONNECTIONS_A_HOST = 8
ONE = ("127.0.0.1",)
TEN = tuple(f"127.0.0.{number}" for number in range(1, 11))
ROUNDS_OF_CONNECTIONS = 40
"""How often each connection answers in a run, at least."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl with each delay and number of connections, then ten sites; print a table, write results/latency.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--delays", type=int, nargs="*", default=[50, 300], help="ms until a page is answered")
    parser.add_argument("--connections", type=int, nargs="*", default=[16, 64, 256], help="connections at once")
    parser.add_argument("--pages", type=int, default=3_000, help="pages of a crawl at least (100 or more)")
    options = parser.parse_args(arguments)
    recorder = Recorder("latency")
    try:
        rows = [
            row
            for connections in options.connections
            for row in _measured(_pages_for(connections, options.pages), ONE, connections, options.delays)
        ]
        rows += _measured(max(100, options.pages // len(TEN)), TEN, CONNECTIONS_A_HOST, options.delays)
    except BenchmarkError as error:
        print(f"benchmark failed: {error}", file=sys.stderr)
        return 1
    figures = {"rows": rows}
    recorder.write(figures)
    print(table(figures))
    return 0


def _measured(pages: int, hosts: Sequence[str], connections: int, delays: Sequence[int]) -> list[dict[str, Any]]:
    """Crawl the sites at *hosts*, so many connections to each; give a row for each delay."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-latency-")))
        server = stack.enter_context(CatalogueServer(pages, hosts))
        every = connections * len(hosts)
        settings = _settings(every, connections)
        ours = Ours(Catalogue(pages), server.url, scratch, settings=settings, more_urls=server.urls[1:])
        ours.prepare()
        name = "one site, {} connections" if len(hosts) == 1 else "ten sites, {} connections each"
        rows = []
        for delay in delays:
            cost, times = _crawl(ours, server, delay, len(hosts))
            rows.append(_row(name.format(connections), every, delay, cost, times))
        return rows


def _pages_for(connections: int, least: int) -> int:
    return max(least, ROUNDS_OF_CONNECTIONS * connections)


def _settings(at_once: int, at_once_a_host: int) -> Sequence[str]:
    return ("-s", f"CONCURRENT_REQUESTS={at_once}", "-s", f"CONCURRENT_REQUESTS_PER_DOMAIN={at_once_a_host}")


def _crawl(ours: Ours, server: CatalogueServer, delay: int, sites: int) -> tuple[Cost, list[float]]:
    server.wait_before_answers(delay / 1000)
    server.take_hits()
    (cost,) = run_in_turns([replace(ours.job(), turn_seconds=1.0)], 600)
    hits, times = server.take()
    if cost.exit_code:
        raise BenchmarkError(f"the crawl ended with exit code {cost.exit_code}: {ours.tail('ours.log')}")
    if sites == 1:
        ours.check(cost, hits)
    else:
        check_hits(ours.catalogue, hits, "ten sites", times=sites)
    return cost, times


def _row(name: str, connections: int, delay: int, cost: Cost, times: Sequence[float]) -> dict[str, Any]:
    pages = len(times)
    allowed = 1000 * connections / delay
    cpu_ms = 1000 * cost.cpu_seconds / pages
    row = {
        "name": name,
        "connections": connections,
        "delay_ms": delay,
        "pages": pages,
        "allowed": round(allowed, 1),
        "reached": round(middle_pace(times), 1),
        "whole": round(pages / cost.wall_seconds, 1),
        "cpu_ms": round(cpu_ms, 3),
        "peak_mb": round(cost.peak_mb, 1),
    }
    print(f"{name}, {delay} ms: {row['reached']} of {row['allowed']} pages a second", file=sys.stderr)
    return row


def middle_pace(times: Sequence[float]) -> float:
    """Return pages a second between the first and the last tenth of *times*, ascending."""
    first, last = len(times) // 10, len(times) - 1 - len(times) // 10
    return (last - first) / (times[last] - times[first])


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "| crawl | delay ms | allowed | pages a second | share | CPU ms a page | of one core | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        share, core = row["reached"] / row["allowed"], row["reached"] * row["cpu_ms"] / 1000
        lines.append(
            f"| {row['name']} | {row['delay_ms']} | {row['allowed']:,.0f} | {row['reached']:,.0f} | {share:.0%} "
            f"| {row['cpu_ms']:.2f} | {core:.0%} | {row['peak_mb']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
