"""A pre-crawl in process: no server, the page stage's own reader; lowest weight first, then breadth first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeAlias

from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.page.reader import PageReader

Answer: TypeAlias = tuple[str, bytes, str]
"""Final URL, body and content type."""


def precrawl_memory(
    fetch: Callable[[str], Answer | None],
    starts: Sequence[str],
    reader: PageReader,
    *,
    pages: int = 4000,
    may_ask: Callable[[str], bool] = lambda url: True,
) -> list[StoredPage]:
    """Crawl from *starts*, the entry and then the samples, up to *pages* pages, each URL once.

    Args:
        fetch: gives the page of a URL after redirects, None for errors.
        may_ask: whether a link may be followed, as robots.txt says.
    """
    queue: list[tuple[int, int, int, str]] = [(0, place, min(place, 1), url) for place, url in enumerate(starts)]
    seen, fetched, stored = set(starts), set[str](), list[StoredPage]()
    while queue and len(stored) < pages:
        weight, _, depth, requested = heapq.heappop(queue)
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
                heapq.heappush(queue, (own, len(seen), depth + 1, link))
    return stored
