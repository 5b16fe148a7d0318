"""Downloader middlewares: redirects that keep the lease, and pages that need no second fetch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import BaseSettings

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.protocol import Frontier, UrlInfo
from gwc_crawler.frontier.recrawl import CONDITIONS
from gwc_crawler.items import META_LEASE, META_REVISIT, Lease, PageKind, Revisit, context_of
from gwc_crawler.page.links import leads_on_to
from gwc_crawler.page.reader import is_html
from gwc_crawler.urls import normalize_url

if TYPE_CHECKING:
    from gwc_crawler.crawl.leases import Leases

_OTHER_SCHEME = re.compile(rb"\s*(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class RedirectElsewhere(IgnoreRequest):
    """A redirect that is not followed: to a URL that is known already, or off the site. Not an error of the page."""

    def __init__(self, target: str, *, off_site: bool) -> None:
        self.target = target
        self.off_site = off_site
        super().__init__(f"redirected {'off the site' if off_site else 'to a known page'}: {target}")


class RedirectRefused(IgnoreRequest):
    """A redirect that leads to nothing that can be fetched: an error of the page."""

    def __init__(self, response: Response, problem: str = "") -> None:
        location = response.headers.get(b"Location")
        if location is None:
            super().__init__(f"HTTP {response.status}, and it doesn't say where to")
            return
        if not problem:
            problem = "only http and https are fetched" if _OTHER_SCHEME.match(location) else "that is no URL"
        super().__init__(f"HTTP {response.status}, redirected to {location[:200].decode('latin-1')!r}: {problem}")


class LeaseRedirectMiddleware(RedirectMiddleware):
    """Follows a redirect only to a page of the site not fetched yet: then the lease covers it, too.

    Scrapy's own fetches the target once for each URL that redirects to it. A page that only leads on is a redirect.
    """

    STATUSES = frozenset({301, 302, 303, 307, 308})

    _urls: Frontier
    _pages: Leases

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._takes_cookies = settings.getbool("COOKIES_ENABLED")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        if (context := context_of(crawler.spider)) is not None:
            made._urls, made._pages = context.frontier, context.leases
        return made

    def _engine_started(self) -> None:
        """Do nothing: Referers are not sent, and Scrapy would warn of the middleware that is off."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        lease: Lease | None = request.meta.get(META_LEASE)
        if lease is None:
            return super().process_response(request, response)
        if (result := self._asked_for(request, response)) is None:
            return response
        target = normalize_url(result.url)
        if target is None:
            raise RedirectRefused(response)
        if not self._pages.on_site(target) and self._pages.on_site(lease.url):  # a field may lead to files elsewhere
            target = None
        old: Revisit | None = request.meta.get(META_REVISIT)
        if old is not None and old.kind is PageKind.TARGET and (target is None or _is_no_target(self._urls, target)):
            raise PageGone(f"redirected to {result.url}")
        if target is None:
            raise RedirectElsewhere(result.url, off_site=True)
        if target != lease.url and not self._urls.redirect(lease, target):
            raise RedirectElsewhere(target, off_site=False)
        if target != lease.url or "@" in result.url:  # else the server asks for another spelling of the same
            result = result.replace(url=target)
        if result.url.partition("#")[0] in result.meta["redirect_urls"] and not self._takes_cookies:
            raise RedirectRefused(response, "in a circle; some sites let in only who returns cookies (COOKIES_ENABLED)")
        result.meta[META_REVISIT] = revisit = self._pages.revisit_of(target)
        for name in CONDITIONS:  # those of the redirecting URL do not apply to this one
            result.headers.pop(name, None)
        result.headers.update(self._pages.conditions(revisit))
        return result

    def _asked_for(self, request: Request, response: Response) -> Request | None:
        """Return the Request for a redirect, or a page that forwards; else None. RedirectRefused: it leads nowhere."""
        if response.status == 200 and (there := _leads_on_to(response)):
            response = Response(response.url, status=302, headers={"Location": there})
        if response.status not in self.STATUSES:
            return None
        try:
            result: Request | Response = super().process_response(request, response)
        except ValueError as error:
            raise RedirectRefused(response) from error
        if isinstance(result, Request):
            return result
        raise RedirectRefused(response)


def _leads_on_to(response: Response) -> str | None:
    """Return the address to which a page forwards; None if it is there to be read, or forwards to itself."""
    told = ((dict.get(response.headers, name) or [b""])[-1] for name in (b"Content-Type", b"Refresh"))
    kind, refresh = (one.decode("latin-1") for one in told)
    there = leads_on_to(response.url, response.body, kind, refresh)
    return there if there and there != normalize_url(response.url) and is_html(response.body, kind) else None


def _is_no_target(urls: Frontier, url: str) -> bool:
    try:
        known: UrlInfo | None = urls.find(url)
    except StoreError:  # the shared frontier is away
        return False
    return known is not None and known.kind not in (None, PageKind.TARGET, PageKind.REDIRECT)


class PageGone(IgnoreRequest):
    """A redirect by which a site says that a target page is gone: to a page that does not exist, or off the site."""
