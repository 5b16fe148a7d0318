"""A pre-crawl in process: no server, the page stage's own reader; lowest weight first, then breadth first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.page.reader import PageReader

Answer: TypeAlias = tuple[str, bytes, str]
"""Final URL, body and content type."""


class Order(Protocol):
    """Which of the URLs that wait is fetched next."""

    def found(self, url: str, weight: int) -> None:
        """Take in a URL that waits; each comes once."""

    def take(self) -> str | None:
        """Return the next URL, which no longer waits; None when nothing does."""


class WeightOrder:
    """Lowest weight first, then first come first served."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, str]] = []
        self._count = 0

    def found(self, url: str, weight: int) -> None:
        """Take in a URL that waits."""
        self._count += 1
        heapq.heappush(self._waiting, (weight, self._count, url))

    def take(self) -> str | None:
        """Return the next URL."""
        return heapq.heappop(self._waiting)[2] if self._waiting else None


def precrawl_memory(
    fetch: Callable[[str], Answer | None],
    starts: Sequence[str],
    reader: PageReader,
    *,
    pages: int = 4000,
    may_ask: Callable[[str], bool] = lambda url: True,
    order: Order | None = None,
    is_enough: Callable[[Sequence[StoredPage]], bool] = lambda stored: False,
) -> list[StoredPage]:
    """Crawl from *starts*, the entry and then the samples, up to *pages* pages, each URL once.

    Args:
        fetch: gives the page of a URL after redirects, None for errors.
        may_ask: whether a link may be followed, as robots.txt says.
        order: what is fetched next once the starts are; by default a `WeightOrder`.
        is_enough: asked after each page whether it was the last.
    """
    order = order or WeightOrder()
    waiting = {url: (0, min(place, 1)) for place, url in enumerate(starts)}
    seen, fetched, stored = set(starts), set[str](), list[StoredPage]()
    first = list(reversed(starts))
    while len(stored) < pages and (requested := first.pop() if first else order.take()) is not None:
        weight, depth = waiting.pop(requested)
        answer = fetch(requested)
        if answer is None or answer[0] in fetched:
            continue
        url, body, content_type = answer
        fetched.add(url)
        page = reader.read(url, body, content_type)
        own = 0 if page.relevant or depth == 0 else weight + 1
        stored.append(
            StoredPage(url, requested, body, content_type, page.charset, own, depth, page.relevant, page.links)
        )
        for link in page.links if page.kind is not PageKind.BINARY else ():
            if link not in seen and may_ask(link):
                seen.add(link)
                waiting[link] = (own, depth + 1)
                order.found(link, own)
        if is_enough(stored):
            break
    return stored
