"""Send [headers] and [auth] of a site file to the site's own hosts, and remove them for other hosts.

Scrapy's HttpAuthMiddleware knows one domain; a site may have several, and may not be asked for it unencrypted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from gwc_crawler.network.access import Reach, headers_of


class NotAsked(IgnoreRequest):
    """The host was not asked, because the crawl has no way in: its URL waits again."""


class SiteHeaders:
    """Adds the site's headers to Requests for its hosts, and takes them off redirects elsewhere; own headers stay."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteHeaders:
        spider: Any = crawler.spider
        return cls(headers_of(spider.site.access), spider.site.reach)

    def __init__(self, headers: Mapping[str, bytes], reach: Reach) -> None:
        self._headers = headers
        self._reach = reach

    def process_request(self, request: Request) -> None:
        if self._reach.has(request.url):
            for name, value in self._headers.items():
                request.headers.setdefault(name, value)
            return
        for name, value in self._headers.items():
            if request.headers.get(name) == value:
                del request.headers[name]
