"""A worker's parts of a crawl in Redis, by scrapy-redis's settings: connection, frontier, start URLs, records."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Any, cast

from redis import exceptions
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.serialize import ScrapyJSONEncoder
from scrapy_redis import connection

from gwc_crawler.errors import InputError, OutageError, RightsError
from gwc_crawler.frontier.admission import PageLimits
from gwc_crawler.frontier.queues import QueuePolicy
from gwc_crawler.frontier.redis.frontier import DUPEFILTER_KEY, QUEUE_KEY, RedisFrontier
from gwc_crawler.frontier.redis.retrying import RetryingFrontier
from gwc_crawler.frontier.redis.start_urls import START_URLS_KEY, StartUrls
from gwc_crawler.frontier.redis.stats import RedisLook
from gwc_crawler.frontier.redis.wire import TYPES
from gwc_crawler.items import Visit
from gwc_crawler.operate.fleet.redis_channel import RedisChannel
from gwc_crawler.store.redis_server import OPENING, Breaker, Server, check_types, redis_errors
from gwc_crawler.store.sink import SinkConfig, record_rows
from gwc_crawler.wiring.options import fleet_name, lease_options, partition_policy

# --- Whether Redis lets its user run all commands of a shared crawl ---------------------------------------------------


COMMANDS = {
    "@scripting": ("eval return() 1 {}", "evalsha 0000000000000000000000000000000000000000 1 {}"),
    "@read": (
        *("get {}", "getrange {} 0 0", "exists {}", "type {}", "scan 0"),
        *("hget {} a", "hmget {} a", "hgetall {}", "hkeys {}", "hlen {}", "hscan {} 0", "hrandfield {}"),
        *("llen {}", "lrange {} 0 0", "srandmember {} 1", "zcard {}", "zscore {} a"),
        *("zrange {} 0 0", "zrangebyscore {} 0 1", "zrevrange {} 0 0"),
    ),
    "@write": (
        *("hset {} a 1", "hsetnx {} a 1", "hincrby {} a 1", "hdel {} a"),
        *("rpush {} a", "lpop {}", "lrem {} 1 a", "srem {} a", "zadd {} 1 a", "zrem {} a"),
        *("set {} a", "append {} a", "del {}", "unlink {}"),
    ),
    "info": ("info server",),
    "time": ("time",),
}
"""Rights, as ACL SETUSER has them behind a "+", and the commands that need them; {} is a key."""

TOUCHES = ("hset {} a 1", "hget {} a", "unlink {}")
LOOKS = ("lrange {} 0 0", "lrem {} 1 -")
"""Commands tried on keys of other places, and on keys that people write."""

OF_KEY = "access"
"""Stands in a refusal that is about the key, and not the command."""


def check_rights(server: Server, places: Sequence[str], foreign: str) -> None:
    """Try all commands that a crawl uses on a key of the first of *places*, beginnings of keys, and some on others.

    *foreign* is a key that people write. Raises RightsError: the user lacks rights; names these, and what grants them.
    """
    lacking = {right: names for right in COMMANDS if (names := _refused(server, COMMANDS[right], f"{places[0]}rights"))}
    tried = [*((TOUCHES, f"{place}rights", f"~{place}*") for place in places), (LOOKS, foreign, f"~{foreign}")]
    closed = [keys for commands, key, keys in tried if any(OF_KEY in _refusal(server, one, key) for one in commands)]
    if lacking or closed:
        user, patterns = user_of(server), [*(f"~{place}*" for place in places), f"~{foreign}"]
        rights = [f"+{right} ({', '.join(names)})" for right, names in lacking.items()]
        granted = " ".join([*patterns, "+@connection", *(f"+{one}" for one in COMMANDS)])
        raise RightsError(
            f"Redis user {user!r} lacks {', '.join([*rights, *closed])}; grant what a crawl needs: "
            f"ACL SETUSER {user} {granted} (docs/fleet.md, Rights in Redis)"
        )


def user_of(server: Server) -> str:
    """Return the name that the client logs in with."""
    is_cluster = hasattr(server, "get_nodes")
    options: Mapping[str, Any] = (
        server.get_connection_kwargs() if is_cluster else server.connection_pool.connection_kwargs
    )
    return str(options.get("username") or "default")


def _refused(server: Server, commands: tuple[str, ...], key: str) -> list[str]:
    answers = ((command.partition(" ")[0], _refusal(server, command, key)) for command in commands)
    return [name for name, refusal in answers if refusal and OF_KEY not in refusal]


def _refusal(server: Server, command: str, key: str) -> str:
    """Return the refusal of Redis if it is for lack of rights, else ""."""
    with redis_errors(), suppress(exceptions.ResponseError):
        try:
            server.execute_command(*(key if word == "{}" else word for word in command.split()))
        except exceptions.NoPermissionError as error:
            return str(error)
    return ""


SHARED = "{gwc}:"
"""Beginning of the keys that all crawls share: the hosts' limits."""


