"""How many pages a crawl, and each of its hosts, may have at most; both frontiers keep it."""

from __future__ import annotations

from dataclasses import dataclass

from gwc_crawler.items import RejectionReason


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Pages at most; 0: no limit."""

    site: int = 0
    host: int = 0

    def __bool__(self) -> bool:
        return self.site > 0 or self.host > 0


def over_text(reason: RejectionReason, limits: PageLimits, host: str) -> str:
    """Why a URL is given up; begins as `admission.LIMIT` says.

    >>> over_text(RejectionReason.HOST, PageLimits(host=100), "a.example")
    'limit: 100 pages of a.example (GWC_MAX_PAGES_PER_HOST)'
    """
    if reason is RejectionReason.HOST:
        return f"limit: {limits.host} pages of {host} (GWC_MAX_PAGES_PER_HOST)"
    return f"limit: {limits.site} pages of the site (GWC_MAX_PAGES_PER_SITE)"
