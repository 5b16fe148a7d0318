"""The Scrapy scheduler over a frontier: leases in batches, a Request for each lease and for nothing else.

A spider with a `context` (ours) is fed from its frontier. Any other spider of the project gets Scrapy's own
scheduler with the tunnel-weight queue. Requests that a spider yields itself are queued beside the leased ones. Only
Requests that their host's limiter lets start are handed out; the others wait here, where they hold no slot.
"""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later, create_looping_call
from twisted.internet.defer import Deferred

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Lease
from gwc_crawler.politeness import Limiter
from gwc_crawler.request_meta import META_LEASE, META_PUT_BACK, META_TURN
from gwc_crawler.scheduler.priority_queue import TunnelWeightQueue

if TYPE_CHECKING:
    from gwc_crawler.scheduler.source import Source

logger = logging.getLogger(__name__)


LOOK_SECONDS = 3.0
"""How often a frontier that has nothing to give is asked again: `scrapy queue` may have added something."""

ALARM_STEP_SECONDS = 0.001
"""An alarm is not moved for less."""

AHEAD_SECONDS = 60.0
"""A host that has to wait keeps leases for this time at most (a quarter of their length if that is less)."""


class FrontierScheduler(Scheduler):
    """Gives the engine Requests for leased URLs, in the frontier's order.

    The engine asks synchronously, so a batch is leased ahead; when the frontier has nothing more, the pages that wait
    for their commit are committed at once, because they may hold the next URLs. The engine sleeps when nothing comes: a
    timer wakes it when a host's wait is over, when the frontier said that a URL becomes due, and now and then besides.

    Of a host that has to wait nothing more is leased than it can take soon, and its surplus goes back to the frontier:
    so a slow host never fills the batch, and the others go on.

    A crawl that pauses hands back what it has not begun; redirects of what is under way are still followed.
    """

    mqs: TunnelWeightQueue  # type: ignore[assignment]  # the same face

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.crawler is not None
        self.batch = self.crawler.settings.getint("GWC_LEASE_BATCH")
        self.ahead_seconds = min(AHEAD_SECONDS, self.crawler.settings.getfloat("GWC_LEASE_SECONDS") / 4)
        self.context: Source | None = None
        self.limiter: Limiter | None = None
        self._gated: list[TunnelWeightQueue] = []
        self._busy: set[str] = set()
        """Keys of the limiter of which enough is queued here."""
        self._busy_mark = 0
        """A number that stands for the contents of `_busy`."""
        self._dry_at: tuple[int, int] | None = None
        self._next: Request | None = None
        self._nudge = Request("data:,")
        """No Request at all: given to the engine, it makes it look whether the crawl is over."""
        self._alarm: Any = None
        self._alarm_at = math.inf
        self._closing = False
        self._ticks: Any = None
        self._resting = False
        self._aside: list[Request] = []
        """What others than the frontier asked for while the crawl pauses."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierScheduler:
        return super().from_crawler(crawler)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the queues, and take the spider's context and the downloader's limiter, if they have one."""
        self.context = getattr(spider, "context", None)
        opened = super().open(spider)
        engine = getattr(self.crawler, "engine", None)
        self.limiter = getattr(getattr(engine, "downloader", None), "limiter", None)
        if self.limiter is not None:
            self.limiter.when_free = self._host_changed
            self._gated = [queue for queue in (self.mqs, self.dqs) if isinstance(queue, TunnelWeightQueue)]
            for queue in self._gated:
                queue.gate = self.limiter
            self.mqs.on_rest = self._host_rests
        if self.context is not None:
            self.context.lease_anew = self._lease_anew
            self._ticks = create_looping_call(self._tick)
            self._ticks.start(self.context.tick_seconds, now=False)
        return opened

    def enqueue_request(self, request: Request) -> bool:
        """Queue a Request that the engine got: from a spider, a redirect, a retry, or ours."""
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
        if self.context is not None and self.mqs.ready <= self.batch // 4:
            try:
                self._refill(self.context)
            except StoreError as error:
                self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a context has it
        return self._pop()

    def _pop(self) -> Request | None:
        request = self.mqs.pop() if self._resting else super().next_request()
        if request is None:
            if len(self):
                self._set_alarm()
        elif self._busy and (key := request.meta.get(META_TURN)) in self._busy:
            self._judge(key)
        return request

    def has_pending_requests(self) -> bool:
        """Say whether anything waits: here, in the frontier, or in a batch that is not committed yet.

        Nothing in the frontier counts once nothing more shall be leased: it waits for another run, and nobody would
        ever come for it.
        """
        if self._next is not None or self._aside or super().has_pending_requests():
            return True
        if self.context is None or self._closing:
            return False
        return self.context.uncommitted > 0 or (not self.context.stopping and self.context.has_work())

    def close(self, reason: str) -> Deferred[None] | None:
        """Hand back the leases that were not begun."""
        self._closing = True
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.context is not None:
            requests = [*([self._next] if self._next else []), *self.mqs.drain()]
            self.context.hand_back([one.meta[META_LEASE] for one in requests if META_LEASE in one.meta])
        return super().close(reason)

    # --- leases ---------------------------------------------------------------------------------------------------

    def _refill(self, context: Source) -> None:
        if self._closing or context.stopping:
            return
        if context.paused:
            self._rest_or_go_on(context)
            return
        leases = self._lease(context)
        if not leases and context.uncommitted and self._waits_for_commit():
            context.commit()
            leases = self._lease(context)
        for lease in leases:
            self.mqs.push(context.request(lease))
        if not leases and not len(self.mqs):
            self._set_alarm()

    def _waits_for_commit(self) -> bool:
        """Say whether only a commit can bring something: what is queued has to wait, and nothing is on its way."""
        if not len(self.mqs):
            return True
        return not self.mqs.ready and self.crawler is not None and not self.crawler.engine.downloader.active

    def _lease(self, context: Source) -> list[Lease]:
        """Lease a batch; asks the frontier again only after something changed there, or here."""
        now = (context.changes, self._busy_mark)
        if self._dry_at == now:
            return []
        leases = context.lease(self.batch, self._busy_hosts())
        self._dry_at = now if not leases else None
        return leases

    # --- hosts that have to wait ----------------------------------------------------------------------------------

    def _busy_hosts(self) -> set[str]:
        return set() if self.limiter is None else self._busy

    def _host_rests(self, key: str) -> None:
        """Lease nothing more of a host while it has enough here; hand back what it can't take soon."""
        assert self.limiter is not None
        room = max(1, min(self.limiter.room(key, self.ahead_seconds), self.batch))
        if self.context is not None and self.mqs.backlog(key) > room:
            leases = []
            for request in self.mqs.take_surplus(key, int(room)):
                if META_LEASE in request.meta:
                    leases.append(request.meta[META_LEASE])
                else:
                    self.mqs.push(request)
            self.context.hand_back(leases)
        self._judge(key)

    def _judge(self, key: str) -> None:
        """Say whether enough of a host is queued here: at least half of what it can take soon."""
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
        now = time.monotonic()
        at = math.inf if self._alarm is not None else now + self._seconds_to_look()
        if self.limiter is not None:
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
        context = self.context
        if context is None or len(self.mqs):
            return LOOK_SECONDS
        due = context.seconds_to_next()
        return LOOK_SECONDS if due is None else min(due, LOOK_SECONDS)

    def _wake(self) -> None:
        self._alarm, self._alarm_at = None, math.inf
        self._dry_at = None
        context, crawler = self.context, self.crawler
        if crawler is None or self._closing or self._next is not None:
            return
        if context is not None and not context.stopping:
            try:
                if context.batch_is_full:
                    context.commit()
                if not context.paused and self.mqs.ready <= self.batch // 4:
                    for lease in self._lease(context):
                        self.mqs.push(context.request(lease))
            except StoreError as error:
                self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a context has it
                return
        self._next = self._pop()
        if self._next is not None:
            crawler.engine.crawl(self._next)
        elif context is None or not context.stopping:
            self._set_alarm()
            self._look_whether_over(crawler)

    def _look_whether_over(self, crawler: Crawler) -> None:
        """Let the engine end the crawl now if others have done the rest; by itself it looks each five seconds."""
        try:
            over = not self.has_pending_requests()
        except StoreError as error:
            self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a context has it
            return
        if over:
            crawler.engine.crawl(self._nudge)

    # --- pauses and stops -----------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Report, heed what people want, and whatever else the context does now and then."""
        context = self.context
        assert context is not None
        try:
            context.tick()
            self._rest_or_go_on(context)
        except StoreError as error:
            self.spider.fail(error)  # type: ignore[attr-defined]  # a spider with a context has it
        if context.stop_asked:
            self.spider.stop("`scrapy stop`")  # type: ignore[attr-defined]
        self.spider.count_figures()  # type: ignore[attr-defined]

    def _rest_or_go_on(self, context: Source) -> None:
        """Hand back what was not begun when a pause begins; go on at once when it is over."""
        if context.paused and not self._resting:
            self._resting = True
            self._aside += self._hand_back_queued(context)
        elif self._resting and not context.paused:
            self._resting = False
            for request in self._aside:
                self.mqs.push(request)
            self._aside.clear()
            self._dry_at = None
            self._wake()

    def _hand_back_queued(self, context: Source) -> list[Request]:
        """Hand back the leases that were not begun; returns the Requests without one."""
        gate = self.mqs.gate
        if self._next is not None and self.limiter is not None and META_TURN in self._next.meta:
            self.limiter.ended(self._next.meta.pop(META_TURN), sent=False)  # it was counted as started
        requests = [*([self._next] if self._next else []), *self.mqs.drain()]
        self._next, self.mqs.gate = None, gate
        self._busy.clear()
        self._busy_mark = 0
        context.hand_back([one.meta[META_LEASE] for one in requests if META_LEASE in one.meta])
        return [one for one in requests if META_LEASE not in one.meta]

    def _lease_anew(self) -> None:
        """Lease again what is queued here: the context would choose otherwise by now."""
        if self.context is not None and not self._resting and not self._closing:
            for request in self._hand_back_queued(self.context):
                self.mqs.push(request)
            self._dry_at = None

    def _lay_aside(self, request: Request) -> bool:
        """Keep back what comes while the crawl pauses; False for a redirect, which ends what is under way."""
        if META_LEASE not in request.meta:
            self._aside.append(request)
        elif request.meta.pop(META_PUT_BACK, False) and self.context is not None:
            self.context.hand_back([request.meta[META_LEASE]])
        else:
            return False
        return True
