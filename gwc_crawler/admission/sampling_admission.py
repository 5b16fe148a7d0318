"""Admission of a pre-crawl: what is not worth asking for is counted, told and left, class by class (`sampling`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from gwc_crawler.admission.admission import LIMIT, Admission, Book, Readmit, UrlGroup
from gwc_crawler.admission.sampling import RETRIED, Sampling, url_form
from gwc_crawler.items import Failure, Lease, RejectionReason
from gwc_crawler.politeness.robots import Robots

PUT_OFF = f"{LIMIT}the page it stands on leads to errors; tried when nothing else is left"
NOT_ASKED = f"{LIMIT}the page it stands on leads to errors, and others of its links were tried"
SPENT = f"{LIMIT}its class gives nothing but errors"

Outcome = tuple[str, int | None, bool]
"""URL, number of the page it was found on, whether it gave a page."""


class SamplingAdmission(Admission):
    """A `Admission` that leases no more of what gives nothing but errors.

    Args:
        found_on: numbers of URLs → the number of the page each was found on.
        is_wanted: says of a URL whether it looks like a sample: such are never put off.
        robots, readmit: see `Admission`.
    """

    def __init__(
        self,
        book: Book,
        recall: Callable[[str], int],
        *,
        found_on: Callable[[Sequence[int]], Mapping[int, int]],
        is_wanted: Callable[[str], bool],
        robots: Robots | None = None,
        readmit: Readmit | None = None,
    ) -> None:
        super().__init__(book, lambda _: UrlGroup(), recall, robots=robots, readmit=readmit)
        self._found_on = found_on
        self._is_wanted = is_wanted
        self._sampling = Sampling()
        self._trusted: frozenset[int] = frozenset()
        """Numbers of URLs that were put off and are asked for all the same."""
        self._every = 0
        """In the last round, which begins when nothing else waits, one doubtful URL of so many is tried."""
        self._doubted = 0
        self.put_off = 0
        """URLs put off since the beginning, or since they were taken up again."""

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Take in what came of URLs in earlier runs."""
        for url, page, good in outcomes:
            self._sampling.note(url, page, pages=int(good), errors=float(not good))

    def came_of(self, lease: Lease, failure: Failure | None) -> bool:
        """Note a page (no failure), or an error; returns whether that spent the class: leases of it are worth nothing.

        A wait that the host asks for says nothing of a URL.
        """
        errors = 0.0 if failure is None else 1.0 if failure.retry_at is None else RETRIED
        if failure is not None and failure.retry_at is not None and failure.reason in ("HTTP 429", "HTTP 503"):
            return False
        page = self._found_on([lease.url_id]).get(lease.url_id)
        return self._sampling.note(lease.url, page, pages=int(failure is None), errors=errors)

    def trust(self, numbers: Collection[int]) -> None:
        """Ask for these URLs, which were put off, unless their class is spent."""
        self._trusted = frozenset(numbers)
        self.put_off -= len(self._trusted)

    def try_some(self, room: int) -> bool:
        """Let what was put off wait again, once, and try as many as there is *room* for. False: there is nothing."""
        if self._every or self.put_off <= 0 or room <= 0:
            return False
        self._every = -(-self.put_off // room)
        return self._recall(PUT_OFF) > 0

    def screen(
        self, leases: Sequence[Lease], fetched: Collection[str] = ()
    ) -> tuple[list[Lease], dict[str, list[Lease]]]:
        """Part *leases* into those to use, and by reason those to leave; of starts only what robots.txt forbids."""
        found_on = self._found_on([lease.url_id for lease in leases])
        used: list[Lease] = []
        cut: dict[str, list[Lease]] = {}
        for lease in leases:
            reason = self._robots_against(lease)
            if reason is None and lease.depth:
                reason = self._reason_to_leave(lease, found_on.get(lease.url_id))
            if reason is None:
                used.append(lease)
            else:
                cut.setdefault(reason, []).append(lease)
        return used, cut

    def _reason_to_leave(self, lease: Lease, page: int | None) -> str | None:
        if self._sampling.is_spent(lease.url):
            self.tally.add(RejectionReason.ERRORS, lease.url, url_form(lease.url))
            return SPENT
        is_worth_it = lease.url_id in self._trusted or self._is_wanted(lease.url)
        if is_worth_it or not self._sampling.is_doubtful(lease.url, page):
            return None
        if not self._every:
            self.put_off += 1
            return PUT_OFF
        self._doubted += 1
        if self._doubted % self._every == 0:
            return None
        self.tally.add(RejectionReason.DOUBTFUL, lease.url)
        return NOT_ASKED
