"""What a site's learning knows of its links → what is a page's own among them. Used by `classify`; learned by `learn`.

A page alone does not say which of its links stand on every page of its site, nor what its links lead to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

_DEEPEST = 3
"""Directories below the root that have common links of their own."""
_LOOKED_AT = 200
"""So many of a page's own links are put into classes."""
_SAID = 4
"""Characters behind a link that say something of where it leads."""
_DESCRIBED = 5
"""So many links of which something is said are a list."""


@dataclass(frozen=True, slots=True)
class OwnLinks:
    """The links of one page without those that pages of its site or directory share.

    Attributes:
        count: how many URLs they lead to.
        text_length: characters in them.
        into_larger_class: the most that lead into one class of URLs, of those larger than the page's.
        in_menu: the page itself is one that the pages of its site share a link to.
    """

    count: int
    text_length: int
    into_larger_class: int
    in_menu: bool


class SiteLinks:
    """The learned links of one site.

    Args:
        common: directory, as in `directories_above` → the URLs that its pages share links to.
        classes: rows with the `regex` of a class of URLs and its `size`, how many of them are known.
    """

    def __init__(self, common: Mapping[str, Iterable[str]], classes: Sequence[Mapping[str, Any]]) -> None:
        self._common = {directory: frozenset(urls) for directory, urls in common.items()}
        self._classes = [(re.compile(row["regex"]), int(row["size"])) for row in classes]
        self._class_of = lru_cache(20_000)(self._find_class)

    @classmethod
    def of(cls, learned: Mapping[str, Any]) -> SiteLinks | None:
        """Build from `Knowledge.site_links`; None where nothing was learned."""
        return cls(learned.get("common", {}), learned.get("classes", ())) if learned else None

    def own(self, url: str, links: Iterable[tuple[str, int]]) -> OwnLinks:
        """Tell a page's own links from those it shares.

        Args:
            links: URL and length of the text of each link on the site.
        """
        above = directories_above(url)
        shared = [self._common[directory] for directory in above if directory in self._common]
        lengths: dict[str, int] = {}
        for link, length in links:
            if link != url and not any(link in some for some in shared):
                lengths[link] = max(length, lengths.get(link, 0))
        return OwnLinks(
            len(lengths), sum(lengths.values()), self._into_larger(url, lengths), url in self._common.get(above[0], ())
        )

    def _into_larger(self, url: str, links: Iterable[str]) -> int:
        own, least = self._class_of(url)
        counts: dict[int, int] = {}
        for link in islice(links, _LOOKED_AT):
            number, size = self._class_of(link)
            if number >= 0 and number != own and size > least:
                counts[number] = counts.get(number, 0) + 1
        return max(counts.values(), default=0)

    def _find_class(self, url: str) -> tuple[int, int]:
        """Number and size of a URL's class; one of its own where it has none."""
        for number, (regex, size) in enumerate(self._classes):
            if regex.fullmatch(url):
                return number, size
        return -1, 1


def directories_above(url: str) -> list[str]:
    """Return the directories a URL stands in, the root first, three more at most.

    >>> directories_above("http://a.example/css/ref/color.html?x=1")
    ['http://a.example/', 'http://a.example/css/', 'http://a.example/css/ref/']
    """
    parts = urlsplit(url)
    found = [f"{parts.scheme}://{parts.netloc}/"]
    for name in parts.path.split("/")[1:-1][:_DEEPEST]:
        found.append(f"{found[-1]}{name}/")
    return found


def link_texts(tree: Any) -> list[tuple[str, int]]:
    """Return href and length of the text of each `a[href]`, in page order."""
    anchors = [(element, element.get("href")) for element in tree.iter("a")]
    return [(href, _text_length(one)) for one, href in anchors if href is not None]


def described_length(tree: Any, on_site: Mapping[str, str]) -> int:
    """Return the characters of rows and items that begin with a link to another page and say something of it.

    A table of functions is one, each with a word on what it does; a menu says nothing of where it leads. Fewer than
    five such links are none: a page to read has a list of what to see besides.

    Args:
        on_site: href → URL of the links to other pages of the site.
    """
    found: set[str] = set()
    length = 0
    for row in tree.iter("tr", "li", "dt"):
        anchor = next(row.iter("a"), None)
        url = None if anchor is None else on_site.get(anchor.get("href", ""))
        if url is None or next(row.iterdescendants(row.tag), None) is not None:
            continue
        name, whole = _text_length(anchor), _text_length(row)
        if not name or not _text(row).startswith(_text(anchor)):
            continue
        said = row.getnext() if row.tag == "dt" else None
        if said is not None and said.tag == "dd":
            row, whole = said, _text_length(said)
        elif row.tag == "dt":
            continue
        said_length = whole - sum(map(_text_length, row.iter("a")))
        if said_length >= _SAID:
            found.add(url)
            length += name + said_length
    return length if len(found) >= _DESCRIBED else 0


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _text_length(element: Any) -> int:
    return len(_text(element))
