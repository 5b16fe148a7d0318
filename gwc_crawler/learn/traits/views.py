"""The pages that learning looked at last, parsed: many steps look at the same few hundred, one after the other."""

from __future__ import annotations

from collections import OrderedDict

from gwc_crawler.extract import PageView
from gwc_crawler.items import StoredPage
from gwc_crawler.page import parse_html

MOST_BYTES = 16_000_000
"""HTML of the pages that are kept; their trees take up about six times as much memory."""


class PageViews:
    """Views of pages, those kept that were asked for last."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[tuple[str, str, int], PageView] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, page: StoredPage, url: str = "") -> PageView:
        """The view of a page, whose tree nobody may change.

        Args:
            url: what its addresses are joined to, "" for the page's own.
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
