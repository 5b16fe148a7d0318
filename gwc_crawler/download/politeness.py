"""Politeness in Scrapy's downloader: one limiter for each host, whatever slots its Requests are in.

`HostDownloader` holds the limiter, in a shared crawl the one that workers share, and tells it when a Request is over;
`PolitenessMiddleware`, the last before the network, keeps the gaps and reports the answers. The limits come from
Scrapy's own settings (`host_limiter`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    NotConfigured,
)
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import create_looping_call

from gwc_crawler.download.direct import DirectDownloader
from gwc_crawler.download.retry import retry_after_seconds
from gwc_crawler.frontier.addresses import AddressBook, AddressLimiter
from gwc_crawler.frontier.hosts import BACK_OFF_STATUSES, TICK_SECONDS, HostLimiter, HostLimits, Limiter
from gwc_crawler.frontier.priority_queue import META_TURN
from gwc_crawler.frontier.queues import queue_policy
from gwc_crawler.frontier.scheduler import META_LEASE, META_PUT_BACK

META_SENT = "sent_at"
"""`Request.meta` key: when the Request went out, on the limiter's clock."""

META_WITHIN = "within_turn"
"""`Request.meta` key of a Request made on behalf of another one that has been started (robots.txt).

It stays when that redirects or is tried again: to wait for a free place then could be to wait for oneself.
"""

LOOK_SECONDS = 0.05
"""How often a Request that did not come from the scheduler looks whether its host is free."""

NO_LIMIT = 1_000_000
HOST_IN_TROUBLE = (DownloadTimeoutError, DownloadConnectionRefusedError, CannotResolveHostError)


def host_limiter(settings: BaseSettings, server: Any = None, worker: str = "") -> Limiter:
    """Make the limiter that Scrapy's settings describe; with *server*, a Redis client, one that all workers share.

    DOWNLOAD_DELAY, DOWNLOAD_DELAY_JITTER and CONCURRENT_REQUESTS_PER_DOMAIN hold for each host; DOWNLOAD_SLOTS has
    other values for some; AUTOTHROTTLE_* adapts the delay. With CONCURRENT_REQUESTS_PER_IP they hold for addresses.
    """
    by_address = settings.getint("CONCURRENT_REQUESTS_PER_IP")
    limits = HostLimits(
        delay_seconds=settings.getfloat("DOWNLOAD_DELAY"),
        concurrency=by_address or settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or NO_LIMIT,
        jitter=settings.getfloat("DOWNLOAD_DELAY_JITTER"),
        adaptive=settings.getbool("AUTOTHROTTLE_ENABLED"),
        start_delay_seconds=settings.getfloat("AUTOTHROTTLE_START_DELAY"),
        max_delay_seconds=settings.getfloat("AUTOTHROTTLE_MAX_DELAY"),
        target_concurrency=settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY"),
        back_off_seconds=settings.getfloat("GWC_RETRY_BASE_SECONDS"),
        longest_wait_seconds=settings.getfloat("GWC_RETRY_MAX_SECONDS"),
    )
    others = {
        host: replace(
            limits,
            delay_seconds=float(own.get("delay", limits.delay_seconds)),
            concurrency=int(own.get("concurrency", limits.concurrency)) or NO_LIMIT,
            jitter=float(own.get("jitter", limits.jitter)),
        )
        for host, own in settings.getdict("DOWNLOAD_SLOTS").items()
    }
    limiter: Limiter
    if server is None:
        limiter = HostLimiter(limits, others)
    else:
        from gwc_crawler.frontier.shared_hosts import SharedLimiter  # Redis only where it is asked for

        longest = settings.getfloat("DOWNLOAD_TIMEOUT")
        limiter = SharedLimiter(server, worker, limits, others, longest_request_seconds=longest)
    return AddressLimiter(limiter, AddressBook()) if by_address else limiter


