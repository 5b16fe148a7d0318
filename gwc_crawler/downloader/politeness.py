"""Scrapy's downloader with politeness: one limiter for each host, whatever slots its Requests are in.

`PolitenessMiddleware`, the last before the network, keeps the gaps and reports the answers.
"""

from __future__ import annotations

import asyncio
from contextvars import Context, copy_context
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.extensions.corestats import CoreStats
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gwc_crawler.downloader.direct import DirectMiddlewares, HeardSignals
from gwc_crawler.downloader.resolver import AddressRefused, Destinations
from gwc_crawler.items import META_LEASE, META_PROXY, META_SENT, META_TURN, context_of, weight_meta
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.network.politeness.address_book import AddressBook, AddressLimiter
from gwc_crawler.network.politeness.limiter import TICK_SECONDS, HostLimiter, HostLimits, Limiter
from gwc_crawler.sites.schema import site_of_spider
from gwc_crawler.store.sqlite.side_file import HOSTS_DB, HostMemory
from gwc_crawler.wiring.options import crawl_names, data_directory, retry_policy

NO_LIMIT = 1_000_000


def limiter_of(crawler: Crawler | None) -> Limiter | None:
    """Return the limiter of a crawler whose engine is made; None if its downloader has none."""
    downloader = getattr(getattr(crawler, "engine", None), "downloader", None)
    limiter: Limiter | None = getattr(downloader, "limiter", None)
    return limiter


def host_limiter(
    settings: BaseSettings,
    server: Any = None,
    worker: str = "",
    memory: HostMemory | None = None,
    names: CrawlNames | None = None,
) -> Limiter:
    """Make the limiter that Scrapy's settings describe; with *server*, a Redis client, one that all workers share.

    What hosts asked of crawls before this one is in Redis then, else in *memory*.
    """
    limits, others = host_limits(settings)
    limiter: Limiter
    if server is None:
        limiter = HostLimiter(limits, others, memory=memory)
    else:
        from gwc_crawler.network.politeness.shared import SharedLimiter  # Redis only if it is used

        longest = settings.getfloat("DOWNLOAD_TIMEOUT")
        limiter = SharedLimiter(server, worker, limits, others, longest_request_seconds=longest)
    by_address = settings.getint("CONCURRENT_REQUESTS_PER_IP")
    return AddressLimiter(limiter, AddressBook(names or crawl_names(settings))) if by_address else limiter


