"""robots.txt as RFC 9309 wants it: a downloader middleware that fetches it once a host and waits when it can't be had."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

logger = logging.getLogger(__name__)


class RobotsUnreachable(DownloadFailedError):
    """robots.txt can't be had for now; its host is not crawled before it can (RFC 9309 §2.3.1.4)."""


class PatientRobotsMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt; an unreachable one (no answer, or 5xx) means "not now", not "everything is allowed".

    Scrapy takes a failed robots.txt for permission and logs a traceback. Here the waiting URL fails with a passing
    error, is tried again later, and asks for robots.txt anew. 4xx means that there are no rules (§2.3.1.3).
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host.

        Raises:
            RobotsUnreachable: there is no answer; the next request will ask again.
        """
        netloc = urlparse_cached(request).netloc
        known = self._parsers.get(netloc)
        if known is None:
            known = self._parsers[netloc] = Deferred()
            try:
                await self._parse_robots(await self._fetch(request), netloc, request)
            except (Exception, IgnoreRequest) as error:  # noqa: BLE001  # whatever it was, the rules are not known
                del self._parsers[netloc]
                unreachable = RobotsUnreachable(f"robots.txt of {netloc} can't be had: {error}")
                known.addErrback(lambda _: None)  # nobody may be waiting
                waiting: Deferred[Any] = known
                waiting.errback(Failure(unreachable))
                raise unreachable from error
            self._stats.inc_value("robotstxt/request_count")
        elif isinstance(known, Deferred):
            await maybe_deferred_to_future(known)  # its result goes to the first who waits; the rules stand in the table
        rules = self._parsers.get(netloc)
        if rules is None or isinstance(rules, Deferred):
            raise RobotsUnreachable(f"robots.txt of {netloc} can't be had")
        return rules

    async def _fetch(self, request: Request) -> Any:
        url = urlparse_cached(request)
        robots = Request(
            f"{url.scheme}://{url.netloc}/robots.txt",
            priority=self.DOWNLOAD_PRIORITY,
            meta={"dont_obey_robotstxt": True},
            callback=NO_CALLBACK,
        )
        response = await self.crawler.engine.download_async(robots)
        if response.status >= 500:
            raise DownloadFailedError(f"HTTP {response.status}")
        if response.status >= 400:
            return response.replace(body=b"")
        return response
