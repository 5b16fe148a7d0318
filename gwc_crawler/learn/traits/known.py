"""The traits of all pages that were asked for, each page read once.

`Survey` and the review look them up; a pre-crawl keeps them from one look to the next, and for the learning at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gwc_crawler.extract import PageView
from gwc_crawler.extract.reading import auto_count
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.traits.helpers import read_together
from gwc_crawler.learn.traits.page_traits import PageTraits, read_traits, traits_in
from gwc_crawler.learn.traits.views import PageViews

BYTES_A_HELPER = 8_000_000
"""A further process pays from so much HTML on: it takes .3 s to start, in which so much is read."""


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
