"""`python -m benchmarks.dns`: what a DNS cache saves, and which structure serves it best. Makes the plot in docs, too.

Three tables, each over traffic by Zipf's law, as pages have it: few hosts are linked to all the time, most hardly ever.

1. Lookups a second with the cache beside a question each time, to a name server in a process of its own, of few names
   and of many; the MD5-tree paper reports 2.5 to 3 times.
2. Microseconds for a lookup, and the share of lookups that find their name where a tenth of the names fits, for the
   paper's hash table with chains sorted by weight, for a dict and a heap of weights, for `functools.lru_cache`, and for
   ours. Each takes three lookups for every name at least, so that the table fills.
3. Two hundred names on a slow name server: questions for each, and the longest pause of the event loop.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappush, heapreplace
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from benchmarks.plot import Line, Panel, svg
from gwc_crawler.dns import DnsCache, DnsOptions, NameServers, NameTable, read_server

PAPERS_SPEEDUP = (2.5, 3.0)
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
NAMES = (300, 1_000, 3_000)
"""Of the first table: the more names, the fewer lookups find theirs."""

CHAINS = 16_384
"""Of the paper's table, which says nothing of how many there are."""

LOOKUPS_A_NAME = 3

ROUNDS = 3
"""The fastest of them counts."""

SLOW_SECONDS = 0.2
SLOW_NAMES = 200


@dataclass(slots=True)
class Entry:
    """What is kept of a name."""

    name: str
    address: str
    weight: int = 0


class Structure(Protocol):
    """A table of names under test."""

    def get(self, name: str) -> Entry | None:
        """Return what is kept of a name."""

    def put(self, name: str, entry: Entry) -> None:
        """Keep it; something else may have to go."""


class PapersTable:
    """The paper's: a hash table whose chains are sorted by weight, so that popular names are found first.

    A hit moves its name up its chain as far as its weight goes. Where the table is full the last of the new name's
    chain goes, or of the next one that has any.
    """

    def __init__(self, size: int) -> None:
        self._chains: list[list[Entry]] = [[] for _ in range(CHAINS)]
        self._room = size

    def get(self, name: str) -> Entry | None:
        chain = self._chains[hash(name) % CHAINS]
        for place, entry in enumerate(chain):
            if entry.name == name:
                entry.weight += 1
                while place and chain[place - 1].weight < entry.weight:
                    chain[place] = chain[place - 1]
                    place -= 1
                chain[place] = entry
                return entry
        return None

    def put(self, name: str, entry: Entry) -> None:
        place = hash(name) % CHAINS
        if self._room:
            self._room -= 1
        else:
            victim = place
            while not self._chains[victim]:
                victim = (victim + 1) % CHAINS
            self._chains[victim].pop()
        self._chains[place].append(entry)


class LightestGoes:
    """A dict; where it is full, exactly the name of least weight goes: the first of a heap whose weights may be old."""

    def __init__(self, size: int) -> None:
        self._entries: dict[str, Entry] = {}
        self._weights: list[tuple[int, str]] = []
        self._size = size

    def get(self, name: str) -> Entry | None:
        entry = self._entries.get(name)
        if entry is not None:
            entry.weight += 1
        return entry

    def put(self, name: str, entry: Entry) -> None:
        if len(self._entries) >= self._size:
            weight, lightest = self._weights[0]
            while weight != self._entries[lightest].weight:
                heapreplace(self._weights, (self._entries[lightest].weight, lightest))
                weight, lightest = self._weights[0]
            del self._entries[lightest]
            heapreplace(self._weights, (entry.weight, name))
        else:
            heappush(self._weights, (entry.weight, name))
        self._entries[name] = entry


STRUCTURES: dict[str, Callable[[int], Structure]] = {
    "the paper's chains": PapersTable,
    "dict, least weight goes": LightestGoes,
    "ours: dict, weights decay": NameTable,
}
LRU_CACHE = "functools.lru_cache"


def traffic(names: int, lookups: int, seed: int = 1) -> list[str]:
    """Return names as links bring them: the n-th most popular 1/n as often as the first."""
    weights = list(accumulate(1 / rank for rank in range(1, names + 1)))
    picks = random.Random(seed).choices(range(names), cum_weights=weights, k=lookups)
    return [f"host{number}.example.com" for number in picks]


def looked_up(table: Structure, asked: Sequence[str]) -> tuple[float, float]:
    """Return microseconds of a lookup, and the share that found their name."""
    found = 0
    start = time.process_time()
    for name in asked:
        if table.get(name) is None:
            table.put(name, Entry(name, "192.0.2.1"))
        else:
            found += 1
    return (time.process_time() - start) / len(asked) * 1e6, found / len(asked)


def looked_up_by_lru_cache(size: int, asked: Sequence[str], warm: int) -> tuple[float, float]:
    """Return the same for `functools.lru_cache`, after *warm* rounds that don't count."""
    known = lru_cache(size)(lambda name: Entry(name, "192.0.2.1"))
    for _ in range(warm):
        for name in asked:
            known(name)
    before, start = known.cache_info().hits, time.process_time()
    for name in asked:
        known(name)
    micros = (time.process_time() - start) / len(asked) * 1e6
    return micros, (known.cache_info().hits - before) / len(asked)


