"""The input of learning: sample pages with their values, and further pages without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.extract.fields import holds_address, is_url, same_url
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.texts.context import LearnPage, spread, texts_in
from gwc_crawler.page.text import fold

LARGEST_PAGE = 1_500_000
"""Bytes (or characters) of a further page that learning looks at."""
_LIKE_ADDRESS = re.compile(r"\S*[/?]\S*|\S.*\.[A-Za-z]\w{1,4}(?:[?#]\S*)?")
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|pdf|zip|mp[34]|webm|epub|(?:doc|xls|ppt)x?)$", re.I)
_LONGEST_ADDRESS = 2_000


@dataclass(frozen=True)
class Sample:
    """A page and the values a person sees on it. `html` as bytes or decoded; fields as in a site file."""

    url: str
    html: str | bytes
    fields: dict[str, FieldValue]


@dataclass(frozen=True)
class SampleView:
    """A parsed sample."""

    page: LearnPage
    fields: dict[str, FieldValue]


class SamplePages:
    """The pages of the samples while a site is learned: each is read once. Memory: some ten times the pages."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str | bytes], _Addresses] = {}

    def views(self, samples: Iterable[Sample]) -> list[SampleView]:
        """Return the samples with their parsed pages, addresses among the values absolute."""
        views = []
        for sample in samples:
            key = sample.url, sample.html
            if key not in self._read:
                self._read[key] = _Addresses(LearnPage.parse(sample.html, sample.url))
            views.append(SampleView(self._read[key].page, self._read[key].on_page(sample.fields)))
        return views


def view_pages(pages: Iterable[Any], limit: int) -> list[LearnPage]:
    """Parse at most *limit* further pages, spread evenly: bodies, (url, body) pairs, or objects with url and html.

    Very large pages are left out: they would take more time than they tell.
    """
    pairs = (("", one) if isinstance(one, str | bytes) else one for one in pages)
    given = (one if isinstance(one, tuple) else (one.url, one.html) for one in pairs)
    bodies = [(url, body) for url, body in given if len(body) <= LARGEST_PAGE]
    chosen = spread(bodies, limit) if limit else []
    return [LearnPage.parse(body, url) for url, body in chosen]


def most_telling_first(pages: Sequence[LearnPage], samples: Sequence[LearnPage], count: int) -> list[LearnPage]:
    """Return the pages in their order, but first up to *count* that have between them most of the samples' names.

    A section that one sample has, and every third page, should be on one of them: else its names look like that
    sample's own.
    """
    wanted = frozenset[str]().union(*map(_names_on, samples))
    names = [_names_on(page) & wanted for page in pages]
    missing, first = set(wanted), []
    for _ in range(min(count, len(pages))):
        best = max(range(len(pages)), key=lambda number: len(names[number] & missing))
        if not names[best] & missing:
            break
        missing -= names[best]
        first.append(best)
    return [pages[number] for number in [*first, *(n for n in range(len(pages)) if n not in first)]]


def _names_on(page: LearnPage) -> frozenset[str]:
    """Return the classes and ids of a page's elements."""
    elements = list(page.tree.iter("*"))
    classes = {f".{one}" for names in {element.get("class", "") for element in elements} for one in names.split()}
    return frozenset(classes | {f"#{name}" for element in elements if (name := element.get("id"))})


def field_names(samples: Iterable[SampleView]) -> list[str]:
    """Return the fields of all samples in order of first appearance."""
    return list(dict.fromkeys(name for sample in samples for name in sample.fields))


def values_inside(value: Any) -> Iterator[str]:
    """Yield all texts inside values of any shape."""
    return (text for _, text in texts_in(value))


# --- Addresses as a person copies them: from the source, with entities, without ?v=3 → as records have them -----------


class _Addresses:
    """The addresses on a sample page, found by the part that a person may have copied."""

    def __init__(self, page: LearnPage) -> None:
        self.page, self._tree = page, page.tree

    def on_page(self, value: Any) -> Any:
        """Return a sample's value of any shape, with its addresses as the page's elements give them."""
        if isinstance(value, dict):
            return {key: self.on_page(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.on_page(part) for part in value]
        text = value.strip() if isinstance(value, str) else ""
        if len(text) > _LONGEST_ADDRESS or not _LIKE_ADDRESS.fullmatch(text):
            return value
        found = next((self._known[key] for key in _keys(self.page.absolute(text)) if key in self._known), text)
        return value if found == text or same_url(found, text) or self._is_said(text) else found

    @cached_property
    def _known(self) -> dict[str, str]:
        known = dict[str, str]()
        for node in self._tree.iter("*"):
            for _, address in self.page.addresses(node):
                known |= {key: address for key in _keys(address) if key not in known}
        return known

    def _is_said(self, text: str) -> bool:
        """Say whether the page shows it, or an attribute that holds no address, or its data, say just that."""
        attributes = (pair for node in self._tree.iter("*") for pair in node.items())
        if any(said == text and not holds_address(name) for name, said in attributes):
            return True
        shown = "" if is_url(text) else fold(" ".join(self.page.every_text))
        return text in shown or any(text in values for values in self.page.structured.values().values())


def _keys(address: str) -> Iterator[str]:
    """Yield the keys that find an address, the strictest first; a file's also without the query, as that changes."""
    try:
        parts = urlsplit(unquote(unescape(address)))
    except ValueError:
        return
    place = f"{parts.netloc.lower()}{parts.path or '/'}"
    yield f"{place}?{parts.query}#{parts.fragment}"
    yield f"{place}?{parts.query}"
    if _FILE.search(parts.path):
        yield place
