"""A worker's look at the site it crawls: signs of life, found sites, and when to go.

`scrapy work` makes one for each site it takes and calls `look` every second; the crawl's parts do what it says.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from scrapy import Spider

from gwc_crawler.crawl import SharedContext
from gwc_crawler.errors import OutageError
from gwc_crawler.fleet import BY_HAND, Fleet, FleetSites, SiteLease
from gwc_crawler.request_meta import context_of
from gwc_crawler.spiders.site import SiteSpider

HANDED_BACK = "handed back"
TAKEN_AWAY = "taken away"
"""Why a worker's crawl of a site ends before the site's end."""

LOOK_SECONDS = 1.0
LONGEST_BEAT_SECONDS = 2.0
"""A site's figures in the register are not older than this."""

STOPPED = "stopped by `scrapy stop`; `scrapy work --retry` goes on with it"

PAUSED_REST_SECONDS = 2.0
"""How often a worker looks whether a paused site may go on."""

QUIET_SECONDS = 3.0
"""A worker without anything to do at a site for this long goes where it is wanted; where workers own parts of it, after
as long as others may take to give up what is beyond their share."""


class SiteWatch:
    """Keeps one crawl and its entry in the register together."""

    def __init__(
        self, fleet: Fleet, sites: FleetSites, lease: SiteLease, lease_seconds: float, queue_seconds: float
    ) -> None:
        self.lease = lease
        self.rest_until = 0.0
        """Until when nothing at the site can be done, if that is why the worker goes."""
        self.beat_seconds = min(lease_seconds / 4, LONGEST_BEAT_SECONDS)
        self.look_seconds = min(self.beat_seconds, LOOK_SECONDS)
        self._fleet = fleet
        self._sites = sites
        self._beat_at = 0.0
        self._quiet_seconds = max(QUIET_SECONDS, queue_seconds)
        self._quiet_since: float | None = None
        self._found: Counter[str] = Counter()

    def opened(self, spider: Spider) -> None:
        """Have the crawl count what it finds; called when its spider has opened."""
        _crawl_of(spider).store.found = self._found

    def look(self, spider: SiteSpider) -> Iterator[str]:
        """Tell the register, learn what has changed there, and stop the crawl if there is nothing to do for it.

        Yields lines for whoever watches.
        """
        crawl = _crawl_of(spider)
        if crawl.is_closed:
            return
        control = crawl.control
        now = time.monotonic()
        try:
            quiet = self._is_quiet(crawl, now)
            if quiet or now >= self._beat_at:
                self._beat_at = now + self.beat_seconds
                self._beat(spider, crawl)
                yield from self.report()
            if BY_HAND in control.pauses and not control.stopping:
                self.rest_until = self._fleet.now() + PAUSED_REST_SECONDS
                spider.stop(HANDED_BACK)
            if quiet and not control.stopping and self._is_quiet(crawl, now) and self._may_go(crawl):
                spider.stop(HANDED_BACK)
        except OutageError:
            self._quiet_since = None  # the crawl itself has noticed, and waits

    def report(self) -> Iterator[str]:
        """Tell the register which hosts were found, and bring in those that the policy adopts."""
        links = dict(self._found)
        self._fleet.report(links)
        self._found.clear()
        adopted = self._fleet.enrol(self._sites.adopt(links))
        self._sites.remember(links)
        yield from (f"adopts {name}" for name in adopted)

    def _beat(self, spider: SiteSpider, crawl: SharedContext) -> None:
        lease = self._fleet.beat(self.lease, crawl.frontier.part_counts(), crawl.leases.owned_parts)
        if lease is not None:
            self.lease = lease
        elif not crawl.control.stopping:
            spider.stop(TAKEN_AWAY)

    def _is_quiet(self, crawl: SharedContext, now: float) -> bool:
        """Say whether the worker has had nothing to do here for a while: nothing under way, nothing it may lease."""
        if crawl.leases.under_way() or crawl.leases.may_lease():
            self._quiet_since = None
            return False
        if self._quiet_since is None:
            self._quiet_since = now
        return now - self._quiet_since >= self._quiet_seconds

    def _may_go(self, crawl: SharedContext) -> bool:
        """Say whether the site does without this worker: others are at it, or it rests and another site wants one."""
        if len(self.lease.entry.holders) > 1:
            return True
        counts = crawl.frontier.counts()
        if counts.finished or not self._fleet.wants(self._sites.can_crawl):
            return False
        soon = self._fleet.now() + QUIET_SECONDS
        self.rest_until = max(soon, counts.next_ready_at or 0.0)
        return True


def _crawl_of(spider: Spider) -> SharedContext:
    context = context_of(spider)
    assert isinstance(context, SharedContext), "a worker's crawls share their frontier"
    return context
