"""The parts of a worker that shares its crawl: frontier, channel and robots.txt texts in Redis, pages in a file.

Loaded only if Redis is used (GWC_FRONTIER = redis).
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass

from scrapy import Request

from gwc_crawler.crawl.common import Common, LeasingSpider
from gwc_crawler.crawl.context import TICK_SECONDS, CrawlContext, CrawlControl
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.redis_parts import connect, open_channel, open_frontier, start_urls
from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.admission import Book
from gwc_crawler.frontier.redis.retrying import RetryingFrontier
from gwc_crawler.frontier.redis.start_urls import StartUrl
from gwc_crawler.frontier.redis.wire import LINKS_A_CALL
from gwc_crawler.frontier.rejections import LimitsBook
from gwc_crawler.frontier.shared_rejections import SharedLimitsBook
from gwc_crawler.frontier.sqlite.revisits import RevisitMirror
from gwc_crawler.items import Failure, Lease, Revisit, Visit
from gwc_crawler.network.politeness.shared import RedisRobots
from gwc_crawler.operate.fleet.redis_channel import RedisChannel
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.redis_server import Server, redis_errors
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SharedSqliteSink
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.options import chosen_sinks, lease_options

logger = logging.getLogger(__name__)


class SharedLeases(Leases):
    """The leases of one worker; each look at a page is noted in *mirror*, also by the store."""

    def __init__(self, common: Common, frontier: RetryingFrontier, book: Book, mirror: RevisitMirror) -> None:
        super().__init__(common, frontier, book)
        self._busy_at = time.monotonic()
        settings = common.spider.settings
        self._idle_seconds = settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE")
        """How long to wait for start URLs from outside when everything is done."""
        self._mirror = mirror
        self._retrying = frontier
        self._shared = frontier.shared

    def take_start(self, start: StartUrl) -> None:
        """Put a URL from outside into the queue, if it is on the site. OutageError: Redis can't be reached."""
        if self.on_site(start.url):
            self._retrying.feed(self._spider.clean(start.url), start.meta)
            self.changes += 1
        else:
            name = self._spider.site.name
            logger.warning("start URL left out, it is off the site site=%s url=%s", name, start.url)

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL, with the meta that it was fed with."""
        request = super().request(lease)
        for name, value in self._shared.meta_of(lease).items():
            request.meta.setdefault(name, value)
        return request

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease is this worker's still, as far as is known here; gives it back where its part is not."""
        is_held = lease.token in self._shared.under_way
        if is_held and not self._shared.may_begin(lease):
            self.hand_back([lease])
            return False
        return is_held

    @property
    def owned_parts(self) -> list[int]:
        """Return the parts of the queues that this worker owns; [] if no worker owns any."""
        return self._shared.owned_parts

    def may_lease(self) -> bool:
        """Say whether something waits for this worker now."""
        mine, counts = self._shared.open_parts, self._retrying.part_counts()
        return self._retrying.counts().ready_now and any(part in mine for part, waiting in enumerate(counts) if waiting)

    def give_up(self, lease: Lease, why: Failure) -> None:
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
        return TICK_SECONDS / 2

    def under_way(self) -> int:
        return len(self._shared.under_way)

    def stats(self) -> dict[str, int]:
        """Return the counts of the cache of known URLs, of late pages, and of lost leases."""
        shared = self._shared
        return {
            "known_hits": shared.known.hits,
            "known_misses": shared.known.misses,
            "outdated": shared.outdated,
            "leases_taken_back": shared.lost,
        }


class SharedBatcher(Batcher):
    """The batch of one worker."""

    found: Counter[str] | None = None
    """Counts of links to hosts of other sites, None if nobody wants them."""
    counts_sink: SharedSqliteSink
    """Takes the frontier's counts at the end."""
    mirror: RevisitMirror
    """The file in which each look at a page is noted, also by the leases."""
    _frontier: RetryingFrontier

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch, and count its links to other sites."""
        page = visit.page
        if self.found is not None:
            self.found.update(map(host_of, page.outside))
        self.mirror.note(page.url, visit.revisit)
        super().keep(visit)

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        self.mirror.note(url, revisit)
        super().keep_unread(lease, url, revisit)

    def commit(self) -> bool:
        """Commit the batch. Pages whose leases others have taken over are left to them."""
        if late := self._frontier.late([done.lease for done in self._done]):
            shared = self._frontier.shared
            shared.outdated += len(late)
            self.leave_out(late)
            logger.warning("leases ran out, other workers fetch their pages pages=%d", len(late))
        self.mirror.write()
        return super().commit()

    def leave_counts(self) -> None:
        """Write the frontier's counts into the file, where the summary looks. StoreError: it can't be written."""
        counts = self._frontier.counts()
        if not self._frontier.away:
            self.mirror.write()
            self.counts_sink.write_counts(
                {"U": counts.waiting, "R": counts.running, "C": counts.complete, "E": counts.error}
            )


class SharedControl(CrawlControl):
    """The control of one worker."""

    channel: RedisChannel
    _leases: SharedLeases

    def __init__(
        self,
        common: Common,
        channel: RedisChannel,
        leases: SharedLeases,
        store: SharedBatcher,
        frontier: RetryingFrontier,
        server: Server,
    ) -> None:
        super().__init__(common, channel, leases, store)
        settings = common.spider.settings
        self._beat_at = 0.0
        self._beat_seconds = lease_options(settings).beat_seconds
        """How often leases under way here are extended."""
        self.tick_seconds = min(TICK_SECONDS, self._beat_seconds)
        self._frontier = frontier
        self._server = server
        self._starts = start_urls(common.site.name, settings, server)
        self._exchange()

    def tick(self) -> None:
        """Extend leases under way, commit old pages, report, obey wishes, take start URLs in."""
        now = time.monotonic()
        if now >= self._beat_at:
            self._beat_at = now + self._beat_seconds
            self._frontier.beat(stopping=self.stopping)
        super().tick()

    def _exchange(self) -> None:
        """Ask for start URLs and wishes, and leave the report: one round trip."""
        if self._frontier.away:
            self._frontier.counts()  # asks again when its rest is over
            return
        try:
            with redis_errors():
                pipeline = self._server.pipeline(transaction=False)
                self._starts.ask(pipeline, LINKS_A_CALL)
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
    store: SharedBatcher


def open_shared(spider: LeasingSpider, database: CrawlDatabase, undo: ExitStack) -> SharedContext:
    """Open one worker's part of a crawl. Raises OutageError: Redis can't be reached."""
    settings, site = spider.settings, spider.site.name
    server = connect(settings)
    undo.callback(server.close)
    frontier = open_frontier(site, settings, server, spider.max_weight, spider.queues)
    channel = open_channel(site, settings, server)
    channel.forget_the_vanished()
    queue_key = frontier.shared.queue_key
    common = Common(spider, database, undo, RedisRobots(server, queue_key), server)
    book = SharedLimitsBook(server, queue_key, LimitsBook(database))
    mirror, sink = RevisitMirror(database), common.sink(SharedSqliteSink)
    leases = SharedLeases(common, frontier, book, mirror)
    store = common.store(SharedBatcher, frontier, sink, leases.settle, None, chosen_sinks(settings))
    store.counts_sink, store.mirror = sink, mirror
    common.put_starts_into(frontier)
    control = SharedControl(common, channel, leases, store, frontier, server)
    return SharedContext(common, frontier, leases, store, control)
