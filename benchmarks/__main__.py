"""`make bench`: both crawls on one generated catalogue, in turns of seconds, and a table of the medians.

The figures are CPU time and memory of the crawling process alone; each has a server of its own in another one. A run
that left a page or a record out fails the benchmark. Compare ratios, not machines.
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
from benchmarks.contenders import BenchmarkError, CrawlSpider, Ours
from benchmarks.measure import Cost, machine, run_in_turns
from benchmarks.server import CatalogueServer

LIMIT_SECONDS_A_PAGE = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print the table; 0 if both crawls did all of their work."""
    options = _parser().parse_args(arguments)
    catalogue = Catalogue(options.pages)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        servers = [stack.enter_context(CatalogueServer(options.pages)) for _ in range(2 - options.ours_only)]
        ours = Ours(catalogue, servers[0].url, scratch, _interpreter(options))
        contenders: list[Ours | CrawlSpider] = [ours]
        contenders += [CrawlSpider(catalogue, server.url, scratch) for server in servers[1:]]
        try:
            ours.prepare()
            costs = _run_rounds(contenders, servers, options.rounds)
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    if options.flame:
        print(f"flame graph of the last crawl: {options.flame}")
    else:
        print(_table(catalogue, costs))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs; the medians are shown")
    parser.add_argument("--ours-only", action="store_true", help="leave the CrawlSpider out")
    parser.add_argument("--profile", type=Path, help="write a cProfile of our last crawl here (slows it down)")
    parser.add_argument("--flame", type=Path, help="write a flame graph (SVG) of our last crawl here; needs py-spy")
    return parser


def _interpreter(options: argparse.Namespace) -> list[str]:
    """Python, or the profiler that was asked for, in front of it."""
    if options.flame:
        options.flame.parent.mkdir(parents=True, exist_ok=True)
        py_spy = Path(sys.executable).with_name("py-spy")
        return [str(py_spy), "record", "--rate", "200", "--output", str(options.flame.resolve()), "--", sys.executable]
    return [sys.executable, *(["-m", "cProfile", "-o", str(options.profile)] if options.profile else [])]


def _run_rounds(
    contenders: Sequence[Ours | CrawlSpider], servers: Sequence[CatalogueServer], rounds: int
) -> dict[str, list[Cost]]:
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in contenders}
    for number in range(1, rounds + 1):
        for server in servers:
            server.take_hits()
        limit = max(120.0, contenders[0].catalogue.pages * LIMIT_SECONDS_A_PAGE)
        finished = run_in_turns([contender.job() for contender in contenders], limit)
        for contender, server, cost in zip(contenders, servers, finished, strict=True):
            contender.check(cost, server.take_hits())
            costs[contender.name].append(cost)
            print(f"round {number}: {contender.name}: {cost.cpu_seconds:.1f} s CPU", file=sys.stderr)
    return costs


def _table(catalogue: Catalogue, costs: dict[str, list[Cost]]) -> str:
    lines = [
        f"{catalogue.pages:,} pages of 40 KB with {LINKS_A_PAGE} links each, {catalogue.products:,} records",
        machine(),
        "",
        "| crawler | CPU s | CPU ms a page | pages a CPU second | peak MB | wall s |",
        "|---|---|---|---|---|---|",
        *(_row(name, runs, catalogue.pages) for name, runs in costs.items()),
    ]
    if len(costs) == 2:
        lines += ["", _ratio(*costs.values())]
    return "\n".join(lines)


def _row(name: str, runs: Sequence[Cost], pages: int) -> str:
    cpu = median(run.cpu_seconds for run in runs)
    peak = median(run.peak_mb for run in runs)
    wall = median(run.wall_seconds for run in runs)
    return f"| {name} | {cpu:.1f} | {1000 * cpu / pages:.2f} | {pages / cpu:.0f} | {peak:.0f} | {wall:.1f} |"


def _ratio(ours: Sequence[Cost], theirs: Sequence[Cost]) -> str:
    rounds = [other.cpu_seconds / own.cpu_seconds for own, other in zip(ours, theirs, strict=True)]
    shown = ", ".join(f"{ratio:.2f}" for ratio in rounds)
    return (
        f"Ratio, pages a CPU second: {median(rounds):.2f} (rounds: {shown}); both crawls complete, every record exact."
    )


if __name__ == "__main__":
    sys.exit(main())
