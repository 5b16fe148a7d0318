"""The context of a pre-crawl: start URLs first, then others while pages are missing and enough may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.settings import BaseSettings

from gwc_crawler.admission import PUT_OFF, SamplingAdmission, forget_rejections
from gwc_crawler.assembly.beginning import Beginning, is_in_redis, queues_of, site_database
from gwc_crawler.assembly.context import CrawlContext
from gwc_crawler.assembly.robots_parts import robots_of
from gwc_crawler.assembly.site_files import SAMPLES_DB
from gwc_crawler.control import SqliteChannel
from gwc_crawler.frontier.sqlite import PrecrawlFrontier
from gwc_crawler.items import Failure, Lease, PageKind, RejectionReason, Visit
from gwc_crawler.politeness.robots import origin_of
from gwc_crawler.sites import Site
from gwc_crawler.store import SqliteSink
from gwc_crawler.store.state import RobotsTable

if TYPE_CHECKING:
    from gwc_crawler.redis_server import Server

ASKED_A_PAGE = 3
"""A pre-crawl asks for so many URLs at most for each page it wants, and for ASKED_BESIDES more."""

ASKED_BESIDES = 20

SHORTEST_LEASE_SECONDS = 600.0
"""A pre-crawl is one process, known to live: short leases would only run out at a host that rests."""


@dataclass
class PrecrawlContext(CrawlContext):
    """The parts of a pre-crawl."""

    frontier: PrecrawlFrontier
    starts: Sequence[str] = ()
    missing: int = 0
    """So many pages are to be fetched besides those that are stored."""
    asks_left: int = 0
    """So many more URLs may be asked for, starts aside; over all runs."""
    sampling: SamplingAdmission | None = None

    def look_what_is_missing(self, pages: int, fresh_since: float) -> tuple[int, int, int]:
        """Let pages fetched before *fresh_since* wait again, and note how many of *pages* are still to be fetched.

        Returns how many are stored, how many were too old, and how many start URLs are not settled.
        """
        old = self.frontier.let_old_wait(fresh_since)
        stored = self.frontier.pages()
        self.starts = self.site.starts
        self.missing = max(0, pages - stored)
        return stored, old, self.frontier.unsettled(self.starts)

    def sample(self, pages: int, is_wanted: Callable[[str], bool]) -> SamplingAdmission:
        """Put admission before the frontier, with what earlier runs have met; *pages*: so many are wanted in all."""
        self.asks_left = max(0, ASKED_A_PAGE * pages + ASKED_BESIDES - self.frontier.asked())
        if self.wants_more:
            self.frontier.take_up_again()
            forget_rejections(self.database, (RejectionReason.ERRORS, RejectionReason.DOUBTFUL))
        self.sampling = admission = SamplingAdmission(
            self.limits_book(),
            self.frontier.recall,
            found_on=self.frontier.found_on,
            is_wanted=is_wanted,
            robots=self.robots,
            readmit=self.frontier.readmit,
        )
        admission.learn(self.frontier.outcomes())
        self.put(admission)
        return admission

    @property
    def wants_more(self) -> bool:
        """Whether anything but start URLs is to be asked for."""
        return self.missing > 0 and self.asks_left > 0

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the start URLs that are ready, and others; no more than may be asked for."""
        used = super().lease(count, busy_hosts)
        room = max(min(count, self.asks_left), sum(not lease.depth for lease in used))
        self.frontier.release(used[room:])
        return used[:room]

    def _take_leases(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        leases = self.frontier.lease_first(self._wanted_starts, self.owner)
        if self.wants_more:
            leases += super()._take_leases(count - len(leases), busy_hosts)
        return leases

    def has_work(self) -> bool:
        """Say whether anything waits that this pre-crawl wants."""
        return super().has_work() if self.wants_more else self.frontier.unsettled(self._wanted_starts) > 0

    @property
    def _wanted_starts(self) -> Sequence[str]:
        """The start URLs, but for those of hosts that are given up."""
        left_alone = self.silent.left_alone
        return [url for url in self.starts if origin_of(url) not in left_alone] if left_alone else self.starts

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL, and count it."""
        self.asks_left -= 1
        return super().request(lease)

    def hand_back(self, leases: Sequence[Lease]) -> None:
        """Return leases that were not begun."""
        self.asks_left += len(leases)
        super().hand_back(leases)

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch. One that says it is none, and a redirect to what is known, bring nothing."""
        without_yield = visit.page.kind in (PageKind.MISSING, PageKind.REDIRECT)
        self._note(visit.lease, Failure(visit.page.kind.value) if without_yield else None)
        super().keep(visit)

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page."""
        super().give_up(lease, why)
        self._note(lease, why)

    def _note(self, lease: Lease, failure: Failure | None) -> None:
        if self.sampling is not None and self.sampling.came_of(lease, failure) and self.lease_anew is not None:
            self.lease_anew()

    def take_up(self) -> bool:
        """When nothing else is left: let what was put off wait again; False where there is nothing.

        First what stands on several pages, then a share of the rest.
        """
        admission = self.sampling
        if self.stopping or not self.wants_more or admission is None or not admission.put_off:
            return False
        self.changes += 1
        if linked := self.frontier.take_up_linked(PUT_OFF):
            admission.trust(linked)
            return True
        return admission.try_some(self.asks_left)

    def figures(self) -> dict[str, Any]:
        """Return what becomes stats under gwc/frontier/."""
        return {"asks_left": self.asks_left}


def open_precrawl(site: Site, settings: BaseSettings) -> PrecrawlContext:
    """Open a site's pre-crawl, which is always one process's, and put its start URLs in.

    Raises:
        StoreError: the directory or file can't be used, or another pre-crawl of the site is running.
        OutageError: crawls are shared, and Redis can't be reached.
    """
    with site_database(site, settings, SAMPLES_DB) as database:
        beginning = Beginning(site=site, settings=settings, database=database, queues=queues_of(settings))
        server = _server_of_the_crawl(settings) if is_in_redis(settings) else None
        frontier = PrecrawlFrontier(
            database,
            lease_seconds=max(settings.getfloat("GWC_LEASE_SECONDS"), SHORTEST_LEASE_SECONDS),
            max_lost_leases=settings.getint("GWC_MAX_LEASES"),
            queue_of=beginning.queues,
        )
        sink = SqliteSink(database, site=site.name, fields=(), keep_html="all")
        channel = SqliteChannel(database)
        channel.leave(beginning.owner)  # whoever was at it before is gone
        committer = beginning.committer(frontier, sink, database)
        beginning.put_starts_into(frontier)
        return PrecrawlContext(
            site=site,
            frontier=frontier,
            committer=committer,
            database=database,
            retry=beginning.retry(),
            steering=beginning.steering(channel),
            owner=beginning.owner,
            on_site=beginning.on_site(),
            queues=beginning.queues,
            server=server,
            robots=robots_of(settings, RobotsTable(database)),
        )


def _server_of_the_crawl(settings: BaseSettings) -> Server:
    """Return the Redis in which the hosts' limits are those of all workers; it is loaded only where it is asked for."""
    from gwc_crawler.assembly.redis_parts import connect

    return connect(settings)
