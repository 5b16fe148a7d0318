"""Links of a page in groups that are built alike, and addresses that look like another one.

From a list's page to the items it lists, and from an item to another of its kind.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.propose.left_out import is_telling, same_address, shape_of
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.page.links import leads_to_binary
from gwc_crawler.urls import host_of, join_url, query_parts

MOST_LINKS = 3000
LISTING = re.compile(
    r"(?:^|[/?&._-])(?:tags?|categor(?:y|ies)|archives?|search|login|log-in|signin|sign-in|register|account|cart|checkout|"
    r"privacy|terms|contact|about|help|faq|feed|rss|wp-\w+|amp|share|print|page|pages?)(?:$|[/=._-])",
    re.IGNORECASE,
)
"""Addresses that lead to anything but an item."""


@dataclass(slots=True)
class LinkGroup:
    """Links that stand alike and look alike; addresses in the page's order, with the text of the first link to each."""

    urls: dict[str, str]
    in_chrome: bool
    shape: str
    pictures: int = 0

    @property
    def worth(self) -> float:
        """How likely it lists what the page is for."""
        texts = [text for text in self.urls.values() if text]
        length = sum(min(len(text), 60) for text in texts) / max(1, len(texts))
        listing = sum(bool(LISTING.search(urlsplit(url).path)) for url in self.urls) / len(self.urls)
        slugs = sum(is_telling(url) for url in self.urls) / len(self.urls)
        count = min(len(self.urls), 30) / 30
        return (
            count
            + min(length, 40) / 40
            + 0.6 * slugs
            + 0.5 * (self.pictures > len(self.urls) / 2)
            - 1.2 * self.in_chrome
            - 1.0 * listing
        )


def _keys_of(query: str) -> set[str]:
    return {one.partition("=")[0] for one in query_parts(query) if "=" in one}


def links_of(page: ReadPage) -> list[tuple[str, str, Any]]:
    """Address, text and element of each link to a page of the same host, in the page's order; not to itself."""
    host = host_of(page.url)
    found: list[tuple[str, str, Any]] = []
    for link in page.tree.iter("a"):
        href = link.get("href")
        if not href or len(found) >= MOST_LINKS:
            continue
        url = join_url(page.view.base_url, href)
        if url and host_of(url) == host and url != page.url and not leads_to_binary(url) and link in page.forms:
            found.append((url, page.text(link), link))
    return found


def link_groups(page: ReadPage) -> list[LinkGroup]:
    """Return the groups of a page's links, the likeliest to list items first."""
    groups: dict[tuple[str, str], LinkGroup] = {}
    for url, text, link in links_of(page):
        form, shape = page.forms[link], shape_of(url)
        group = groups.setdefault((form, shape), LinkGroup({}, page.is_chrome(link), shape))
        group.urls[url] = group.urls.get(url) or text
        group.pictures += link.find(".//img") is not None
    return sorted((one for one in groups.values() if len(one.urls) >= SEVERAL), key=lambda one: -one.worth)


def twins_of(url: str, pages: Iterable[ReadPage]) -> list[str]:
    """Return addresses on *pages* that look like *url*, the likeliest first."""
    found: dict[str, float] = defaultdict(float)
    order: dict[str, int] = {}
    for page in pages:
        for other, text, link in links_of(page):
            score = _same_make(url, other)
            if score <= 0 or same_address(other, url):
                continue
            score += 0.2 * bool(text) - 1.5 * page.is_chrome(link) + 0.3 * is_telling(other)
            score -= 0.8 * (bool(LISTING.search(urlsplit(other).path)) and not LISTING.search(urlsplit(url).path))
            found[other] = max(found[other], score)
            order.setdefault(other, len(order))
    return sorted(found, key=lambda one: (-round(found[one], 1), order[one]))


def _same_make(one: str, other: str) -> float:
    """Return how alike two addresses are made; 0: not at all."""
    mine, theirs = urlsplit(one), urlsplit(other)
    ones, others = mine.path.split("/"), theirs.path.split("/")
    if len(ones) != len(others):
        return 0.0
    keys = _keys_of(mine.query)
    if bool(keys) != bool(theirs.query) or (keys and keys != _keys_of(theirs.query)):
        return 0.0
    if shape_of(one) == shape_of(other):
        same = sum(a == b for a, b in zip(ones, others, strict=True)) / len(ones)
        return 2.0 + same
    pairs = list(zip(ones, others, strict=True))
    same = sum(a == b for a, b in pairs) / len(pairs)
    digits = ones[-1].isdigit() == others[-1].isdigit() and _ending(ones[-1]) == _ending(others[-1])
    return 1.0 + same if digits else 0.0


def _ending(segment: str) -> str:
    _, dot, ending = segment.rpartition(".")
    return ending if dot and ending.isalpha() else ""
