"""Which URLs a pre-crawl looks at besides going breadth first: the samples' neighbours, and forms it hardly knows.

In: URLs by their numbers, as they are found. Out: which to fetch next. Nothing is kept on disk: fed with what waits
and with what was fetched, it goes on where an earlier run has ended.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence

from gwc_crawler.learn.precrawl.forms import Form, UrlForms, place_of

_WIDER = 0.25
"""What a page of the same wider form counts, where one of the same form counts 1."""


class DirectedOrder:
    """Queues in turns: what was asked for, the URLs nearest the samples, one of the form that was fetched least.

    Args:
        samples: their URLs.

    Cost: O(log forms) a URL.
    """

    def __init__(self, samples: Sequence[str]) -> None:
        self._samples = [place_of(url) for url in samples]
        self._forms = UrlForms()
        self._waiting: dict[int, tuple[Form, Form]] = {}
        self._wanted: deque[int] = deque()
        self._near: dict[int, deque[int]] = {}
        self._of_form: dict[Form, deque[int]] = {}
        self._least: list[tuple[float, int, Form, Form]] = []
        self._count = 0
        self._fetched: Counter[Form] = Counter()
        self._turn = 0

    def found(self, number: int, url: str) -> None:
        """Take in a URL that waits."""
        self._enter(number, url, deque.append)

    def was_fetched(self, url: str) -> None:
        """Take in a URL that an earlier run has asked for."""
        self._fetched.update(set(self._forms.of(url)))

    def want(self, numbers: Iterable[int]) -> None:
        """Look at these next, instead of what was wanted before."""
        self._wanted = deque(numbers)

    def take(self) -> int | None:
        """Return the next URL, which no longer waits; None when nothing is left that has a turn here."""
        self._turn += 1
        ways: tuple[Callable[[], int | None], ...] = (self._nearest, self._of_least_form)
        start = self._turn % 2
        for way in (self._asked_for, *ways[start:], *ways[:start]):
            if (number := way()) is not None:
                self.leased(number)
                return number
        return None

    def leased(self, number: int) -> None:
        """Hear that a URL no longer waits."""
        if (forms := self._waiting.pop(number, None)) is not None:
            self._fetched.update(set(forms))

    def returned(self, number: int, url: str) -> None:
        """Hear that a leased URL waits again, first of its like."""
        if (forms := self._enter(number, url, deque.appendleft)) is not None:
            self._fetched.subtract(set(forms))

    def _enter(self, number: int, url: str, put: Callable[[deque[int], int], None]) -> tuple[Form, Form] | None:
        if number in self._waiting:
            return None
        form, wide = forms = self._waiting[number] = self._forms.of(url)
        place = place_of(url)
        if nearness := max((place.nearness(one) for one in self._samples), default=0):
            put(self._near.setdefault(nearness, deque()), number)
        if (queue := self._of_form.get(form)) is None:
            queue = self._of_form[form] = deque()
            self._offer(form, wide)
        put(queue, number)
        return forms

    def _asked_for(self) -> int | None:
        return self._first(self._wanted)

    def _nearest(self) -> int | None:
        for nearness in sorted(self._near, reverse=True):
            if (number := self._first(self._near[nearness])) is not None:
                return number
            del self._near[nearness]
        return None

    def _of_least_form(self) -> int | None:
        while self._least:
            looks, _, form, wide = heapq.heappop(self._least)
            if self._looks(form, wide) > looks:
                self._offer(form, wide)
            elif (number := self._first(self._of_form.get(form, deque()))) is not None:
                self._offer(form, wide, more=1)
                return number
            else:
                self._of_form.pop(form, None)
        return None

    def _offer(self, form: Form, wide: Form, more: int = 0) -> None:
        self._count += 1
        heapq.heappush(self._least, (self._looks(form, wide) + more, self._count, form, wide))

    def _looks(self, form: Form, wide: Form) -> float:
        return self._fetched[form] + _WIDER * self._fetched[wide]

    def _first(self, queue: deque[int]) -> int | None:
        while queue:
            number = queue.popleft()
            if number in self._waiting:
                return number
        return None
