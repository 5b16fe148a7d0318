"""Wrapper findings on pages: a witness before pages are left out.

In: a wrapper and the sample pages. Out: for a page the share of the fields that it has as the samples have them."""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import Extracted, StoredPage, is_empty
from gwc_crawler.learn.degrees import A_DOZEN, HALF, SEVERAL
from gwc_crawler.learn.kinds.traits import PageViews


class FieldWitness:
    """Values that a wrapper finds on pages; each page is read once.

    A text that stands several times on a page, but once on the samples, is not counted as found: a list of records
    has all of their fields, but is not a record.
    """

    def __init__(self, wrapper: Wrapper, samples: Sequence[StoredPage], views: PageViews | None = None) -> None:
        self.wrapper = wrapper
        self._views = PageViews() if views is None else views
        self.wanted = [name for name in wrapper.fields if name not in wrapper.optional]
        self._known: dict[str, dict[str, int]] = {}
        self._records: dict[str, dict[str, Extracted]] = {}
        counts = [self._counts(self._views.of(page)) for page in samples]
        self._usual = {name: max(count[name] for count in counts) for name in self.wanted}

    def leave_out_what_is_everywhere(self, strangers: Sequence[StoredPage]) -> None:
        """Take no field for a witness that is found on half of the pages that are nothing like the samples."""
        some = _some(strangers)
        found = {name: sum(self._has(page, name) for page in some) for name in self.wanted}
        self.wanted = [name for name in self.wanted if found[name] < max(1, HALF * len(some))]

    @property
    def is_lone(self) -> bool:
        """Whether a single one of many fields is left as a witness: that pages lack it says little."""
        return len(self.wanted) == 1 and len(self._usual) > SEVERAL

    def of(self, page: StoredPage) -> float:
        """Return the share of the wanted fields that *page* has."""
        return len(self.found(page)) / max(1, len(self.wanted))

    def found(self, page: StoredPage) -> frozenset[str]:
        """Return the wanted fields that *page* has."""
        return frozenset(name for name in self.wanted if self._has(page, name))

    def several(self, page: StoredPage) -> frozenset[str]:
        """Return the wanted fields that stand several times on *page*, but once on the samples."""
        counts = self._read(page)
        return frozenset(name for name in self.wanted if self._usual[name] <= 1 < counts[name])

    def _has(self, page: StoredPage, name: str) -> bool:
        count = self._read(page)[name]
        return count == 1 if self._usual[name] <= 1 else count > 0

    def _read(self, page: StoredPage) -> dict[str, int]:
        if page.url not in self._known:
            self._known[page.url] = self._counts(self._views.of(page))
        return self._known[page.url]

    def record(self, page: StoredPage) -> dict[str, Extracted]:
        """Return the non-empty values that the wrapper reads on *page*."""
        if page.url not in self._records:
            values = self.wrapper.extract_view(self._views.of(page))[0]
            self._records[page.url] = {name: value for name, value in values.items() if not is_empty(value)}
        return self._records[page.url]

    def mean(self, pages: Sequence[StoredPage]) -> float:
        """Return the mean over some pages, evenly spread."""
        some = _some(pages)
        return sum(map(self.of, some)) / max(1, len(some))

    def are_as_full(self, share: float, some: Sequence[StoredPage], others: Sequence[StoredPage]) -> bool:
        """Tell whether the pages *some* have, on average, at least *share* of the fields that *others* have."""
        return self.mean(some) >= share * self.mean(others)

    def _counts(self, view: PageView) -> dict[str, int]:
        """Return how many values a page has for each wanted field: of a list or records 1 for any."""
        return {name: self.wrapper.rules[name].count(view) for name in self.wanted}


def _some(pages: Sequence[StoredPage]) -> Sequence[StoredPage]:
    return pages[:: max(1, len(pages) // A_DOZEN)][:A_DOZEN]
