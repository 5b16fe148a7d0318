"""`python -m benchmarks.dedup`: what it costs to know which URLs were seen. Bytes a URL, µs to add and look up, errors.

Every structure gets the same URLs. Bytes are those of the structure with its keys, counted by itself or by its server;
"false" are unseen URLs that it takes for seen. Redis is asked in batches, as a crawler would.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import md5, sha1
from pathlib import Path
from typing import Any, Protocol

import redis
from rbloom import Bloom

from gwc_crawler.frontier.md5tree import Md5Tree, key_of
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Link

PAPER_SIZE = 87_000
"""URLs in the paper's experiment."""

LARGE = 1_000_000
LARGEST = 10_000_000
DIRECTORIES = 1_000
SMALL = 5_000
BATCH = 1000
PORT = 16_379


class Seen(Protocol):
    """A structure under test."""

    def add(self, urls: Sequence[str]) -> None:
        """Enter a batch."""

    def count(self, urls: Sequence[str]) -> int:
        """How many of a batch it takes for seen."""

    def bytes(self) -> int:
        """What it takes now."""


class SetOfKeys:
    """A Python set of 64-bit ints."""

    def __init__(self) -> None:
        self.keys: set[int] = set()

    def add(self, urls: Sequence[str]) -> None:
        self.keys.update(map(key_of, urls))

    def count(self, urls: Sequence[str]) -> int:
        return sum(key_of(url) in self.keys for url in urls)

    def bytes(self) -> int:
        return sys.getsizeof(self.keys) + sum(map(sys.getsizeof, self.keys))


class Tree:
    """Ours."""

    def __init__(self) -> None:
        self.tree = Md5Tree()

    def add(self, urls: Sequence[str]) -> None:
        for url in urls:
            self.tree.add(url)

    def count(self, urls: Sequence[str]) -> int:
        return sum(url in self.tree for url in urls)

    def bytes(self) -> int:
        return self.tree.memory_bytes


class PaperTree:
    """The paper's tree: a node (dict) for each of 16 hex digits of the MD5."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}

    def add(self, urls: Sequence[str]) -> None:
        for url in urls:
            node = self.root
            for digit in digits(url):
                node = node.setdefault(digit, {})

    def count(self, urls: Sequence[str]) -> int:
        return sum(self._has(url) for url in urls)

    def _has(self, url: str) -> bool:
        node = self.root
        for digit in digits(url):
            if digit not in node:
                return False
            node = node[digit]
        return True

    def bytes(self) -> int:
        total, nodes = 0, [self.root]
        while nodes:
            node = nodes.pop()
            total += sys.getsizeof(node)
            nodes.extend(node.values())
        return total


class PaperDirectories:
    """The paper's variant for small crawls: the digits are directories on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, urls: Sequence[str]) -> None:
        for url in urls:
            self.root.joinpath(*digits(url)).mkdir(parents=True, exist_ok=True)

    def count(self, urls: Sequence[str]) -> int:
        return sum(self.root.joinpath(*digits(url)).exists() for url in urls)

    def bytes(self) -> int:
        return sum(path.stat().st_blocks * 512 for path in self.root.rglob("*"))


class BloomFilter:
    """A Bloom filter for a number of URLs that has to be known beforehand."""

    def __init__(self, size: int, error_rate: float) -> None:
        self.bloom = Bloom(size, error_rate)

    def add(self, urls: Sequence[str]) -> None:
        self.bloom.update(urls)

    def count(self, urls: Sequence[str]) -> int:
        return sum(url in self.bloom for url in urls)

    def bytes(self) -> int:
        return int(self.bloom.size_in_bits) // 8


class RedisSet:
    """What scrapy-redis keeps: a SET of SHA-1 in hex."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        client.flushall()
        self.empty = used_memory(client)

    def add(self, urls: Sequence[str]) -> None:
        self.client.sadd("seen", *map(fingerprint, urls))

    def count(self, urls: Sequence[str]) -> int:
        found: Any = self.client.smismember("seen", list(map(fingerprint, urls)))
        return sum(found)

    def bytes(self) -> int:
        return used_memory(self.client) - self.empty


class RedisBuckets:
    """RedisFrontier's dedup part, through its own `add`: the time includes that new URLs are put into its queue."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        client.flushall()
        self.frontier = RedisFrontier(client, "bench", known_urls=2)

    def add(self, urls: Sequence[str]) -> None:
        self.frontier.add([Link(url, 1, 1) for url in urls])

    def count(self, urls: Sequence[str]) -> int:
        blob = b"".join(md5(url.encode(), usedforsecurity=False).digest()[:8] for url in urls)
        return sum(map(bool, self.frontier._run("ask", what="urls", keys=blob)))

    def bytes(self) -> int:
        before = used_memory(self.client)
        keys = list(self.client.scan_iter("{bench}:dupefilter:*", count=BATCH))
        for key in keys:
            self.client.delete(key)
        return before - used_memory(self.client)


