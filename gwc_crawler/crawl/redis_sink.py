"""The `RecordSink` that is called `redis`: records into a list, as scrapy-redis's RedisPipeline has them there.

A batch is one question, asked off the event loop, and no page is complete before its record is there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import cast

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.serialize import ScrapyJSONEncoder

from gwc_crawler.crawl.redis_parts import connect
from gwc_crawler.errors import InputError, OutageError
from gwc_crawler.items import Visit
from gwc_crawler.store.redis_server import check_types, redis_errors
from gwc_crawler.store.sink import SinkConfig, record_rows

ITEMS_KEY = "%(spider)s:items"
"""scrapy-redis's pattern (REDIS_ITEMS_KEY)."""

AGAIN_SECONDS, AWAY_SECONDS = 0.5, 60.0
"""Between two tries while Redis is away, and for how long."""


class RedisSink:
    """Appends records to a list: `{"url": …, "fetched_at": …, FIELD: …}`, the batch before a crash perhaps twice.

    Raises:
        InputError: a setting can't be used.
        OutageError: Redis can't be reached.
        StoreError: its key holds something else than a list.
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
