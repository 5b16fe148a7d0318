"""`python -m benchmarks.strip`: TagStrip's five designs on SQLite, beside the paper's times, and what ours adds.

A catalogue's pages of 40 KB are stripped from a crawl's database into another one: A with a new connection for each
operation, B with one that is kept, both a page at a time; C with rows read 500 at a time, a buffer of ten blocks of 100
pages, and 100 rows inserted at once; K as C, with a buffer for each stripper, of which the shortest is filled next.
With one stripper in the process that reads and writes ("1D"), or with two that are processes ("2D"). Each run is a
process of its own; CPU time is that of all processes together. Memory is what the run adds to a process that has only
loaded the program. `--curve 200000` strips so many pages by C1S1D and prints how its CPU time goes on.

Exit code 1 if the designs are not in the paper's order, or if memory is more than twice what the paper's formula says
for the buffer.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.catalogue import Catalogue
from benchmarks.measure import machine, own_cpu_seconds
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.stripping.engine import (
    AHEAD,
    EngineOptions,
    PageKey,
    PageSource,
    PageTarget,
    StopWatch,
    StrippedPage,
    Strippers,
    WaitingPage,
    processes,
    strip_pages,
)
from gwc_crawler.store.stripping.locations import open_source, open_target

PAPER = {"A1S1D": 143.8, "B1S1D": 62.6, "B1S2D": 97.6, "C1S1D": 19.7}
"""Seconds for 1,000 pages: 7.99, 3.48, 5.42 and 1.1 hours for 200,000. Of A1S2D it gives no time that we have."""

BLOCK = EngineOptions()
Place = TypeVar("Place", PageSource, PageTarget)

ONE = EngineOptions(read_rows=1, block_pages=1, blocks=4)
MEMORY_FACTOR = 2.0


class ShortestNext(Executor):
    """A buffer for each process, of which the shortest is filled next (design K)."""

    def __init__(self, count: int) -> None:
        pools = [processes(1) for _ in range(count)]
        self._given: dict[Executor, list[Future[Any]]] = {pool: [pool.submit(os.getpid)] for pool in pools}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give it to the process that has the least to do."""
        self._given = {one: [each for each in given if not each.done()] for one, given in self._given.items()}
        pool = min(self._given, key=lambda one: len(self._given[one]))
        self._given[pool].append(pool.submit(fn, *args, **kwargs))
        return self._given[pool][-1]


@dataclass(frozen=True, slots=True)
class Design:
    """One way: connections for each operation or kept, a page at a time or blocks, so many strippers of a kind."""

    reconnects: bool
    options: EngineOptions
    strippers: int = 1
    ahead: int = AHEAD
    start: Callable[[int], Executor] = processes


