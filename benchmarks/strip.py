"""`python -m benchmarks.strip`: TagStrip's five designs on SQLite, beside the paper's times, and what ours adds.

A catalogue's pages of 40 KB are stripped from a crawl's database into another one: A with a new connection for each
operation, B with one that is kept, both a page at a time; C with rows read 500 at a time, a buffer of ten blocks of 100
pages, and 100 rows inserted at once. With one stripper in the process that reads and writes ("1D"), or with two that
are processes ("2D"). Each run is a process of its own; CPU time is that of all processes together. Memory is what the
run adds to a process that has only loaded the program. Then design C is killed ten times in the middle.

`--server` runs A, B and C on SQL Server's wire besides: on the server that GWC_MSSQL_HOST and the like name in the
environment, or on the tests' responder, which shows what the ways cost the client and nothing of a real server.

Exit code 1 if the designs are not in the paper's order, if memory is more than twice what the paper's formula says for
the buffer, or if a page is lost or doubled. `--svg FILE` draws the plot of docs/papers/tagstrip.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import TypeVar

from benchmarks.catalogue import Catalogue
from benchmarks.measure import machine
from benchmarks.plot import Panel, svg
from gwc_crawler import settings
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store import CrawlDatabase, SqliteSink
from gwc_crawler.store.mssql import OutletConfig
from gwc_crawler.store.mssql.server import ServerConnection
from gwc_crawler.store.stripping.engine import (
    EngineOptions,
    InProcess,
    StripperProcesses,
    Strippers,
    strip_page,
    strip_pages,
)
from gwc_crawler.store.stripping.locations import open_source, open_target
from gwc_crawler.store.stripping.pages import PageKey, PageSource, PageTarget, StopWatch, StrippedPage, WaitingPage
from tests.tds_server import TdsServer

PAPER = {"A1S1D": 143.8, "B1S1D": 62.6, "B1S2D": 97.6, "C1S1D": 19.7}
"""Seconds for 1,000 pages: 7.99, 3.48, 5.42 and 1.1 hours for 200,000. Of A1S2D it gives no time that we have."""

BLOCK = EngineOptions()
Place = TypeVar("Place", PageSource, PageTarget)

ONE = EngineOptions(read_rows=1, block_pages=1, blocks=4)
MEMORY_FACTOR = 2.0

SERVER = "mssql:"
SERVER_TABLE = "waiting"
SERVER_DESIGNS = ("A1S1D", "B1S1D", "C1S1D", "C1S2D")
SETTINGS = {name: value for name, value in vars(settings).items() if name.startswith("GWC_MSSQL_")}


@dataclass(frozen=True, slots=True)
class Design:
    """One way: connections for each operation or kept, a page at a time or blocks, so many strippers of a kind."""

    reconnects: bool
    options: EngineOptions
    strippers: int = 1
    threads: bool = False


DESIGNS = {
    "A1S1D": Design(True, ONE),
    "A1S2D": Design(True, ONE, 2),
    "B1S1D": Design(False, ONE),
    "B1S2D": Design(False, ONE, 2),
    "C1S1D": Design(False, BLOCK),
    "C1S2D threads": Design(False, BLOCK, 2, threads=True),
    "C1S2D": Design(False, BLOCK, 2),
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
        with closing(self._source()) as source:
            return source.count()

    def keys(self, after: PageKey | None, limit: int) -> Sequence[PageKey]:
        """Ask the source."""
        source = self._opened(self._source)
        keys = source.keys(after, limit)
        self._closed(source)
        return keys

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Ask the source."""
        source = self._opened(self._source)
        pages = source.fetch(keys)
        self._closed(source)
        return pages

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Nothing is there: the runs begin with an empty target."""
        return ()

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Ask the target."""
        target = self._opened(self._target)
        target.write(pages)
        self._closed(target)

    def close(self) -> None:
        """Nothing is open."""

    def _opened(self, place: Callable[[], Place]) -> Place:
        with self._watch.inside():
            return place()

    def _closed(self, place: PageSource | PageTarget) -> None:
        with self._watch.inside():
            place.close()


