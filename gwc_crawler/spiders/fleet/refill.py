"""Complete sites that have got URLs since: start URLs were pushed, URLs were added by hand, a recrawl was begun.

An idle worker looks now and then, and opens them again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from scrapy.settings import BaseSettings

from gwc_crawler.assembly import open_look, start_urls
from gwc_crawler.fleet import Fleet, FleetSites, SiteEntry
from gwc_crawler.items import UrlState

LOOK_SECONDS = 5.0
SITES_A_LOOK = 100


class Refill:
    """Looks at the fleet's complete sites in turns."""

    def __init__(self, fleet: Fleet, sites: FleetSites, settings: BaseSettings) -> None:
        self._fleet = fleet
        self._sites = sites
        self._settings = settings
        self._look_at = 0.0
        self._turn = 0

    def look(self) -> list[str]:
        """Open complete sites with waiting URLs again, if it is time to look; returns their names.

        Those that were ended by a limit stay as they are.

        Raises:
            OutageError: Redis can't be reached.
        """
        if time.monotonic() < self._look_at:
            return []
        self._look_at = time.monotonic() + LOOK_SECONDS
        complete = [
            entry
            for entry in self._fleet.sites()
            if entry.state == UrlState.COMPLETE and not entry.reason and self._sites.can_crawl(entry)
        ]
        refilled = {entry.name for entry in self._next(complete) if self._has_urls(entry)}
        return self._fleet.reopen({UrlState.COMPLETE}, lambda entry: entry.name in refilled) if refilled else []

    def _next(self, entries: Sequence[SiteEntry]) -> Sequence[SiteEntry]:
        if self._turn >= len(entries):
            self._turn = 0
        self._turn += SITES_A_LOOK
        return entries[self._turn - SITES_A_LOOK : self._turn]

    def _has_urls(self, entry: SiteEntry) -> bool:
        site = self._sites.site(entry)
        settings = self._settings.copy()
        settings.setdict(dict(site.settings) if site else {}, priority="spider")
        server = self._fleet.server
        waiting = open_look(entry.name, settings, server).waiting()
        return waiting > 0 or bool(start_urls(entry.name, settings, server).read(1))
