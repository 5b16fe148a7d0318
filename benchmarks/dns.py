"""`python -m benchmarks.dns`: what a DNS cache saves over traffic by Zipf's law, as links have it.

1. Lookups with the cache beside a question each time, to a name server in a process of its own, of few names and of
   many; the MD5-tree paper reports 2.5 to 3 times.
2. Two hundred names on a slow name server: questions for each, and the longest pause of the event loop.
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
from itertools import accumulate
from typing import Any, cast

from gwc_crawler.network.dns_cache import DnsCache, DnsOptions
from gwc_crawler.network.dns_servers import NameServers, read_server

PAPERS_SPEEDUP = (2.5, 3.0)
NAMES = (300, 1_000, 3_000)
"""The more names, the fewer lookups find theirs."""

ROUNDS = 3
"""The fastest of them counts."""

SLOW_SECONDS = 0.2
SLOW_NAMES = 200


def traffic(names: int, lookups: int, seed: int = 1) -> list[str]:
    """Return names as links bring them: the n-th most popular 1/n as often as the first."""
    weights = list(accumulate(1 / rank for rank in range(1, names + 1)))
    picks = random.Random(seed).choices(range(names), cum_weights=weights, k=lookups)
    return [f"host{number}.example.com" for number in picks]


HEAD = b"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
"""Flags and counts of an answer with one address."""

ANSWER = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x0e\x10\x00\x04\xc0\x00\x02\x01"
"""The name of the question is at 192.0.2.1, for an hour."""


class Server(asyncio.DatagramProtocol):
    """Answers after *delay* seconds."""

    def __init__(self, delay: float) -> None:
        self._delay = delay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say where."""
        self._transport = cast("asyncio.DatagramTransport", transport)
        host, port = transport.get_extra_info("sockname")
        print(f"{host}:{port}", flush=True)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer; the question ends with its type and class, behind the name's last byte, 0."""
        question = data[12 : data.index(0, 12) + 5]
        reply = data[:2] + HEAD + question + ANSWER
        asyncio.get_running_loop().call_later(self._delay, self._transport.sendto, reply, addr)


async def serve(delay: float) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: Server(delay), local_addr=("127.0.0.1", 0))
    await asyncio.Event().wait()


@contextmanager
def name_server(delay: float = 0.0) -> Iterator[str]:
    """Serve every name; yields where."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.dns", "--serve", str(delay)], stdout=subprocess.PIPE, text=True
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


def compare_with_questions(lookups: int, names: int) -> None:
    """Print how many times faster the cache is: over such traffic, and for names that it has."""
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


def ask_slowly() -> None:
    """Print what a slow name server is asked."""

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
    """Run both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dns", description=__doc__)
    parser.add_argument("--lookups", type=int, default=3_000, help="of each number of names (default 3,000)")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve))
    for names in NAMES:
        compare_with_questions(options.lookups, names)
    ask_slowly()


if __name__ == "__main__":
    main()
