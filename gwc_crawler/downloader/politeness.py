"""Politeness in Scrapy's downloader: one limiter for each host, whatever slots its Requests are in.

`PolitenessMiddleware`, the last before the network, keeps the gaps and reports the answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import create_looping_call

from gwc_crawler.downloader.direct import DirectDownloader
from gwc_crawler.downloader.resolver import AddressRefused, Destinations
from gwc_crawler.items import META_PROXY, META_SENT, META_TURN, context_of
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.network.politeness.address_book import AddressBook, AddressLimiter
from gwc_crawler.network.politeness.limiter import TICK_SECONDS, HostLimiter, HostLimits, Limiter
from gwc_crawler.sites.schema import site_of_spider
from gwc_crawler.store.sqlite.side_file import HOSTS_DB, HostMemory
from gwc_crawler.wiring.options import back_off, crawl_names, data_directory

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
    by_address, pauses = settings.getint("CONCURRENT_REQUESTS_PER_IP"), back_off(settings)
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


class HostDownloader(DirectDownloader):
    """Scrapy's downloader with the limits taken from its slots and given to `limiter`, so that they hold once."""

    limiter: Limiter

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
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

    async def fetching(self, request: Request) -> Response | Request:
        if self._ticks is None:
            self._ticks = create_looping_call(self.limiter.tick)
            self._ticks.start(TICK_SECONDS, now=False)
        result = None
        try:
            result = await super().fetching(request)
            return result
        finally:
            self._ended(request, result)

    async def reach(self, request: Request) -> Response:
        looking = self.destinations.enter(request)
        try:
            return await super().reach(request)
        except Exception as error:
            if looking is not None and looking.refused is not None:
                raise AddressRefused(str(looking.refused)) from error
            raise

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
