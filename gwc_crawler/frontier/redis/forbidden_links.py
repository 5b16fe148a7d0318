"""The links that robots.txt keeps out of a shared frontier: when the rules change, they enter after all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import translate
from itertools import chain, islice
from re import compile as pattern_of
from typing import Any

from gwc_crawler.frontier.protocol import AdmissionCheck
from gwc_crawler.frontier.redis.listing import Listing
from gwc_crawler.frontier.redis.wire import MOST_WEIGHT, WAY
from gwc_crawler.items import Link
from gwc_crawler.redis_server import Server, redis_errors

LINKS_A_CALL = 1000


class RedisForbiddenLinks:
    """The links that robots.txt keeps out of a shared frontier; written down only where it *keeps* URLs."""

    def __init__(
        self, server: Server, queue_key: str, listing: Listing, run: Callable[..., Any], *, keeps: bool = True
    ) -> None:
        self._server = server
        self._key = f"{queue_key}:refused"
        self._listing = listing
        self._run = run
        self._keeps = keeps

    def note_of(self, admission: AdmissionCheck) -> None:
        """Write down what *admission* keeps out; the least weight of several counts. One round trip a thousand."""
        links = list(admission.forbidden) if self._keeps else []
        for start in range(0, len(links), LINKS_A_CALL):
            part = links[start : start + LINKS_A_CALL]
            ways = ((link.url, WAY.pack(min(link.weight, MOST_WEIGHT), link.depth)) for link in part)
            self._run("refused", *chain.from_iterable(ways))
        admission.forbidden.clear()

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
                yield Link(url.decode(), *WAY.unpack(way))
