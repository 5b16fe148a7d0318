"""A URL as a row of slots, so that URLs of one layout can be compared column by column.

In: URLs. Out: `SlottedUrl`s; rows with equal `layout` have the same columns. The pattern tree splits
them, `regex` writes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gwc_crawler.learn.urls.url_parts import UrlParts, query_pairs, split_extension, split_url

Layout: TypeAlias = tuple[int, bool, tuple[str, ...]]
"""Number of path segments, whether a slash ends the path, and the sorted keys of the query."""

KNOWN_EXTENSION = r"\.(?i:[dpsxj]?html?|aspx?|php[0-9]?|jspx?|do|action|cgi|pl|py|cfm|xml|rss|atom|json|pdf|txt|md)"
"""The pattern of what counts as an extension: a title may have dots, too."""
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
    query = _query(parts)
    layout = (len(segments), parts.slash and bool(segments), tuple(sorted(query)))
    return SlottedUrl(parts, layout, (parts.host, *segments, extension, *(query[key] for key in layout[2])))


def is_number(value: str) -> bool:
    """Whether a slot holds digits only."""
    return _NUMBER.fullmatch(value) is not None


def _query(parts: UrlParts) -> dict[str, str]:
    query: dict[str, str] = {}
    for key, _, value in query_pairs(parts.query or ""):
        if key:
            query.setdefault(key, value)
    return query
