"""`python -m benchmarks.latency`: how near a crawl comes to what a slow server allows.

A page is answered after 50 or 300 ms; so many connections at once allow connections / delay pages a second, unless the
processor is what bounds it. What is reached is measured at the server, between the first and the last tenth of the
pages: start-up and the first few pages, from which the others have to be found, are left out. Everything is on. Then
ten sites at once, each with the eight connections that one host gets where nobody says otherwise. *Waited* is the share
of the time in which the crawl could have gone on, had other work not had the processor.
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
            for row in _one_site(max(options.pages, ROUNDS_OF_CONNECTIONS * connections), connections, options.delays)
        ]
        rows += _ten_sites(max(100, options.pages // len(TEN)), options.delays)
    except BenchmarkError as error:
        print(f"benchmark failed: {error}", file=sys.stderr)
        return 1
    figures = {"rows": rows}
    recorder.write(figures)
    print(table(figures))
    return 0


def _one_site(pages: int, connections: int, delays: Sequence[int]) -> list[dict[str, Any]]:
    """Crawl one site with so many connections; give a row for each delay."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-latency-")))
        server = stack.enter_context(CatalogueServer(pages))
        ours = Ours(Catalogue(pages), server.url, scratch, settings=_settings(connections, connections))
        ours.prepare()
        rows = []
        for delay in delays:
            cost, times = _crawl(ours, server, delay, 1)
            rows.append(_row(f"one site, {connections} connections", connections, delay, cost, times))
        return rows


def _ten_sites(pages: int, delays: Sequence[int]) -> list[dict[str, Any]]:
    """Crawl ten sites with the same pages; give a row for each delay."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-latency-")))
        server = stack.enter_context(CatalogueServer(pages, TEN))
        connections = CONNECTIONS_A_HOST * len(TEN)
        settings = _settings(connections, CONNECTIONS_A_HOST)
        ours = Ours(Catalogue(pages), server.url, scratch, settings=settings, more_urls=server.urls[1:])
        ours.prepare()
        rows = []
        for delay in delays:
            cost, times = _crawl(ours, server, delay, len(TEN))
            name = f"ten sites, {CONNECTIONS_A_HOST} connections each"
            rows.append(_row(name, connections, delay, cost, times))
        return rows


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
        "waited": round(cost.waited_seconds / cost.wall_seconds, 3),
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
        "| crawl | delay ms | allowed | pages a second | share | CPU ms a page | of one core | waited | peak MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        share, core = row["reached"] / row["allowed"], row["reached"] * row["cpu_ms"] / 1000
        lines.append(
            f"| {row['name']} | {row['delay_ms']} | {row['allowed']:,.0f} | {row['reached']:,.0f} | {share:.0%} "
            f"| {row['cpu_ms']:.2f} | {core:.0%} | {row['waited']:.0%} | {row['peak_mb']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
