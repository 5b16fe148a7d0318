"""`python -m benchmarks.mssql`: what a SQL Server costs a crawl: pauses of its event loop, and CPU time beside SQLite.

The server is the one of the tests, which answers like one: it is another process, whose time does not count. The pause
is by how much a timer of a millisecond is late while batches of 100 pages of 40 KB are handed over, one a quarter of a
second; CPU time is that of the crawl and its writer together, start-up included, in turns of seconds with a crawl that
keeps everything in its own file.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours, check_hits
from benchmarks.measure import Cost, machine, run_in_turns
from benchmarks.server import CatalogueServer
from gwc_crawler.items import Lease, Page, PageKind, Record, Visit
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store import SinkConfig
from gwc_crawler.store.mssql import SqlServerSink
from tests.tds_server import TdsServer

BATCH_PAGES = 100
BATCHES = 20
CLOSE_SECONDS = 900
TICK_SECONDS = 0.001
BETWEEN_SECONDS = 0.25


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both, and print them; 0 if both crawls did all of their work."""
    options = _parser().parse_args(arguments)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        server = stack.enter_context(TdsServer(scratch / "tds"))
        print(machine())
        print(pauses(server, scratch))
        if options.pages:
            try:
                print(cpu(server, scratch, options.pages, options.rounds, stack))
            except BenchmarkError as error:
                print(f"benchmark failed: {error}", file=sys.stderr)
                return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mssql", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2_000, help="size of the catalogue; 0: pauses alone")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs; the medians are shown")
    return parser


# --- pauses -----------------------------------------------------------------------------------------------------------


def pauses(server: TdsServer, scratch: Path) -> str:
    """Return by how much the event loop was late, at rest and while batches are written."""
    (scratch / "pauses").mkdir()
    with _open_sink(server, scratch / "pauses") as sink:
        rest = asyncio.run(_lateness(None))
        busy = asyncio.run(_lateness(sink))
        pages = server.count("pages") if sink.is_empty_within(CLOSE_SECONDS) else 0
    lines = ["", "| event loop late by, ms | median | 99 % | 99.9 % | most |", "|---|---|---|---|---|"]
    lines += [_late_row("at rest", rest), _late_row(f"{BATCHES} batches of {BATCH_PAGES} pages of 40 KB", busy)]
    return "\n".join([*lines, "", f"{pages} pages on the server"])


class _open_sink:  # a context manager by `with`
    def __init__(self, server: TdsServer, directory: Path) -> None:
        more = {
            "WRITERS": 1,
            "SPILL_BYTES": 10**10,
            "RETRY_SECONDS": 1,
            "CLOSE_SECONDS": CLOSE_SECONDS,
            "TIMEOUT_SECONDS": 60,
        }
        settings: dict[str, Any] = {f"GWC_MSSQL_{name}": value for name, value in more.items()}
        settings |= {"GWC_MSSQL_LISTS": "json", "GWC_MSSQL_PROCEDURE": "", "GWC_KEEP_HTML": "raw", **server.settings}
        self._sink = SqlServerSink(SinkConfig("bench", directory, RecordShape(("title",)), settings))

    def __enter__(self) -> SqlServerSink:
        return self._sink

    def __exit__(self, *_: object) -> None:
        self._sink.close()


async def _lateness(sink: SqlServerSink | None) -> list[float]:
    """Return by how many seconds each tick was late."""
    late, batch, due = [], 0, 0.0
    batches = [_batch(number) for number in range(BATCHES)]
    end = time.perf_counter() + BATCHES * BETWEEN_SECONDS
    while (before := time.perf_counter()) < end:
        if sink is not None and before >= due and batch < BATCHES:
            sink.write(batches[batch])
            batch, due = batch + 1, before + BETWEEN_SECONDS
        await asyncio.sleep(TICK_SECONDS)
        late.append(time.perf_counter() - before - TICK_SECONDS)
    return late


def _batch(number: int) -> list[Visit]:
    return [_visit(number * BATCH_PAGES + place) for place in range(BATCH_PAGES)]


