"""Scrapy's cookies, with those of [cookies] in the jar from the start."""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from gwc_crawler.access import hide, read_cookies
from gwc_crawler.request_meta import META_LOGIN

LEAST_HIDDEN = 8
"""Cookies of so many characters are hidden from logs; shorter values are no secrets, but words."""

logger = logging.getLogger(__name__)


class SiteCookies(CookiesMiddleware):
    """Scrapy's middleware; what a browser has exported is in the jar that Requests have without asking for another."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        site: Any = getattr(crawler.spider, "site", None)
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
        """Take the cookies; those of a login, and those that would be logged, are hidden from logs first."""
        if self.debug or META_LOGIN in request.meta:
            values = (_value(header) for header in response.headers.getlist(b"Set-Cookie"))
            hide(*(value for value in values if len(value) >= LEAST_HIDDEN))
        return super().process_response(request, response)


def _value(header: bytes) -> str:
    return header.partition(b"=")[2].partition(b";")[0].strip().decode("latin-1")
