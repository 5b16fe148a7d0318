"""The robots.txt files of a shared crawl, and the links that they keep out, in Redis: what one reads all know."""

from __future__ import annotations

import struct
from hashlib import md5

from gwc_crawler.items import RobotsText
from gwc_crawler.store.redis_server import Server, redis_errors

_ROBOTS = struct.Struct("<d16s")
"""When it was read (epoch seconds), digest of the text."""


class RedisRobots:
    """A `RobotsBook` beside a shared queue.

    Args:
        queue_key: of the frontier, with its hash tag; what is kept is deleted with the crawl.

    Every method raises OutageError where Redis can't be reached, StoreError where it refuses.
    """

    def __init__(self, server: Server, queue_key: str) -> None:
        self._server = server
        self._robots, self._texts = f"{queue_key}:robots", f"{queue_key}:robots_texts"

    def read(self, origin: str) -> RobotsText | None:
        """Return what is known of *origin*, however old. Two round trips."""
        with redis_errors():
            packed = self._server.hget(self._robots, origin)
            if packed is None:
                return None
            read_at, digest = _ROBOTS.unpack(packed)
            text = self._server.hget(self._texts, digest)
        return None if text is None else RobotsText(text, read_at)

    def write(self, origin: str, robots: RobotsText) -> None:
        """Keep it in the place of an older one. One round trip."""
        digest = md5(robots.text, usedforsecurity=False).digest()
        with redis_errors():
            pipeline = self._server.pipeline(transaction=False)
            pipeline.hset(self._texts, digest, robots.text)
            pipeline.hset(self._robots, origin, _ROBOTS.pack(robots.read_at, digest))
            pipeline.execute()
