"""The scheduler of a worker that shares its crawl: the frontier's, in the place of scrapy-redis's.

Named by SCHEDULER in settings_profiles/cluster.py. What it does beside leasing is in the spider's workbench.
"""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.utils.asyncio import create_looping_call
from scrapy_redis.scheduler import Scheduler as RedisScheduler
from twisted.internet.defer import Deferred

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.scheduler import FrontierScheduler


class RedisFrontierScheduler(FrontierScheduler, RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """The scheduler of a worker that shares its frontier with others.

    It stands where scrapy-redis's Scheduler stands and obeys its settings (connection, key patterns, flush on start);
    its pickled queue and its dupefilter have no use here. The queue always persists: a worker that closes hands its
    leases back and leaves everything else alone.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ticks: Any = None

    def __len__(self) -> int:
        """How many Requests are queued here; what the frontier holds is in its counts."""
        return len(self.mqs)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Begin to extend the leases that are under way, and to look for start URLs from outside."""
        opened = super().open(spider)
        if self.workbench is not None and (seconds := self.workbench.tick_seconds):
            self._ticks = create_looping_call(self._tick)
            self._ticks.start(seconds, now=False)
        return opened

    def close(self, reason: str) -> Deferred[None] | None:
        """Stop ticking; then as any scheduler. Nothing shared is flushed."""
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        return super().close(reason)

    def flush(self) -> None:
        """Forget the whole crawl, for all workers (scrapy-redis's word)."""
        if self.workbench is not None:
            self.workbench.flush()

    def _tick(self) -> None:
        assert self.workbench is not None
        try:
            self.workbench.tick()
        except StoreError as error:
            self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a workbench has it
        if self.crawler is not None and self.crawler.stats is not None:
            for name, value in self.workbench.figures().items():
                self.crawler.stats.set_value(f"gwc/frontier/{name}", value)
