"""What one crawl works with: database, frontier, sink and committer, opened and closed together.

The spider makes it, the scheduler leases from it, the pipelines commit through it. Its methods are the few steps that
need more than one of its parts.
"""

from __future__ import annotations

import glob
import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from scrapy import Request

from gwc_crawler.admission import Admission, Book, LimitsBook, UrlGroup, YieldLimits
from gwc_crawler.assembly.site_state import mark_end
from gwc_crawler.control import Report, Steering
from gwc_crawler.errors import GwcError, StoreError
from gwc_crawler.frontier import Frontier, FrontierCounts, RoleQueues, UrlInfo
from gwc_crawler.frontier.sqlite import read_revisits
from gwc_crawler.items import Done, Failure, Lease, PageKind, Revisit, StoredPage, UrlState, Visit
from gwc_crawler.middlewares import SilentHosts
from gwc_crawler.politeness import RetryPolicy
from gwc_crawler.politeness.robots import FORBIDDEN, Robots
from gwc_crawler.recrawl import Intervals, Recrawl
from gwc_crawler.request_meta import META_REVISIT, weight_meta
from gwc_crawler.sites import Site
from gwc_crawler.store import Committer, Database, stored_page
from gwc_crawler.urls import host_of

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
"""How often a crawl looks whether it is to pause or to stop."""

LEASE_ROUNDS = 50
"""So many batches of a closed class are given up in a row before the engine gets its turn again."""

CUT_BATCH = 1000
"""URLs leased at a time while they are all cut off."""


class Outbox(Protocol):
    """What hands records on that are stored."""

    def note(self, visits: Sequence[Visit]) -> None:
        """Note, in the transaction in which they are stored, what came of these pages."""

    def release(self) -> None:
        """The transaction holds: hand on what was noted."""

    async def emit(self) -> None:
        """Hand on, before the crawl begins, what earlier runs left."""


