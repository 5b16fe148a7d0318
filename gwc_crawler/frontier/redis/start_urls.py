"""Start URLs that people push into Redis for a crawl that runs: `lpush SITE:start_urls https://…`, as for scrapy-redis.

An entry is a plain URL, or JSON: `{"url": "https://…", "meta": {"job": 7}}`. An entry is taken out only after it is in
the frontier, so a worker that dies in between loses none.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from gwc_crawler.redis_server import Server, redis_errors
from gwc_crawler.urls import normalize_url

logger = logging.getLogger(__name__)

START_URLS_KEY = "%(name)s:start_urls"
"""scrapy-redis's pattern (REDIS_START_URLS_KEY)."""


@dataclass(frozen=True, slots=True)
class StartUrl:
    """One entry: the normalised URL and what shall be in its Request.meta. `raw` is what to `confirm`."""

    raw: bytes
    url: str
    meta: dict[str, Any] = field(default_factory=dict)


class StartUrlsKind(Enum):
    """How start URLs are kept."""

    LIST = auto()
    SET = auto()
    """REDIS_START_URLS_AS_SET"""
    SORTED_SET = auto()
    """REDIS_START_URLS_AS_ZSET"""


class StartUrls:
    """The entries under one key.

    Args:
        kind: how they are kept.
    """

    def __init__(self, server: Server, key: str, kind: StartUrlsKind = StartUrlsKind.LIST) -> None:
        self._server = server
        self.key = key
        self._kind = kind

    def read(self, n: int) -> list[StartUrl]:
        """Up to *n* entries, which stay there until they are confirmed; unreadable ones are taken out and reported."""
        with redis_errors():
            entries = self.ask(self._server, n)
        return self.answer(entries)

    def ask(self, server: Any, n: int) -> Any:
        """Ask *server*, which may be a pipeline, for up to *n* entries; `answer` reads what comes."""
        if self._kind is StartUrlsKind.SET:
            return server.srandmember(self.key, n)
        if self._kind is StartUrlsKind.SORTED_SET:
            return server.zrevrange(self.key, 0, n - 1)
        return server.lrange(self.key, 0, n - 1)

    def answer(self, entries: list[bytes]) -> list[StartUrl]:
        """Read entries; unreadable ones are taken out and reported."""
        starts = []
        for raw in entries:
            try:
                starts.append(read_start_url(raw))
            except ValueError as error:
                logger.warning("start URL left out key=%s entry=%.200r: %s", self.key, raw, error)
                self.confirm(raw)
        return starts

    def confirm(self, raw: bytes) -> None:
        """Take one entry out."""
        with redis_errors():
            if self._kind is StartUrlsKind.SET:
                self._server.srem(self.key, raw)
            elif self._kind is StartUrlsKind.SORTED_SET:
                self._server.zrem(self.key, raw)
            else:
                self._server.lrem(self.key, 1, raw)


def read_start_url(raw: bytes) -> StartUrl:
    """Read one entry.

    Raises:
        ValueError: it is no URL, or JSON without one, or asks for more than a GET.
    """
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
