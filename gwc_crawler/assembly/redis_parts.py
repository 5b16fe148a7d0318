"""What a worker of a shared crawl opens in Redis, from scrapy-redis's settings: connection, frontier, start URLs."""

from __future__ import annotations

from typing import Any

from scrapy.settings import BaseSettings
from scrapy_redis import connection

from gwc_crawler.assembly.limits import page_limits
from gwc_crawler.config import fleet_name, lease_options, partition_policy
from gwc_crawler.control import RedisChannel
from gwc_crawler.errors import InputError
from gwc_crawler.frontier import QueuePolicy
from gwc_crawler.frontier.redis import (
    DUPEFILTER_KEY,
    QUEUE_KEY,
    START_URLS_KEY,
    TYPES,
    RedisFrontier,
    RedisLook,
    RetryingFrontier,
    StartUrls,
)
from gwc_crawler.redis_server import OPENING, Breaker, Server, check_rights, check_types, redis_errors

SHARED = "{gwc}:"
"""What the keys begin with that all crawls share: the hosts' limits."""


def connect(settings: BaseSettings) -> Server:
    """Return the client that REDIS_URL, or REDIS_HOST, REDIS_PORT …, and REDIS_PARAMS describe.

    For Redis Cluster: `REDIS_PARAMS = {"redis_cls": "redis.RedisCluster"}`.

    Raises:
        OutageError: it can't be reached.
        InputError: the settings don't describe one.
    """
    chosen = settings.copy()
    parameters: dict[str, Any] = {**OPENING, "retry": Breaker(), **settings.getdict("REDIS_PARAMS")}
    chosen.set("REDIS_PARAMS", parameters, priority=1000)
    chosen.set("REDIS_DECODE_RESPONSES", False, priority=1000)
    with redis_errors():
        try:
            return connection.from_settings(chosen)
        except (TypeError, ValueError, NameError, ImportError) as error:
            raise InputError(f"REDIS_URL or REDIS_PARAMS can't be used: {error}") from error


def open_frontier(
    site: str, settings: BaseSettings, server: Server, max_weight: int | None, queue_of: QueuePolicy | None = None
) -> RetryingFrontier:
    """Open the site's shared queue; with SCHEDULER_FLUSH_ON_START a new crawl begins, unless others are at work.

    Raises:
        OutageError: Redis can't be reached.
    """
    frontier = shared_frontier(site, settings, server, max_weight, queue_of)
    if settings.getbool("SCHEDULER_FLUSH_ON_START") and not frontier.counts().running:
        frontier.clear()
    return RetryingFrontier(frontier)


def shared_frontier(
    site: str, settings: BaseSettings, server: Server, max_weight: int | None, queue_of: QueuePolicy | None = None
) -> RedisFrontier:
    """Return the site's shared queue as it is; *max_weight* becomes that of all workers.

    Without *queue_of* GWC_QUEUE_POLICY names the queues.

    Raises:
        OutageError: Redis can't be reached.
    """
    lease = lease_options(settings)
    return RedisFrontier(
        server,
        site,
        max_weight=max_weight,
        lease_seconds=lease.seconds,
        max_lost_leases=lease.max_lost,
        known_urls=settings.getint("GWC_KNOWN_URLS"),
        keep_urls=settings.getbool("GWC_REDIS_KEEP_URLS"),
        page_limits=page_limits(settings),
        queue_of=queue_of or partition_policy(settings),
        parts=settings.getint("GWC_PARTS"),
        queue_key=settings.get("SCHEDULER_QUEUE_KEY", QUEUE_KEY),
        dupefilter_key=settings.get("SCHEDULER_DUPEFILTER_KEY", DUPEFILTER_KEY),
    )


def open_channel(site: str, settings: BaseSettings, server: Server) -> RedisChannel:
    """Return the channel that the site's workers look at."""
    return open_look(site, settings, server).channel


def open_look(site: str, settings: BaseSettings, server: Server) -> RedisLook:
    """Return what looks into the site's shared queue without joining it."""
    return RedisLook(server, *_names(site, settings))


def _names(site: str, settings: BaseSettings) -> tuple[str, str]:
    """What the keys of a site's queue and of its dedup part begin with."""
    queue, known = (
        settings.get(name, default) % {"spider": f"{{{site}}}"}
        for name, default in (("SCHEDULER_QUEUE_KEY", QUEUE_KEY), ("SCHEDULER_DUPEFILTER_KEY", DUPEFILTER_KEY))
    )
    return queue, known


def start_urls(site: str, settings: BaseSettings, server: Server) -> StartUrls:
    """Return where people push start URLs of this site."""
    return StartUrls(server, settings.get("REDIS_START_URLS_KEY", START_URLS_KEY) % {"name": site})


def check_server(site: str, settings: BaseSettings, server: Server) -> None:
    """See that Redis lets its user do all that the crawl of *site* does, and that its keys hold what they should.

    Raises:
        RightsError: it does not.
        StoreError: one of them holds something else.
        OutageError: it can't be reached.
    """
    own = f"{{{site}}}:"
    names = _names(site, settings)
    others = (f"{name}:" for name in names if not name.startswith(own))
    check_rights(server, [own, *others, SHARED, f"{{{fleet_name(settings)}}}:"], start_urls(site, settings, server).key)
    learned = {f"{own}knowledge": "hash", f"{own}learning": "string", f"{own}learning_failed": "string"}
    check_types(server, {f"{names[0]}{end}": kind for end, kind in TYPES.items()} | learned)
