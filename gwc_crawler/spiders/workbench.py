"""What one crawl works with: database, frontier, sink and committer, opened and closed together.

The spider makes it, the scheduler leases from it, the pipelines commit through it. Its methods are the few steps that
need more than one of its parts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request

from gwc_crawler.database import Database
from gwc_crawler.download.retry import RetryPolicy
from gwc_crawler.errors import GwcError, StoreError
from gwc_crawler.frontier import Frontier
from gwc_crawler.frontier.board import Report
from gwc_crawler.frontier.cuts import LimitsBook
from gwc_crawler.frontier.gate import Book, Gate, UrlGroup
from gwc_crawler.frontier.harvest import HarvestLimits
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.frontier.revisit_table import read_revisits
from gwc_crawler.frontier.scheduler import META_REVISIT, weight_meta
from gwc_crawler.items import Done, Failure, Lease, Revisit, StoredPage, Visit
from gwc_crawler.sites import Site
from gwc_crawler.spiders.site_state import mark_end
from gwc_crawler.spiders.steering import Steering
from gwc_crawler.store import Committer
from gwc_crawler.store.figures import stored_page
from gwc_crawler.urls import host_of

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
"""How often a crawl looks whether it is to pause or to stop."""

LEASE_ROUNDS = 50
"""So many batches of a closed class are given up in a row before the engine gets its turn again."""

CUT_BATCH = 1000
"""URLs leased at a time while they are all cut off."""


@dataclass
class Workbench:
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
    samples: Database | None = None
    samples_since: float = 0.0
    stopping: bool = False
    fatal: GwcError | None = None
    changes: int = 0
    pages: int = 0
    gate: Gate | None = None
    tick_seconds: float = TICK_SECONDS
    keeps_revisits: bool = False
    has_state: bool = False
    request_factory: Callable[[Lease, dict[str, Any]], Request] | None = None
    _revisits: dict[str, Revisit] = field(default_factory=dict)

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the best *count* URLs, none of *busy_hosts*, and use those that the gate lets pass."""
        for _ in range(LEASE_ROUNDS):
            given_up = self.gate.given_up if self.gate is not None else 0
            leases = self._take_leases(count, busy_hosts)
            revisits = self.frontier.revisits([lease.url for lease in leases]) if self.keeps_revisits and leases else {}
            self._revisits.update(revisits)
            if self.gate is None:
                return leases
            used, cut = self.gate.screen(leases, revisits)
            for reason, refused in cut.items():
                self.frontier.refuse(refused, reason)
            if used or not (leases or self.gate.given_up > given_up):
                return used
            count = CUT_BATCH
        self.changes += 1
        return []

    def _take_leases(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        return self.frontier.lease(count, self.owner, busy_hosts)

    def guard(
        self, group_of: Callable[[str], UrlGroup], limits: HarvestLimits | None = None, max_depth: int | None = None
    ) -> Gate:
        """Put a gate before the frontier; it goes on with what is known of cuts and classes."""
        self.gate = Gate(self.limits_book(), group_of, self.frontier.recall, limits=limits, max_depth=max_depth)
        self.frontier.gate = self.gate
        return self.gate

    def limits_book(self) -> Book:
        """Return where the gate keeps what it knows."""
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
        if self.gate is not None:
            self.gate.settle()

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page; a wait for a later attempt is the frontier's."""
        self.frontier.fail(lease, why)
        self.changes += 1
        if self.gate is not None and why.retry_at is None and why.revisit is None:
            self.gate.failed(lease.url, why.reason)

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

    def pause_host(self, url: str, until: float) -> None:
        """Lease nothing of this URL's host before *until* (epoch seconds)."""
        self.frontier.pause_host(host_of(url), until)

    def seconds_to_next(self) -> float | None:
        """Return how long until a waiting URL becomes due; None when none waits."""
        counts = self.frontier.counts()
        if not counts.waiting:
            return None
        return 1.0 if counts.next_ready_at is None else max(0.05, counts.next_ready_at - time.time())

    def has_work(self) -> bool:
        """Say whether this crawl has anything to wait for."""
        return self.frontier.counts().waiting > 0

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
        self.steering.heed(self.steering.board.exchange(self.report()))

    def report(self) -> Report:
        """Return how this worker does."""
        return self.steering.report(self.pages, self.under_way(), stopping=self.stopping)

    def under_way(self) -> int:
        """Return how many leases of this worker have not ended."""
        return self.frontier.counts().running

    def figures(self) -> dict[str, int]:
        """Return what becomes stats under gwc/frontier/."""
        return {}

    def flush(self) -> None:
        """Forget a shared crawl; the files of an embedded one are deleted by hand."""

    def close(self) -> None:
        """Commit what is pending and close everything; an error of the store is kept in `fatal`."""
        self._commit_last()
        mark_end(self)
        self.steering.leave()
        self._leave_counts()
        self.frontier.close()
        self.database.close()
        if self.samples is not None:
            self.samples.close()

    def _leave_counts(self) -> None:
        """Write the frontier's counts where the summary looks for them; an embedded frontier keeps them there."""

    def _commit_last(self) -> None:
        try:
            if len(self.committer):
                self.commit()
            elif self.gate is not None:
                self.gate.settle()
        except StoreError as error:
            self.fatal = self.fatal or error
            logger.error("last batch not stored, its pages will be fetched again pages=%d", len(self.committer))
