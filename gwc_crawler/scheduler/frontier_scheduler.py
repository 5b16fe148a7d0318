"""The Scrapy scheduler over a frontier: leases in batches, a Request for each lease and for nothing else.

Spiders without a `context` get Scrapy's own scheduler with the tunnel-weight queue. Only Requests that their host's
limiter lets start are handed out; the others wait here, where they hold no slot.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later, create_looping_call
from twisted.internet.defer import Deferred

from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.errors import StoreError
from gwc_crawler.items import META_LEASE, META_PUT_BACK, META_TURN, Lease
from gwc_crawler.network.politeness.limiter import Limiter
from gwc_crawler.scheduler.priority_queue import TunnelWeightQueue
from gwc_crawler.wiring.options import lease_options

if TYPE_CHECKING:
    from gwc_crawler.crawl.context import CrawlContext
    from gwc_crawler.crawl.leases import Leases
    from gwc_crawler.spiders.frontier_spider import FrontierSpider


LOOK_SECONDS = 3.0
"""How often a frontier that has nothing to give is asked again: `scrapy queue` may have added something."""

ALARM_STEP_SECONDS = 0.001
"""An alarm is not moved for less."""

AHEAD_SECONDS = 60.0
"""A host that has to wait keeps leases for this time at most (a quarter of their length if that is less)."""


class FrontierScheduler(Scheduler):
    """Gives the engine Requests for leased URLs, in the frontier's order.

    The engine asks synchronously, so a batch is leased ahead; when the frontier has nothing more, waiting pages are
    committed at once: they may hold the next URLs. The engine sleeps when nothing comes: a timer wakes it when a host's
    wait is over, when the frontier has a URL that becomes due, and now and then besides. For a host that has to wait,
    no more is leased than it can take soon. A crawl that pauses hands back leases that it has not begun.
    """

    mqs: TunnelWeightQueue  # type: ignore[assignment]  # the same face
    steered: FrontierSpider
    """The spider of `crawl`, where there is one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.crawler is not None
        lease = lease_options(self.crawler.settings)
        self.batch = lease.batch
        self.ahead_seconds = min(AHEAD_SECONDS, lease.beat_seconds)
        self.crawl: CrawlContext | None = None
        self.limiter: Limiter | None = None
        self._gated: list[TunnelWeightQueue] = []
        self._busy: set[str] = set()
        """Keys of the limiter with enough Requests queued here."""
        self._busy_mark = 0
        """A number that stands for the contents of `_busy`."""
        self._dry_at: tuple[int, int] | None = None
        self._next: Request | None = None
        self._nudge = Request("data:,")
        """No Request at all: given to the engine, it makes it look whether the crawl is over."""
        self._alarm: Any = None
        self._alarm_at, self._alarm_for = math.inf, 0
        self._closing = False
        self._ticks: Any = None
        self._resting = False
        self._aside: list[Request] = []
        """Requests of others than the frontier while the crawl pauses."""

    def open(self, spider: Spider) -> Deferred[None] | None:
        crawl: CrawlContext | None = getattr(spider, "context", None)
        self.crawl = crawl
        opened = super().open(spider)
        self.limiter = limiter_of(self.crawler)
        if self.limiter is not None:
            self.limiter.when_free = self._host_changed
            self._gated = [queue for queue in (self.mqs, self.dqs) if isinstance(queue, TunnelWeightQueue)]
            for queue in self._gated:
                queue.heed(self.limiter, self._host_rests if queue is self.mqs else None)
        if crawl is not None:
            self.steered = cast("FrontierSpider", spider)
            leases, store = crawl.leases, crawl.store
            leases.lease_anew, leases.wake, store.on_answer = self._lease_anew, self._wake, self._sink_has_answered
            self._ticks = create_looping_call(self._tick)
            self._ticks.start(crawl.control.tick_seconds, now=False)
        return opened

    def enqueue_request(self, request: Request) -> bool:
        if request is self._next or request is self._nudge:
            return True
        if self._resting and self._lay_aside(request):
            return True
        if request.meta.pop(META_PUT_BACK, False) or META_LEASE in request.meta:
            self.mqs.push(request)
            return True
        return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """Return the best Request that is ready, or None; leases more URLs when few are left."""
        if self._next is not None:
            request, self._next = self._next, None
            return request
        if self.crawl is not None:
            try:
                self._refill(self.crawl)
            except StoreError as error:
                self.steered.end_crawl(error)
        return self._pop()

    def _pop(self) -> Request | None:
        if self._is_enough_under_way():
            return None
        request = self.mqs.pop() if self._resting else super().next_request()
        if request is None:
            if len(self):
                self._set_alarm()
        elif self._busy and (key := request.meta.get(META_TURN)) in self._busy:
            self._judge(key)
        return request

    def _is_enough_under_way(self) -> bool:
        """Tell whether all pages that may still be read are requested; each that ends makes the engine ask again."""
        crawl, crawler = self.crawl, self.crawler
        left = crawl.leases.pages_left if crawl is not None else None
        if left is None or crawler is None:
            return False
        engine = crawler.engine
        reading = engine.scraper.slot
        asked_for = len(engine.downloader.active) + (self._next is not None)
        return asked_for + (len(reading.active) + len(reading.queue) if reading is not None else 0) >= left

    def has_pending_requests(self) -> bool:
        """Say whether anything waits: here, in the frontier, or in a batch that is not committed yet.

        Nothing in the frontier counts once nothing more shall be leased: it waits for another run, and nobody would
        ever come for it.
        """
        if self._next is not None or self._aside or super().has_pending_requests():
            return True
        crawl = self.crawl
        if crawl is None or self._closing:
            return False
        return len(crawl.store) > 0 or (not crawl.control.stopping and crawl.leases.has_work())

    def close(self, reason: str) -> Deferred[None] | None:
        self._closing = True
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if (crawl := self.crawl) is not None:
            requests = [*([self._next] if self._next else []), *self.mqs.drain()]
            crawl.leases.hand_back(leases_of(requests))
        return super().close(reason)

    # --- leases ---------------------------------------------------------------------------------------------------

    def _refill(self, crawl: CrawlContext) -> None:
        source, store, control = crawl.leases, crawl.store, crawl.control
        if self.mqs.ready > self.batch // 4 or self._closing or control.stopping:
            return
        if control.paused:
            self._rest_or_go_on(crawl)
            return
        if store.is_behind:
            return
        leases = self._lease(source)
        if not leases and len(store) and self._waits_for_commit():
            store.commit()
            leases = self._lease(source)
        for lease in leases:
            self.mqs.push(source.request(lease))
        if not leases and not len(self.mqs):
            self._set_alarm()

    def _waits_for_commit(self) -> bool:
        """Tell whether only a commit can bring a Request: the queued ones have to wait, and none is on its way."""
        if not len(self.mqs):
            return True
        return not self.mqs.ready and self.crawler is not None and not self.crawler.engine.downloader.active

    def _lease(self, source: Leases) -> list[Lease]:
        """Lease a batch; asks the frontier again only after something changed there, or here."""
        now = (source.changes, self._busy_mark)
        if self._dry_at == now:
            return []
        leases = source.lease(self.batch, self._busy)
        self._dry_at = now if not leases else None
        return leases

    # --- hosts that have to wait ----------------------------------------------------------------------------------

    def _host_rests(self, key: str) -> None:
        """Lease nothing more of a host while it has enough here; hand back what it can't take soon."""
        assert self.limiter is not None
        room = max(1, min(self.limiter.room(key, self.ahead_seconds), self.batch))
        if (crawl := self.crawl) is not None and self.mqs.backlog(key) > room:
            leases = []
            for request in self.mqs.take_surplus(key, int(room)):
                if META_LEASE in request.meta:
                    leases.append(request.meta[META_LEASE])
                else:
                    self.mqs.push(request)
            crawl.leases.hand_back(leases)
        self._judge(key)

    def _judge(self, key: str) -> None:
        """Note whether a host has enough Requests queued here: at least half of those it can take soon."""
        assert self.limiter is not None
        enough = min(self.limiter.room(key, self.ahead_seconds), self.batch // 4) // 2
        if (self.mqs.backlog(key) > enough) is not (key in self._busy):
            self._busy ^= {key}
            self._busy_mark ^= hash(key)

    def _host_changed(self, key: str) -> None:
        for queue in self._gated:
            queue.look_again(key)
            if queue.next_at() is not None:
                self._set_alarm()

    # --- the alarm ------------------------------------------------------------------------------------------------

    def _set_alarm(self) -> None:
        """Wake the engine when a host's wait is over, a URL becomes due, or just to look."""
        if self._closing:
            return
        now, crawl = time.monotonic(), self.crawl
        changes = 0 if crawl is None else crawl.leases.changes
        stands, self._alarm_for = self._alarm is not None and self._alarm_for == changes, changes
        at = math.inf if stands else now + self._seconds_to_look()
        if self.limiter is not None and not self._is_enough_under_way():
            ahead = now - self.limiter.clock()
            for queue in self._gated:
                if (due := queue.next_at()) is not None:
                    at = min(at, due + ahead)
        if at < self._alarm_at - ALARM_STEP_SECONDS:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm_at = at
            self._alarm = call_later(max(0.0, at - now), self._wake)

    def _seconds_to_look(self) -> float:
        crawl, due = self.crawl, None
        if crawl is not None and not len(self.mqs):
            with suppress(StoreError):  # whatever asks next for leases says so
                due = crawl.leases.seconds_to_next()
        return LOOK_SECONDS if due is None else min(due, LOOK_SECONDS)

    def _wake(self) -> None:
        self._alarm, self._alarm_at = None, math.inf
        self._dry_at = None
        crawl, crawler = self.crawl, self.crawler
        if crawler is None or self._closing or (crawl is not None and crawl.is_closed):
            return
        try:
            if crawl is not None and crawl.store.full:
                crawl.store.commit()
            if self._next is not None:
                return
            if crawl is not None and not self._is_enough_under_way():
                self._refill(crawl)
        except StoreError as error:
            self.steered.end_crawl(error)
            return
        self._next = self._pop()
        if self._next is not None:
            crawler.engine.crawl(self._next)
        elif crawl is None or not crawl.control.stopping:
            self._set_alarm()
            self._look_whether_over(crawler)

    def _sink_has_answered(self) -> None:
        """Have the event loop complete the batch that a sink has now; called in the sink's own thread."""
        from twisted.internet import reactor

        reactor.callFromThread(self._wake)

    def _look_whether_over(self, crawler: Crawler) -> None:
        """Let the engine end the crawl now if others have done the rest; by itself it looks each five seconds."""
        try:
            if not self.has_pending_requests():
                crawler.engine.crawl(self._nudge)
        except StoreError as error:
            self.steered.end_crawl(error)

    # --- pauses and stops -----------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Report, heed what people want, and whatever else the crawl does now and then."""
        crawl = self.crawl
        assert crawl is not None
        if crawl.is_closed:
            return
        with self.steered.ending_by_errors():
            crawl.control.tick()
            self._rest_or_go_on(crawl)
            if self.limiter is not None and self.limiter.refusal is not None:
                raise self.limiter.refusal
        if crawl.control.stop_asked:
            self.steered.stop("`scrapy stop`")
        self.steered.count_stats()

    def _rest_or_go_on(self, crawl: CrawlContext) -> None:
        """Hand back what was not begun when a pause begins; go on at once when it is over."""
        paused = crawl.control.paused
        if paused and not self._resting:
            self._resting = True
            self._aside += self._hand_back_queued(crawl)
        elif self._resting and not paused:
            self._resting = False
            for request in self._aside:
                self.mqs.push(request)
            self._aside.clear()
            self._dry_at = None
            self._wake()

    def _hand_back_queued(self, crawl: CrawlContext) -> list[Request]:
        """Hand back the leases that were not begun; returns the Requests without one."""
        limiter = self.mqs.limiter
        if self._next is not None and self.limiter is not None and META_TURN in self._next.meta:
            self.limiter.ended(self._next.meta.pop(META_TURN), sent=False)  # it was counted as started
        requests = [*([self._next] if self._next else []), *self.mqs.drain()]
        self._next, self.mqs.limiter = None, limiter
        self._busy.clear()
        self._busy_mark = 0
        crawl.leases.hand_back(leases_of(requests))
        return [one for one in requests if META_LEASE not in one.meta]

    def _lease_anew(self) -> None:
        """Lease again what is queued here: others would be chosen by now."""
        if self.crawl is not None and not self._resting and not self._closing:
            for request in self._hand_back_queued(self.crawl):
                self.mqs.push(request)
            self._dry_at = None

    def _lay_aside(self, request: Request) -> bool:
        """Keep back what comes while the crawl pauses; False for a redirect, which ends what is under way."""
        if META_LEASE not in request.meta:
            self._aside.append(request)
        elif request.meta.pop(META_PUT_BACK, False) and (crawl := self.crawl) is not None:
            crawl.leases.hand_back([request.meta[META_LEASE]])
        else:
            return False
        return True


def leases_of(requests: Iterable[Request]) -> list[Lease]:
    """Return the leases of those *requests* that have one."""
    return [one.meta[META_LEASE] for one in requests if META_LEASE in one.meta]
