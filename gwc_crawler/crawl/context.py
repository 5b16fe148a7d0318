"""The parts of one crawl, put together by its backend's factory (`gwc_crawler.assembly`) and closed together.

The spider and Scrapy's components take the part they need of it, and work with that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.control import CrawlControl
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.crawl.site_state import SiteState
from gwc_crawler.errors import StoreError
from gwc_crawler.frontier import Frontier


@dataclass
class CrawlContext:
    """Where leases come from, where pages go, and what is asked of the crawl."""

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

    def begin(self) -> None:
        """From now on the event loop runs, and stands still while anything here is waited for."""

    async def farewell(self) -> None:
        """Wait a few seconds for a queue that is away; the event loop runs meanwhile, as it can't in `close`."""

    def close(self) -> None:
        """Commit what is pending and close everything, once; an error of the store is kept in `control.fatal`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._end_by_error_of(self.store.commit_last)
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
