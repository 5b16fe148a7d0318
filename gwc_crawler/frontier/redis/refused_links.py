"""The links that robots.txt keeps out of a shared frontier: when the rules change, they enter after all."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from fnmatch import translate
from itertools import islice
from re import compile as pattern_of

from gwc_crawler.frontier.redis.listing import Listing
from gwc_crawler.items import Link
from gwc_crawler.politeness.robots import AdmissionCheck
from gwc_crawler.redis_server import Server, redis_errors

_WAY = struct.Struct("<HI")
"""Weight and depth."""


LINKS_A_CALL = 1000


class RedisRefusedLinks:
    """The links that robots.txt keeps out of a shared frontier; written down only where it *keeps* URLs."""

    def __init__(self, server: Server, queue_key: str, listing: Listing, *, keeps: bool = True) -> None:
        self._server = server
        self._key = f"{queue_key}:refused"
        self._listing = listing
        self._keeps = keeps

    def note_of(self, admission: AdmissionCheck) -> None:
        """Write down what *admission* has refused. One round trip, if there is anything."""
        if admission.refused and self._keeps:
            ways = {link.url: _WAY.pack(min(link.weight, 0xFFFF), link.depth) for link in admission.refused}
            with redis_errors():
                self._server.hset(self._key, mapping=ways)
        admission.refused.clear()

    def count(self, pattern: str) -> int:
        """How many match a shell pattern."""
        return len({link.url for link in self._matching(pattern)})

    def take(
        self, pattern: str, enter: Callable[[Sequence[Link]], int], forbids: Callable[[str], bool] | None = None
    ) -> int:
        """Have those *enter* that match a shell pattern and that *forbids* does not name; returns how many did."""
        entered = 0
        links = (link for link in self._matching(pattern) if forbids is None or not forbids(link.url))
        while part := list(islice(links, LINKS_A_CALL)):
            entered += enter(part)
            with redis_errors():
                self._server.hdel(self._key, *(link.url for link in part))
        return entered

    def _matching(self, pattern: str) -> Iterator[Link]:
        matches = pattern_of(translate(pattern.replace("[^", "[!"))).match
        for url, way in self._listing.scan("refused"):
            if matches(url.decode()):
                yield Link(url.decode(), *_WAY.unpack(way))
