"""The downloader middleware that looks a Request's host up ahead of its turn, and puts the addresses on it.

A host that can't be found, or may not be asked, ends here, before its turn at the limiter is used up.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import astuple
from functools import cached_property

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.httpobj import urlparse_cached

from gwc_crawler.downloader.resolver import NO_WAY, names_of, scrapys_error
from gwc_crawler.items import META_ADDRESSES
from gwc_crawler.network.dns_cache import CrawlNames, DnsCounts
from gwc_crawler.wiring.options import dns_cache, lookup_plan

logger = logging.getLogger(__name__)


class DnsCacheMiddleware:
    """Looks hosts up in the crawl's `DnsCache`; nothing is waited for where a host is known."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DnsCacheMiddleware:
        plan = lookup_plan(crawler.settings)
        if not plan.is_own:
            chosen = crawler.settings["TWISTED_DNS_RESOLVER"]
            logger.info("names are looked up by a resolver of the project's own, without cache resolver=%s", chosen)
            raise NotConfigured
        if not plan.options.max_seconds:
            raise NotConfigured  # DNSCACHE_ENABLED = False: each connection asks for itself
        made = cls(crawler)
        crawler.signals.connect(made.spider_closed, signals.spider_closed)
        return made

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._cache = dns_cache(crawler.settings)
        self._before = DnsCounts(*astuple(self._cache.counts))

    @cached_property
    def names(self) -> CrawlNames:
        """The downloader's names, which are not there before it is."""
        return names_of(self.crawler)

    def process_request(self, request: Request) -> Awaitable[None] | None:
        meta = request.meta
        if meta.get("proxy"):
            return None
        try:
            found = self.names.known(urlparse_cached(request).hostname or "")
        except NO_WAY as error:
            raise scrapys_error(error) from error
        if found is None:
            return self._look_up(request)
        meta[META_ADDRESSES] = found
        return None

    async def _look_up(self, request: Request) -> None:
        try:
            found = await self.names.addresses_of(urlparse_cached(request).hostname or "")
        except NO_WAY as error:
            raise scrapys_error(error) from error
        request.meta[META_ADDRESSES] = found

    def spider_closed(self) -> None:
        """Write the known names to the memory, and the counts to the stats."""
        self._cache.flush()
        for name, now, before in zip(
            DnsCounts.__slots__, astuple(self._cache.counts), astuple(self._before), strict=True
        ):
            self.crawler.stats.set_value(f"gwc/dns/{name}", now - before)
