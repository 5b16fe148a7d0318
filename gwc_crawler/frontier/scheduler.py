"""The Scrapy scheduler over a frontier: leases in batches, a Request for each lease and for nothing else.

A spider with a `workbench` (ours) is fed from its frontier. Any other spider of the project gets Scrapy's own
scheduler with the tunnel-weight queue. Requests that a spider yields itself are queued beside the leased ones.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later
from twisted.internet.defer import Deferred

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.priority_queue import META_WEIGHT
from gwc_crawler.items import Lease

if TYPE_CHECKING:
    from gwc_crawler.spiders.workbench import Workbench

logger = logging.getLogger(__name__)

META_LEASE = "lease"
"""`Request.meta` key of the Lease; redirects and retries carry it along."""

LOOK_SECONDS = 3.0
"""How often a frontier that has nothing to give is asked again: `scrapy queue` may have added something."""

PAUSE_SECONDS = 1.0
"""How often a paused crawl looks whether it may go on."""


class FrontierScheduler(Scheduler):
    """Gives the engine Requests for leased URLs, in the frontier's order.

    The engine asks synchronously, so a batch is leased ahead; when the frontier has nothing more, the pages that wait
    for their commit are committed at once, because they may hold the next URLs. The engine sleeps when nothing comes:
    a timer wakes it when the frontier said that a URL becomes due, and now and then besides.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.crawler is not None
        self.batch = self.crawler.settings.getint("GWC_LEASE_BATCH")
        self.workbench: Workbench | None = None
        self._dry_since_commit = -1
        self._alarm: Any = None
        self._closing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierScheduler:
        return super().from_crawler(crawler)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the queues and take the spider's workbench, if it has one."""
        self.workbench = getattr(spider, "workbench", None)
        return super().open(spider)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a Request that the engine got: from a spider, a redirect, a retry, or ours."""
        if META_LEASE in request.meta:
            self.mqs.push(request)
            return True
        return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """Return the best Request that is ready, or None; leases more URLs when few are left."""
        if self.workbench is not None and len(self.mqs) <= self.batch // 4:
            try:
                self._refill(self.workbench)
            except StoreError as error:
                self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a workbench has it
        return super().next_request()

    def has_pending_requests(self) -> bool:
        """Say whether anything waits: here, in the frontier, or in a batch that is not committed yet."""
        if super().has_pending_requests():
            return True
        if self.workbench is None or self._closing:
            return False
        return len(self.workbench.committer) > 0 or self.workbench.has_work()

    def close(self, reason: str) -> Deferred[None] | None:
        """Hand back the leases that were not begun."""
        self._closing = True
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.workbench is not None:
            leases = []
            while (request := self.mqs.pop()) is not None:
                if (lease := request.meta.get(META_LEASE)) is not None:
                    leases.append(lease)
            self.workbench.hand_back(leases)
        return super().close(reason)

    def _refill(self, workbench: Workbench) -> None:
        if self._closing or workbench.stopping:
            return
        if workbench.paused:
            self._set_alarm(workbench)
            return
        leases = self._lease(workbench)
        if not leases and not len(self.mqs) and len(workbench.committer):
            workbench.commit()
            leases = self._lease(workbench)
        for lease in leases:
            self.mqs.push(workbench.request(lease))
        if not leases and not len(self.mqs):
            self._set_alarm(workbench)

    def _lease(self, workbench: Workbench) -> list[Lease]:
        """Lease a batch; asks the frontier again only after something changed there."""
        if self._dry_since_commit == workbench.changes:
            return []
        leases = workbench.lease(self.batch)
        self._dry_since_commit = workbench.changes if not leases else -1
        return leases

    def _set_alarm(self, workbench: Workbench) -> None:
        """Wake the engine when a URL becomes due, a pause may be over, or another process may have added something."""
        if self._alarm is None:
            due = None if workbench.paused else workbench.seconds_to_next()
            longest = PAUSE_SECONDS if workbench.paused else LOOK_SECONDS
            self._alarm = call_later(longest if due is None else min(due, longest), self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._dry_since_commit = -1
        workbench, crawler = self.workbench, self.crawler
        if workbench is None or crawler is None or self._closing or workbench.stopping:
            return
        try:
            leases = [] if workbench.paused else self._lease(workbench)
        except StoreError as error:
            self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a workbench has it
            return
        for lease in leases[1:]:
            self.mqs.push(workbench.request(lease))
        if leases:
            crawler.engine.crawl(workbench.request(leases[0]))
        else:
            self._set_alarm(workbench)


def weight_meta(lease: Lease) -> dict[str, Any]:
    """Return the `Request.meta` of a lease."""
    return {META_LEASE: lease, META_WEIGHT: lease.weight, "depth": lease.depth}
