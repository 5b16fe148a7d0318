"""The product's order of fetching, for pre-crawls in memory: breadth first and the directed order in turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
from tests.learn.memory_crawl import WeightOrder

_TURNS = 3
"""As `PrecrawlFrontier` has it: one URL of so many by weight."""


class DirectedTurns:
    """An `Order` for `precrawl_memory`: what a pre-crawl's leases are, one at a time."""

    def __init__(self, samples: Sequence[str]) -> None:
        self._by_weight = WeightOrder()
        self._directed = DirectedOrder(samples)
        self._urls: list[str] = []
        self._numbers: dict[str, int] = {}
        self._taken: set[str] = set()
        self._turn = -1

    def found(self, url: str, weight: int) -> None:
        """Take in a URL that waits."""
        number = self._numbers[url] = len(self._urls)
        self._urls.append(url)
        self._by_weight.found(url, weight)
        self._directed.found(number, url)

    def want(self, urls: Iterable[str]) -> None:
        """Take these next, as far as they wait."""
        self._directed.want([self._numbers[url] for url in urls if url in self._numbers])

    def take(self) -> str | None:
        """Return the next URL, which no longer waits; None when nothing does."""
        self._turn += 1
        number = None if self._turn % _TURNS == 0 else self._directed.take()
        url = self._first_by_weight() if number is None else self._urls[number]
        if url is not None:
            self._taken.add(url)
            self._directed.leased(self._numbers[url])
        return url

    def _first_by_weight(self) -> str | None:
        while (url := self._by_weight.take()) is not None and url in self._taken:
            continue
        return url
