"""`python -m benchmarks.day`: a day of crawling with DNS cache and MD5-tree beside one without, on a simulated clock.

Latencies are drawn; the clock jumps from one event to the next. The cache, the tree and their times are real: what the
processor takes for what was seen is added to the clock. Without the two, each page asks for its host, and what was seen
is a set of SHA-1 in hex, as in Scrapy.

Source:
    MD5-tree: pages of 24 hours. The latencies are taken from its two figures, so that asking for each name costs what
    it lost by that: shown is how much of it the cache saves, and whether anything slows down with a million URLs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from array import array
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha1
from typing import Any

from benchmarks.dns import traffic
from gwc_crawler import Md5Tree
from gwc_crawler.network.dns_cache import DnsCache
from gwc_crawler.network.dns_servers import DnsAnswer

PAPER = {"without": 678_932, "with": 815_043}
HOSTS, LINKS, SLOTS = 3_000, 10, 10
PAGE_SECONDS, NAME_SECONDS = 1.06, 0.212
"""Means of exponential distributions."""


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop that never waits: where nothing is ready, its clock is set to when the next thing is."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        """Seconds since it began."""
        return self.now

    def _run_once(self) -> None:
        loop: Any = self
        if not loop._ready and loop._scheduled:
            self.now = max(self.now, loop._scheduled[0]._when)
        super()._run_once()  # type: ignore[misc]


class HexSet:
    """What Scrapy's dupefilters remember."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def add(self, url: str) -> bool:
        """Enter *url*; True if it is new."""
        mark = sha1(url.encode(), usedforsecurity=False).hexdigest()
        is_new = mark not in self.seen
        self.seen.add(mark)
        return is_new

    @property
    def memory_bytes(self) -> int:
        """Of the table and the marks."""
        return sys.getsizeof(self.seen) + 89 * len(self.seen)


class Crawl:
    """One crawl of *urls* pages for so many hours; `pages` counts those of each hour."""

    def __init__(self, loop: SimulatedLoop, urls: int, *, has_both: bool) -> None:
        self.loop = loop
        self.pages: Counter[int] = Counter()
        self.seen: Md5Tree | HexSet = Md5Tree() if has_both else HexSet()
        self._random = random.Random(1)
        self._hosts = array("H", (int(name[4:-12]) for name in traffic(HOSTS, urls)))
        self._queue: deque[int] = deque([0])
        cache = DnsCache(self.ask, clock=loop.time, hosts_file=dict)
        self._address_of: Callable[[str], Awaitable[object]] = cache.addresses_of if has_both else self.ask

    async def ask(self, _: str) -> DnsAnswer:
        """Ask for an address, which holds an hour."""
        await asyncio.sleep(self._random.expovariate(1 / NAME_SECONDS))
        return DnsAnswer(("192.0.2.1",), 3600.0)

    async def run(self, hours: int) -> None:
        """Crawl by `SLOTS` at once."""
        await asyncio.gather(*(self._slot(3600.0 * hours) for _ in range(SLOTS)))

    async def _slot(self, until: float) -> None:
        while self.loop.now < until:
            if not self._queue:
                await asyncio.sleep(0.1)
                continue
            number = self._queue.popleft()
            await self._address_of(self._host(number))
            await asyncio.sleep(self._random.expovariate(1 / PAGE_SECONDS))
            self.pages[int(self.loop.now // 3600)] += 1
            self._read()

    def _read(self) -> None:
        links = [self._random.randrange(len(self._hosts)) for _ in range(LINKS)]
        urls = [f"http://{self._host(number)}/p/{number}" for number in links]
        began = time.perf_counter()
        new = [self.seen.add(url) for url in urls]
        self.loop.now += time.perf_counter() - began
        self._queue.extend(number for number, is_new in zip(links, new, strict=True) if is_new)

    def _host(self, number: int) -> str:
        return f"host{self._hosts[number]}.example.com"


def crawled(urls: int, hours: int, *, has_both: bool) -> Crawl:
    """Crawl, and return the crawl."""
    loop = SimulatedLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        crawl = Crawl(loop, urls, has_both=has_both)
        runner.run(crawl.run(hours))
    return crawl


def main(arguments: Sequence[str] | None = None) -> int:
    """Print pages an hour of both, every third hour, and all pages beside the paper's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.day", description=__doc__)
    parser.add_argument("--urls", type=int, default=1_000_000, help="what there is to crawl")
    parser.add_argument("--hours", type=int, default=24)
    options = parser.parse_args(arguments)
    both = {name: crawled(options.urls, options.hours, has_both=name == "with") for name in PAPER}
    print("| hour | pages without | with DNS cache and tree | times |\n|---|---|---|---|")
    for hour in range(0, options.hours, 3):
        without, having = (crawl.pages[hour] for crawl in both.values())
        print(f"| {hour + 1} | {without:,} | {having:,} | {having / max(1, without):.3f} |")
    without, having = (sum(crawl.pages[hour] for hour in range(options.hours)) for crawl in both.values())
    print(f"| all | {without:,} | {having:,} | {having / max(1, without):.3f} |")
    paper = [f"{pages:,}" for pages in PAPER.values()]
    print(f"| *paper, 24 hours* | {' | '.join(paper)} | {PAPER['with'] / PAPER['without']:.3f} |")
    sizes = (f"{crawl.seen.memory_bytes / 1e6:,.0f} MB" for crawl in both.values())
    print(f"\nWhat was seen takes {' without, '.join(sizes)} with the tree.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
