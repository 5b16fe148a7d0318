"""Query keys whose values a server makes up anew for every page it sends: sessions, found by links alone.

In: pre-crawled pages with their links. Out: keys to drop from URLs. `sessions` compares pages that were fetched twice;
where each page gives all its links a value of its own, hardly one is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from urllib.parse import unquote

from gwc_crawler.items import StoredPage
from gwc_crawler.urls import drop_query_keys

_PAIR = re.compile(r"[?&;]([^=&;#]+)=([^&;#]*)")
_READ_PAGES = 400
_LEAST_LINKS = 3
"""A page says something of a key if so many of its links have it."""
_LEAST_PAGES, _LEAST_RETURNS = 10, 3
"""A value of its own, or its own address, on so many pages tells."""
_ADDRESS = ("/", "%2F", "http:", "https:")
_SHARE = 0.9
_LEAST_TARGETS = 3


def find_minted_keys(pages: Sequence[StoredPage]) -> dict[str, dict[str, int]]:
    """Find the keys that have one value in all links of a page, another one on every page.

    Such a value says where a link was met, not where it leads to. A key that pages hand on (`?date=…` of all links is
    the date of the page itself) may be one of contents and is none, unless on others it is the page's own address, to
    return to (`?url=/list/?page=9`); and some addresses have to be known under several values.

    Returns:
        Key → on how many pages it was seen to be minted, and how many addresses have several values.
    """
    found = {}
    for key, values in _values_by_page(pages).items():
        returns = sum(_is_address_of(page, value) for page, value in values.items())
        many = _LEAST_RETURNS if returns >= _SHARE * len(values) else _LEAST_PAGES
        if len(values) >= many and len(set(values.values())) >= _SHARE * len(values):
            several = _addresses_of_several(pages, key)
            if several >= _LEAST_TARGETS:
                found[key] = {"minted_on": len(values), "addresses": several}
    return found


def _values_by_page(pages: Sequence[StoredPage]) -> dict[str, dict[str, str]]:
    """Key → page → the value in its links; keys apart that some page hands on, or gives several values."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    refuted: Counter[str] = Counter()
    for page in pages[:: max(1, len(pages) // _READ_PAGES)]:
        own = dict(_PAIR.findall(page.url))
        by_key: dict[str, Counter[str]] = defaultdict(Counter)
        for link in page.links:
            if "?" in link:
                for key, value in _PAIR.findall(link):
                    by_key[key][value] += 1
        for key, counts in by_key.items():
            value, count = counts.most_common(1)[0]
            if counts.total() >= _LEAST_LINKS:
                if count >= _SHARE * counts.total() and own.get(key) != value:
                    values[key][page.url] = value
                elif value != own.get(key) or not value.startswith(_ADDRESS):
                    refuted[key] += 1
    return {key: some for key, some in values.items() if refuted[key] <= (1 - _SHARE) * len(some)}


def _is_address_of(url: str, value: str) -> bool:
    """Whether a value is the address of a page, whatever the query in either."""
    told = unquote(value).partition("?")[0]
    return told.startswith(_ADDRESS) and url.partition("?")[0].endswith(told)


def _addresses_of_several(pages: Sequence[StoredPage], key: str) -> int:
    """How many addresses are linked to under several values of *key*."""
    asked = re.compile(rf"[?&;]{re.escape(key)}=").search
    links = {link for page in pages for link in page.links if "?" in link and asked(link)}
    return sum(count > 1 for count in Counter(drop_query_keys(link, (key,)) for link in links).values())
