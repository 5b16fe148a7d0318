"""Downloader middlewares: redirects that keep the lease, pages that need no second fetch."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response

from gwc_crawler.frontier.scheduler import META_LEASE
from gwc_crawler.items import Lease
from gwc_crawler.urls import normalize_url

logger = logging.getLogger(__name__)


class RedirectElsewhere(IgnoreRequest):
    """A redirect that is not followed: to a URL that is known already, or off the site. Not an error of the page."""

    def __init__(self, target: str, *, off_site: bool) -> None:
        self.target = target
        self.off_site = off_site
        super().__init__(f"redirected {'off the site' if off_site else 'to a known page'}: {target}")


class LeaseRedirectMiddleware(RedirectMiddleware):
    """Follows a redirect only to a page of the site that nobody has fetched: then the lease covers it, too.

    Scrapy's own middleware fetches the target once for each URL that redirects to it; here every page is fetched once.
    """

    def _engine_started(self) -> None:
        """Referers are not sent; Scrapy would warn of the middleware that is off."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return the response, or the Request that the redirect asks for."""
        result: Request | Response = super().process_response(request, response)
        lease: Lease | None = request.meta.get(META_LEASE)
        if lease is None or not isinstance(result, Request):
            return result
        workbench = self.crawler.spider.workbench  # type: ignore[union-attr]
        target = normalize_url(result.url)
        if target is None or not workbench.on_site(target):
            raise RedirectElsewhere(result.url, off_site=True)
        if target != lease.url and not workbench.frontier.redirect(lease, target):
            raise RedirectElsewhere(target, off_site=False)
        return result.replace(url=target)


class SampleReuseMiddleware:
    """Answers a lease from the pre-crawl's store where that page was fetched not long ago: no page is fetched twice."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SampleReuseMiddleware:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    def process_request(self, request: Request) -> Any:
        """Return the stored response, or None to let the request go on."""
        workbench = getattr(self.crawler.spider, "workbench", None)
        if workbench is None or META_LEASE not in request.meta:
            return None
        sample = workbench.stored_sample(request.url)
        if sample is None:
            return None
        self.crawler.stats.inc_value("gwc/download/reused_samples")
        return HtmlResponse(
            sample.url,
            headers={"Content-Type": sample.content_type or "text/html"},
            body=sample.html,
            request=request,
            encoding="utf-8",
        )