def digits(url: str) -> str:
    """The 16 hex digits."""
    return md5(url.encode(), usedforsecurity=False).hexdigest()[:16]


def fingerprint(url: str) -> str:
    """As scrapy-redis's dupefilter."""
    return sha1(url.encode(), usedforsecurity=False).hexdigest()


def used_memory(client: redis.Redis) -> int:
    """Bytes that Redis has handed out."""
    info: Any = client.info("memory")
    return int(info["used_memory"])


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    size: int
    bytes_a_url: float
    add_us: float
    find_us: float
    false: int


def measure(name: str, make: Callable[[], Seen], size: int) -> Row:
    """Fill a structure, look all its URLs up, then as many others (at most a million)."""
    seen = make()
    add_seconds = timed(seen.add, size)
    asked = min(size, LARGE)
    found: list[int] = []
    find_seconds = timed(lambda urls: found.append(seen.count(urls)), asked)
    if sum(found) != asked:
        raise SystemExit(f"{name} has lost {asked - sum(found)} of {asked} URLs")
    false = sum(seen.count(batch) for batch in batches(asked, "other"))
    return Row(name, size, seen.bytes() / size, 1e6 * add_seconds / size, 1e6 * find_seconds / asked, false)


def timed(step: Callable[[Sequence[str]], object], size: int) -> float:
    """Seconds that *step* takes for all batches; the making of URLs isn't counted."""
    seconds = 0.0
    for batch in batches(size):
        began = time.perf_counter()
        step(batch)
        seconds += time.perf_counter() - began
    return seconds


def batches(size: int, part: str = "product") -> Iterator[list[str]]:
    """URLs of a shop."""
    for start in range(0, size, BATCH):
        yield [f"https://www.shop.example/{part}/{n:08d}/a-nice-thing" for n in range(start, min(start + BATCH, size))]


@contextmanager
def redis_server() -> Iterator[redis.Redis]:
    """A server of our own, without persistence."""
    command = ["redis-server", "--port", str(PORT), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        with closing(redis.Redis(port=PORT)) as client:
            yield client
    finally:
        process.kill()
        process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dedup", description=__doc__)
    parser.add_argument("--full", action="store_true", help="ten million URLs, too, and 87,000 directories: minutes")
    parser.add_argument("--quick", action="store_true", help="a few thousand URLs: seconds")
    options = parser.parse_args(arguments)
    sizes = [SMALL] if options.quick else [PAPER_SIZE, LARGE, *([LARGEST] if options.full else [])]
    print("| structure | URLs | bytes a URL | µs to add | µs to look up | false |\n|---|---|---|---|---|---|")
    show(measure("16-way tree, a node a digit (paper)", PaperTree, sizes[0]))
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        size = PAPER_SIZE if options.full else DIRECTORIES
        show(measure("16-way tree of directories (paper)", lambda: PaperDirectories(Path(scratch)), size))
    for size in sizes:
        show(measure("set of 64-bit ints", SetOfKeys, size))
        show(measure("Bloom filter, 1 % (rbloom)", lambda size=size: BloomFilter(size, 0.01), size))  # type: ignore[misc]
        show(measure("Md5Tree", Tree, size))
    if shutil.which("redis-server") is None:
        print("(no redis-server here: install it for the figures of Redis)", file=sys.stderr)
        return 0
    with redis_server() as client:
        for size in sizes:
            if size < LARGEST:  # a gigabyte and more
                show(measure("Redis SET of SHA-1 (scrapy-redis)", lambda: RedisSet(client), size))
            show(measure("RedisFrontier", lambda: RedisBuckets(client), size))
    return 0


def show(row: Row) -> None:
    """Print one line at once."""
    print(
        f"| {row.name} | {row.size:,} | {row.bytes_a_url:.1f} | {row.add_us:.2f} | {row.find_us:.2f} | {row.false:,} |",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
