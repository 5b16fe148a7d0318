"""The parts of one crawl, put together by `opening` and closed together; spider and components take what they need."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.errors import GwcError, SilentHostError, StoreError
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.items import UrlState
from gwc_crawler.operate.fleet.channel import Channel, Report
from gwc_crawler.operate.fleet.control import Steering
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sink import Standing
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

    def __init__(self, common: Common, channel: Channel, leases: Leases, store: Batcher) -> None:
        super().__init__(common.site.name, channel, common.owner, stays_paused=common.spider.stays_paused)
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
        silent = tuple(f"{host_of(host)} {words}" for host, words in self._silent.told().items())
        return self.report(self._store.pages, self._leases.under_way(), stopping=self.stopping, silent=silent)


LEFT_STATES = (UrlState.WAITING, UrlState.RUNNING, UrlState.ERROR)

MOST_LEFT = 100_000
"""Maximum number of the URLs left by a run that are reported to a server."""


@dataclass
class CrawlContext:
    """The parts of a crawl: the source of its leases, the store of its pages, its control; and how its site stands."""

    common: Common
    frontier: Frontier
    leases: Leases
    store: Batcher
    control: CrawlControl
    was_complete: bool = False
    """Whether nothing was left to do when this crawl began."""
    is_closed: bool = False
    _runs: bool = False

    def say_it_runs(self) -> None:
        """Note the state of the site. Raises StoreError: its file can't be written."""
        self._runs = True
        self.was_complete = site_state(self.common.database, self.common.site.name) is UrlState.COMPLETE
        self._mark(UrlState.RUNNING)

    def forget_sample(self, url: str) -> None:
        """Ask for *url* from now on, though the pre-crawl has stored something of it."""
        if (samples := self.common.samples) is not None:
            samples.leave_out(url)

    def close(self) -> None:
        """Commit pending pages and close everything, once; an error of the store is kept in `control.fatal`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._end_by_error_of(self.store.commit_last)
        self._tell_state(lambda state: self.store.tell(Standing(self._entry, state, time.time(), self._left)))
        self._end_by_error_of(self.store.close)
        self._tell_state(self._mark)
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

    # --- the state of the site ------------------------------------------------------------------------------------

    @property
    def _entry(self) -> str:
        return self.common.site.entry[0]

    def _mark(self, state: UrlState) -> None:
        site = self.common.site
        mark_sites(self.common.database, site.name, site.sites, site.entry, state, time.time())

    def _tell_state(self, tell: Callable[[UrlState], None]) -> None:
        """Tell how the crawl ended, if that can be known."""
        try:
            if (state := self._state_at_end()) is not None:
                tell(state)
        except StoreError as error:
            logger.warning("the site's state could not be written site=%s error=%s", self.common.site.name, error)

    def _state_at_end(self) -> UrlState | None:
        """Return how the crawl ended: C; E; U if it can go on, R if other workers go on; None if it can't be known."""
        fatal = self.control.fatal
        if not self._runs or isinstance(fatal, StoreError):
            return None
        counts = self.frontier.counts()
        if fatal is not None and not isinstance(fatal, SilentHostError):
            return UrlState.ERROR
        if counts.finished:
            return UrlState.COMPLETE
        return UrlState.RUNNING if counts.running > self.leases.under_way() else UrlState.WAITING

    def _left(self) -> list[tuple[str, str, str | None, int, int, int]]:
        """Return the entry, and the URLs that the run leaves, for sinks elsewhere."""
        urls = self.frontier.select(states=LEFT_STATES, limit=MOST_LEFT)
        first = self.frontier.find(self._entry)
        known = {one.url: one for one in (first, *urls) if one is not None and one.state is not None}
        return [(one.url, str(one.state), one.reason, one.attempts, one.weight, one.depth) for one in known.values()]
