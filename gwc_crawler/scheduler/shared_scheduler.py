"""The scheduler of a worker that shares its crawl: the frontier's, in place of scrapy-redis's.

Used if GWC_FRONTIER is redis. Its tasks beside leasing: `SharedControl`.
"""

from __future__ import annotations

from scrapy import Request, Spider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy_redis.scheduler import Scheduler as RedisScheduler
from twisted.internet.defer import Deferred

from gwc_crawler.crawl.shared import SharedContext
from gwc_crawler.items import META_LEASE, META_TURN
from gwc_crawler.scheduler.frontier_scheduler import FrontierScheduler
from gwc_crawler.store.redis_server import hurry


class RedisFrontierScheduler(FrontierScheduler, RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """The scheduler of a worker that shares its frontier: scrapy-redis's settings hold, its pickled queue has no use.

    The queue always persists: a worker that closes hands its leases back and leaves everything else alone.
    """

    def __len__(self) -> int:
        return len(self.mqs)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Wait for Redis no longer than the event loop may stand still, which runs from now on."""
        opened = super().open(spider)
        if isinstance(crawl := self.crawl, SharedContext):  # no pre-crawl
            hurry(crawl.common.server)
        return opened

    def flush(self) -> None:
        if isinstance(crawl := self.crawl, SharedContext):
            crawl.frontier.shared.clear()

    def close(self, reason: str) -> Deferred[None] | None:
        """Hand back the leases that were not begun; Redis has some seconds to take them, and the ended ones."""
        return deferred_from_coro(self._close(super().close(reason)))

    async def _close(self, closed: Deferred[None] | None) -> None:
        if closed is not None:
            await maybe_deferred_to_future(closed)
        if isinstance(crawl := self.crawl, SharedContext):
            await crawl.frontier.farewell()

    def _pop(self) -> Request | None:
        """Pass over what was leased here and is others' by now, after a long pause of this process."""
        crawl = self.crawl
        while (request := super()._pop()) is not None:
            lease = request.meta.get(META_LEASE)
            if lease is None or crawl is None or crawl.leases.holds(lease):
                return request
            if self.limiter is not None and (key := request.meta.pop(META_TURN, None)) is not None:
                self.limiter.ended(key, sent=False)
        return None
