"""The traits of all pages that were asked for, each page read once.

`Survey` and the review look them up; a pre-crawl keeps them from one look to the next, and for the learning at its end.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.reading.readers import auto_count
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.traits.helpers import read_together
from gwc_crawler.learn.traits.page_traits import PageTraits, read_traits, traits_in
from gwc_crawler.page.parse import parse_html

BYTES_A_HELPER = 8_000_000
"""A further process pays from so much HTML on: it takes .3 s to start, in which so much is read."""
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
        """The traits of a page."""
        key = _key(page)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._kept(traits_in(self.views.of(page).tree))
        return known

    def view(self, page: StoredPage, url: str = "") -> PageView:
        """The page, parsed; its addresses are joined to *url*, or to its own."""
        return self.views.of(page, url)

    def read(self, pages: Iterable[StoredPage]) -> None:
        """Read those of *pages* that were not read yet; many of them on all cores."""
        unread = list({key: page for page in pages if (key := _key(page)) not in self._known}.values())
        for page, traits in _read_all(unread):
            self._known[_key(page)] = self._kept(traits)

    def _kept(self, traits: PageTraits) -> PageTraits:
        keep = self._texts.setdefault
        return PageTraits(*(frozenset(map(keep, some, some)) for some in traits))


def helpers_for(size: int) -> int:
    """Return how many processes help to read so many bytes of HTML; 0 where one is enough, or has the only core."""
    return min(auto_count() - 1, size // BYTES_A_HELPER)


def _read_all(pages: Sequence[StoredPage]) -> Iterator[tuple[StoredPage, PageTraits]]:
    if helpers := helpers_for(sum(len(page.html) for page in pages)):
        yield from read_together(pages, helpers)
    else:
        yield from ((page, read_traits(page.html, page.charset)) for page in pages)


def _key(page: StoredPage) -> tuple[str, int]:
    """What stands for a page, by whatever URL without a session's keys it goes."""
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
