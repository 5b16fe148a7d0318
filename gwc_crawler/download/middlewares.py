"""Downloader middlewares: redirects that keep the lease, pages that need no second fetch, patient robots.txt."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gwc_crawler.download.conditions import CONDITIONS
from gwc_crawler.download.politeness import META_WITHIN
from gwc_crawler.download.robots_shelf import MAX_ROBOTS_BYTES, RobotsShelf
from gwc_crawler.errors import StoreError
from gwc_crawler.frontier import UrlInfo
from gwc_crawler.frontier.hosts import Limiter
from gwc_crawler.frontier.scheduler import META_LEASE, META_REVISIT
from gwc_crawler.items import Lease, PageKind, Revisit
from gwc_crawler.urls import host_of, normalize_url

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
        if target is not None and not workbench.on_site(target):
            target = None
        old: Revisit | None = request.meta.get(META_REVISIT)
        if old is not None and old.kind is PageKind.TARGET and (target is None or _is_no_target(workbench, target)):
            raise PageGone(f"redirected to {result.url}")
        if target is None:
            raise RedirectElsewhere(result.url, off_site=True)
        if target != lease.url and not workbench.frontier.redirect(lease, target):
            raise RedirectElsewhere(target, off_site=False)
        result = result.replace(url=target)
        result.meta[META_REVISIT] = revisit = workbench.revisit_of(target)
        for name in CONDITIONS:  # those of the URL that redirected here are none of this one's business
            result.headers.pop(name, None)
        result.headers.update(self.crawler.spider.looks.conditions(revisit))  # type: ignore[union-attr]
        return result


def _is_no_target(workbench: Any, url: str) -> bool:
    """Say whether *url* is known as a page that is no target."""
    try:
        known: UrlInfo | None = workbench.frontier.find(url)
    except StoreError:  # the shared frontier is away
        return False
    return known is not None and known.kind not in (None, PageKind.TARGET, PageKind.REDIRECT)


class PageGone(IgnoreRequest):
    """A redirect by which a site says that a target page is no more: to a page that is none, or off the site."""


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
        if workbench is None or META_LEASE not in request.meta or request.meta.get(META_REVISIT) is not None:
            return None
        sample = workbench.stored_sample(request.url)
        if sample is None:
            return None
        self.crawler.stats.inc_value("gwc/download/reused_samples")
        headers = {"Content-Type": sample.content_type or "text/html"}
        validators = workbench.sample_validators(sample.url)
        return HtmlResponse(
            sample.url,
            headers={**headers, **validators},
            body=sample.html,
            request=request,
            encoding="utf-8",
        )


class CookiesOnDemand:
    """Scrapy's cookies middleware, imported only where COOKIES_ENABLED: it brings an HTTP client along."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if not crawler.settings.getbool("COOKIES_ENABLED"):
            raise NotConfigured
        from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

        return CookiesMiddleware.from_crawler(crawler)


def _cut(robots: bytes) -> bytes:
    """Return the lines of a robots.txt that are read."""
    return robots[: robots.rfind(b"\n", 0, MAX_ROBOTS_BYTES) + 1]


class RobotsUnreachable(DownloadFailedError):
    """robots.txt can't be had for now; its host is not crawled before it can (RFC 9309 §2.3.1.4)."""


class PatientRobotsMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt; an unreachable one (no answer, or 5xx) means "not now", not "everything is allowed".

    Scrapy takes a failed robots.txt for permission and logs a traceback. Here the waiting URL fails with a passing
    error, is tried again later, and asks for robots.txt anew. 4xx means that there are no rules (§2.3.1.3).

    The rules of hosts used lately are kept (`RobotsShelf`); in Scrapy's table stand those that are being asked for.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._shelf: RobotsShelf[RobotParser] = RobotsShelf()

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host.

        Raises:
            RobotsUnreachable: there is no answer; the next request will ask again.
        """
        netloc = urlparse_cached(request).netloc
        if (kept := self._shelf.get(netloc)) is not None:
            return kept
        known = self._parsers.get(netloc)
        if known is None:
            known = self._parsers[netloc] = Deferred()
            try:
                response = await self._fetch(request)
                await self._parse_robots(response, netloc, request)
                parsed: Any = self._parsers[netloc]
                self._obey_crawl_delay(request, parsed)
            except Exception as error:  # whatever it was, the rules are not known
                del self._parsers[netloc]
                unreachable = RobotsUnreachable(f"robots.txt of {netloc} can't be had: {error}")
                known.addErrback(lambda _: None)  # nobody may be waiting
                waiting: Deferred[Any] = known
                waiting.errback(Failure(unreachable))  # type: ignore[no-untyped-call]
                raise unreachable from error
            self._stats.inc_value("robotstxt/request_count")
            del self._parsers[netloc]
            return self._shelf.put(netloc, response.body, parsed)
        if isinstance(known, Deferred):
            await maybe_deferred_to_future(known)  # only the first who waits gets its result: look where it is now
        rules = self._parsers.get(netloc) or self._shelf.get(netloc)
        if rules is None or isinstance(rules, Deferred):
            raise RobotsUnreachable(f"robots.txt of {netloc} can't be had")
        return rules

    async def _fetch(self, request: Request) -> Any:
        url = urlparse_cached(request)
        robots = Request(
            f"{url.scheme}://{url.netloc}/robots.txt",
            priority=self.DOWNLOAD_PRIORITY,
            meta={"dont_obey_robotstxt": True, META_WITHIN: True},
            callback=NO_CALLBACK,
        )
        response = await self.crawler.engine.download_async(robots)
        if response.status >= 500:
            raise DownloadFailedError(f"HTTP {response.status}")
        if response.status >= 400:
            return response.replace(body=b"")
        return response if len(response.body) <= MAX_ROBOTS_BYTES else response.replace(body=_cut(response.body))

    def _obey_crawl_delay(self, request: Request, rules: Any) -> None:
        limiter: Limiter | None = getattr(self.crawler.engine.downloader, "limiter", None)
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        seconds = rules.crawl_delay(agent)
        if seconds and limiter is not None:
            limiter.ask_slowly(limiter.key_of(request.url), seconds)
            logger.info("robots.txt asks for slowness host=%s delay_seconds=%s", host_of(request.url), seconds)