def connect(settings: BaseSettings) -> Server:
    """Return the client that REDIS_URL, or REDIS_HOST, REDIS_PORT …, and REDIS_PARAMS describe.

    For Redis Cluster: `REDIS_PARAMS = {"redis_cls": "redis.RedisCluster"}`. OutageError: it can't be reached;
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
    """Open the shared queue; SCHEDULER_FLUSH_ON_START begins anew if nobody is at work. OutageError: no Redis."""
    frontier = shared_frontier(site, settings, server, max_weight, queue_of)
    if settings.getbool("SCHEDULER_FLUSH_ON_START") and not frontier.counts().running:
        frontier.clear()
    return RetryingFrontier(frontier)


def shared_frontier(
    site: str, settings: BaseSettings, server: Server, max_weight: int | None, queue_of: QueuePolicy | None = None
) -> RedisFrontier:
    """Return the shared queue as it is; *max_weight* holds for all workers, GWC_QUEUE_POLICY without *queue_of*."""
    lease = lease_options(settings)
    return RedisFrontier(
        server,
        site,
        max_weight=max_weight,
        lease_seconds=lease.seconds,
        max_lost_leases=lease.max_lost,
        known_urls=settings.getint("GWC_KNOWN_URLS"),
        keep_urls=settings.getbool("GWC_REDIS_KEEP_URLS"),
        page_limits=PageLimits.read(settings.getint),
        queue_of=queue_of or partition_policy(settings),
        queue_lease_seconds=lease.queue_seconds,
        parts=settings.getint("GWC_PARTS"),
        queue_key=settings.get("SCHEDULER_QUEUE_KEY", QUEUE_KEY),
        dupefilter_key=settings.get("SCHEDULER_DUPEFILTER_KEY", DUPEFILTER_KEY),
    )


def open_channel(site: str, settings: BaseSettings, server: Server) -> RedisChannel:
    """Return the channel that the site's workers look at."""
    return open_look(site, settings, server).channel


def open_look(site: str, settings: BaseSettings, server: Server) -> RedisLook:
    """Return a `RedisLook` that reads the site's shared queue without joining it."""
    return RedisLook(server, *_names(site, settings))


def _names(site: str, settings: BaseSettings) -> tuple[str, str]:
    """Return the beginnings of the keys of a site's queue and of its dedup part."""
    queue, known = (
        settings.get(name, default) % {"spider": f"{{{site}}}"}
        for name, default in (("SCHEDULER_QUEUE_KEY", QUEUE_KEY), ("SCHEDULER_DUPEFILTER_KEY", DUPEFILTER_KEY))
    )
    return queue, known


def start_urls(site: str, settings: BaseSettings, server: Server) -> StartUrls:
    """Return where people push start URLs of this site."""
    return StartUrls(server, settings.get("REDIS_START_URLS_KEY", START_URLS_KEY) % {"name": site})


def check_server(site: str, settings: BaseSettings, server: Server) -> None:
    """Check that Redis lets its user run all commands of the crawl of *site*, and that its keys have the right types.

    RightsError: it does not; StoreError: a key has another type; OutageError: it can't be reached.
    """
    own = f"{{{site}}}:"
    names = _names(site, settings)
    others = (f"{name}:" for name in names if not name.startswith(own))
    check_rights(server, [own, *others, SHARED, f"{{{fleet_name(settings)}}}:"], start_urls(site, settings, server).key)
    learned = {f"{own}knowledge": "hash", f"{own}learning": "string", f"{own}learning_failed": "string"}
    check_types(server, {f"{names[0]}{end}": kind for end, kind in TYPES.items()} | learned)


# --- The `RecordSink` that is called `redis`: records into a list, as scrapy-redis's RedisPipeline has them there -----

ITEMS_KEY = "%(spider)s:items"
"""scrapy-redis's pattern (REDIS_ITEMS_KEY)."""

AGAIN_SECONDS, AWAY_SECONDS = 0.5, 60.0
"""Between two tries while Redis is away, and for how long."""


class RedisSink:
    """Appends records to a list: `{"url": …, "fetched_at": …, FIELD: …}`, the batch before a crash perhaps twice.

    A batch is one question, asked off the event loop, and no page is complete before its record is there. InputError: a
    setting can't be used; OutageError: Redis can't be reached; StoreError: its key holds something else than a list.
    """

    def __init__(self, config: SinkConfig) -> None:
        settings = cast("BaseSettings", config.settings)
        given = settings.get("REDIS_ITEMS_SERIALIZER")
        try:
            self._key = (settings.get("REDIS_ITEMS_KEY") or ITEMS_KEY) % {"spider": config.site}
            self._serialize = load_object(given) if given else ScrapyJSONEncoder(ensure_ascii=False).encode
        except Exception as error:  # whatever a module does when it is imported
            raise InputError(f"REDIS_ITEMS_KEY or REDIS_ITEMS_SERIALIZER can't be used: {error}") from error
        self._server = connect(settings)
        check_types(self._server, {self._key: "list"})
        self._thread = ThreadPoolExecutor(1, "redis-sink")
        self._ends = Event()

    def write(self, visits: Sequence[Visit]) -> Future[None] | None:
        """Append the records of a batch; while Redis is away the crawl waits for it, a minute at most."""
        texts = [self._serialize(row) for row in record_rows(visits)]
        return self._thread.submit(self._append, texts) if texts else None

    def _append(self, texts: Sequence[str | bytes]) -> None:
        until = time.monotonic() + AWAY_SECONDS
        while True:
            try:
                with redis_errors():
                    self._server.rpush(self._key, *texts)
                return
            except OutageError:
                if time.monotonic() > until or self._ends.wait(AGAIN_SECONDS):
                    raise

    def ending(self) -> None:
        """Wait no longer for a Redis that is away."""
        self._ends.set()

    def close(self) -> None:
        """End the thread, and the connection."""
        self.ending()
        self._thread.shutdown()
        self._server.close()