class Threads:
    """Strippers that are threads, as the paper's are."""

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count)
        self._most = 2 * count
        self._under_way: set[Future[list[StrippedPage]]] = set()

    @property
    def under_way(self) -> int:
        """How many blocks were given and not taken yet."""
        return len(self._under_way)

    def has_room(self) -> bool:
        """Say whether another block may be given."""
        return len(self._under_way) < self._most

    def give(self, block: Sequence[WaitingPage]) -> None:
        """Have a block stripped."""
        self._under_way.add(self._pool.submit(lambda: [strip_page(page) for page in block]))

    def take(self) -> list[list[StrippedPage]]:
        """Wait for stripped blocks."""
        done, self._under_way = wait(self._under_way, return_when=FIRST_COMPLETED)
        return [one.result() for one in done]

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


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


def strippers_of(design: Design) -> Strippers:
    """Start the strippers of a design."""
    if design.threads:
        return Threads(design.strippers)
    return StripperProcesses(design.strippers) if design.strippers > 1 else InProcess()


def run_design(design: Design, waiting: str, stripped: str) -> Run:
    """Strip all pages by a design, in this process; from where to where: "sqlite:PATH", or "mssql:" on both sides."""
    base = _peak(resource.RUSAGE_SELF)
    watch = StopWatch()
    with ExitStack() as opened:
        strippers = strippers_of(design)

        def source() -> PageSource:
            return open_source(waiting, SERVER_TABLE if waiting == SERVER else None, watch, SETTINGS)

        def target() -> PageTarget:
            return open_target(stripped, None, watch, SETTINGS)

        if design.reconnects:
            both = Reconnecting(source, target, watch)
            reader: PageSource = both
            writer: PageTarget = both
        else:
            reader, writer = source(), target()
        opened.callback(reader.close)
        opened.callback(writer.close)
        done = strip_pages(reader, writer, strippers, watch, design.options)
        strippers.close()
    inside = sum(one.inside for one in watch.operations.values())
    grown = _peak(resource.RUSAGE_SELF) - base
    if design.strippers > 1 and not design.threads:
        grown += design.strippers * max(0, _peak(resource.RUSAGE_CHILDREN) - base)
    buffer = done.buffer_bytes(design.options)
    return Run(done.pages, done.seconds, _cpu_seconds(), inside / done.seconds, grown, buffer)


def _peak(who: int) -> int:
    return resource.getrusage(who).ru_maxrss * 1024


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(name: str, waiting: Path, directory: Path) -> Run:
    """Run a design in a process of its own."""
    for file in directory.glob("stripped.db*"):
        file.unlink()
    return run_alone(name, f"sqlite:{waiting}", f"sqlite:{directory / 'stripped.db'}", {})


