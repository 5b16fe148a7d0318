"""The parts of one crawl, put together by its backend's factory (`opening`) and closed together.

The spider and Scrapy's components take the part they need from it, and work with that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gwc_crawler.crawl.common import Common, Scheduling
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.errors import GwcError, SilentHostError, StoreError
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.items import UrlState
from gwc_crawler.operate.fleet.channel import Channel, Report
from gwc_crawler.operate.fleet.control import Steering
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.sink import Standing
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import mark_sites, site_state
from gwc_crawler.urls import host_of

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
"""How often a crawl looks what it is to do, and what others have done: whether it is to pause or to stop."""


class CrawlControl(Steering):
    """The steering of one crawl. The scheduler calls `tick` each `tick_seconds`, and obeys.

    `stopping` is set when nothing more shall be leased, `paused` while nothing shall be; `stop_asked` says whether
    somebody asked for a stop. `fatal` holds the error that ended the crawl.
    """

    def __init__(self, common: Common, channel: Channel, leases: Leases, store: PageStore) -> None:
        super().__init__(common.site.name, channel, common.owner, stays_paused=common.stays_paused)
        self.stopping = False
        self.fatal: GwcError | None = None
        self.tick_seconds = TICK_SECONDS
        self._silent = common.spider.contact
        self._leases = leases
        self._store = store

    def end_by(self, error: GwcError) -> None:
        """Remember the error that ends the crawl; the first one counts."""
        self.fatal = self.fatal or error

    def tick(self) -> None:
        """Do the regular tasks: commit, report, obey wishes. Raises StoreError: the store can't be written."""
        if self._store.full:
            self._store.commit()
        self._exchange()

    def _exchange(self) -> None:
        self.heed(self.channel.exchange(self.report_of_crawl()))

    def report_of_crawl(self) -> Report:
        """Return how this worker does."""
        silent = tuple(f"{host_of(host)} {words}" for host, words in self._silent.told().items())
        return self.report(self._store.pages, self._leases.under_way(), stopping=self.stopping, silent=silent)


LEFT_STATES = (UrlState.WAITING, UrlState.RUNNING, UrlState.ERROR)

MOST_LEFT = 100_000
"""Maximum number of the URLs left by a run that are reported to a server."""


class SiteState:
    """The state of one site. `was_complete`: whether nothing was left to do when this crawl began."""

    def __init__(self, database: CrawlDatabase, site: Site) -> None:
        self.was_complete = False
        self._database = database
        self._has_begun = False
        self._site = site

    def begin(self) -> None:
        """Say that the crawl runs. Raises StoreError: its file can't be written."""
        self._has_begun = True
        self.was_complete = site_state(self._database, self._site.name) is UrlState.COMPLETE
        self._mark(UrlState.RUNNING)

    def tell(self, frontier: Frontier, leases: Leases, fatal: GwcError | None, store: PageStore) -> None:
        """Tell the sinks elsewhere how the crawl ends, and which URLs it leaves."""

        def left() -> list[tuple[str, str, str | None, int, int, int]]:
            urls = frontier.select(states=LEFT_STATES, limit=MOST_LEFT)
            first = frontier.find(self._site.entry[0])
            known = {one.url: one for one in (first, *urls) if one is not None and one.state is not None}
            return [
                (one.url, str(one.state), one.reason, one.attempts, one.weight, one.depth) for one in known.values()
            ]

        with self._warning():
            if (state := self._at_end(frontier, leases, fatal)) is not None:
                store.tell(Standing(self._site.entry[0], state, time.time(), left))

    def end(self, frontier: Frontier, leases: Leases, fatal: GwcError | None) -> None:
        """Say how the crawl ended."""
        with self._warning():
            if (state := self._at_end(frontier, leases, fatal)) is not None:
                self._mark(state)

    def _at_end(self, frontier: Frontier, leases: Leases, fatal: GwcError | None) -> UrlState | None:
        """Return how the crawl ended: C; E; U if it can go on, R if other workers go on; None if it can't be known."""
        if not self._has_begun or isinstance(fatal, StoreError):
            return None
        counts = frontier.counts()
        if fatal is not None and not isinstance(fatal, SilentHostError):
            return UrlState.ERROR
        if counts.finished:
            return UrlState.COMPLETE
        return UrlState.RUNNING if counts.running > leases.under_way() else UrlState.WAITING

    @contextmanager
    def _warning(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            logger.warning("the site's state could not be written site=%s error=%s", self._site.name, error)

    def _mark(self, state: UrlState) -> None:
        site = self._site
        mark_sites(self._database, site.name, site.sites, site.entry, state, time.time())


@dataclass
class CrawlContext:
    """The parts of a crawl: the source of its leases, the store of its pages, its control."""

    common: Common
    frontier: Frontier
    leases: Leases
    store: PageStore
    control: CrawlControl
    state: SiteState = field(init=False)
    is_closed: bool = False

    def __post_init__(self) -> None:
        self.state = SiteState(self.common.database, self.common.site)

    def forget_sample(self, url: str) -> None:
        """Ask for *url* from now on, though the pre-crawl has stored something of it."""
        if (samples := self.common.samples) is not None:
            samples.leave_out(url)

    def begin(self, scheduler: Scheduling) -> None:
        """Start: from now on the event loop runs, and stands still while anything here is waited for."""
        self.leases.serve(scheduler)
        self.store.on_answer(scheduler.sink_has_answered)

    async def farewell(self) -> None:
        """Wait a few seconds for a queue that is away; the event loop runs meanwhile, as it can't in `close`."""

    def close(self) -> None:
        """Commit pending pages and close everything, once; an error of the store is kept in `control.fatal`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._end_by_error_of(self.store.commit_last)
        self.state.tell(self.frontier, self.leases, self.control.fatal, self.store)
        self._end_by_error_of(self.store.close)
        self.state.end(self.frontier, self.leases, self.control.fatal)
        self.control.leave()
        self._end_by_error_of(self.store.leave_counts)
        common = self.common
        for part in (self.frontier, common.database, common.samples, common.server):
            if part is not None:
                part.close()

    def _end_by_error_of(self, step: Callable[[], None]) -> None:
        try:
            step()
        except StoreError as error:
            self.control.end_by(error)
