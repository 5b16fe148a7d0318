"""Decide which URLs a pre-crawl asks for on sites with many dead ones: classes with nothing but errors get no turns.

In: the outcomes of the URLs that were asked for. Out: whether another one is worth it. Pure. A class is told by the
form of the address alone (`url_form`): nothing is learned yet when it is needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gwc_crawler.frontier.admission import LIMIT, Admission, Book, Readmit, Screened, UrlGroup
from gwc_crawler.items import Failure, Lease, RejectionReason
from gwc_crawler.network.politeness.robots import Robots
from gwc_crawler.urls import query_parts

CLASS_ERRORS = 5
PAGE_ERRORS = 10
ERRORS_A_PAGE = 3
"""Errors a class may give for each page it gave, beyond CLASS_ERRORS, before it is left; the links of a page are put
off likewise, beyond PAGE_ERRORS."""

RETRIED = 0.5  # weight of an error that may go away by itself

_DIGITS = re.compile(r"[0-9]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")


def url_form(url: str) -> str:
    """Return the form of an address: its directories, the kind of its last segment, its extension and query keys.

    >>> url_form("http://a.example/old/2019/thor-7.html?page=2&lang=en")
    'http://a.example/old/9/*.html?lang&page'
    >>> url_form("http://a.example/item/17")
    'http://a.example/item/9'
    """
    path, _, query = url.partition("?")
    directory, _, last = path.rpartition("/")
    scheme, _, rest = directory.partition("://")
    host, slash, directories = rest.partition("/")
    extension = _EXTENSION.search(last)
    ending = extension[0] if extension else ""
    stem = last.removesuffix(ending)
    kind = "" if not stem else "9" if stem.isdecimal() else "*"
    keys = sorted({part.partition("=")[0] for part in query_parts(query) if part})
    asked = f"?{'&'.join(keys)}" if keys else ""
    return f"{scheme}://{host}{slash}{_DIGITS.sub('9', directories)}/{kind}{ending}{asked}"


@dataclass(slots=True)
class _Yield:
    pages: int = 0
    errors: float = 0.0

    def is_spent(self, errors: int) -> bool:
        return self.errors >= errors + ERRORS_A_PAGE * self.pages


class Sampling:
    """The pages and errors that the classes of URLs, and the links of pages, have given so far."""

    def __init__(self) -> None:
        self._classes: dict[str, _Yield] = {}
        self._pages: dict[int, _Yield] = {}

    def note(self, url: str, found_on: int | None, *, pages: int = 0, errors: float = 0.0) -> bool:
        """Note the outcome of a URL, found on the page of that number; return whether it has spent its class."""
        form = url_form(url)
        of_class = self._classes.setdefault(form, _Yield())
        was_spent = of_class.is_spent(CLASS_ERRORS)
        of_page = self._pages.setdefault(found_on, _Yield()) if found_on is not None else _Yield()
        for one in (of_class, of_page):
            one.pages += pages
            one.errors += errors
        return of_class.is_spent(CLASS_ERRORS) and not was_spent

    def is_spent(self, url: str) -> bool:
        """Say whether the class of *url* gives hardly anything but errors."""
        known = self._classes.get(url_form(url))
        return known is not None and known.is_spent(CLASS_ERRORS)

    def is_doubtful(self, url: str, found_on: int | None) -> bool:
        """Tell whether other links of the page where it was found give hardly any page, and its class none."""
        known = self._classes.get(url_form(url))
        if found_on is None or (known is not None and known.pages):
            return False
        page = self._pages.get(found_on)
        return page is not None and page.is_spent(PAGE_ERRORS)


def fair_share(urls: Iterable[str], limit: int) -> list[str]:
    """Return at most *limit* of *urls*, in their order: of each form as many, as far as it has them.

    >>> fair_share(["http://a/x/1", "http://a/x/2", "http://a/x/3", "http://a/y/1"], 3)
    ['http://a/x/1', 'http://a/x/2', 'http://a/y/1']
    """
    of_form: dict[str, list[int]] = {}
    ordered = list(urls)
    for place, url in enumerate(ordered):
        of_form.setdefault(url_form(url), []).append(place)
    kept: list[int] = []
    groups = sorted(of_form.values(), key=len)
    for done, places in enumerate(groups):
        kept += places[: max(0, (limit - len(kept)) // (len(groups) - done))]
    return [ordered[place] for place in sorted(kept)]


PUT_OFF = f"{LIMIT}the page it stands on leads to errors; tried when nothing else is left"
NOT_ASKED = f"{LIMIT}the page it stands on leads to errors, and others of its links were tried"
SPENT = f"{LIMIT}its class gives nothing but errors"

Outcome = tuple[str, int | None, bool]  # URL, number of the page it was found on, whether it gave a page


class SamplingAdmission(Admission):
    """An `Admission` that stops leasing URLs of classes, and links of pages, that give nothing but errors.

    *found_on*: numbers of URLs → the pages each was found on. URLs that are *is_wanted*, as samples, are never put off.
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
        self._trusted: frozenset[int] = frozenset()  # numbers of URLs that were put off and are asked for all the same
        self._every = 0  # doubtful URLs per one that is tried in the last round, when nothing else waits; 0 before it
        self._doubted = 0
        self.put_off = 0  # URLs put off since the beginning, or since they were taken up again

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Take in the outcomes of URLs in earlier runs."""
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
        """Let postponed URLs wait again, once, and try as many as there is *room* for. False: there are none."""
        if self._every or self.put_off <= 0 or room <= 0:
            return False
        self._every = -(-self.put_off // room)
        return self._recall(PUT_OFF) > 0

    def screen(self, leases: Sequence[Lease], fetched: Collection[str] = ()) -> Screened:
        """Part *leases* into those to use, and by reason those to leave; of starts only what robots.txt forbids."""
        found_on = self._found_on([lease.url_id for lease in leases])
        used: list[Lease] = []
        cut: dict[str, list[Lease]] = {}
        for lease in leases:
            reason = self._robots_against(lease)
            if reason is None and lease.depth:
                reason = self._reason_to_leave(lease, found_on.get(lease.url_id))
            (used if reason is None else cut.setdefault(reason, [])).append(lease)
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
