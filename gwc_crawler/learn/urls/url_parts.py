"""A URL taken apart for comparing: origin, path segments, query; or as a row of slots.

In: normalised URLs. Out: `UrlParts`, which the similarity, the pattern tree and the regex rules share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from gwc_crawler.urls import query_parts

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
    """Cut a file extension of letters and digits off *segment*; "" if it has none.

    >>> split_extension("pr_grid-columns.asp")
    ('pr_grid-columns', '.asp')
    """
    found = _EXTENSION.search(segment)
    return (segment[: found.start()], found.group()) if found else (segment, "")


def common_start(texts: Iterable[str]) -> str:
    """Return the longest text that all *texts* begin with.

    >>> common_start(["pr_border", "pr_box", "pr_background"])
    'pr_b'
    """
    low, high = min(known := list(texts)), max(known)
    places = (place for place, (one, two) in enumerate(zip(low, high, strict=False)) if one != two)
    return low[: next(places, len(low))]


# --- A URL as a row of slots, so that URLs of one layout can be compared column by column -----------------------------


Layout: TypeAlias = tuple[int, bool, tuple[str, ...]]
"""Number of path segments, whether a slash ends the path, and the sorted keys of the query."""

KNOWN_EXTENSION = r"\.(?i:[dpsxj]?html?|aspx?|php[0-9]?|jspx?|do|action|cgi|pl|py|cfm|xml|rss|atom|json|pdf|txt|md)"
"""The pattern of known extensions: a title may have dots, too."""
_KNOWN_EXTENSION = re.compile(KNOWN_EXTENSION)
_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class SlottedUrl:
    """One URL in columns: host, one per path segment (the last without its extension), extension, one per query key."""

    parts: UrlParts
    layout: Layout
    values: tuple[str, ...]

    @cached_property
    def url(self) -> str:
        """The URL that the row was made of."""
        return self.parts.url


def row_of(url: str) -> SlottedUrl:
    """Lay *url* out in slots."""
    parts = split_url(url)
    segments, extension = list(parts.segments), ""
    if segments and not parts.slash:
        stem, ending = split_extension(segments[-1])
        if _KNOWN_EXTENSION.fullmatch(ending):
            segments[-1], extension = stem, ending
    query: dict[str, str] = {}
    for key, _, value in query_pairs(parts.query or ""):
        if key:
            query.setdefault(key, value)
    layout = (len(segments), parts.slash and bool(segments), tuple(sorted(query)))
    return SlottedUrl(parts, layout, (parts.host, *segments, extension, *(query[key] for key in layout[2])))


def is_number(value: str) -> bool:
    """Say whether a slot holds digits only."""
    return _NUMBER.fullmatch(value) is not None
