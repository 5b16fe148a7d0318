"""What a spider makes of a sitemap that was read: how many further ones it follows, and which pages are due by it."""

from __future__ import annotations

import logging

from gwc_crawler.crawl import Leases
from gwc_crawler.items import Lease, Page, PageKind
from gwc_crawler.page import SitemapLimits, evenly
from gwc_crawler.recrawl import Recrawl
from gwc_crawler.spiders.looks import Looks

logger = logging.getLogger(__name__)


class Sitemaps:
    """Bounds what index files bring in one run, and has pages looked at again whose `lastmod` is newer.

    Args:
        limits: None: the site file wants no sitemaps, so none is read as one.
    """

    def __init__(self, limits: SitemapLimits | None, leases: Leases, looks: Looks) -> None:
        self.limits = limits
        self._leases = leases
        self._looks = looks
        self._files: set[str] = set()

    def take(self, page: Page, lease: Lease) -> None:
        """Leave out of *page* what is beyond the limits; have what it says has changed wait again.

        Raises:
            StoreError: the frontier can't be written.
        """
        if self.limits is None:
            return
        if page.kind is not PageKind.SITEMAP:
            page.flaws += (f"it is named as a sitemap, and what came is none ({page.content_type or 'no type'})",)
        elif page.outside and not page.links:
            page.flaws += (f"all that it lists is on other sites, such as {page.outside[0]}: `hosts` adds sites",)
        if page.flaws:
            logger.warning("sitemap url=%s: %s", page.url, "; ".join(page.flaws))
        followed = self._bounded(page, lease, self.limits)
        if followed != page.sitemaps:
            left_out = set(page.sitemaps).difference(followed)
            page.admitted = tuple(url for url in page.admitted if url not in left_out)
            page.sitemaps = followed
        if self._looks.which is Recrawl.DUE:
            count = self._leases.look_sooner(page.listed, self._looks.limits)
            logger.info("sitemap url=%s listed=%d due_by_it=%d", page.url, len(page.listed), count)

    def missed(self, url: str, reason: str) -> None:
        """Say that what is named as a sitemap was not to be had."""
        if self.limits is not None and (url in self._files or self._leases.is_named_sitemap(url)):
            logger.warning("sitemap url=%s: not read, what it lists is not known: %s", url, reason)

    def _bounded(self, page: Page, lease: Lease, limits: SitemapLimits) -> tuple[str, ...]:
        if page.sitemaps and lease.depth >= limits.levels:
            page.flaws += (
                f"its sitemaps are left out: index files lead on too far, limit {limits.levels} (GWC_SITEMAP_LEVELS)",
            )
            return ()
        known = tuple(url for url in page.sitemaps if url in self._files)
        new = tuple(url for url in page.sitemaps if url not in self._files)
        followed = evenly(new, max(0, limits.files - len(self._files)))
        if len(followed) < len(new):
            page.flaws += (
                f"{len(new) - len(followed)} of its sitemaps are left out, limit {limits.files} (GWC_SITEMAP_FILES)",
            )
        self._files.update(followed)
        return (*known, *followed)
