"""Completed pages on their way to `lua/complete.lua`: which of their links may be new, and the answer of Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from itertools import chain, islice
from re import compile as pattern_of
from typing import Any

from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.known_urls import KnownUrls
from gwc_crawler.frontier.order import is_followed, page_weight
from gwc_crawler.frontier.redis.revisits import pack_revisit
from gwc_crawler.frontier.redis.stats import Listing
from gwc_crawler.frontier.redis.wire import LINKS_A_CALL, MOST_WEIGHT, WAY, Texts, key_of, pack_done, urls_brought
from gwc_crawler.items import Done, Link
from gwc_crawler.store.redis_server import Server, redis_errors


class RedisForbiddenLinks:
    """The links that robots.txt keeps out of a shared frontier; stored only if it *keeps* URLs."""

    def __init__(
        self, server: Server, queue_key: str, listing: Listing, run: Callable[..., Any], *, keeps: bool = True
    ) -> None:
        self._server = server
        self._key = f"{queue_key}:refused"
        self._listing = listing
        self._run = run
        self._keeps = keeps

    def note_of(self, admission: Admission) -> None:
        """Write down what *admission* keeps out; the least weight of several counts. One round trip a thousand."""
        links = list(admission.forbidden) if self._keeps else []
        for start in range(0, len(links), LINKS_A_CALL):
            part = links[start : start + LINKS_A_CALL]
            ways = ((link.url, WAY.pack(min(link.weight, MOST_WEIGHT), link.depth)) for link in part)
            self._run("refused", *chain.from_iterable(ways))
        admission.forbidden.clear()

    def count(self, pattern: str) -> int:
        """Return how many match a shell pattern."""
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


@dataclass(slots=True)
class Offer:
    """A page, the weight its worker takes it to have, and the links it offers."""

    done: Done
    weight: int
    followed: bool
    urls: Sequence[str]


class Offers:
    """The part of some pages that `RedisFrontier.complete` sends."""

    def __init__(
        self,
        done: Sequence[Done],
        known: KnownUrls,
        max_weight: int | None,
        admission: Admission | None,
        place_of: Callable[[str], str],
        ahead_seconds: float,
    ) -> None:
        self._known = known
        self._admission = admission
        self._ahead_seconds = ahead_seconds
        self.texts = Texts(place_of)
        self.pages: list[bytes] = []  # four arguments of the script for each page
        self._offers: list[Offer] = []
        for item in done:
            weight = page_weight(item.lease.weight, relevant=item.relevant, start=item.lease.depth == 0)
            self._put(item, weight, followed=is_followed(weight, max_weight))

    def _put(self, item: Done, weight: int, *, followed: bool) -> None:
        known, texts, links = self._known, self.texts, item.links
        urls = known.news(links, weight) if followed else [url for url in links if url not in known]
        if self._admission is not None and followed and urls:
            admitted = self._admission.admit(urls, item.lease.depth + 1, weight)
            if len(admitted) < len(urls):
                cut = set(urls).difference(admitted)
                urls, links = admitted, tuple(url for url in links if url not in cut)
        keys = dict(zip(urls, map(key_of, urls), strict=True))
        for url, key in keys.items():
            if url not in known:
                texts.add(url, key)
        if item.url != item.lease.url:
            texts.add(item.url, key_of(item.url))
        held = b"".join(keys.get(url) or key_of(url) for url in links) if weight > 0 else b""
        kept = pack_revisit(item.revisit, self._ahead_seconds)
        self.pages += [pack_done(item, weight), b"".join(keys.values()) if followed else b"", held, kept]
        self._offers.append(Offer(item, weight, followed, urls))

    def learn_of(
        self, outdated: Sequence[int], unknown: Sequence[bytes], brought: bytes, moved_on: Sequence[int]
    ) -> list[Link]:
        """Learn the URLs that Redis took, and return links that it has lost, of those that this worker took for known.

        Not of a lease that is over (its place, from 1, is in *outdated*), nor of a page that is others' (*moved_on*).
        """
        left_out = {*outdated, *moved_on}
        taken = [offer for place, offer in enumerate(self._offers, 1) if place not in left_out]
        for offer in taken:
            self._known.learn(offer.urls, *([offer.weight] if offer.followed else []))
            if self._admission is not None:
                self._admission.entered(offer.done, urls_brought(offer.done.url, offer.urls, brought))
        if not unknown:
            return []
        self._known.clear()
        lost = set(unknown)
        return [
            Link(url, offer.weight, offer.done.lease.depth + 1)
            for offer in taken
            for url in offer.done.links
            if key_of(url) in lost
        ]
