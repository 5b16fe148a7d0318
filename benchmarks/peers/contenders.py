"""Who takes part: how each crawl is started, and whether it fetched every page of the site."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, BenchmarkError, Ours, check_exit
from benchmarks.measure import Cost, Job
from benchmarks.peers.environments import CRAWLEE, GWC_CRAWLER, SCRAPY, SCRAPY_REDIS, installed, python_with

PROGRAMS = ROOT / "benchmarks" / "peers" / "programs"
PROGRAM = (str(PROGRAMS / "scrapy_peers.py"),)


@dataclass(frozen=True)
class Peer:
    """Another crawler, by its command; `{folder}` in it is an empty directory.

    Attributes:
        turn_seconds: how long it runs at a time, about as much longer than ours as it takes, so that all end together.
    """

    name: str
    version: str
    catalogue: Catalogue
    directory: Path
    command: Sequence[str]
    turn_seconds: float = 1.0

    def prepare(self) -> None:
        """Need nothing that lasts."""
        self.directory.mkdir(exist_ok=True)

    def job(self) -> Job:
        """Return the crawl with an empty directory."""
        folder = self.directory / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        command = [part.format(folder=folder) for part in self.command]
        return Job(command, self.directory / "log", folder, turn_seconds=self.turn_seconds)

    def check(self, cost: Cost, hits: Counter[str]) -> None:
        """Every page fetched; twice, or pages that don't exist, are its own affair."""
        check_exit(self.name, cost, self.directory / "log")
        left_out = [path for path in self.catalogue.paths() if path not in hits]
        if left_out:
            raise BenchmarkError(f"{self.name}: {len(left_out)} pages not fetched, such as {left_out[:3]}")


Contender: TypeAlias = Ours | Peer
"""One crawl of the whole site."""

COUNT = 10
"""How many `peers` are."""

# Both obey robots.txt, as all others do. Without -%c0 and -A0 httrack opens ten connections and takes 25 KB a second.
HTTRACK = ("-q", "-c8", "-%c0", "-A0", "--disable-security-limits", "-s2", "-I0", "-%v0", "-O", "{folder}")
WGET2 = ("wget2", "--recursive", "--level=inf", "--quiet", "--max-threads=8", "-P", "{folder}")


def peers(catalogue: Catalogue, urls: Sequence[str], directory: Path, redis_url: str) -> list[Contender]:
    """Return all who take part, ours first; each gets one of *urls*.

    Raises:
        BenchmarkError: an environment can't be made; a program that is no Python package is missing.
    """
    scrapy, with_redis = python_with("scrapy", SCRAPY), python_with("scrapy-redis", SCRAPY_REDIS)
    crawlee, gwc = python_with("crawlee", CRAWLEE), python_with("gwc-crawler", GWC_CRAWLER)
    addresses = directory / "addresses"
    addresses.write_text("\n".join(catalogue.paths()), encoding="utf-8")
    every = iter(zip(urls, (directory / str(number) for number in range(len(urls))), strict=True))
    here = installed(gwc, "gwc-crawler")

    def ours(name: str, *, links_only: bool) -> Ours:
        return Ours(catalogue, *next(every), [str(gwc)], links_only=links_only, name=name, version=here)

    def peer(name: str, turn_seconds: float, version: str, *command: str) -> Peer:
        url, folder = next(every)
        named = [part.replace("URL", f"{url}/") for part in command]
        return Peer(name, version, catalogue, folder, named, turn_seconds)

    def scrapys(name: str, turn_seconds: float, spider: str, *more: str) -> Peer:
        version = f"Scrapy {installed(scrapy, 'scrapy')}"
        return peer(name, turn_seconds, version, str(scrapy), *PROGRAM, spider, "URL", *more)

    shared = str(with_redis), *PROGRAM, "loop", "URL", redis_url
    crawlees = str(crawlee), str(PROGRAMS / "crawlee_loop.py"), "URL"
    wget2 = version_of("wget2", "--version")
    return [
        ours("GWC Crawler, everything on", links_only=False),
        ours("GWC Crawler, links only, nothing stored", links_only=True),
        scrapys("Scrapy CrawlSpider", 6.0, "everything"),
        scrapys("Scrapy, a plain loop", 5.0, "loop"),
        scrapys("Scrapy, fetching alone", 1.7, "bare", str(addresses)),
        peer("scrapy-redis, the same loop", 8.0, installed(with_redis, "scrapy-redis"), *shared),
        peer("Crawlee for Python", 3.7, installed(crawlee, "crawlee"), *crawlees),
        peer("httrack", 1.9, version_of("httrack", "--version"), "httrack", "URL", *HTTRACK),
        peer("wget2", 0.2, wget2, *WGET2, "URL"),
        peer("wget2, nothing stored", 0.1, wget2, *WGET2, "--delete-after", "URL"),
    ]


def version_of(*command: str) -> str:
    """Return the release of a program, the first number that it tells.

    Raises:
        BenchmarkError: it's not there.
    """
    if shutil.which(command[0]) is None:
        raise BenchmarkError(f"{command[0]} is missing: as root, `apt-get install {command[0]}`")
    told = subprocess.run(command, capture_output=True, text=True).stdout.split()
    return next((word for word in told if word[0].isdigit() and "." in word), "")
