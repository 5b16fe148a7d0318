"""Who takes part: how each crawl is started, and whether it fetched every page of the site."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import LEARNING_PAGES, ROOT, SITE, BenchmarkError, Ours, check_hits
from benchmarks.measure import Cost, Job, run_measured
from benchmarks.peers.environments import CRAWLEE, GWC_CRAWLER, SCRAPY, SCRAPY_REDIS, installed, python_with

PROGRAMS = ROOT / "benchmarks" / "peers" / "programs"
OURS = "GWC Crawler, everything on"
LINKS_ONLY = "GWC Crawler, links only, nothing stored"
CRAWL_SPIDER = "Scrapy CrawlSpider"
CRAWLEE_NAME = "Crawlee for Python"
WGET2 = "wget2, nothing stored"
WGET2_STORES = "wget2"
LOOP = "Scrapy, a plain loop"
BARE = "Scrapy, fetching alone"
REDIS_LOOP = "scrapy-redis, the same loop"

TURN_SECONDS = 1.0
"""How long ours run at a time; others as much longer as they take longer, so that all end together."""

SHARES = {
    CRAWL_SPIDER: 6.0,
    LOOP: 5.0,
    BARE: 1.7,
    REDIS_LOOP: 8.0,
    CRAWLEE_NAME: 3.7,
    "httrack": 1.9,
    WGET2_STORES: 0.2,
    WGET2: 0.1,
}
"""Peer → about how many times as long as ours it takes."""


class Contender(Protocol):
    """One crawl of the whole site."""

    @property
    def name(self) -> str:
        """What the table calls it."""

    @property
    def version(self) -> str:
        """Which release it is of."""

    def prepare(self) -> None:
        """Do what is done once, before the rounds."""

    def job(self) -> Job:
        """Return the crawl, with nothing left of one before."""

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Raise a BenchmarkError where it left something out."""


@dataclass(frozen=True)
class Everything:
    """Our crawl as a user runs it, checked to the last record."""

    ours: Ours
    settings: Sequence[str] = ()
    name: str = OURS
    version: str = ""

    def prepare(self) -> None:
        """Learn the site."""
        self.ours.directory.mkdir(exist_ok=True)
        self.ours.prepare()

    def job(self) -> Job:
        """Return the crawl into an empty database."""
        job = self.ours.job()
        return Job([*job.command, *self.settings], job.log, job.cwd, turn_seconds=TURN_SECONDS)

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page once, every record exact."""
        self.ours.check(cost, hits)


NOTHING_STORED = {
    "GWC_SINK": "benchmarks.peers.nothing.NothingSink",
    "GWC_KEEP_HTML": "none",
    "GWC_STRIP": "none",
    "GWC_MAIN_TEXT": "none",
    "GWC_KEEP_FILES": "none",
    "GWC_RECRAWL": "False",
}


@dataclass(frozen=True)
class LinksOnly:
    """Our crawl with no field to extract and a sink that keeps nothing; its URLs' states still survive a kill -9."""

    catalogue: Catalogue
    url: str
    directory: Path
    python: str = sys.executable
    more: Sequence[str] = ()
    name: str = LINKS_ONLY
    version: str = ""

    def prepare(self) -> None:
        """Learn which URLs are targets, without fields."""
        self.directory.mkdir(exist_ok=True)
        self._site_file.write_text(self._text(), encoding="utf-8")
        command = self._scrapy("learn", self.directory / "learned")
        cost = run_measured(command, self.directory / "learn.log", cwd=ROOT, limit_seconds=900)
        if cost.exit_code:
            raise BenchmarkError(f"`scrapy learn` failed:\n{_tail(self.directory / 'learn.log')}")

    def job(self) -> Job:
        """Return the crawl into an empty database."""
        data = self.directory / "data"
        shutil.rmtree(data, ignore_errors=True)
        (data / SITE).mkdir(parents=True)
        shutil.copy(self.directory / "learned" / SITE / "knowledge.json", data / SITE)
        settings = [part for pair in NOTHING_STORED.items() for part in ("-s", "=".join(pair))]
        command = [*self._scrapy("crawl", data), *settings, *self.more]
        return Job(command, self.directory / "crawl.log", ROOT, turn_seconds=TURN_SECONDS)

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page, each once."""
        if cost.exit_code:
            raise BenchmarkError(f"{self.name}: exit code {cost.exit_code}:\n{_tail(self.directory / 'crawl.log')}")
        check_hits(self.catalogue, hits, self.name)

    @property
    def _site_file(self) -> Path:
        return self.directory / f"{SITE}.toml"

    def _text(self) -> str:
        numbers = (2, self.catalogue.products // 2)
        samples = "".join(f'[[samples]]\nurl = "{self.url}/product/{number}"\n' for number in numbers)
        return f'entry = ["{self.url}/"]\n\n[learn]\npages = {LEARNING_PAGES}\n\n{samples}'

    def _scrapy(self, command: str, data: Path) -> list[str]:
        settings = ["-s", f"GWC_DATA_DIR={data}", "-s", "LOG_LEVEL=INFO"]
        return [self.python, "-m", "scrapy", command, str(self._site_file), *settings]


@dataclass(frozen=True)
class Peer:
    """Another crawler, by its command; `{folder}` in it is an empty directory.

    Attributes:
        fresh: what empties a queue that outlives a crawl.
    """

    name: str
    version: str
    catalogue: Catalogue
    directory: Path
    command: Sequence[str]
    fresh: Callable[[], object] | None = None

    def prepare(self) -> None:
        """Need nothing that lasts."""
        self.directory.mkdir(exist_ok=True)

    def job(self) -> Job:
        """Return the crawl with an empty directory."""
        folder = self.directory / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if self.fresh is not None:
            self.fresh()
        command = [part.format(folder=folder) for part in self.command]
        turn_seconds = TURN_SECONDS * SHARES.get(self.name, 1.0)
        return Job(command, self.directory / "log", folder, turn_seconds=turn_seconds)

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page fetched; twice, or pages that don't exist, are its own affair."""
        if cost.exit_code:
            raise BenchmarkError(f"{self.name}: exit code {cost.exit_code}:\n{_tail(self.directory / 'log')}")
        left_out = [path for path in self.catalogue.paths() if path not in hits]
        if left_out:
            raise BenchmarkError(f"{self.name}: {len(left_out)} pages not fetched, such as {left_out[:3]}")


