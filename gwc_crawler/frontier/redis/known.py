"""The URLs a worker has offered lately, and with which weight: most links of a page need no question to the server.

`RedisFrontier` asks it for each link. A bounded cache that forgets what is used least (T-Spider keeps such a URL
cache): a site's navigation stays in it, a product's one link goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NO_WEIGHT = 1 << 30
"""Stands for "the server has its text, but nothing was offered yet"."""

ONE_USE = 1 << 31
WEIGHT = ONE_USE - 1
"""An entry is one int, uses · ONE_USE + weight: lists would be walked by Python's cycle collector again and again."""


class KnownUrls:
    """URL → the least weight it was offered with.

    Args:
        limit: how many URLs it holds at most (about 200 bytes each).
    """

    def __init__(self, limit: int) -> None:
        self._limit = max(2, limit)
        self._entries: dict[str, int] = {}
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, url: str) -> bool:
        return url in self._entries

    def news(self, links: Sequence[str], weight: int) -> list[str]:
        """Those of *links* for which an offer with *weight* may change something. Cost: a dict lookup for each link."""
        entries = self._entries
        news = []
        for link in links:
            entry = entries.get(link)
            if entry is None or entry & WEIGHT > weight:
                news.append(link)
            else:
                entries[link] = entry + ONE_USE
        self.misses += len(news)
        self.hits += len(links) - len(news)
        return news

    def learn(self, links: Iterable[str], weight: int = NO_WEIGHT) -> None:
        """The server knows *links* with *weight*, or with less."""
        entries = self._entries
        for link in links:
            entry = entries.get(link)
            if entry is None:
                entries[link] = ONE_USE | weight
            elif weight < entry & WEIGHT:
                entries[link] = entry & ~WEIGHT | weight
        if len(entries) > self._limit:
            self._forget_half()

    def clear(self) -> None:
        """Forget everything: the server may know less than was thought."""
        self._entries.clear()

    def _forget_half(self) -> None:
        """Keep the half that is used most, the younger of equals; uses are halved, so that old fame fades."""
        room = self._limit // 2
        uses = sorted((entry // ONE_USE for entry in self._entries.values()), reverse=True)
        least = uses[room - 1]
        equals = room - sum(1 for count in uses[:room] if count > least)
        kept = {}
        for url, entry in reversed(self._entries.items()):
            count = entry // ONE_USE
            if count == least and equals > 0:
                equals -= 1
            elif count <= least:
                continue
            kept[url] = (count + 1) // 2 * ONE_USE | entry & WEIGHT
        self._entries = dict(reversed(kept.items()))
