"""Looking through a shared frontier: its URLs by name, or by a shell pattern, a hundred at a time; its workers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import translate
from heapq import nsmallest
from itertools import islice
from re import compile as pattern_of
from typing import Any

from gwc_crawler.frontier.protocol import Chosen, UrlInfo
from gwc_crawler.frontier.redis.wire import STORED, key_of, read_info
from gwc_crawler.frontier.sqlite import only_url
from gwc_crawler.items import UrlState
from gwc_crawler.redis_server import Server, redis_errors

ENTRIES_A_CALL = 1000
URLS_A_CALL = 100
DRAWS_A_CALL = 250
"""100 URLs a call: 1 ms as a rule, up to 6 ms alone on a machine; see docs/quality.md."""


class Listing:
    """Reads what `RedisFrontier` wrote; *run* calls one of its scripts."""

    def __init__(self, server: Server, queue_key: str, run: Callable[..., Any]) -> None:
        self._server = server
        self._queue_key = queue_key
        self._run = run

    def find(self, url: str) -> UrlInfo | None:
        """All about *url*, or None if it was never seen."""
        return read_info(self._run("ask", what="urls", keys=key_of(url), with_way=1)[0], url)

    def keys(self, pattern: Chosen) -> Iterator[bytes]:
        """The names of the URLs whose text matches."""
        if not isinstance(pattern, str):
            yield from map(key_of, pattern)
            return
        if (url := only_url(pattern)) is not None:
            yield key_of(url)
            return
        matches = pattern_of(translate(pattern.replace("[^", "[!"))).match
        seen = set()
        for key, value in self.scan("urls"):
            if key not in seen and matches(value[STORED.size :].decode()):
                seen.add(key)  # Redis may give an entry twice
                yield key

    def infos(self, pattern: Chosen) -> Iterator[UrlInfo]:
        """All about each URL whose text matches."""
        yield from self._infos_of(self.keys(pattern))

    def _infos_of(self, keys: Iterator[bytes]) -> Iterator[UrlInfo]:
        while part := b"".join(islice(keys, URLS_A_CALL)):
            for row in self._run("ask", what="urls", keys=part):
                if (info := read_info(row)) is not None:
                    yield info

    def select(self, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
        """The first *limit* by weight and time of those that match in one of *states* (none named: any)."""
        found = (info for info in self.infos(pattern) if not states or info.state in states)
        return nsmallest(limit, found, key=lambda info: (info.weight, info.added_at or 0.0, info.url))

    def some(self, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
        """Any *limit* of those that match in one of *states*: the walk ends where there are as many."""
        return list(islice((info for info in self.infos(pattern) if info.state in states), limit))

    def sample(self, size: int) -> list[UrlInfo]:
        """About *size* URLs drawn by lot, or all where there are no more. Cost: O(size), however many there are."""
        name = f"{self._queue_key}:urls"
        with redis_errors():
            if self._server.hlen(name) <= size:
                return list(self.infos("*"))
            draws = range(0, size, DRAWS_A_CALL)
            keys = {key for _ in draws for key in self._server.hrandfield(name, min(size, DRAWS_A_CALL))}
        return list(self._infos_of(iter(keys)))

    def scan(self, part: str) -> Iterator[tuple[bytes, bytes]]:
        """The entries of the hash *part*; Redis may give one twice."""
        with redis_errors():
            yield from self._server.hscan_iter(f"{self._queue_key}:{part}", count=ENTRIES_A_CALL)

    def clear(self, prefixes: Iterable[str]) -> None:
        """Delete all keys that begin with one of *prefixes*."""
        with redis_errors():
            for prefix in prefixes:
                for key in self._server.scan_iter(match=literal(prefix) + ":*", count=ENTRIES_A_CALL):
                    self._server.unlink(key)


def literal(text: str) -> str:
    """*text* as a Redis pattern that matches nothing else."""
    return "".join(f"\\{character}" if character in "*?[]\\" else character for character in text)
