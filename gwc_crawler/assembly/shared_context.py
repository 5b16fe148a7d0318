"""The context of a worker that shares its crawl: frontier in Redis, heartbeat, start URLs from outside, one end.

Chosen by GWC_FRONTIER = redis (`open_context`); `RedisFrontierScheduler` calls `tick`.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from scrapy import Request

from gwc_crawler.admission import Book, LimitsBook, SharedLimitsBook
from gwc_crawler.assembly.beginning import Beginning
from gwc_crawler.assembly.context import TICK_SECONDS, CrawlContext
from gwc_crawler.assembly.redis_parts import connect, open_channel, open_frontier, start_urls
from gwc_crawler.assembly.robots_parts import robots_of
from gwc_crawler.control import RedisChannel
from gwc_crawler.errors import OutageError, StoreError
from gwc_crawler.frontier.redis import RetryingFrontier, StartUrl, StartUrls
from gwc_crawler.frontier.sqlite import queue_state as queue_state
from gwc_crawler.frontier.sqlite import revisits as revisit_table
from gwc_crawler.items import Failure, Lease, Revisit, Visit
from gwc_crawler.politeness.robots import RedisRobots
from gwc_crawler.redis_server import Server, redis_errors
from gwc_crawler.store import SharedSqliteSink
from gwc_crawler.urls import host_of

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often a worker without work looks whether others have found some."""

STARTS_A_TICK = 1000


