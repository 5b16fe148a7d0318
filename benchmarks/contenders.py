"""Our crawl of the catalogue: how it is started, and whether it did all of its work."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.catalogue import Catalogue
from benchmarks.measure import Cost, Job, run_measured
from benchmarks.server import CatalogueServer

ROOT = Path(__file__).resolve().parent.parent
SITE = "catalogue"
LEARNING_PAGES = 300
LIMIT_SECONDS_A_PAGE = 0.1
NOTHING_STORED = {
    "GWC_SINK": "benchmarks.peers.nothing.NothingSink",
    "GWC_KEEP_HTML": "none",
    "GWC_STRIP": "none",
    "GWC_MAIN_TEXT": "none",
    "GWC_KEEP_FILES": "none",
    "GWC_RECRAWL": "False",
}


class BenchmarkError(SystemExit):
    """A run ended early or did only a part of its work: its figures would mean nothing, and the program ends."""

    def __init__(self, message: str) -> None:
        super().__init__(f"benchmark failed: {message}")


@dataclass(frozen=True)
class Ours:
    """Our crawl as a user runs it: five fields extracted, pages stripped, everything in SQLite; learned beforehand."""

    catalogue: Catalogue
    url: str
    directory: Path
    interpreter: Sequence[str] = (sys.executable,)
    """What runs the crawl: Python, or a profiler that runs it."""
    settings: Sequence[str] = ()
    """Further options of `scrapy learn` and `scrapy crawl`."""
    more_urls: Sequence[str] = ()
    """Further sites with the same pages."""
    stores: bool = True
    """Whether pages and records are in its own database."""
    links_only: bool = False
    """Extract no field, and let a sink take the pages that keeps nothing; URLs' states still survive a kill -9."""
    name: str = "GWC Crawler, everything on"
    version: str = ""

    def prepare(self) -> None:
        """Learn the site once; the knowledge serves every round."""
        self.directory.mkdir(exist_ok=True)
        text = site_file(self.catalogue, self.url, self.more_urls, with_fields=not self.links_only)
        self._site_file.write_text(text, encoding="utf-8")
        log = self.directory / "learn.log"
        check_exit(
            "learning", run_measured(Job(self._scrapy("learn", self.directory / "learned"), log, ROOT), 900), log
        )

    def job(self) -> Job:
        """Make an empty database, and return the crawl of the whole site into it."""
        shutil.rmtree(self._data, ignore_errors=True)
        (self._data / SITE).mkdir(parents=True)
        shutil.copy(self.directory / "learned" / SITE / "knowledge.json", self._data / SITE)
        return Job(self._scrapy("crawl", self._data), self.directory / "ours.log", ROOT)

    def crawl(self, server: CatalogueServer, environment: Mapping[str, str] | None = None) -> Cost:
        """Crawl the whole site once, and see that nothing was left out; raises as `check`."""
        server.take_hits()
        job = replace(self.job(), environment=environment)
        cost = run_measured(job, max(300.0, self.catalogue.pages * LIMIT_SECONDS_A_PAGE))
        self.check(cost, server.take_hits())
        return cost

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page fetched once from each site and, of one site, stored, every record stored and exact.

        Raises:
            BenchmarkError: saying what is missing.
        """
        check_exit(self.name, cost, self.directory / "ours.log")
        check_hits(self.catalogue, hits, self.name, times=1 + len(self.more_urls))
        if self.stores and not self.links_only and not self.more_urls:
            self._check_stored()

    def tail(self, log: str) -> str:
        """Return the end of one of its logs."""
        return tail(self.directory / log)

    def _check_stored(self) -> None:
        with closing(sqlite3.connect(self._data / SITE / "crawl.db")) as database:
            stored = database.execute("SELECT count(*) FROM pages WHERE length(stripped_html) > 0").fetchone()[0]
            records = dict(stored_records(database, self.url))
        if stored != self.catalogue.pages:
            raise BenchmarkError(f"our crawl stored {stored} stripped pages of {self.catalogue.pages}")
        wrong = [
            number
            for number in range(1, self.catalogue.products + 1)
            if records.get(f"/product/{number}") != self.catalogue.record(number)
        ]
        if wrong or len(records) != self.catalogue.products:
            first = wrong[0] if wrong else 1
            raise BenchmarkError(
                f"our crawl stored {len(records)} records of {self.catalogue.products}, {len(wrong)} wrong or missing; "
                f"product {first} is {self.catalogue.record(first)}, stored: {records.get(f'/product/{first}')}"
            )

    @property
    def _site_file(self) -> Path:
        return self.directory / f"{SITE}.toml"

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def _scrapy(self, command: str, data: Path) -> list[str]:
        interpreter = self.interpreter if command == "crawl" else (sys.executable,)
        settings = {"GWC_DATA_DIR": data, "LOG_LEVEL": "INFO", **(NOTHING_STORED if self.links_only else {})}
        return [*interpreter, "-m", "scrapy", command, str(self._site_file), *options_of(settings), *self.settings]


def options_of(settings: Mapping[str, object]) -> list[str]:
    """Return settings as Scrapy's command line has them."""
    return [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]


def check_exit(name: str, cost: Cost, log: Path) -> None:
    """Raise a BenchmarkError where a command failed."""
    if cost.exit_code:
        raise BenchmarkError(f"{name}: exit code {cost.exit_code}:\n{tail(log)}")


def tail(log: Path) -> str:
    """Return a log's end."""
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]


def check_hits(catalogue: Catalogue, hits: Counter[str], name: str, times: int = 1) -> None:
    """Compare what the server was asked for with what there is, on so many hosts as *times* says.

    Raises:
        BenchmarkError: a page was left out, asked for again, or doesn't exist.
    """
    wanted = {*catalogue.paths(), "/robots.txt"}
    left_out = [path for path in catalogue.paths() if hits[path] < times]
    again = [path for path, count in hits.items() if count > times or path not in wanted]
    if left_out or again:
        raise BenchmarkError(
            f"{name}: {len(left_out)} of {catalogue.pages} pages not fetched {left_out[:3]}, "
            f"{len(again)} fetched more than once or missing {again[:3]}"
        )


def stored_records(database: sqlite3.Connection, url: str) -> Iterator[tuple[str, dict[str, str | list[str]]]]:
    """Path → record of every row of the records table, lists decoded."""
    cursor = database.execute(f"SELECT url, title, price, brand, code, features FROM records_{SITE}")  # noqa: S608
    for address, title, price, brand, code, features in cursor:
        record = {"title": title, "price": price, "brand": brand, "code": code}
        yield address.removeprefix(url), {**record, "features": json.loads(features or "[]")}


def site_file(catalogue: Catalogue, url: str, more_urls: Sequence[str] = (), *, with_fields: bool = True) -> str:
    """A site file such as a user would write: the entry and two products."""
    numbers = (2, catalogue.products // 2)
    samples = "\n".join(_sample(catalogue, url, number, with_fields=with_fields) for number in numbers)
    entries = ", ".join(f'"{one}/"' for one in (url, *more_urls))
    return f"entry = [{entries}]\n\n[learn]\npages = {LEARNING_PAGES}\n\n{samples}"


def _sample(catalogue: Catalogue, url: str, number: int, *, with_fields: bool) -> str:
    # JSON strings and arrays of them read the same in TOML
    fields = ", ".join(f"{name} = {json.dumps(value)}" for name, value in catalogue.record(number).items())
    shown = f"fields = {{ {fields} }}\n" if with_fields else ""
    return f'[[samples]]\nurl = "{url}/product/{number}"\n{shown}'
