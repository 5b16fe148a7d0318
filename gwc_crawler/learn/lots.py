"""Lots for pages: an order that has nothing to do with where they stand on the site, nor with which came first.

A crawl hands pages over as its answers come in, another time in another order. What is drawn by lots from the pages of
a site is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from urllib.parse import urlsplit

from gwc_crawler.items import StoredPage


def lot_of(url: str) -> bytes:
    """Return the lot of a URL, the same on whichever host the site is served; 8 bytes to compare. Cost: 2 µs."""
    parts = urlsplit(url)
    return blake2b(f"{parts.path}?{parts.query}".encode(errors="surrogatepass"), digest_size=8).digest()


def stable_shuffle(pages: Iterable[StoredPage]) -> list[StoredPage]:
    """Return pages in the order of their lots."""
    return sorted(pages, key=lambda page: lot_of(page.url))
