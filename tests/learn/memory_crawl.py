"""A pre-crawl in process: no server, the page stage's own reader; lowest weight first, then breadth first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from gwc_crawler.frontier.order import page_weight
from gwc_crawler.items import StoredPage

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


class Read(Protocol):
    """What a reader says of a page; `links` are those on the site, in page order."""

    @property
    def charset(self) -> str: ...
    @property
    def relevant(self) -> bool: ...
    @property
    def links(self) -> Sequence[str]: ...


class Reader(Protocol):
    """Reads pages, as a `PageReader` does."""

    def read(self, url: str, body: bytes, content_type: str, /) -> Read: ...


def precrawl_memory(
    fetch: Callable[[str], Answer | None],
    starts: Iterable[str],
    reader: Reader,
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
    waiting = {url: (0, min(place, 1)) for place, url in enumerate(dict.fromkeys(starts))}
    first = list(reversed(waiting))
    seen, fetched, stored = set(waiting), dict[str, int](), list[StoredPage]()
    while len(stored) < pages and (requested := first.pop() if first else order.take()) is not None:
        arrival, depth = waiting.pop(requested)
        answer = fetch(requested)
        if answer is None:
            continue
        url, body, content_type = answer
        if url in fetched:
            place = fetched[url]
            stored[place] = replace(stored[place], also=(*stored[place].also, requested))
            continue
        fetched[url] = len(stored)
        page = reader.read(url, body, content_type)
        weight = page_weight(arrival, relevant=page.relevant, start=depth == 0)
        links = tuple(page.links)
        stored.append(StoredPage(url, requested, body, content_type, page.charset, weight, depth, page.relevant, links))
        for link in links:
            if link not in seen and may_ask(link):
                seen.add(link)
                waiting[link] = (weight, depth + 1)
                order.found(link, weight)
        if is_enough(stored):
            break
    return stored
