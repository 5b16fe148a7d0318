"""The last middleware before the network: a Request goes out when its host's limiter lets it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from functools import cached_property

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response

from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.errors import WireError
from gwc_crawler.items import META_PUT_BACK, META_SENT, META_TURN, META_WITHIN
from gwc_crawler.middlewares.proxies import says_nothing_of_host
from gwc_crawler.network.politeness.limiter import CUT_SHORT, TICK_SECONDS, Limiter
from gwc_crawler.network.politeness.retry import wait_asked_for

HOST_IN_TROUBLE = (
    DownloadTimeoutError,
    DownloadConnectionRefusedError,
    CannotResolveHostError,
    DownloadFailedError,  # also: reset, before the answer or in it; TLS
)

NO_WORD_ON_HOST = 0
"""Marks an error that says nothing about the host: a page too large, a wrong address."""


def status_of(error: Exception) -> int | None:
    """Return a failed download's status for the limiter: CUT_SHORT, None, or NO_WORD_ON_HOST."""
    cause = error.__cause__
    if isinstance(error, ResponseDataLossError) or type(cause) is WireError:
        return CUT_SHORT
    return None if isinstance(error, HOST_IN_TROUBLE) else NO_WORD_ON_HOST


class PolitenessMiddleware:
    """Holds Requests until their host may be asked again, and reports every answer to the limiter.

    Before its turn a Request goes back to the scheduler; those that don't come from it (robots.txt, files) wait here.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PolitenessMiddleware:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @cached_property
    def limiter(self) -> Limiter:
        """The downloader's limiter, which is not there before it is."""
        limiter = limiter_of(self.crawler)
        assert limiter is not None, "DOWNLOADER is ours where this middleware is"
        return limiter

    def process_request(self, request: Request) -> Request | Awaitable[None] | None:
        key = request.meta.get(META_TURN)
        if key is None:
            return self._wait(request)
        if self.limiter.seconds_to_turn(key) > 0:
            request.meta[META_PUT_BACK] = True
            return request
        request.meta[META_SENT] = self.limiter.clock()
        return None

    async def _wait(self, request: Request) -> None:
        limiter = self.limiter
        key = limiter.key_of(request.url)
        within = request.meta.get(META_WITHIN, False)
        if not within:
            while not limiter.may_start(key):
                await asyncio.sleep(TICK_SECONDS)
            limiter.started(key)
            request.meta[META_TURN] = key
        while (wait := limiter.seconds_to_turn(key, started=not within)) > 0:
            await asyncio.sleep(wait)
        request.meta[META_SENT] = limiter.clock()

    def process_response(self, request: Request, response: Response) -> Response:
        if (sent_at := request.meta.get(META_SENT)) is not None:
            limiter = self.limiter
            wait = None
            if response.status >= 400 and b"Retry-After" in response.headers:
                wait = wait_asked_for(response.headers.getlist(b"Retry-After"), time.time())
            latency = request.meta.get("download_latency", 0.0)
            limiter.answered(_key(limiter, request), response.status, sent_at, latency, wait)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a host that does not answer."""
        sent_at, status = request.meta.get(META_SENT), status_of(exception)
        if sent_at is not None and status != NO_WORD_ON_HOST and not says_nothing_of_host(request, exception):
            limiter = self.limiter
            limiter.answered(_key(limiter, request), status, sent_at, limiter.clock() - sent_at)


def _key(limiter: Limiter, request: Request) -> str:
    key: str | None = request.meta.get(META_TURN)
    return limiter.key_of(request.url) if key is None else key
