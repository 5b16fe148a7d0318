"""`python -m tests.frontier.caches`: the cache of known URLs beside a plain LRU of the same size, and none.

The links of pages in the order of a crawl: a menu, neighbours, and some from anywhere, the popular ones more often.
"""

from __future__ import annotations

import time
import tracemalloc
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from random import Random

from gwc_crawler.frontier.known_urls import KnownUrls

MENU = [f"http://mall.example/menu/{number}" for number in range(25)]
SHARES = (0.03, 0.1, 0.3)


class Lru:
    """A plain LRU: URL → nothing."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[str, None] = OrderedDict()

    def news(self, links: Sequence[str], _: int) -> list[str]:
        """Return those that it does not hold, and remember all."""
        news = [link for link in links if link not in self._entries]
        for link in links:
            self._entries[link] = None
            self._entries.move_to_end(link)
        while len(self._entries) > self._limit:
            self._entries.popitem(last=False)
        return news

    def learn(self, links: Sequence[str], weight: int) -> None:
        """Nothing is left to do."""


def pages(count: int, seed: int = 7) -> Iterator[list[str]]:
    """Yield the links of so many pages, each link once on a page, as texts of their own."""
    chance = Random(seed)
    for number in range(count):
        ends = {number + step for step in (-1, 1, 30)} | {int(count * chance.random() ** 3) for _ in range(22)}
        yield [*map("".join, MENU), *(f"http://mall.example/p/{end}" for end in ends)]


def missed(cache: Lru | KnownUrls, crawl: Sequence[list[str]]) -> int:
    """Offer all links; return how many the queue would have to be asked for."""
    asked = 0
    for links in crawl:
        news = cache.news(links, 0)
        cache.learn(news, 0)
        asked += len(news)
    return asked


def _row(name: str, make: Callable[[], Lru | KnownUrls], limit: int, crawl: Sequence[list[str]]) -> str:
    links = sum(map(len, crawl))
    cache = make()
    began = time.process_time()
    asked = missed(cache, crawl)
    spent = time.process_time() - began
    tracemalloc.start()
    again = make()
    missed(again, list(pages(len(crawl))))
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return f"| {name} | {limit:,} | {1 - asked / links:.1%} | {1e6 * spent / links:.2f} | {size / limit:.0f} |"


def main(count: int = 40_000) -> None:
    """Print the table."""
    crawl = list(pages(count))
    print("| cache | URLs | links it answers | µs a link | bytes a URL |\n|---|---|---|---|---|")
    for limit in (int(count * share) for share in SHARES):
        for name, kind in (("by use", KnownUrls), ("LRU", Lru)):
            print(_row(name, lambda kind=kind, limit=limit: kind(limit), limit, crawl))  # type: ignore[misc]


if __name__ == "__main__":
    main()