DESIGNS = {
    "A1S1D": Design(True, ONE),
    "A1S2D": Design(True, ONE, 2),
    "B1S1D": Design(False, ONE),
    "B1S2D": Design(False, ONE, 2),
    "C1S1D": Design(False, BLOCK),
    "C1S2D": Design(False, BLOCK, 2),
    "K2S2D": Design(False, BLOCK, 2, BLOCK.blocks // 2, ShortestNext),
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one run cost."""

    pages: int
    seconds: float
    cpu_seconds: float
    database_share: float
    memory: int
    buffer: int

    @property
    def pace(self) -> float:
        """Pages a second."""
        return self.pages / self.seconds


class Reconnecting:
    """A source or target that is opened for each operation and closed after it (design A)."""

    def __init__(self, source: Callable[[], PageSource], target: Callable[[], PageTarget], watch: StopWatch) -> None:
        self._source, self._target, self._watch = source, target, watch

    def count(self) -> int | None:
        """Ask the source."""
        with self._opened(self._source) as source:
            return source.count()

    def keys(self, after: PageKey | None, limit: int) -> Sequence[PageKey]:
        """Ask the source."""
        with self._opened(self._source) as source:
            return source.keys(after, limit)

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Ask the source."""
        with self._opened(self._source) as source:
            return source.fetch(keys)

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Nothing is there: the runs begin with an empty target."""
        return ()

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Ask the target."""
        with self._opened(self._target) as target:
            target.write(pages)

    def close(self) -> None:
        """Nothing is open."""

    @contextmanager
    def _opened(self, open_place: Callable[[], Place]) -> Iterator[Place]:
        with self._watch.inside():
            place = open_place()
        yield place
        with self._watch.inside():
            place.close()


def make_pages(path: Path, pages: int) -> None:
    """Write a crawl's database with so many pages."""
    catalogue = Catalogue(max(100, pages))
    with CrawlDatabase(path) as database:
        sink = SqliteSink(database, site="bench", keep_html=KeepHtml.ALL)
        paths = islice(catalogue.paths(), pages)
        while batch := [_visit(path, catalogue.render(path) or b"") for path in islice(paths, 100)]:
            sink.write(batch)


def _visit(path: str, body: bytes) -> Visit:
    url = f"http://shop.example{path}"
    page = Page(url, 200, body, "text/html; charset=utf-8", "utf-8", PageKind.TARGET, True)
    return Visit(Lease(url, 1, 0, 1, 1, "bench", 1, 0.0), page, None, 0, 0.0)


def run_design(
    design: Design,
    waiting: str,
    stripped: str,
    watch: StopWatch | None = None,
    told: Callable[[int], object] = lambda pages: None,
) -> Run:
    """Strip all pages by a design, in this process; from where to where: "sqlite:PATH"; *told* of each block."""
    base = _peak(resource.RUSAGE_SELF)
    watch = watch or StopWatch()
    with ExitStack() as opened:
        strippers = Strippers(design.strippers, ahead=design.ahead, start=design.start)

        source = partial(open_source, waiting, None, watch, {})
        target = partial(open_target, stripped, None, watch, {})
        if design.reconnects:
            both = Reconnecting(source, target, watch)
            reader: PageSource = both
            writer: PageTarget = both
        else:
            reader, writer = source(), target()
        opened.callback(reader.close)
        opened.callback(writer.close)
        done = strip_pages(reader, writer, strippers, watch, design.options, advance=told)
        strippers.close()
    inside = sum(one.inside for one in watch.operations.values())
    grown = _peak(resource.RUSAGE_SELF) - base
    if design.strippers > 1:
        grown += design.strippers * max(0, _peak(resource.RUSAGE_CHILDREN) - base)
    buffer = done.buffer_bytes(design.options)
    return Run(done.pages, done.seconds, own_cpu_seconds(), inside / done.seconds, grown, buffer)


def _peak(who: int) -> int:
    return resource.getrusage(who).ru_maxrss * 1024


def curve(pages: int, directory: Path) -> None:
    """Strip so many pages by C1S1D; print for each tenth the CPU seconds a thousand, in the database and besides."""
    make_pages(directory / "crawl.db", pages)
    done, before, step, watch = 0, (time.process_time(), 0.0), max(1, pages // 10), StopWatch(time.process_time)
    print("   pages   CPU s/1,000  in the database  rest")

    def told(some: int) -> None:
        nonlocal done, before
        done += some
        if done % step < some:
            now = time.process_time(), sum(one.inside for one in watch.operations.values())
            whole, inside = (1000 * (one - other) / step for one, other in zip(now, before, strict=True))
            before = now
            print(f"{done:8,}{whole:14.2f}{inside:17.2f}{whole - inside:6.2f}", flush=True)

    places = f"sqlite:{directory / 'crawl.db'}", f"sqlite:{directory / 'stripped.db'}"
    run_design(DESIGNS["C1S1D"], *places, watch, told)


def measure(name: str, waiting: Path, directory: Path) -> Run:
    """Run a design in a process of its own."""
    for file in directory.glob("stripped.db*"):
        file.unlink()
    places = f"sqlite:{waiting}", f"sqlite:{directory / 'stripped.db'}"
    command = [sys.executable, "-m", "benchmarks.strip", "--one", name, *places]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Run(**json.loads(told.stdout))


def tell(runs: dict[str, Run]) -> None:
    """Print the table."""
    headings = {"pages/s": 9, "s/1,000": 9, "paper": 8, "CPU ms": 8, "in database": 13, "memory": 9, "formula": 9}
    print(f"{'design':15}" + "".join(f"{heading:>{width}}" for heading, width in headings.items()))
    for name, run in runs.items():
        paper = f"{PAPER[name]:.1f}" if name in PAPER else "–"
        print(
            f"{name:15}{run.pace:9,.0f}{1000 / run.pace:9.2f}{paper:>8}{1000 * run.cpu_seconds / run.pages:8.2f}"
            f"{run.database_share:13.0%}{run.memory / 1e6:6,.0f} MB{run.buffer / 1e6:6,.0f} MB"
        )


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000, help="of design C; A and B get a tenth (default: 5000)")
    parser.add_argument("--curve", type=int, metavar="PAGES", help="only: the pace of the best design over so many")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, waiting, stripped = options.one
        print(json.dumps(asdict(run_design(DESIGNS[name], waiting, stripped))))
        return 0
    with tempfile.TemporaryDirectory(prefix="strip-") as made:
        directory = Path(made)
        if options.curve:
            curve(options.curve, directory)
            return 0
        few, many = directory / "few" / "crawl.db", directory / "many" / "crawl.db"
        make_pages(few, max(100, options.pages // 10))
        make_pages(many, options.pages)
        print(
            f"{machine()}; {len(os.sched_getaffinity(0))} cores; {options.pages:,} pages of 40 KB (A and B: a tenth)\n"
        )
        runs = {
            name: measure(name, many if design.options is BLOCK else few, directory) for name, design in DESIGNS.items()
        }
        tell(runs)
        for one in (wrong := complaints(runs)):
            print(one)
        return 1 if wrong else 0


def complaints(runs: dict[str, Run]) -> list[str]:
    """Say what is not as the paper has it, or takes too much."""
    order = ("C1S1D", "B1S1D", "A1S1D")
    found = [
        f"{slow} is faster than {fast}"
        for fast, slow in pairwise(order)
        if runs[slow].cpu_seconds / runs[slow].pages < runs[fast].cpu_seconds / runs[fast].pages
    ]
    ours = runs["C1S2D"]
    if ours.memory > MEMORY_FACTOR * ours.buffer:
        found.append(f"memory is {ours.memory / ours.buffer:.1f} times what the formula says")
    return found


if __name__ == "__main__":
    sys.exit(main())
