"""A URL taken apart for comparing: origin, path segments, query.

In: normalised URLs. Out: `UrlParts`, which the similarity, the pattern tree and the regex rules share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from gwc_crawler.urls import query_parts

_Feature = TypeVar("_Feature")

_URL = re.compile(r"(?:([^:/?]*)://)?([^/?]*)([^?]*)(?:\?(.*))?", re.DOTALL)
_EXTENSION = re.compile(r"(?<=.)\.[a-zA-Z][a-zA-Z0-9]{0,4}$")


@dataclass(frozen=True, slots=True)
class UrlParts:
    """One URL, whole: put together again, the parts give it back.

    `segments` are the path parts between slashes, the file name included; one is empty only where two slashes follow
    each other. `slash` tells whether the path ends in "/", `query` is the raw text after "?" or None.
    """

    url: str
    scheme: str
    host: str
    segments: tuple[str, ...]
    slash: bool
    query: str | None

    @property
    def query_keys(self) -> tuple[str, ...]:
        """The distinct keys of the query, in sorted order."""
        return tuple(sorted({key for key, *_ in query_pairs(self.query or "") if key}))


@lru_cache(maxsize=65_536)
def split_url(url: str) -> UrlParts:
    """Take *url* apart.

    >>> split_url("http://a.example/shop/12?id=3").segments
    ('shop', '12')
    """
    found = _URL.fullmatch(url)
    assert found  # whatever the text
    scheme, host, path, query = found.groups()
    segments = path.split("/")[1:]
    slash = segments[-1:] == [""]
    return UrlParts(url, scheme or "", host, tuple(segments[:-1] if slash else segments), slash, query)


def query_pairs(query: str) -> list[tuple[str, str, str]]:
    """Cut a raw query into its pairs, each as (key, "=" or "", value).

    >>> query_pairs("id=3&print")
    [('id', '=', '3'), ('print', '', '')]
    """
    return [pair.partition("=") for pair in query_parts(query)]


def split_extension(segment: str) -> tuple[str, str]:
    """Cut a file extension of letters and digits off *segment*; "" where it has none.

    >>> split_extension("pr_grid-columns.asp")
    ('pr_grid-columns', '.asp')
    """
    found = _EXTENSION.search(segment)
    return (segment[: found.start()], found.group()) if found else (segment, "")


def common_start(texts: Iterable[str]) -> str:
    """The longest text that all *texts* begin with.

    >>> common_start(["pr_border", "pr_box", "pr_background"])
    'pr_b'
    """
    low, high = min(known := list(texts)), max(known)
    places = (place for place, (one, two) in enumerate(zip(low, high, strict=False)) if one != two)
    return low[: next(places, len(low))]
