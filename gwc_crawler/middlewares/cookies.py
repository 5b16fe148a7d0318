"""Scrapy's cookies, with those of [cookies] in the jar from the start, and with no list fetched from the Internet."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http.cookiejar import Cookie
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached

from gwc_crawler.items import META_LOGIN
from gwc_crawler.network.access import read_cookies
from gwc_crawler.network.masking import hide
from gwc_crawler.sites.schema import site_of_spider
from gwc_crawler.urls import is_public_suffix

LEAST_HIDDEN = 8
"""Characters from which on a cookie's value is hidden from logs; shorter values are no secrets, but words."""

logger = logging.getLogger(__name__)


class SiteCookies(CookiesMiddleware):
    """Scrapy's middleware; cookies exported from a browser are in the jar that Requests use by default."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        site = site_of_spider(crawler.spider)
        if site is None or (path := site.access.cookies) is None:
            return made
        found = read_cookies(path, site.reach.has_cookies_of)
        for cookie in found.cookies:
            made.jars[None].set_cookie(cookie)
        logger.info("cookies taken file=%s cookies=%d", path, len(found.cookies))
        if found.expired:
            logger.warning("cookies of %s have expired: %s; export them anew", path, ", ".join(found.expired))
        return made

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Store the cookies; first hide those of a login, and those that would be logged, from logs."""
        if self.debug or META_LOGIN in request.meta:
            named = (header.partition(b"=")[2] for header in response.headers.getlist(b"Set-Cookie"))
            values = (value.partition(b";")[0].strip().decode("latin-1") for value in named)
            hide(*(value for value in values if len(value) >= LEAST_HIDDEN))
        return super().process_response(request, response)

    def _process_cookies(self, cookies: Iterable[Cookie], *, jar: CookieJar, request: Request) -> None:
        """Keep cookies, except those for all hosts below a public suffix.

        As Scrapy's, which fetches the list of them by itself, while everything waits, past the crawl's limits.
        """
        host = (urlparse_cached(request).hostname or "").lower()
        for cookie in cookies:
            domain = cookie.domain.removeprefix(".")
            if domain and is_public_suffix(domain):
                if domain != host:
                    continue
                cookie.domain = host
            if host:
                jar.set_cookie_if_ok(cookie, request)
