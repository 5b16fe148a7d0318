"""`python -m benchmarks.sinks`: what a crawl costs whose pages go to a server, beside one into its own file alone.

CPU time is that of the crawl's processes, its writers among them; the servers, those of the tests, don't count. Exit
code 1 where a server in the place of the file makes a crawl dearer than `MOST`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours
from benchmarks.measure import Cost
from benchmarks.server import CatalogueServer
from tests.postgres_server import PostgresServer
from tests.tds_server import TdsServer

SINKS = ("sqlite", "mssql", "postgres", "sqlite,mssql")
ALONE = 3
"""So many of them stand alone."""
MOST = 1.25
CLOSE_SECONDS = 900
"""So long a crawl's end waits for the server to have everything."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl into each in turn, so often, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sinks", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs; the medians are shown")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-sinks-")))
        site = stack.enter_context(CatalogueServer(options.pages))
        servers = stack.enter_context(TdsServer(scratch / "tds")), stack.enter_context(PostgresServer())
        ours = Ours(Catalogue(options.pages), site.url, scratch)
        ours.prepare()
        rounds = [[_crawl(ours, sinks, site, servers) for sinks in SINKS] for _ in range(options.rounds)]
    print("| GWC_SINK | CPU ms a page | beside sqlite |\n|---|---|---|")
    ratios = []
    for sinks, costs in zip(SINKS, zip(*rounds, strict=True), strict=True):
        ratios.append(median(one.cpu_seconds / run[0].cpu_seconds for one, run in zip(costs, rounds, strict=True)))
        ms = 1000 * median(one.cpu_seconds for one in costs) / options.pages
        print(f"| {sinks} | {ms:.2f} | {ratios[-1]:.2f} x |")
    return 1 if max(ratios[:ALONE]) > MOST else 0


def _crawl(ours: Ours, sinks: str, site: CatalogueServer, servers: Sequence[TdsServer | PostgresServer]) -> Cost:
    """Crawl into empty databases; everything is there afterwards."""
    there, settings = [one for one in servers if one.engine in sinks], {"GWC_SINK": sinks}
    for server in there:
        server.new_database()
        settings |= server.settings
    more = [option for name, value in settings.items() for option in ("-s", f"{name}={value}")]
    ours = replace(ours, settings=(*more, "-s", f"GWC_MSSQL_CLOSE_SECONDS={CLOSE_SECONDS}"), stores="sqlite" in sinks)
    cost = ours.crawl(site, {name: str(value) for name, value in settings.items()})  # PGPASSWORD is no setting
    if any(one.count("pages") != ours.catalogue.pages for one in there):
        raise BenchmarkError(f"a crawl into {sinks} left something out:\n{ours.tail('ours.log')}")
    print(f"{sinks}: CPU {cost.cpu_seconds:.1f} s of {cost.wall_seconds:.1f}", file=sys.stderr)
    return cost


if __name__ == "__main__":
    sys.exit(main())