@dataclass
class CrawlContext:
    """The parts of one crawl and the state they share.

    `stopping` is set when nothing more shall be leased; `steering` says when nothing shall be leased for now, and
    whether somebody asked for a stop. `fatal` holds the error that ended the crawl. `changes` counts what may have
    brought new URLs, so that an empty frontier is not asked again in vain. `tick` is to be called each `tick_seconds`.
    """

    site: Site
    frontier: Frontier
    committer: Committer
    database: Database
    retry: RetryPolicy
    steering: Steering
    owner: str
    on_site: Callable[[str], bool]
    queues: RoleQueues
    server: Any = None
    """The Redis in which hosts' limits are shared with other workers; None: this crawl has its own."""
    samples: Database | None = None
    samples_since: float = 0.0
    stopping: bool = False
    is_closed: bool = False
    fatal: GwcError | None = None
    changes: int = 0
    pages: int = 0
    pages_left: int | None = None
    admission: Admission | None = None
    robots: Robots | None = None
    on_refused_start: Callable[[Lease, str], None] | None = None
    tick_seconds: float = TICK_SECONDS
    keeps_revisits: bool = False
    silent: SilentHosts = field(default_factory=SilentHosts)
    """Which hosts don't answer: of those that are given up nothing is leased, and nobody waits for them."""
    has_state: bool = False
    was_complete: bool = False
    """Whether nothing was left to do when this crawl began."""
    outbox: Outbox | None = None
    """Who has to know what is stored: the feeds."""
    lease_anew: Callable[[], None] | None = None
    """Set by the scheduler: hands back what is leased and not begun."""
    request_factory: Callable[[Lease, dict[str, Any]], Request] | None = None
    _revisits: dict[str, Revisit] = field(default_factory=dict)

    @property
    def paused(self) -> bool:
        """Whether somebody asked for a pause."""
        return self.steering.paused

    @property
    def pauses(self) -> Collection[str]:
        """Why nothing shall be leased for now; none: nobody asked for a pause."""
        return self.steering.pauses

    def pause(self, reason: str, text: str) -> None:
        """Lease nothing more until `resume` is called for this *reason*; *text* is told."""
        self.steering.pause(reason, text)

    def resume(self, reason: str) -> None:
        """End the pause for this *reason*."""
        self.steering.resume(reason)

    @property
    def stop_asked(self) -> bool:
        """Whether somebody asked for a stop."""
        return self.steering.stop_asked

    @property
    def uncommitted(self) -> int:
        """Pages that were read and not committed yet."""
        return len(self.committer)

    @property
    def batch_is_full(self) -> bool:
        """Whether a commit is due."""
        return self.committer.full

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the best *count* URLs, none of *busy_hosts*, that admission lets pass; no more than `pages_left`."""
        if self.pages_left is not None:
            count = min(count, self.pages_left - self.under_way() + self.uncommitted)
        if self.silent.left_alone:
            busy_hosts = {*busy_hosts, *self.silent.hosts_left_alone}
        for _ in range(LEASE_ROUNDS):
            given_up = self.admission.given_up if self.admission is not None else 0
            leases = self._take_leases(count, busy_hosts)
            revisits = self.frontier.revisits([lease.url for lease in leases]) if self.keeps_revisits and leases else {}
            self._revisits.update(revisits)
            if self.admission is None:
                return leases
            used, cut = self.admission.screen(leases, revisits)
            for reason, refused in cut.items():
                self.frontier.refuse(refused, reason)
                if self.on_refused_start is not None and (starts := [one for one in refused if not one.depth]):
                    self.on_refused_start(starts[0], reason)
            if used or not (leases or self.admission.given_up > given_up):
                return used
            count = CUT_BATCH if self.pages_left is None else count
        self.changes += 1
        return []

    def _take_leases(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        return self.frontier.lease(count, self.owner, busy_hosts)

    def guard(
        self, group_of: Callable[[str], UrlGroup], limits: YieldLimits | None = None, max_depth: int | None = None
    ) -> Admission:
        """Put an admission before the frontier; it goes on with what is known of rejections and classes."""
        admission = Admission(
            self.limits_book(),
            group_of,
            self.frontier.recall,
            limits=limits,
            max_depth=max_depth,
            robots=self.robots,
            readmit=self.frontier.readmit,
        )
        self.put(admission)
        return admission

    def put(self, admission: Admission) -> None:
        """Put *admission* before the frontier."""
        self.frontier.admission = self.admission = admission
        self.database.on_rollback(admission.forget_refused)

    def limits_book(self) -> Book:
        """Return where admission keeps what it knows."""
        return LimitsBook(self.database)

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL; the one place where crawl Requests come from."""
        assert self.request_factory is not None
        meta = weight_meta(lease)
        meta[META_REVISIT] = self._revisits.pop(lease.url, None)
        return self.request_factory(lease, meta)

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch; commits when the batch is full."""
        page = visit.page
        self.pages += 1
        self.committer.add(visit, Done(visit.lease, page.url, page.kind, page.relevant, page.admitted, visit.revisit))
        if self.committer.full:
            self.commit()

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        """Put a page into the batch that has not changed (304): nothing of it is read or written anew."""
        self.pages += 1
        self.committer.add(None, Done(lease, url, revisit.kind, revisit.relevant, revisit=revisit, unread=True))
        if self.committer.full:
            self.commit()

    def revisit_of(self, url: str) -> Revisit | None:
        """Return what is kept of the page at *url*, if it was fetched before."""
        return self.frontier.revisits([url]).get(url) if self.keeps_revisits else None

    def commit(self) -> None:
        """Commit the batch: pages, links and records, then the frontier.

        Raises:
            StoreError: the batch stays for a later try; nothing of it is half written.
        """
        self.committer.commit()
        self.changes += 1
        if self.outbox is not None:
            self.outbox.release()
        if self.admission is not None:
            self.admission.settle()

    def hand_on_to(self, outbox: Outbox) -> None:
        """Let *outbox* know what is stored."""
        self.outbox = outbox
        self.committer.on_commit = outbox.note

    async def emit_the_rest(self) -> None:
        """Before the crawl begins: hand on what earlier runs left."""
        if self.outbox is not None:
            await self.outbox.emit()

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page; a wait for a later attempt is the frontier's."""
        if why.reason == FORBIDDEN and why.retry_at is None and why.revisit is None:
            self.frontier.refuse([lease], FORBIDDEN)
        else:
            self.frontier.fail(lease, why)
        self.changes += 1
        if self.admission is not None and why.retry_at is None and why.revisit is None:
            self.admission.failed(lease.url, why.reason)

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease still holds, as far as is known here; an embedded crawl is alone."""
        return True

    def hand_back(self, leases: Sequence[Lease]) -> None:
        """Return leases that were not begun."""
        if leases:
            try:
                self.frontier.release(leases)
            except StoreError as error:
                logger.warning("leases not handed back, they expire count=%d error=%s", len(leases), error)

    def rules_changed(self, origin: str) -> None:
        """Have what robots.txt of *origin* kept out judged anew: it says something else than the last time."""
        if self.admission is not None:
            self.admission.rules_changed(f"{glob.escape(origin)}/*")
            self.changes += 1

    def pause_host(self, url: str, until: float) -> None:
        """Lease nothing of this URL's host before *until* (epoch seconds)."""
        self.frontier.pause_host(host_of(url), until)

    def seconds_to_next(self) -> float | None:
        """Return how long until a waiting URL becomes due; None when none waits."""
        counts = self.frontier.counts()
        if not counts.waiting:
            return None
        return 1.0 if counts.next_ready_at is None else max(0.05, counts.next_ready_at - time.time())

    def counts(self) -> FrontierCounts:
        """Return how many URLs are where."""
        return self.frontier.counts()

    def find(self, url: str) -> UrlInfo | None:
        """Return what is known of *url*."""
        return self.frontier.find(url)

    def redirect(self, lease: Lease, target: str) -> bool:
        """Put *target*, too, under the lease; False where it is known already."""
        return self.frontier.redirect(lease, target)

    def look_again(self, which: Recrawl, limits: Intervals) -> int:
        """Let pages wait again that were fetched; return how many."""
        return self.frontier.recrawl(which, limits)

    def know_targets(self, is_target: Callable[[str], bool] | None) -> None:
        """Have queues tell targets from other pages by *is_target*."""
        self.queues.is_target = is_target

    def has_answered(self, origin: str) -> bool:
        """Say whether *origin* has answered in an earlier run."""
        if self.robots is not None:
            return self.robots.was_read(origin)
        return bool(self.frontier.select(f"{glob.escape(origin)}/*", [UrlState.COMPLETE], 1))

    def has_nothing_else(self) -> bool:
        """Say whether no page is stored and no URL waits but of hosts that are given up: others may have to rest."""
        counts = self.frontier.counts()
        given_up = {host_of(host) for host in self.silent.given_up}
        return not counts.complete and not len(self.committer) and counts.waiting <= self.frontier.waiting_of(given_up)

    def has_pages(self) -> bool:
        """Say whether this crawl has got a page, in any run; a redirect off the site is none."""
        try:
            done = self.frontier.select("*", [UrlState.COMPLETE])
        except StoreError:
            return False  # it is told when the context closes
        return any(one.kind is not PageKind.REDIRECT for one in done)

    def has_work(self) -> bool:
        """Say whether this crawl has anything to wait for."""
        return self._waits_beside_silent(self.frontier.counts())

    def _waits_beside_silent(self, counts: FrontierCounts) -> bool:
        """Say whether URLs wait of hosts that are not given up."""
        left_alone = self.silent.hosts_left_alone
        return counts.waiting > (self.frontier.waiting_of(left_alone) if left_alone and counts.waiting else 0)

    def silent_text(self) -> str:
        """Say of each host that was given up with URLs that wait since when it is silent, and how many; "": of none."""
        told = self.silent.told()
        waiting = {host: self.frontier.waiting_of((host_of(host),)) for host in sorted(self.silent.left_alone)}
        return "; ".join(
            f"{host_of(host)} {told[host]}; {count} URLs of it wait" for host, count in waiting.items() if count
        )

    def stored_sample(self, url: str) -> StoredPage | None:
        """Return what the pre-crawl stored of *url*, when it is recent enough to be used instead of a fetch."""
        if self.samples is None:
            return None
        return stored_page(self.samples, url, since=self.samples_since)

    def sample_validators(self, url: str) -> dict[str, str]:
        """Return the ETag and Last-Modified that the pre-crawl got with *url*."""
        kept = read_revisits(self.samples, [url]).get(url) if self.samples is not None else None
        if kept is None:
            return {}
        return {name: value for name, value in (("ETag", kept.etag), ("Last-Modified", kept.last_modified)) if value}

    def tick(self) -> None:
        """Do what has to be done now and then, whether pages come or not: commit what is old, report, heed wishes."""
        if self.committer.full:
            self.commit()
        self.steering.heed(self.steering.channel.exchange(self.report()))

    def report(self) -> Report:
        """Return how this worker does."""
        silent = tuple(f"{host_of(host)} {words}" for host, words in self.silent.told().items())
        return self.steering.report(self.pages, self.under_way(), stopping=self.stopping, silent=silent)

    def under_way(self) -> int:
        """Return how many leases of this worker have not ended."""
        return self.frontier.counts().running

    def figures(self) -> dict[str, int]:
        """Return what becomes stats under gwc/frontier/."""
        return {}

    def flush(self) -> None:
        """Forget a shared crawl; the files of an embedded one are deleted by hand."""

    def close(self) -> None:
        """Commit what is pending and close everything, once; an error of the store is kept in `fatal`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._commit_last()
        mark_end(self)
        self.steering.leave()
        self._leave_counts()
        self.frontier.close()
        self.database.close()
        if self.samples is not None:
            self.samples.close()
        if self.server is not None:
            self.server.close()

    def _leave_counts(self) -> None:
        """Write the frontier's counts where the summary looks for them; an embedded frontier keeps them there."""

    def _commit_last(self) -> None:
        try:
            if len(self.committer):
                self.commit()
            elif self.admission is not None:
                self.admission.settle()
        except StoreError as error:
            self.fatal = self.fatal or error
            logger.error("last batch not stored, its pages will be fetched again pages=%d", len(self.committer))
        try:
            self.committer.close()
        except StoreError as error:
            self.fatal = self.fatal or error
