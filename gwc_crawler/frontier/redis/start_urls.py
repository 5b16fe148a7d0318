"""Start URLs that people push into Redis for a crawl that runs: `lpush SITE:start_urls https://…`, as for scrapy-redis.

An entry, a URL or `{"url": "https://…", "meta": {"job": 7}}`, is taken out only after it is in the frontier.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import ResponseError

from gwc_crawler.store.redis_server import Server, redis_errors
from gwc_crawler.urls import normalize_url

logger = logging.getLogger(__name__)

START_URLS_KEY = "%(name)s:start_urls"  # scrapy-redis's pattern (REDIS_START_URLS_KEY)


@dataclass(frozen=True, slots=True)
class StartUrl:
    """One entry: the normalised URL and the meta for its Request. `raw` is the entry to `confirm`."""

    raw: bytes
    url: str
    meta: dict[str, Any] = field(default_factory=dict)


WAYS: dict[bytes, tuple[Callable[[Any, str, int], Any], Callable[[Any, str, bytes], Any]]] = {
    b"list": (lambda redis, key, n: redis.lrange(key, 0, n - 1), lambda redis, key, raw: redis.lrem(key, 1, raw)),
    b"set": (lambda redis, key, n: redis.srandmember(key, n), lambda redis, key, raw: redis.srem(key, raw)),
    b"zset": (lambda redis, key, n: redis.zrevrange(key, 0, n - 1), lambda redis, key, raw: redis.zrem(key, raw)),
}
"""How to read entries, and to take one out, by the type of key, whatever the REDIS_START_URLS_AS_… settings say."""
NOTHING = b"none"


class StartUrls:
    """The entries under one key: in a list, a set or a sorted set, as people push them."""

    def __init__(self, server: Server, key: str) -> None:
        self._server = server
        self.key = key
        self._type = b"list"
        self._told = ""

    def read(self, n: int) -> list[StartUrl]:
        """Return up to *n* entries, which stay until they are confirmed; unreadable ones are removed and reported."""
        known = None
        while known != self._type:  # asked again by the type that it turned out to have
            known = self._type
            with redis_errors():
                pipeline = self._server.pipeline(transaction=False)
                self.ask(pipeline, n)
                starts = self.answer(*pipeline.execute(raise_on_error=False))
        return starts

    def ask(self, pipeline: Any, n: int) -> None:
        """Ask for up to *n* entries: two answers will come, which may be errors; `answer` reads them."""
        pipeline.type(self.key)
        WAYS[self._type][0](pipeline, self.key, n)

    def answer(self, found: Any, entries: Any) -> list[StartUrl]:
        """Read entries; unreadable ones are removed and reported. [] if the key's type is another, for next time.

        A key of none of the three types is reported once, and left alone.
        """
        if found in WAYS and found != self._type:
            self._type = found
            return []
        problem = self._problem(found) if isinstance(found, bytes) else ""
        if problem and problem != self._told:
            logger.warning("%s", problem)
        self._told = problem
        if _is_of_another_type(entries):
            return []
        for one in (found, entries):
            if isinstance(one, Exception):
                raise one
        starts = []
        for raw in entries:
            try:
                starts.append(read_start_url(raw))
            except ValueError as error:
                logger.warning("start URL left out key=%s entry=%.200r: %s", self.key, raw, error)
                self.confirm(raw)
        return starts

    def confirm(self, raw: bytes) -> None:
        """Take out an entry that was read."""
        with redis_errors():
            try:
                WAYS[self._type][1](self._server, self.key, raw)
            except ResponseError as error:
                if not _is_of_another_type(error):
                    raise

    def problem(self) -> str:
        """Return a sentence about a key of another type; "" if it can be read, or does not exist."""
        with redis_errors():
            return self._problem(self._server.type(self.key))

    def _problem(self, found: bytes) -> str:
        if found in WAYS or found == NOTHING:
            return ""
        return (
            f"the key {self.key} holds a {found.decode()}, and start URLs are read from a list, a set or a sorted set: "
            f"it is left alone; DEL {self.key}, then LPUSH {self.key} URL"
        )


def _is_of_another_type(answer: Any) -> bool:
    """Say whether the key was replaced in just that moment; its type is asked for with every question."""
    return isinstance(answer, ResponseError) and str(answer).startswith("WRONGTYPE")


def read_start_url(raw: bytes) -> StartUrl:
    """Read one entry. Raises ValueError: it is no URL, or JSON without one, or asks for more than a GET."""
    text = raw.decode("utf-8").strip()
    meta: Any = {}
    if text.startswith("{"):
        entry = json.loads(text)
        text, meta = entry.get("url"), entry.get("meta") or {}
        if str(entry.get("method", "GET")).upper() != "GET":
            raise ValueError("only GET can be crawled")
        if not isinstance(text, str) or not isinstance(meta, dict):
            raise ValueError('JSON needs "url", a text, and may have "meta", an object')
    url = normalize_url(text)
    if url is None:
        raise ValueError("no http(s) URL")
    return StartUrl(raw, url, meta)