def peers(catalogue: Catalogue, urls: Sequence[str], directory: Path, redis_url: str) -> list[Contender]:
    """Return all who take part, ours first; each gets one of *urls*.

    Raises:
        EnvironmentFailedError: of a Python peer.
        BenchmarkError: a program that is no Python package is missing.
    """
    scrapy, with_redis = python_with("scrapy", SCRAPY), python_with("scrapy-redis", SCRAPY_REDIS)
    crawlee, gwc = python_with("crawlee", CRAWLEE), python_with("gwc-crawler", GWC_CRAWLER)
    addresses = directory / "addresses"
    addresses.write_text("\n".join(catalogue.paths()), encoding="utf-8")
    every = iter(zip(urls, (directory / str(number) for number in range(len(urls))), strict=True))

    def peer(name: str, version: str, *command: str, fresh: Callable[[], object] | None = None) -> Peer:
        url, folder = next(every)
        return Peer(name, version, catalogue, folder, [part.replace("URL", f"{url}/") for part in command], fresh)

    here = installed(gwc, "gwc-crawler")
    url, folder = next(every)
    ours = Everything(Ours(catalogue, url, folder, [str(gwc)]), version=here)
    links = LinksOnly(catalogue, *next(every), str(gwc), version=here)
    with_scrapy, with_crawlee = f"Scrapy {installed(scrapy, 'scrapy')}", installed(crawlee, "crawlee")
    httrack = (*HTTRACK, "-O", "{folder}")
    return [
        ours,
        links,
        peer(CRAWL_SPIDER, with_scrapy, str(scrapy), str(PROGRAMS / "crawlspider.py"), "URL"),
        peer(LOOP, with_scrapy, str(scrapy), str(PROGRAMS / "scrapy_loop.py"), "URL"),
        peer(BARE, with_scrapy, str(scrapy), str(PROGRAMS / "scrapy_bare.py"), "URL", str(addresses)),
        peer(
            REDIS_LOOP, installed(with_redis, "scrapy-redis"), str(with_redis),
            str(PROGRAMS / "scrapy_loop.py"), "URL", redis_url, fresh=lambda: flush(redis_url),
        ),
        peer(CRAWLEE_NAME, with_crawlee, str(crawlee), str(PROGRAMS / "crawlee_loop.py"), "URL"),
        peer("httrack", version_of("httrack", "--version"), "httrack", "URL", *httrack),
        peer(WGET2_STORES, version_of("wget2", "--version"), *WGET2_COMMAND, "-P", "{folder}", "URL"),
        peer(WGET2, version_of("wget2", "--version"), *WGET2_COMMAND, "--delete-after", "-P", "{folder}", "URL"),
    ]  # fmt: skip


COUNT = 10
"""How many `peers` are."""

# Both obey robots.txt, as all others do. Without -%c0 and -A0 httrack opens ten connections and takes 25 KB a second.
HTTRACK = ("-q", "-c8", "-%c0", "-A0", "--disable-security-limits", "-s2", "-I0", "-%v0")
WGET2_COMMAND = ("wget2", "--recursive", "--level=inf", "--quiet", "--max-threads=8")


def version_of(*command: str) -> str:
    """Return the release of a program, the first number that it tells.

    Raises:
        BenchmarkError: it's not there.
    """
    if shutil.which(command[0]) is None:
        raise BenchmarkError(f"{command[0]} is missing: as root, `apt-get install {command[0]}`")
    told = subprocess.run(command, capture_output=True, text=True).stdout.split()
    return next((word for word in told if word[0].isdigit() and "." in word), "")


def flush(redis_url: str) -> None:
    """Empty the Redis of the benchmark."""
    from redis import Redis

    with Redis.from_url(redis_url) as client:
        client.flushall()


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]
