"""A pre-crawl of the demo mall in process: no server, the page stage's own reader, robots obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from gwc_crawler.demo.mall import Mall
from gwc_crawler.items import StoredPage
from gwc_crawler.page.reader import PageReader, ReadOptions
from tests.learn.memory_crawl import Answer, precrawl_memory
from tests.mall_truth import truth_of

ORIGIN = "http://mall.invalid"


def precrawl_mall(mall: Mall, keywords: str, *, pages: int = 4000, samples: Sequence[str] = ()) -> list[StoredPage]:
    """Crawl *mall* from its home page and *samples*, lowest weight first. Without keywords: breadth first."""
    reader = PageReader(None, options=ReadOptions(keywords=keywords))
    starts = [f"{ORIGIN}/", *samples]
    return precrawl_memory(partial(fetch, mall), starts, reader, pages=pages, may_ask=partial(allowed, mall))


def allowed(mall: Mall, url: str) -> bool:
    """Say whether robots.txt lets a crawl ask."""
    return path_of(url) not in truth_of(mall).disallowed


def path_of(url: str) -> str:
    return urlsplit(url).path


def fetch(mall: Mall, url: str) -> Answer | None:
    """Final URL, body and content type, after redirects; None for errors."""
    for _ in range(5):
        page = mall.page(url.removeprefix(ORIGIN))
        if page is None or page.status >= 400:
            return None
        if not page.location:
            return url, page.body, page.content_type
        url = ORIGIN + page.location
    return None
