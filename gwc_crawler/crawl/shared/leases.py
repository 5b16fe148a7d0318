"""The leases of a worker that shares its crawl: of its parts of the queue, while they hold; others may bring URLs."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sized

from scrapy import Request

from gwc_crawler.admission import Book
from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.frontier.redis import RetryingFrontier, StartUrl
from gwc_crawler.frontier.sqlite import RevisitMirror
from gwc_crawler.items import Failure, Lease

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often a worker without work looks whether others have found some."""


class SharedLeases(Leases):
    """The leases of one worker.

    Args:
        mirror: where each look at a page is noted, also by the store.
        idle_seconds: how long to wait for start URLs from outside when everything is done.
    """

    def __init__(
        self,
        common: Common,
        frontier: RetryingFrontier,
        book: Book,
        batch: Sized,
        mirror: RevisitMirror,
        *,
        idle_seconds: float,
    ) -> None:
        super().__init__(common, frontier, book, batch)
        self.parts: Collection[int] = ()
        """The parts of the queue that this worker leases from (0 … `RedisFrontier.parts` − 1); none named: all."""
        self._busy_at = time.monotonic()
        self._idle_seconds = idle_seconds
        self._mirror = mirror
        self._retrying = frontier
        self._shared = frontier.shared
        self._site = common.site
        self._spider = common.spider

    def take_parts(self, parts: Collection[int]) -> None:
        """Lease from these parts of the queue from now on."""
        self.parts = parts
        self.changes += 1

    def take_start(self, start: StartUrl) -> None:
        """Put a URL that was pushed from outside into the queue, if it is on the site.

        Raises:
            OutageError: Redis can't be reached.
        """
        if self.on_site(start.url):
            self._retrying.feed(self._spider.clean(start.url), start.meta)
            self.changes += 1
        else:
            logger.warning("start URL left out, it is off the site site=%s url=%s", self._site.name, start.url)

    def _take(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        return self._retrying.lease(count, self._owner, busy_hosts, self.parts)

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL, with what it was fed with as meta."""
        request = super().request(lease)
        for name, value in self._shared.meta_of(lease).items():
            request.meta.setdefault(name, value)
        return request

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease is this worker's still, as far as is known here."""
        return lease.token in self._shared.under_way

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page."""
        if why.revisit is not None:
            self._mirror.note(lease.url, why.revisit)
            self._mirror.write()
        super().give_up(lease, why)

    def has_work(self) -> bool:
        """Say whether anything waits or is leased, here or elsewhere, or may still be pushed in."""
        counts = self._retrying.counts()
        if counts.running or self._waits_beside_silent(counts):
            self._busy_at = time.monotonic()
            return True
        return time.monotonic() - self._busy_at < self._idle_seconds

    def seconds_to_next(self) -> float | None:
        """Return when to look again: others may bring URLs at any moment."""
        return LOOK_SECONDS if self.has_work() else None

    def under_way(self) -> int:
        """Return how many leases of this worker have not ended."""
        return len(self._shared.under_way)

    def stats(self) -> dict[str, int]:
        """Return how the cache of known URLs does, and what came too late or was lost."""
        shared = self._shared
        return {
            "known_hits": shared.known.hits,
            "known_misses": shared.known.misses,
            "outdated": shared.outdated,
            "leases_taken_back": shared.lost,
        }

    def flush(self) -> None:
        """Forget the whole crawl, for all workers."""
        self._shared.clear()
