"""Send Requests through the proxies of [proxies], in turns; a proxy's fault costs it its turns, no URL an attempt.

Scrapy's HttpProxyMiddleware, which comes right after this one, takes the credentials out of the URL.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Collection
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any

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

from gwc_crawler.crawl.context import TICK_SECONDS
from gwc_crawler.errors import ProxyError
from gwc_crawler.items import META_PROXY, META_PROXY_TRIED, end_crawl
from gwc_crawler.middlewares.headers import NotAsked
from gwc_crawler.network.proxies import NoProxyLeft, ProxyPool, pool_of

logger = logging.getLogger(__name__)

_TUNNEL_STATUS = re.compile(r"CONNECT tunnel.*'status': (\d{3})")
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED})
"""Statuses by which a proxy refuses to serve us; by 5xx it says that it can't reach the site."""

MOST_TRIED = 3
"""Proxies through which a page is tried before its failure counts as its own."""

SHORTEST_NAP_SECONDS = 0.02


class ProxyFault(Enum):
    """The likely cause of a missing answer through a proxy."""

    PROXY = 1
    DOUBT = 2
    OTHER = 3


def fault_of(error: Exception) -> ProxyFault:
    """Return the cause of the error that ended a Request through a proxy."""
    cause = error.__cause__
    if isinstance(error, DownloadConnectionRefusedError | CannotResolveHostError):
        return ProxyFault.PROXY  # nobody else is connected to, or looked up, from here
    if isinstance(cause, ProxyError):
        return ProxyFault.PROXY if cause.is_own_fault else ProxyFault.DOUBT
    if tunnel := _TUNNEL_STATUS.search(str(error)):
        return ProxyFault.PROXY if int(tunnel[1]) in _REFUSALS else ProxyFault.DOUBT
    if isinstance(error, ResponseDataLossError):
        return ProxyFault.OTHER
    is_doubtful = isinstance(error, DownloadTimeoutError | DownloadFailedError) or type(error).__name__ == "TunnelError"
    return ProxyFault.DOUBT if is_doubtful else ProxyFault.OTHER


@dataclass(slots=True)
class ProxyTurn:
    """One Request's place at one proxy; the downloader gives it back at the latest, however the Request ends."""

    pool: ProxyPool
    url: str
    is_over: bool = False

    def is_last(self, tried: Collection[str]) -> bool:
        """Tell whether a page that failed through these proxies is tried through no further one."""
        return len({*tried, self.url}) >= min(MOST_TRIED, self.pool.left)

    def end(self) -> None:
        """Give it back, once."""
        if not self.is_over:
            self.is_over = True
            self.pool.ended(self.url)


def says_nothing_of_host(request: Request, error: Exception) -> bool:
    """Say whether an error is a proxy's fault, or will be seen to be where another one is asked."""
    turn: ProxyTurn | None = request.meta.get(META_PROXY)
    if turn is None or (fault := fault_of(error)) is ProxyFault.OTHER:
        return False
    return fault is ProxyFault.PROXY or not turn.is_last(request.meta.get(META_PROXY_TRIED, {}))


class SiteProxies:
    """Gives each Request a proxy, and asks through another one where that fails. A proxy of the user's own stays."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteProxies:
        spider: Any = crawler.spider
        return cls(crawler, pool_of(spider.site.access.proxies))

    def __init__(self, crawler: Crawler, pool: ProxyPool) -> None:
        self._crawler = crawler
        self._pool = pool
        self._all_rest = False

    def process_request(self, request: Request) -> Awaitable[None] | None:
        meta = request.meta
        if (own := meta.get("proxy")) and not self._pool.has(own):
            return None
        return None if self._take(request) else self._wait(request)

    def _take(self, request: Request) -> bool:
        try:
            url = self._pool.take(but=request.meta.get(META_PROXY_TRIED, {}))
        except NoProxyLeft as error:
            end_crawl(self._crawler.spider, error)
            raise NotAsked(str(error)) from error
        if url is None:
            return False
        request.meta[META_PROXY] = ProxyTurn(self._pool, url)
        request.meta["proxy"] = url
        self._all_rest = False
        return True

    async def _wait(self, request: Request) -> None:
        while not self._take(request):
            seconds = self._pool.seconds_to_rest()
            if seconds and not self._all_rest:
                self._all_rest = True
                logger.warning("all proxies rest, the crawl waits seconds=%.1f %s", seconds, self._pool.told())
            control = getattr(self._crawler.spider, "control", None)
            if not self._crawler.crawling or (control is not None and control.stopping):
                raise NotAsked("the crawl ends while all proxies rest")
            await asyncio.sleep(max(SHORTEST_NAP_SECONDS, min(seconds, TICK_SECONDS)))

    def process_response(self, request: Request, response: Response) -> Request | Response:
        turn: ProxyTurn | None = request.meta.get(META_PROXY)
        if turn is None:
            return response
        turn.end()
        if response.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            return self._through_another(request, turn, "it refuses the credentials (HTTP 407)", ProxyFault.PROXY)
        pool, tried = turn.pool, request.meta.get(META_PROXY_TRIED, {})
        # Some proxies say 401 of wrong credentials, too; only another proxy can tell it from the site's word.
        if response.status == HTTPStatus.UNAUTHORIZED and pool.is_unproven(turn.url) and not turn.is_last(tried):
            return self._through_another(request, turn, "HTTP 401", ProxyFault.DOUBT)
        if response.status != HTTPStatus.UNAUTHORIZED:
            pool.answered(turn.url)
            for url, why in tried.items():
                if why == "HTTP 401":  # it was not the site's word
                    self._note(ProxyTurn(pool, url), "it refuses the credentials (HTTP 401)", ProxyFault.PROXY)
        return response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Try another proxy, if the error was, or may have been, the proxy's fault."""
        turn: ProxyTurn | None = request.meta.get(META_PROXY)
        if turn is None:
            return None
        turn.end()
        fault = fault_of(exception)
        if fault is ProxyFault.OTHER:
            return None
        if fault is ProxyFault.DOUBT and turn.is_last(request.meta.get(META_PROXY_TRIED, {})):
            self._note(turn, _told(exception), fault)
            if not isinstance(exception, DownloadFailedError | DownloadTimeoutError):
                raise DownloadFailedError(_told(exception)) from exception
            return None
        return self._through_another(request, turn, _told(exception), fault)

    def _through_another(self, request: Request, turn: ProxyTurn, why: str, fault: ProxyFault) -> Request:
        if why != "HTTP 401":
            self._note(turn, why, fault)
        again = request.replace(dont_filter=True)
        for key in (META_PROXY, "proxy", "_auth_proxy", "download_latency"):
            again.meta.pop(key, None)
        again.headers.pop("Proxy-Authorization", None)
        if fault is ProxyFault.DOUBT:
            again.meta[META_PROXY_TRIED] = {**request.meta.get(META_PROXY_TRIED, {}), turn.url: why}
        return again

    def _note(self, turn: ProxyTurn, why: str, fault: ProxyFault) -> None:
        pool = turn.pool
        news = pool.failed(turn.url, why) if fault is ProxyFault.PROXY else pool.doubted(turn.url, why)
        if news:
            what = "proxy rests" if pool.is_left(turn.url) else "proxy is asked no more"
            logger.warning("%s proxy=%s error=%s", what, pool.shown(turn.url), why)
        if (stats := self._crawler.stats) is not None:
            stats.inc_value("gwc/proxies/failures")


def _told(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