def run_alone(name: str, source: str, target: str, environment: Mapping[str, str]) -> Run:
    """Run a design in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.strip", "--one", name, source, target]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    return Run(**json.loads(told.stdout))


def on_server(directory: Path, pages: int) -> dict[str, Run]:
    """Run designs on SQL Server's wire."""
    with ExitStack() as opened:
        environment: dict[str, str] = {}
        if not os.environ.get("GWC_MSSQL_HOST"):
            responder = opened.enter_context(TdsServer(directory / "server"))
            environment = {name: str(value) for name, value in responder.settings.items()}
        config = OutletConfig.from_settings({**SETTINGS, **os.environ, **environment}).server
        server = ServerConnection(config)
        opened.callback(server.close)
        runs = {}
        for name in SERVER_DESIGNS:
            fill_server(server, config.schema, pages if DESIGNS[name].options is BLOCK else max(1, pages // 10))
            runs[name] = run_alone(name, SERVER, SERVER, environment)
        return runs


def fill_server(server: ServerConnection, schema: str, pages: int) -> None:
    """Make the table of waiting pages anew, and let the one of stripped ones go."""
    for table in (SERVER_TABLE, "stripped"):
        server.run(f"IF OBJECT_ID(N'[{schema}].[{table}]', N'U') IS NOT NULL DROP TABLE [{schema}].[{table}]")
    place = f"[{schema}].[{SERVER_TABLE}]"
    server.run(
        f"CREATE TABLE {place} (id INT NOT NULL, url NVARCHAR(400) NOT NULL, content NVARCHAR(MAX) NULL, "
        "PRIMARY KEY (id))"
    )
    catalogue = Catalogue(max(100, pages))
    for number, path in enumerate(islice(catalogue.paths(), pages)):
        row = (number, f"http://shop.example{path}", (catalogue.render(path) or b"").decode())
        server.run(f"INSERT INTO {place} (id, url, content) VALUES (%s, %s, %s)", row)  # noqa: S608


def killed(waiting: Path, directory: Path, times: int, seconds: float) -> tuple[int, str]:
    """Kill design C so often within the time that it takes, let it end, and say how often, and what is wrong."""
    stripped, dice, deaths = directory / "stripped.db", Random(1), 0
    for file in directory.glob("stripped.db*"):
        file.unlink()
    command = [sys.executable, "-m", "benchmarks.strip", "--one", "C1S2D", f"sqlite:{waiting}", f"sqlite:{stripped}"]
    while True:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
            if deaths < times:
                until = time.monotonic() + 20
                while not (stripped.exists() and stripped.stat().st_size) and time.monotonic() < until:
                    time.sleep(0.01)
                time.sleep(dice.uniform(0.3, 0.3 + seconds / times))
                run.kill()
            if run.wait() == 0:
                break
            deaths += 1
    with closing(sqlite3.connect(waiting)) as before, closing(sqlite3.connect(stripped)) as after:
        urls = {row[0] for row in before.execute("SELECT url FROM pages")}
        found = [row[0] for row in after.execute("SELECT url FROM stripped WHERE content IS NOT NULL")]
        whole = after.execute("PRAGMA integrity_check").fetchone()[0]
    lost, doubled = len(urls - set(found)), len(found) - len(set(found))
    return deaths, "" if not lost and not doubled and whole == "ok" else f"{lost} lost, {doubled} doubled, file {whole}"


def tell(runs: dict[str, Run]) -> None:
    """Print the table."""
    headings = (
        ("pages/s", 9),
        ("s/1,000", 9),
        ("paper", 8),
        ("CPU ms", 8),
        ("in database", 13),
        ("memory", 9),
        ("formula", 9),
    )
    print(f"{'design':15}" + "".join(f"{heading:>{width}}" for heading, width in headings))
    for name, run in runs.items():
        paper = f"{PAPER[name]:.1f}" if name in PAPER else "–"
        print(
            f"{name:15}{run.pace:9,.0f}{1000 / run.pace:9.2f}{paper:>8}{1000 * run.cpu_seconds / run.pages:8.2f}"
            f"{run.database_share:13.0%}{run.memory / 1e6:6,.0f} MB{run.buffer / 1e6:6,.0f} MB"
        )


def plot(runs: dict[str, Run]) -> str:
    """Return the plot: the paper's pages a second beside ours."""
    theirs = [(name, 1000 / seconds, f"{1000 / seconds:.0f}") for name, seconds in PAPER.items()]
    ours = [(name, run.pace, f"{run.pace:,.0f}") for name, run in runs.items() if "threads" not in name]
    return svg([Panel("the paper: pages a second", bars=theirs), Panel("here, on SQLite: pages a second", bars=ours)])


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000, help="of design C; A and B get a tenth (default: 5000)")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the plot there")
    parser.add_argument("--server", action="store_true", help="besides, on SQL Server's wire")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, waiting, stripped = options.one
        print(json.dumps(asdict(run_design(DESIGNS[name], waiting, stripped))))
        return 0
    directory = Path(tempfile.mkdtemp(prefix="strip-"))
    try:
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
        if options.svg:
            options.svg.write_text(plot(runs), encoding="utf-8")
        wrong = complaints(runs)
        if options.server:
            print("\non SQL Server's wire")
            tell(on_server(directory, max(100, options.pages // 5)))
        deaths, lost = killed(many, directory, options.kills, runs["C1S2D"].seconds)
        print(f"\nkilled {deaths} times, then ended: {lost or 'every page is there, and once'}")
        for one in wrong:
            print(one)
        return 1 if wrong or lost else 0
    finally:
        shutil.rmtree(directory)


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
