"""Decide which pages are due: by sitemaps that were read, and by the result of the last look at each page."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from http import HTTPStatus

from scrapy.http import Response
from scrapy.settings import BaseSettings

from gwc_crawler.crawl.leases import Leases
from gwc_crawler.frontier.recrawl import Recrawl, RevisitResult, gone, look_again, missed, not_modified
from gwc_crawler.items import META_REVISIT, Failure, Lease, Page, PageKind, Record, Revisit
from gwc_crawler.page.sitemap import SitemapLimits, evenly
from gwc_crawler.page.text import content_signature
from gwc_crawler.wiring.options import intervals_of

logger = logging.getLogger(__name__)


MAX_VALIDATOR_CHARACTERS = 256
"""A longer ETag is not kept, nor one with odd characters: the page is then compared by its content."""

NOT_FOUND_STATUSES = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)

OUTCOMES = ("new", "changed", "unchanged", "not_modified", "gone", "failed")


class Looks:
    """Decides what to keep of each response; *which* pages this crawl looks at again, None for an ordinary crawl."""

    def __init__(self, settings: BaseSettings, which: Recrawl | None = None) -> None:
        self.which = which
        self.limits = intervals_of(settings)
        self.keeps = settings.getbool("GWC_RECRAWL") or which is not None
        self.outcomes = dict.fromkeys(OUTCOMES, 0)

    @property
    def looked_again(self) -> bool:
        """Whether this crawl was meant to look again, or found pages to look at again, e.g. of a recrawl broken off."""
        return self.which is not None or any(count for name, count in self.outcomes.items() if name != "new")

    def at_page(
        self, response: Response, page: Page, record: Record | None, signature: int | None = None
    ) -> Revisit | None:
        """Return the data to keep of a page that was read, whose *signature* may be known; None: nothing is kept."""
        if not self.keeps:
            return None
        old: Revisit | None = response.meta.get(META_REVISIT)
        signature = content_signature(page, record) if signature is None else signature
        look = RevisitResult(signature, page.kind, page.relevant, *validators_of(response))
        new = look_again(old, look, time.time(), self.limits)
        self.outcomes["new" if old is None else "unchanged" if new.unchanged else "changed"] += 1
        return new

    def at_not_modified(self, response: Response) -> Revisit | None:
        """Return the `Revisit` after a 304; None if none was kept before."""
        old: Revisit | None = response.meta.get(META_REVISIT)
        if old is None:
            return None
        self.outcomes["not_modified"] += 1
        return not_modified(old, time.time(), self.limits, *validators_of(response))

    def at_failure(self, old: Revisit | None, failure: Failure, *, is_gone: bool) -> Failure:
        """Return *failure*, which is for good, with the time when a page that once was there is asked for again."""
        if old is None:
            return failure
        now = time.time()
        self.outcomes["gone" if is_gone else "failed"] += 1
        if is_gone:
            return replace(failure, reason=f"gone: {failure.reason}", revisit=gone(old, now, self.limits))
        return replace(failure, revisit=missed(old, now))


def validators_of(response: Response) -> tuple[str, str]:
    r"""Return ETag and Last-Modified of a response, "" for a value that can't be sent back as it came.

    >>> validators_of(Response("http://a.example/", headers={"ETag": 'W/"7"', "Last-Modified": "some \rday"}))
    ('W/"7"', '')
    """
    return _header(response, b"Etag"), _header(response, b"Last-Modified")


def _header(response: Response, name: bytes) -> str:
    values = dict.get(response.headers, name)
    text = values[-1].decode("latin-1") if values else ""
    is_plain = text.isascii() and text.isprintable() and len(text) <= MAX_VALIDATOR_CHARACTERS
    return text if is_plain else ""


class Sitemaps:
    """Limits the entries of index files in one run (None: no sitemaps), and looks again at pages by their `lastmod`."""

    def __init__(self, limits: SitemapLimits | None, leases: Leases, looks: Looks) -> None:
        self.limits = limits
        self._leases = leases
        self._looks = looks
        self._files: set[str] = set()

    def take(self, page: Page, lease: Lease) -> None:
        """Cut entries beyond the limits off *page*; have changed pages wait again. StoreError: no frontier."""
        if self.limits is None:
            return
        if page.kind is not PageKind.SITEMAP:
            page.flaws += (f"it is named as a sitemap, but the answer is none ({page.content_type or 'no type'})",)
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
