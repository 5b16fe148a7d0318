"""A pre-crawl of the demo mall in process: no server, the page stage's own reader, robots obeyed."""

from __future__ import annotations

import heapq
from urllib.parse import urlsplit

from gwc_crawler.demo.mall import Mall
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.keywords import Keywords
from gwc_crawler.page.reader import PageReader, ReadOptions

ORIGIN = "http://mall.invalid"


def precrawl_mall(mall: Mall, keywords: str, *, pages: int = 4000) -> list[StoredPage]:
    """Crawl *mall* from its home page, lowest weight first; up to *pages* pages. Without keywords: breadth first."""
    reader = PageReader(None, options=ReadOptions(keywords=Keywords.parse(keywords) if keywords else None))
    queue: list[tuple[int, int, int, str]] = [(0, 0, 0, ORIGIN + "/")]
    seen, fetched, stored = {ORIGIN + "/"}, set[str](), list[StoredPage]()
    while queue and len(stored) < pages:
        weight, _, depth, requested = heapq.heappop(queue)
        answer = _fetch(mall, requested)
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
            if link not in seen and path_of(link) not in mall.truth.disallowed:
                seen.add(link)
                heapq.heappush(queue, (own, len(seen), depth + 1, link))
    return stored


def path_of(url: str) -> str:
    return urlsplit(url).path


def _fetch(mall: Mall, url: str) -> tuple[str, bytes, str] | None:
    """Final URL, body and content type, after redirects; None for errors."""
    for _ in range(5):
        page = mall.page(url.removeprefix(ORIGIN))
        if page is None or page.status >= 400:
            return None
        if not page.location:
            return url, page.body, page.content_type
        url = ORIGIN + page.location
    return None