@dataclass
class SharedContext(CrawlContext):
    """The parts of one worker of a crawl."""

    frontier: RetryingFrontier
    sink: SharedSqliteSink = field(kw_only=True)
    server: Server = field(kw_only=True)
    starts: StartUrls = field(kw_only=True)
    channel: RedisChannel = field(kw_only=True)
    beat_seconds: float = field(kw_only=True)
    idle_seconds: float = field(kw_only=True)
    """How long to wait for start URLs from outside when everything is done (MAX_IDLE_TIME_BEFORE_CLOSE)."""
    parts: Collection[int] = ()
    """The parts of the queue that this worker leases from (0 … `frontier.shared.parts` − 1); none named: all."""
    found: Counter[str] | None = None
    """Where links to hosts of other sites are counted, if anybody wants to know."""
    _busy_at: float = field(default_factory=time.monotonic, kw_only=True)
    _beat_at: float = field(default=0.0, kw_only=True)
    _looks: list[tuple[str, Revisit]] = field(default_factory=list, kw_only=True)

    def __post_init__(self) -> None:
        self.tick_seconds = min(TICK_SECONDS, self.beat_seconds)
        self._exchange()

    def _take_leases(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        return self.frontier.lease(count, self.owner, busy_hosts, self.parts)

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch, and count its links to other sites."""
        if self.found is not None:
            self.found.update(map(host_of, visit.page.outside))
        self._looked_at(visit.page.url, visit.revisit)
        super().keep(visit)

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL, with what it was fed with as meta."""
        request = super().request(lease)
        for name, value in self.frontier.shared.meta_of(lease).items():
            request.meta.setdefault(name, value)
        return request

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease is this worker's still, as far as is known here."""
        return lease.token in self.frontier.shared.under_way

    def commit(self) -> None:
        """See `CrawlContext.commit`. Pages whose leases others have taken over are left to them."""
        if late := self.frontier.late(self.committer.leases):
            self.frontier.shared.refused += len(late)
            self.committer.leave_out(late)
            logger.warning("leases ran out, other workers fetch their pages pages=%d", len(late))
        self._write_looks()
        super().commit()

    def has_work(self) -> bool:
        """Say whether anything waits or is leased, here or elsewhere, or may still be pushed in."""
        counts = self.frontier.counts()
        if counts.running or self._waits_beside_silent(counts):
            self._busy_at = time.monotonic()
            return True
        return time.monotonic() - self._busy_at < self.idle_seconds

    def seconds_to_next(self) -> float | None:
        """Return when to look again: others may bring URLs at any moment."""
        return LOOK_SECONDS if self.has_work() else None

    def tick(self) -> None:
        """Extend what is under way, commit what has become old, report, heed wishes, take start URLs in."""
        now = time.monotonic()
        if now >= self._beat_at:
            self._beat_at = now + self.beat_seconds
            self.frontier.beat()
        if self.committer.full:
            self.commit()
        self._exchange()

    def limits_book(self) -> Book:
        """Return where all workers' gates keep what they know."""
        return SharedLimitsBook(self.server, self.frontier.shared.queue_key, LimitsBook(self.database))

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        """Put a page into the batch that has not changed."""
        self._looked_at(url, revisit)
        super().keep_unread(lease, url, revisit)

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page."""
        if why.revisit is not None:
            self._looked_at(lease.url, why.revisit)
            self._write_looks()
        super().give_up(lease, why)

    def _write_looks(self) -> None:
        """Have the file say, too, when each page was looked at: for people; Redis has its own.

        Before the frontier moves on, so that a killed worker leaves nothing out.
        """
        if not self._looks:
            return
        with self.database.transaction() as connection:
            ids = self.database.urls.ids([url for url, _ in self._looks])
            looks = [look for _, look in self._looks]
            revisit_table.write_revisits(connection, list(zip(ids, looks, strict=True)))
        self._looks.clear()

    def _looked_at(self, url: str, revisit: Revisit | None) -> None:
        if revisit is not None:
            self._looks.append((url, revisit))

    def part_counts(self) -> list[int]:
        """Return how many URLs wait in each part of the queue."""
        return self.frontier.part_counts()

    def under_way(self) -> int:
        """Return how many leases of this worker have not ended."""
        return len(self.frontier.shared.under_way)

    def _exchange(self) -> None:
        """Ask for start URLs and wishes, and leave the report: one round trip."""
        if self.frontier.away:
            self.frontier.counts()  # asks again when its rest is over
            return
        try:
            with redis_errors():
                pipeline = self.server.pipeline(transaction=False)
                self.starts.ask(pipeline, STARTS_A_TICK)
                self.channel.ask(pipeline, self.report())
                entries, _, desired = pipeline.execute()
            self.steering.heed(self.channel.answer(desired))
            if not self.stopping:
                self._take_starts(self.starts.answer(entries))
        except OutageError:
            self.frontier.counts()  # finds the outage, and says so once

    def _take_starts(self, starts: Sequence[StartUrl]) -> None:
        for start in starts:
            if self.on_site(start.url):
                self.frontier.feed(start.url, start.meta)
                self.changes += 1
            else:
                logger.warning("start URL left out, it is off the site site=%s url=%s", self.site.name, start.url)
            self.starts.confirm(start.raw)

    def figures(self) -> dict[str, int]:
        """Return how the cache of known URLs does, and what was refused or lost."""
        shared = self.frontier.shared
        return {
            "known_hits": shared.known.hits,
            "known_misses": shared.known.misses,
            "refused": shared.refused,
            "leases_taken_back": shared.lost,
        }

    def flush(self) -> None:
        """Forget the whole crawl, for all workers."""
        self.frontier.shared.clear()

    def _leave_counts(self) -> None:
        counts = self.frontier.counts()
        if self.frontier.away:
            return
        try:
            self._write_looks()
            self.sink.write_counts({"U": counts.waiting, "R": counts.running, "C": counts.complete, "E": counts.error})
        except StoreError as error:  # the leases are handed back all the same
            self.fatal = self.fatal or error


def open_shared(beginning: Beginning) -> SharedContext:
    """Open one worker's part of a crawl: frontier, channel and robots.txt texts in Redis, pages in its own file.

    Raises:
        OutageError: Redis can't be reached.
    """
    site, settings, database = beginning.site, beginning.settings, beginning.database
    server = connect(settings)
    database.create_tables(queue_state.SCHEMA)  # the frontier's tables, empty: what looks into the file finds them
    database.create_tables(revisit_table.SCHEMA)
    sink = SharedSqliteSink(database, site=site.name, fields=beginning.fields, keep_html=beginning.keep_html)
    frontier = open_frontier(site.name, settings, server, beginning.max_weight, beginning.queues)
    channel = open_channel(site.name, settings, server)
    channel.forget_the_vanished()
    rules = RedisRobots(server, frontier.shared.queue_key)
    committer = beginning.committer(frontier, sink, None)
    samples = beginning.samples(rules)
    beginning.put_starts_into(frontier)
    return SharedContext(
        site=site,
        frontier=frontier,
        committer=committer,
        database=database,
        retry=beginning.retry(),
        steering=beginning.steering(channel),
        owner=beginning.owner,
        on_site=beginning.on_site(),
        queues=beginning.queues,
        samples=samples,
        samples_since=beginning.samples_since,
        robots=robots_of(settings, rules),
        sink=sink,
        channel=channel,
        server=server,
        starts=start_urls(site.name, settings, server),
        beat_seconds=settings.getfloat("GWC_LEASE_SECONDS") / 4,
        idle_seconds=settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE"),
    )