def host_limits(settings: BaseSettings) -> tuple[HostLimits, dict[str, HostLimits]]:
    """Return the limits of every host, and host → its own limits.

    DOWNLOAD_DELAY, DOWNLOAD_DELAY_JITTER and CONCURRENT_REQUESTS_PER_DOMAIN hold for each host; DOWNLOAD_SLOTS has
    other values for some; AUTOTHROTTLE_* adapts the delay. With CONCURRENT_REQUESTS_PER_IP they hold for addresses.
    """
    by_address, pauses = settings.getint("CONCURRENT_REQUESTS_PER_IP"), retry_policy(settings)
    limits = HostLimits(
        delay_seconds=settings.getfloat("DOWNLOAD_DELAY"),
        concurrency=by_address or settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or NO_LIMIT,
        jitter=_jitter(settings),
        adaptive=settings.getbool("AUTOTHROTTLE_ENABLED"),
        start_delay_seconds=settings.getfloat("AUTOTHROTTLE_START_DELAY"),
        max_delay_seconds=settings.getfloat("AUTOTHROTTLE_MAX_DELAY"),
        target_concurrency=settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY"),
        back_off_seconds=pauses.base_seconds,
        longest_wait_seconds=pauses.max_seconds,
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
    return limits, others


def _jitter(settings: BaseSettings) -> float:
    """Return how much a delay varies: DOWNLOAD_DELAY_JITTER, or its deprecated forerunner if that ranks higher."""
    old, new = (settings.getpriority(name) or 0 for name in ("RANDOMIZE_DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER"))
    if old > new:
        return 0.5 if settings.getbool("RANDOMIZE_DOWNLOAD_DELAY") else 0.0
    return settings.getfloat("DOWNLOAD_DELAY_JITTER")


class HostDownloader(Downloader):
    """Scrapy's downloader with the limits taken from its slots and given to `limiter`, so that they hold once.

    It takes a Request to its handler in one task, without a slot's queue, and counts the answers: by a signal that
    costs more than all else.
    """

    counts_responses = True
    limiter: Limiter

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.signals = HeardSignals(crawler)
        self.middleware = DirectMiddlewares(*self.middleware.middlewares, crawler=crawler)
        extensions = crawler.extensions.middlewares if crawler.extensions else ()
        self._counts = not any(type(one) is CoreStats for one in extensions)  # in a project without our wiring
        site = site_of_spider(crawler.spider)
        names = crawl_names(crawler.settings, site)
        self.destinations = Destinations(names, guarded=site is not None)
        context = context_of(crawler.spider)
        if context is None:
            self.limiter = host_limiter(crawler.settings, names=names)
        else:
            common, memory = context.common, HostMemory(data_directory(crawler.settings) / HOSTS_DB)
            self.limiter = host_limiter(crawler.settings, common.server, common.owner, memory, names)
        self._ticks: Any = None
        self.domain_concurrency = self.total_concurrency or NO_LIMIT
        self.ip_concurrency = 0
        self.per_slot_settings = {}
        self._delay = self._jitter = 0.0

    def fetch(self, request: Request, spider: Spider | None = None) -> Deferred[Response | Request]:
        self.active.add(request)  # at once: the engine looks whether there is room for another
        fetched: Deferred[Response | Request] = Deferred()
        start = asyncio.ensure_future if is_asyncio_available() else Deferred.fromCoroutine
        start(self._fetch(request, fetched, copy_context()))  # what a handler sets is nothing to whoever goes on
        return fetched

    async def _fetch(self, request: Request, fetched: Deferred[Response | Request], context: Context) -> None:
        """Hand the result on in the moment in which the Request is active no more: else the crawl would seem idle."""
        result: Any
        try:
            result = await self.fetching(request)
        except (Exception, asyncio.CancelledError):  # noqa: BLE001  # others, such as SystemExit, end the process
            result = Failure()  # type: ignore[no-untyped-call]
        self.active.remove(request)
        context.run(fetched.callback, result)

    async def fetching(self, request: Request) -> Response | Request:
        """Fetch, and tell the limiter at the end, however it ends."""
        if self._ticks is None:
            self._ticks = create_looping_call(self.limiter.tick)
            self._ticks.start(TICK_SECONDS, now=False)
        result = None
        try:
            result = await self.middleware.download_async(self.reach, request)
        finally:
            self._ended(request, result)
        if isinstance(result, Response):
            if self._counts:
                self.crawler.stats.inc_value("response_received_count")
        elif META_LEASE in request.meta and META_LEASE not in result.meta:
            # a middleware made it anew, instead of `request.replace(...)`: it ends the lease all the same
            result.meta.update(weight_meta(request.meta[META_LEASE]))
            if result.callback is None:
                result.callback, result.errback = request.callback, request.errback
        return result

    async def reach(self, request: Request) -> Response:
        """Send a Request that has passed the middlewares, if its destination is permitted."""
        looking = self.destinations.enter(request)
        key, slot = self._get_slot(request)
        request.meta[self.DOWNLOAD_SLOT] = key
        slot.active.add(request)
        tell = partial(self.signals.send_catch_log, spider=self.crawler.spider, request=request)
        tell(signals.request_reached_downloader)
        slot.transferring.add(request)
        try:
            response: Response = await self.handlers.download_request_async(request)
            tell(signals.response_downloaded, response=response)
            return response
        except Exception as error:
            if looking is not None and looking.refused is not None:
                raise AddressRefused(str(looking.refused)) from error
            raise
        finally:
            slot.transferring.remove(request)
            tell(signals.request_left_downloader)
            slot.active.remove(request)

    def _ended(self, request: Request, result: Response | Request | None) -> None:
        meta = request.meta
        key = meta.pop(META_TURN, None)
        sent = meta.pop(META_SENT, None) is not None
        if (proxy := meta.pop(META_PROXY, None)) is not None:
            proxy.end()
        if isinstance(result, Request) and result is not request:  # it took the meta along, but not the turn
            for turn in (META_TURN, META_PROXY):
                result.meta.pop(turn, None)
            result.meta.pop(META_SENT, None)
        if key is not None:
            self.limiter.ended(key, sent=sent)

    def close(self) -> None:
        super().close()
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        self.limiter.close()
