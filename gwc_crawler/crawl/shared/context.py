"""The parts of a worker that shares its crawl; chosen by GWC_FRONTIER = redis.

Beside what every crawl is asked, it says now and then that its leases live, and takes start URLs in from outside.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from gwc_crawler.control import RedisChannel
from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.context import CrawlContext
from gwc_crawler.crawl.control import TICK_SECONDS, CrawlControl
from gwc_crawler.crawl.shared.leases import SharedLeases
from gwc_crawler.crawl.shared.page_store import SharedPageStore
from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.redis import RetryingFrontier, StartUrls
from gwc_crawler.redis_server import Server, hurry, redis_errors

STARTS_A_TICK = 1000


class SharedControl(CrawlControl):
    """What is asked of one worker.

    Args:
        beat_seconds: how often what is under way here is extended.
    """

    channel: RedisChannel
    _leases: SharedLeases

    def __init__(
        self,
        common: Common,
        channel: RedisChannel,
        leases: SharedLeases,
        store: SharedPageStore,
        *,
        frontier: RetryingFrontier,
        server: Server,
        starts: StartUrls,
        beat_seconds: float,
    ) -> None:
        super().__init__(common, channel, leases, store)
        self.tick_seconds = min(TICK_SECONDS, beat_seconds)
        self._beat_at = 0.0
        self._beat_seconds = beat_seconds
        self._frontier = frontier
        self._server = server
        self._starts = starts
        self._exchange()

    def tick(self) -> None:
        """Extend what is under way, commit what has become old, report, do what is wanted, take start URLs in."""
        now = time.monotonic()
        if now >= self._beat_at:
            self._beat_at = now + self._beat_seconds
            self._frontier.beat()
        super().tick()

    def _exchange(self) -> None:
        """Ask for start URLs and what is wanted, and leave the report: one round trip."""
        if self._frontier.away:
            self._frontier.counts()  # asks again when its rest is over
            return
        try:
            with redis_errors():
                pipeline = self._server.pipeline(transaction=False)
                self._starts.ask(pipeline, STARTS_A_TICK)
                self.channel.ask(pipeline, self.report_of_crawl())
                found, entries, *answers = pipeline.execute(raise_on_error=False)
                if failures := [one for one in answers if isinstance(one, Exception)]:
                    raise failures[0]
                starts = self._starts.answer(found, entries)
            self.heed(self.channel.answer(answers[1]))
            if not self.stopping:
                for start in starts:
                    self._leases.take_start(start)
                    self._starts.confirm(start.raw)
        except OutageError:
            self._frontier.counts()  # finds the outage, and says so once


@dataclass
class SharedContext(CrawlContext):
    """The parts of one worker."""

    frontier: RetryingFrontier
    leases: SharedLeases
    store: SharedPageStore

    def begin(self) -> None:
        """Wait for Redis no longer than the event loop may stand still."""
        hurry(self.common.server)

    async def farewell(self) -> None:
        """Wait a few seconds for Redis, if it is away just now."""
        await self.frontier.farewell()
