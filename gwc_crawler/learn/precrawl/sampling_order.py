"""Order the URLs that a pre-crawl fetches besides going breadth first: the samples' neighbours, and little-known forms.

In: URLs by their numbers, as they are found. Out: the one to fetch next. Nothing is kept on disk: fed with the
waiting and the fetched URLs, it goes on where an earlier run has ended.

Among URLs of equal rank it draws one by lots: those that were found first stand on the same pages, and show one
part of the site.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import TypeAlias

from gwc_crawler.learn.degrees import A_HANDFUL
from gwc_crawler.learn.lots import lot_of
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms, place_of

_Drawn: TypeAlias = tuple[bytes, int]
"""A lot, and the number of its URL."""
_WIDER = 0.25
"""Weight of a page of the same wider form, where a page of the same form weighs 1."""


class DirectedOrder:
    """Queues in turns: wanted URLs, the URLs nearest the samples, one of the form that was fetched least.

    The number of fetched URLs of a form is divided by the root of the known ones: large forms count more.

    Cost: O(log URLs) a URL.
    """

    def __init__(self, samples: Sequence[str]) -> None:
        self._samples = [place_of(url) for url in samples]
        self._forms = UrlForms()
        self._waiting: dict[int, tuple[Form, Form]] = {}
        self._wanted: deque[int] = deque()
        self._near: dict[int, list[_Drawn]] = {}
        self._of_form: dict[Form, list[_Drawn]] = {}
        self._known: Counter[Form] = Counter()
        self._least: list[tuple[float, int, Form, Form]] = []
        self._count = 0
        self._fetched: Counter[Form] = Counter()
        self._turn = 0

    def was_fetched(self, url: str) -> None:
        """Take in a URL that an earlier run has asked for."""
        forms = self._forms.of(url)
        self._fetched.update(set(forms))
        self._known[forms[0]] += 1

    def want(self, numbers: Iterable[int]) -> None:
        """Fetch these URLs next, instead of those wanted before."""
        self._wanted = deque(numbers)

    def take(self) -> int | None:
        """Return the next URL, which no longer waits; None when nothing is left that has a turn here."""
        self._turn += 1
        number = None
        while number is None and self._wanted:
            wanted = self._wanted.popleft()
            number = wanted if wanted in self._waiting else None
        ways = (self._of_least_form, self._nearest) if self._turn % 2 else (self._nearest, self._of_least_form)
        for way in ways:
            number = way() if number is None else number
        if number is not None:
            self.leased(number)
        return number

    def leased(self, number: int) -> None:
        """Hear that a URL no longer waits."""
        if (forms := self._waiting.pop(number, None)) is not None:
            self._fetched.update(set(forms))

    def returned(self, number: int, url: str) -> None:
        """Hear that a leased URL waits again; it is the next."""
        if (forms := self.found(number, url)) is not None:
            self._fetched.subtract(set(forms))
            self._known[forms[0]] -= 1
            self._wanted.appendleft(number)

    def found(self, number: int, url: str) -> tuple[Form, Form] | None:
        """Take in a URL that waits; return its forms, None if it waits already."""
        if number in self._waiting:
            return None
        form, wide = forms = self._waiting[number] = self._forms.of(url)
        place, drawn = place_of(url), (lot_of(url), number)
        if nearness := max((place.nearness(one) for one in self._samples), default=0):
            heapq.heappush(self._near.setdefault(nearness, []), drawn)
        self._known[form] += 1
        is_growing = self._known[form] == A_HANDFUL or self._known[form].bit_count() == 1  # its turn may come forward
        if form not in self._of_form or is_growing:
            self._offer(form, wide)
        heapq.heappush(self._of_form.setdefault(form, []), drawn)
        return forms

    def _nearest(self) -> int | None:
        for nearness in sorted(self._near, reverse=True):
            if (number := self._drawn(self._near[nearness])) is not None:
                return number
            del self._near[nearness]
        return None

    def _of_least_form(self) -> int | None:
        while self._least:
            looks, _, form, wide = heapq.heappop(self._least)
            if self._looks(form, wide) > looks:
                self._offer(form, wide)
            elif (number := self._drawn(self._of_form.get(form, []))) is not None:
                self._offer(form, wide, more=1)
                return number
            else:
                self._of_form.pop(form, None)
        return None

    def _offer(self, form: Form, wide: Form, more: int = 0) -> None:
        self._count += 1
        heapq.heappush(self._least, (self._looks(form, wide, more), self._count, form, wide))

    def _looks(self, form: Form, wide: Form, more: int = 0) -> float:
        """Return how often a form was looked at, for its size; one of several URLs is, whatever of the wider form was.

        The further pages of a list may stand in the targets' own directory (`python -m tests.eval.reach xz59/game`).
        """
        if not self._fetched[form] and self._known[form] >= A_HANDFUL:
            return more / sqrt(self._known[form])
        return (self._fetched[form] + _WIDER * self._fetched[wide] + more) / sqrt(max(1, self._known[form]))

    def _drawn(self, waiting: list[_Drawn]) -> int | None:
        while waiting:
            _, number = heapq.heappop(waiting)
            if number in self._waiting:
                return number
        return None
