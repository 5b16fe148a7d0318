"""A crawl's state in the table `sites` of its file: R while it runs, then C, E, U where it can go on (T-Spider, URCE).

The context ends it; a pre-crawl, whose file is another, never begins one.
"""

from __future__ import annotations

import logging
import time

from gwc_crawler.crawl.leases import Leases
from gwc_crawler.errors import GwcError, SilentHostError, StoreError
from gwc_crawler.frontier import Frontier
from gwc_crawler.items import UrlState
from gwc_crawler.sites import Site
from gwc_crawler.store import CrawlDatabase
from gwc_crawler.store.state import mark_sites, site_state

logger = logging.getLogger(__name__)


class SiteState:
    """The state of one site. `was_complete`: whether nothing was left to do when this crawl began."""

    def __init__(self, database: CrawlDatabase, site: Site) -> None:
        self.was_complete = False
        self._database = database
        self._has_begun = False
        self._site = site

    def begin(self) -> None:
        """Say that the crawl runs.

        Raises:
            StoreError: its file can't be written.
        """
        self._has_begun = True
        self.was_complete = site_state(self._database, self._site.name) is UrlState.COMPLETE
        self._mark(UrlState.RUNNING)

    def end(self, frontier: Frontier, leases: Leases, fatal: GwcError | None) -> None:
        """Say how the crawl ended: C; E; U where it can go on, R where other workers go on."""
        if not self._has_begun or isinstance(fatal, StoreError):
            return
        try:
            counts = frontier.counts()
            if fatal is not None and not isinstance(fatal, SilentHostError):
                state = UrlState.ERROR
            elif counts.finished:
                state = UrlState.COMPLETE
            else:
                state = UrlState.RUNNING if counts.running > leases.under_way() else UrlState.WAITING
            self._mark(state)
        except StoreError as error:
            logger.warning("the site's state could not be written site=%s error=%s", self._site.name, error)

    def _mark(self, state: UrlState) -> None:
        site = self._site
        mark_sites(self._database, site.name, site.sites, site.entry, state, time.time())
