"""The scheduler of a worker that shares its crawl: the frontier's, in the place of scrapy-redis's.

Named by SCHEDULER in settings_profiles/cluster.py. What it does beside leasing is in the spider's workbench.
"""

from __future__ import annotations

from scrapy_redis.scheduler import Scheduler as RedisScheduler

from gwc_crawler.frontier.scheduler import FrontierScheduler


class RedisFrontierScheduler(FrontierScheduler, RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """The scheduler of a worker that shares its frontier with others.

    It stands where scrapy-redis's Scheduler stands and obeys its settings (connection, key patterns, flush on start);
    its pickled queue and its dupefilter have no use here. The queue always persists: a worker that closes hands its
    leases back and leaves everything else alone.
    """

    def __len__(self) -> int:
        """How many Requests are queued here; what the frontier holds is in its counts."""
        return len(self.mqs)

    def flush(self) -> None:
        """Forget the whole crawl, for all workers (scrapy-redis's word)."""
        if self.workbench is not None:
            self.workbench.flush()
