"""Which URLs a pre-crawl asks for where many are dead: what gives nothing but errors gets no more turns.

In come what became of the URLs that were asked for; out comes whether another one is worth it. Pure. A class is told
by the form of the address alone (`url_form`): when it is needed, nothing is learned yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gwc_crawler.urls import query_parts

CLASS_ERRORS = 5
PAGE_ERRORS = 10
ERRORS_A_PAGE = 3
"""A class is left when it has given CLASS_ERRORS errors, and so many more for each page it gave; the links of a page
are put off after PAGE_ERRORS likewise."""

RETRIED = 0.5
"""What an error counts that may go away by itself."""

_DIGITS = re.compile(r"[0-9]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")


def url_form(url: str) -> str:
    """Return the form of an address: its directories, what its last segment is made of, its extension and query keys.

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
    """What the classes of URLs, and the links of pages, have given so far."""

    def __init__(self) -> None:
        self._classes: dict[str, _Yield] = {}
        self._pages: dict[int, _Yield] = {}

    def note(self, url: str, found_on: int | None, *, pages: int = 0, errors: float = 0.0) -> bool:
        """Note what came of a URL, found on the page of that number; returns whether that has spent its class."""
        form = url_form(url)
        of_class = self._classes.setdefault(form, _Yield())
        was_spent = of_class.is_spent(CLASS_ERRORS)
        of_page = self._pages.setdefault(found_on, _Yield()) if found_on is not None else _Yield()
        for one in (of_class, of_page):
            one.pages += pages
            one.errors += errors
        return of_class.is_spent(CLASS_ERRORS) and not was_spent

    def is_spent(self, url: str) -> bool:
        """Whether the class of *url* gives hardly anything but errors."""
        known = self._classes.get(url_form(url))
        return known is not None and known.is_spent(CLASS_ERRORS)

    def is_doubtful(self, url: str, found_on: int | None) -> bool:
        """Whether other links of the page where it was found give hardly anything but errors, and its class nothing."""
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
