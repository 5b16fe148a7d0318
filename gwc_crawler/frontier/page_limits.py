"""How many pages a crawl, and each of its hosts, may have at most; both frontiers keep it.

A page counts once, however often it is looked at again. What is over a limit becomes E; what only may be over it, since
others are being fetched, waits until they have ended. A new kind of limit: a field of `PageLimits`, a line in
`LIMIT_KINDS`, its `RejectionReason`, its setting, and in the Redis frontier's lua/states.lua what its pages count with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gwc_crawler.frontier.admission import LIMIT
from gwc_crawler.items import RejectionReason
from gwc_crawler.urls import host_of

OVER_TEXT = f"{LIMIT}%d pages of %s (%s)"
WHOLE_SITE = "the site"

CUT_AT_ONCE = 1000
"""So many URLs become E in one lease at most."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Pages at most, by the names of `LIMIT_KINDS`; 0: no limit."""

    site: int = 0
    host: int = 0

    @classmethod
    def read(cls, most_of: Callable[[str], int]) -> PageLimits:
        """Make them of what *most_of* says of each kind's setting."""
        return cls(**{kind.name: most_of(kind.setting) for kind in LIMIT_KINDS})

    def __bool__(self) -> bool:
        return any(most > 0 for _, most in self.set())

    def set(self) -> Iterator[tuple[LimitKind, int]]:
        """Yield the kinds that have a limit, with it."""
        for kind in LIMIT_KINDS:
            if (most := getattr(self, kind.name)) > 0:
                yield kind, most


@dataclass(frozen=True, slots=True)
class LimitKind:
    """One kind of limit. `counted_with`: a URL → what its page counts with; "": with all others of the site."""

    name: str
    reason: RejectionReason
    setting: str
    counted_with: Callable[[str], str]

    def text(self, most: int, url: str) -> str:
        """Why *url* is given up.

        >>> LIMIT_KINDS[1].text(100, "http://a.example/p/1")
        'limit: 100 pages of a.example (GWC_MAX_PAGES_PER_HOST)'
        """
        return OVER_TEXT % (most, self.counted_with(url) or WHOLE_SITE, self.setting)


LIMIT_KINDS = (
    LimitKind("site", RejectionReason.SITE, "GWC_MAX_PAGES_PER_SITE", lambda _: ""),
    LimitKind("host", RejectionReason.HOST, "GWC_MAX_PAGES_PER_HOST", host_of),
)
"""All kinds; where several are reached, the first counts."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit against a URL. `for_good`: by pages that are there; else only by what is under way."""

    kind: LimitKind
    most: int
    for_good: bool


def limit_against(url: str, limits: PageLimits, pages: Mapping[str, int], running: Mapping[str, int]) -> Reached | None:
    """Return the limit that is reached for *url*, given what has been counted; one for good first.

    >>> limit_against("http://a.example/3", PageLimits(site=9, host=2), {"a.example": 1}, {"a.example": 1}).for_good
    False
    """
    for under_way in ({}, running):
        for kind, most in limits.set():
            name = kind.counted_with(url)
            if pages.get(name, 0) + under_way.get(name, 0) >= most:
                return Reached(kind, most, under_way is not running)
    return None