def compare_structures(sizes: Sequence[int], lookups: int) -> dict[str, list[tuple[int, float]]]:
    """Print the second table; return its times."""
    print(f"\n{'names':>9}  {'structure':<30} {'us/lookup':>9}  {'found, a tenth fits':>19}")
    times: dict[str, list[tuple[int, float]]] = {name: [] for name in (*STRUCTURES, LRU_CACHE)}
    for size in sizes:
        asked = traffic(size, max(lookups, LOOKUPS_A_NAME * size))
        room = max(10, size // 10)
        for name in times:
            if name == LRU_CACHE:
                micros, _ = looked_up_by_lru_cache(size, asked, 1)
                _, share = looked_up_by_lru_cache(room, asked, 0)
            else:
                table = STRUCTURES[name](size)
                looked_up(table, asked)  # filled
                micros, _ = looked_up(table, asked)
                _, share = looked_up(STRUCTURES[name](room), asked)
            times[name].append((size, micros))
            print(f"{size:>9,}  {name:<30} {micros:>9.2f}  {share:>18.1%}")
    return times


@contextmanager
def name_server(delay: float = 0.0) -> Iterator[str]:
    """Serve every name; yields where."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.name_server", str(delay)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def _timed(lookup: Callable[[str], object], asked: Sequence[str], at_once: int) -> float:
    """Return the seconds that these lookups take, so many at once."""
    waiting = iter(asked)

    async def work() -> None:
        for name in waiting:
            await lookup(name)  # type: ignore[misc]

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return time.perf_counter() - start


def compare_with_questions(lookups: int, names: int) -> tuple[float, float]:
    """Print the first table; return how many times faster the cache is: over such traffic, and for a name it has."""
    asked = traffic(names, lookups)
    with name_server() as place:

        async def measure() -> tuple[float, float, float]:
            servers = NameServers([read_server(place)], has_ipv6=lambda: False)
            await servers("warm.up")
            cache = DnsCache(servers, hosts_file=dict)
            each = await _timed(servers, asked, 16)
            cached = await _timed(cache.addresses_of, asked, 16)
            return each, cached, await _timed(cache.addresses_of, asked, 1)

        rounds = [asyncio.run(measure()) for _ in range(ROUNDS)]
    each, cached, known = map(min, zip(*rounds, strict=True))
    print(f"{lookups:,} lookups of {names:,} names, {len(set(asked)):,} of them different, 16 at once")
    for what, seconds in (("a question each time", each), ("the cache, empty at first", cached), ("all known", known)):
        print(f"  {what:<26} {seconds:>7.3f} s  {seconds / lookups * 1e6:>8.1f} us  {each / seconds:>8.1f} times")
    print(f"  the paper's                              {PAPERS_SPEEDUP[0]:g} to {PAPERS_SPEEDUP[1]:g} times")
    return each / cached, each / known


def ask_slowly() -> None:
    """Print the third table."""

    async def measure(place: str) -> tuple[Counter[str], float, float]:
        questions: Counter[str] = Counter()
        servers = NameServers([read_server(place)], has_ipv6=lambda: False)

        async def ask(name: str) -> object:
            questions[name] += 1
            return await servers(name)

        await servers("warm.up")  # loads dnspython
        cache = DnsCache(ask, DnsOptions(at_once=64), hosts_file=dict)  # type: ignore[arg-type]
        pauses = [0.0]
        watching = asyncio.create_task(_watch(pauses))
        asked = [f"host{number % SLOW_NAMES}.example.com" for number in range(SLOW_NAMES * 50)]
        took = await _timed(cache.addresses_of, asked, 256)
        watching.cancel()
        return questions, took, max(pauses)

    with name_server(SLOW_SECONDS) as place:
        questions, took, pause = asyncio.run(measure(place))
    print(f"\n{SLOW_NAMES} names, each looked up 50 times, on a name server that takes {SLOW_SECONDS * 1000:g} ms")
    print(f"  {took:.2f} s, {questions.total()} questions, {max(questions.values())} a name at most")
    print(f"  longest pause of the event loop by work of its own: {pause * 1000:.1f} ms")


async def _watch(pauses: list[float]) -> None:
    """Note how long the loop works until it comes round: CPU time, so that other programs don't count."""
    while True:
        before = time.thread_time()
        await asyncio.sleep(0)
        pauses.append(time.thread_time() - before)


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dns", description=__doc__)
    parser.add_argument("--lookups", type=int, default=200_000, help="of each structure (default 200,000)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of names")
    parser.add_argument("--svg", type=Path, help="write the plot there", metavar="FILE")
    options = parser.parse_args()
    compared = [compare_with_questions(min(3_000, options.lookups), names) for names in NAMES]
    times = compare_structures(options.sizes, options.lookups)
    ask_slowly()
    if options.svg:
        options.svg.write_text(plot(*compared[0], times), encoding="utf-8")


def plot(speedup: float, known: float, times: dict[str, list[tuple[int, float]]]) -> str:
    """Draw what was measured."""
    faster = Panel(
        "times faster than a question each time",
        bars=[
            ("the paper", PAPERS_SPEEDUP[1], f"{PAPERS_SPEEDUP[0]:g} to {PAPERS_SPEEDUP[1]:g}"),
            ("ours, empty at first", speedup, f"{speedup:.1f}"),
            ("ours, all known", known, f"{known:,.0f}"),
        ],
    )
    lines = [Line(name, [(float(size), micros) for size, micros in points]) for name, points in times.items()]
    return svg([faster, Panel("microseconds for a lookup, by number of names", lines=lines)])


if __name__ == "__main__":
    main()
