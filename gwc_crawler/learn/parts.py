"""A URL taken apart for comparing: origin, path segments, query.

In: normalised URLs. Out: `UrlParts`, which the similarity, the pattern tree and the regex rules share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

_EXTENSION = re.compile(r"(?<=.)\.[a-zA-Z][a-zA-Z0-9]{0,4}$")


@dataclass(frozen=True, slots=True)
class UrlParts:
    """One URL. `segments` are the non-empty path parts between slashes, the file name included.

    `slash` tells whether the path ends in "/", `query` is the raw text after "?" or None.
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
        if not self.query:
            return ()
        return tuple(sorted({pair.partition("=")[0] for pair in self.query.split("&") if pair}))


@lru_cache(maxsize=65_536)
def split_url(url: str) -> UrlParts:
    """Take *url* apart.

    >>> split_url("http://a.example/shop/12?id=3").segments
    ('shop', '12')
    """
    scheme, host, path, query, _ = urlsplit(url)
    segments = tuple(part for part in path.split("/") if part)
    return UrlParts(url, scheme, host, segments, path.endswith("/"), query if "?" in url else None)


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
