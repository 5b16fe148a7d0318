"""A page → its traits: the marks that tell kinds of pages apart, and the long texts that tell pages from each other.

One parse gives both.
"""

from __future__ import annotations

from collections import OrderedDict
from math import ceil
from typing import Any, NamedTuple

from gwc_crawler.extract.page_check import page_features
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import LABEL_LENGTH
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import WIDE_COUNTS, paragraphs_outside_links, text_weight

_LEAST_CHARACTERS = ceil(LABEL_LENGTH / WIDE_COUNTS)


class PageTraits(NamedTuple):
    """`marks` as `page_features` gives them; `texts` are the paragraphs long enough to be the page's own."""

    marks: frozenset[str]
    texts: frozenset[str]


def traits_in(tree: Any) -> PageTraits:
    """Read the traits of a parsed page. Cost: 2 ms for 115 KB, as much as the parse."""
    paragraphs = paragraphs_outside_links(tree, _LEAST_CHARACTERS)
    return PageTraits(page_features(tree), frozenset(text for text in paragraphs if text_weight(text) >= LABEL_LENGTH))


# --- The traits of all pages that were asked for, each page read once; and the pages looked at last, parsed -----------


_MOST_BYTES = 16_000_000
"""HTML of the pages that are kept; their trees take up about six times as much memory."""


class KnownTraits:
    """Traits by page; a text that stands on many pages is kept once.

    Attributes:
        views: the pages that were looked at last, parsed.
    """

    def __init__(self) -> None:
        self.views = PageViews()
        self._known: dict[tuple[str, int], PageTraits] = {}
        self._texts: dict[str, str] = {}

    def of(self, page: StoredPage) -> PageTraits:
        """Return the traits of a page."""
        key = _key(page)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._kept(traits_in(self.views.of(page).tree))
        return known

    def _kept(self, traits: PageTraits) -> PageTraits:
        keep = self._texts.setdefault
        return PageTraits(*(frozenset(map(keep, some, some)) for some in traits))


def _key(page: StoredPage) -> tuple[str, int]:
    return page.requested or page.url, len(page.html)


class PageViews:
    """Views of pages, those kept that were asked for last."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[tuple[str, str, int], PageView] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, page: StoredPage, url: str = "") -> PageView:
        """Return the view of a page. Nobody may change its tree.

        Args:
            url: the base that addresses are joined to, "" for the page's own.
        Cost: .02 ms a KB where it is not kept.
        """
        key = url or page.url, page.requested, len(page.html)
        if (view := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return view
        view = self._kept[key] = PageView(parse_html(page.html, page.charset or None), url or page.url)
        self._size += len(page.html)
        while self._size > self._most and len(self._kept) > 1:
            (_, _, size), _ = self._kept.popitem(last=False)
            self._size -= size
        return view

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._size = 0