class HostDownloader(DirectDownloader):
    """Scrapy's downloader with the limits taken from its slots and given to `limiter`, so that they hold once."""

    limiter: Limiter

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        bench = getattr(crawler.spider, "workbench", None)
        server = getattr(bench, "server", None)  # a worker's that shares its crawl
        self.limiter = host_limiter(crawler.settings, server, getattr(bench, "owner", ""))
        self._ticks: Any = None
        self.domain_concurrency = self.total_concurrency or NO_LIMIT
        self.ip_concurrency = 0
        self.per_slot_settings = {}
        self._delay = self._jitter = 0.0

    async def _fetch(self, request: Request) -> Response | Request:
        """Fetch, and tell the limiter at the end, however it ends."""
        if self._ticks is None:
            self._ticks = create_looping_call(self.limiter.tick)
            self._ticks.start(TICK_SECONDS, now=False)
        result = None
        try:
            result = await super()._fetch(request)
            return result
        finally:
            self._ended(request, result)

    def _ended(self, request: Request, result: Response | Request | None) -> None:
        meta = request.meta
        key = meta.pop(META_TURN, None)
        sent = meta.pop(META_SENT, None) is not None
        if isinstance(result, Request) and result is not request:  # it took the meta along, but not the turn
            result.meta.pop(META_TURN, None)
            result.meta.pop(META_SENT, None)
        if key is not None:
            self.limiter.ended(key, sent=sent)

    def close(self) -> None:
        """Give back what the limiter holds."""
        super().close()
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        self.limiter.close()


class PolitenessMiddleware:
    """Lets nothing out before its host may be asked again, and reports every answer to the limiter.

    A Request whose turn has not come goes back to the scheduler instead of holding a slot. Those that don't come from
    there (robots.txt, media files) wait here.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PolitenessMiddleware:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._limiter: Limiter | None = None

    @property
    def limiter(self) -> Limiter:
        """The downloader's limiter."""
        if self._limiter is None:
            self._limiter = self.crawler.engine.downloader.limiter  # type: ignore[attr-defined]
        return self._limiter

    def process_request(self, request: Request) -> Request | Awaitable[None] | None:
        """Count the Request as sent, or put it back; or wait."""
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
                await asyncio.sleep(LOOK_SECONDS)
            limiter.started(key)
            request.meta[META_TURN] = key
        while (wait := limiter.seconds_to_turn(key, started=not within)) > 0:
            await asyncio.sleep(wait)
        request.meta[META_SENT] = limiter.clock()

    def process_response(self, request: Request, response: Response) -> Response:
        """Report status, latency and Retry-After."""
        if (sent_at := request.meta.get(META_SENT)) is not None:
            limiter = self.limiter
            wait = None
            if response.status in BACK_OFF_STATUSES and (header := response.headers.get(b"Retry-After")):
                wait = retry_after_seconds(header.decode("latin-1"), time.time())
            latency = request.meta.get("download_latency", 0.0)
            limiter.answered(_key(limiter, request), response.status, sent_at, latency, wait)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a host that does not answer."""
        if (sent_at := request.meta.get(META_SENT)) is not None and isinstance(exception, HOST_IN_TROUBLE):
            limiter = self.limiter
            limiter.answered(_key(limiter, request), None, sent_at, limiter.clock() - sent_at)


class QueueMiddleware:
    """Puts a Request into the download slot of its queue, by GWC_QUEUE_POLICY; limits are each host's all the same."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> QueueMiddleware:
        return cls(crawler.settings)

    def __init__(self, settings: BaseSettings) -> None:
        if settings["GWC_QUEUE_POLICY"] == "host":
            raise NotConfigured  # Scrapy's slots are the hosts already
        self.queue_of = queue_policy(
            settings["GWC_QUEUE_POLICY"],
            queues=settings.getint("GWC_QUEUES"),
            multiplier=settings.getint("GWC_QUEUE_SEED"),
        )

    def process_request(self, request: Request) -> None:
        """Name the slot; a spider's own choice stays."""
        if META_LEASE in request.meta or "download_slot" not in request.meta:
            request.meta["download_slot"] = self.queue_of(request.url)


def _key(limiter: Limiter, request: Request) -> str:
    key: str | None = request.meta.get(META_TURN)
    return limiter.key_of(request.url) if key is None else key