def _visit(number: int) -> Visit:
    url = f"https://bench.example/page/{number}"
    words = " ".join(f"word{(number * at) % 997}" for at in range(2_500))
    html = f"<html><body><p>{'</p><p>'.join(words[at : at + 80] for at in range(0, len(words), 80))}</p></body></html>"
    body = html.encode().ljust(40_000)
    links = tuple(f"https://bench.example/page/{(number * 7 + at) % 20_000}" for at in range(50))
    page = Page(url, 200, body, "text/html", "utf-8", PageKind.TARGET, True, title=url, text=words, links=links)
    return Visit(Lease(url, 1, 0, 1, 1, "w", 1, 0.0), page, Record(url, {"title": url}), 0, 7.0, stripped_html=html)


def _late_row(name: str, late: Sequence[float]) -> str:
    cuts = quantiles(late, n=1000)
    shown = (median(late), cuts[989], cuts[998], max(late))
    return f"| {name} | {' | '.join(f'{1000 * one:.1f}' for one in shown)} |"


# --- CPU --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ToServer(Ours):
    """The same crawl, with pages and records on the server."""

    sink: str = "mssql"
    server: TdsServer | None = None

    def _scrapy(self, command: str, data: Path) -> list[str]:
        settings = ["-s", f"GWC_SINK={self.sink}", "-s", f"GWC_MSSQL_CLOSE_SECONDS={CLOSE_SECONDS}"]
        return [*super()._scrapy(command, data), *(settings if command == "crawl" else [])]

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page fetched once; every page and record on the server."""
        assert self.server is not None
        if cost.exit_code:
            raise BenchmarkError(f"our crawl ended with exit code {cost.exit_code}:\n{self.tail('ours.log')}")
        check_hits(self.catalogue, hits, self.name)
        found = self.server.count("pages"), self.server.count("records_catalogue")
        if found != (self.catalogue.pages, self.catalogue.products):
            raise BenchmarkError(f"the server has {found[0]} pages and {found[1]} records")


def cpu(server: TdsServer, scratch: Path, pages: int, rounds: int, stack: ExitStack) -> str:
    """Return what a crawl costs with each sink, and the ratios."""
    catalogue = Catalogue(pages)
    sites = [stack.enter_context(CatalogueServer(pages)) for _ in range(3)]
    crawls: list[Ours] = []
    for site, sink in zip(sites, ("", "mssql", "sqlite,mssql"), strict=True):
        directory = scratch / (sink or "sqlite")
        directory.mkdir()
        own = Ours(catalogue, site.url, directory)
        crawls.append(ToServer(catalogue, site.url, directory, sink=sink, server=server) if sink else own)
        crawls[-1].prepare()
    costs: list[list[Cost]] = [[] for _ in crawls]
    for number in range(1, rounds + 1):
        for place, (crawl, site) in enumerate(zip(crawls, sites, strict=True)):
            site.take_hits()
            server.new_database()
            os.environ.update({name: str(value) for name, value in server.settings.items()})
            (cost,) = run_in_turns([crawl.job()], 2.0 * CLOSE_SECONDS)
            crawl.check(cost, site.take_hits())
            costs[place].append(cost)
            print(f"round {number}: {crawl.directory.name}: {cost.cpu_seconds:.2f} s CPU", file=sys.stderr)
            shutil.rmtree(crawl.directory / "data")
    base_costs = [cost.cpu_seconds for cost in costs[0]]
    lines = ["", f"{pages} pages of 40 KB", "", "| GWC_SINK | CPU s | wall s | ratio |", "|---|---|---|---|"]
    for crawl, row in zip(crawls, costs, strict=True):
        ratio = median(cost.cpu_seconds / base for cost, base in zip(row, base_costs, strict=True))
        seconds = median(cost.cpu_seconds for cost in row), median(cost.wall_seconds for cost in row)
        lines.append(f"| {crawl.directory.name} | {seconds[0]:.1f} | {seconds[1]:.1f} | {ratio:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
