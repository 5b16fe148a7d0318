"""The cache in front of both frontiers: URLs that a worker has offered lately, with their weights.

A page has 50 links, 49 of them known. URLs in here are not looked up in the file, nor sent to Redis.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from gwc_crawler.urls import url_key

KEY = hash if sys.hash_info.width >= 64 else url_key
"""URL → what stands for it in this process; Python keeps a text's hash with it."""

ONE_USE = 1 << 31
WEIGHT = ONE_USE - 1
"""An entry is one int, uses · ONE_USE + weight: lists would be walked by Python's cycle collector again and again."""

NO_WEIGHT = ONE_USE // 2  # stands for "the queue has it, but nothing was offered yet"
LEAVING = 8  # URLs of the full cache per one that is dropped then: those used least are
FADING = LEAVING // 2
"""Eighths that must have left before uses are halved: URLs that were popular once do not stay for ever."""


class KnownUrls:
    """A URL's `KEY`, 64 bits → the least weight it was offered with; of *limit* URLs at most, about 150 bytes each.

    Source:
        T-Spider, *data service*: a URL cache in which the URLs accessed least give way. What we do differently: an
        eighth goes at once, the older of equals first, and uses fade. Beside a plain LRU: `tests.frontier.caches`.
    """

    def __init__(self, limit: int) -> None:
        self._limit = max(LEAVING, limit)
        self._entries: dict[int, int] = {}
        self._left = 0
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, url: str) -> bool:
        return KEY(url) in self._entries

    def news(self, links: Sequence[str], weight: int) -> list[str]:
        """Return the *links* for which an offer with *weight* may change something. Cost: .2 µs a link."""
        entries = self._entries
        news = []
        for link, key in zip(links, map(KEY, links), strict=True):
            entry = entries.get(key)
            if entry is None or entry & WEIGHT > weight:
                news.append(link)
            else:
                entries[key] = entry + ONE_USE
        self.misses += len(news)
        self.hits += len(links) - len(news)
        return news

    def learn(self, links: Iterable[str], weight: int = NO_WEIGHT) -> None:
        """Note that the queue knows *links* with *weight*, or with less."""
        entries = self._entries
        for key in map(KEY, links):
            entry = entries.get(key)
            if entry is None:
                entries[key] = ONE_USE | weight
            elif weight < entry & WEIGHT:
                entries[key] = entry & ~WEIGHT | weight
        while len(self._entries) > self._limit:
            self._let_go_of_those_used_least()

    def forget(self, links: Iterable[str]) -> None:
        """Forget *links*: the queue may not know them."""
        for link in links:
            self._entries.pop(KEY(link), None)

    def clear(self) -> None:
        """Forget everything: the queue may know less than was thought."""
        self._entries.clear()

    def _let_go_of_those_used_least(self) -> None:
        count = self._limit // LEAVING
        uses = sorted(entry // ONE_USE for entry in self._entries.values())
        most = uses[count - 1]
        equals = count - sum(1 for one in uses[:count] if one < most)
        self._left = (self._left + 1) % FADING
        kept: dict[int, int] = {}
        for key, entry in self._entries.items():
            used = entry // ONE_USE
            if used < most or (used == most and equals > 0):
                equals -= used == most
            else:
                kept[key] = entry if self._left else (used + 1) // 2 * ONE_USE | entry & WEIGHT
        self._entries = kept
