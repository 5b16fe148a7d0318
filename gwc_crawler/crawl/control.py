"""What is asked of a running crawl: to pause, to go on, to stop; and what ended it."""

from __future__ import annotations

from gwc_crawler.control import Channel, Report, Steering
from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.errors import GwcError
from gwc_crawler.urls import host_of

TICK_SECONDS = 1.0
"""How often a crawl looks whether it is to pause or to stop."""


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
        """Do what has to be done now and then, whether pages come or not: commit, report, do what is wanted.

        Raises:
            StoreError: the store can't be written.
        """
        if self._store.full:
            self._store.commit()
        self._exchange()

    def _exchange(self) -> None:
        """Leave the report, and heed what people want."""
        self.heed(self.channel.exchange(self.report_of_crawl()))

    def report_of_crawl(self) -> Report:
        """Return how this worker does."""
        silent = tuple(f"{host_of(host)} {words}" for host, words in self._silent.told().items())
        return self.report(self._store.pages, self._leases.under_way(), stopping=self.stopping, silent=silent)
