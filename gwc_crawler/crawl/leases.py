"""The source of a crawl's Requests: it leases URLs from the frontier, and ends each lease that brought no page.

The scheduler leases and makes Requests of leases, the spider ends them. Admission is also asked here about URLs.
"""

from __future__ import annotations

import glob
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from scrapy import Request

from gwc_crawler.crawl.common import Common
from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.admission import CUT_AT_ONCE, Admission, Book, UrlGroup
from gwc_crawler.frontier.protocol import Frontier, FrontierCounts
from gwc_crawler.frontier.recrawl import Intervals, conditions_of, has_changed_since
from gwc_crawler.frontier.rejections import YieldLimits
from gwc_crawler.frontier.same_pages import SamePages
from gwc_crawler.items import META_REVISIT, META_UNREAD, Failure, Lease, Link, Revisit, UrlState, weight_meta
from gwc_crawler.network.masking import masked
from gwc_crawler.network.politeness.robots import FORBIDDEN, Robots, origin_of
from gwc_crawler.page.sitemap import DEFAULT_SITEMAP, sitemaps_named
from gwc_crawler.sites.schema import Site
from gwc_crawler.urls import host_of, normalize_url, same_site

logger = logging.getLogger(__name__)


class SitemapSources:
    """Names the sitemaps that a crawl begins with; without *robots*, its files are fetched as lists of sitemaps."""

    def __init__(self, site: Site, robots: Robots | None) -> None:
        self._given = () if isinstance(site.sitemap, bool) else site.sitemap
        self._origins = dict.fromkeys(map(origin_of, site.entry)) if site.sitemap is True else {}
        self._robots = robots
        self._sites = site.sites
        self.named: set[str] = set(self._given)
        """URLs named as sitemaps by the site file or robots.txt; not those that are only tried."""

    def at_start(self) -> list[Link]:
        """Return the sitemaps known when a crawl begins."""
        urls = list(self._given)
        for origin in self._origins:
            if self._robots is None:
                urls += [f"{origin}/robots.txt", f"{origin}{DEFAULT_SITEMAP}"]
            elif (text := self._robots.text_of(origin)) is not None:
                urls += self._named(origin, text)
        return [Link(url, depth=1) for url in urls]  # no start: it may be missing, and a crawl without it goes on

    def when_read(self, origin: str, robots: bytes) -> list[Link]:
        """Return links to the sitemaps that the *robots* of *origin*, just read, name."""
        urls = self._named(origin, robots) if origin in self._origins else []
        return [Link(url, depth=1) for url in urls]

    def _named(self, origin: str, robots: bytes) -> list[str]:
        found = (normalize_url(one) for one in sitemaps_named(robots, f"{origin}/robots.txt"))
        named = [url for url in found if url is not None and same_site(url, self._sites)]
        self.named.update(set(named) - {f"{origin}{DEFAULT_SITEMAP}"})
        return named


FILE_TYPES = (b"image/", b"video/", b"audio/", b"font/", b"application/pdf", b"application/zip", b"application/vnd.")
"""How media types begin that are neither pages nor sitemaps, whatever their bodies look like."""

LEASE_ROUNDS = 50
"""Batches of a closed class that are given up in a row before the engine gets its turn again."""


class Leases:
    """The leases of one crawl.

    `changes` counts events that may have brought new URLs, so that an empty frontier is not asked again in vain.
    """

    def __init__(self, common: Common, frontier: Frontier, book: Book) -> None:
        spider = common.spider
        self.changes = 0
        self.lease_anew: Callable[[], None] = lambda: None
        """Has the scheduler hand back leases that are not begun: others would be chosen by now."""
        self.wake: Callable[[], None] = lambda: None
        """Has the scheduler look at once whether something is to be asked for."""
        self.pages_left: int | None = None
        """Pages that may still be read, including those under way; None: any number."""
        self.same_pages = SamePages(lambda step: book.change(lambda state: step(state.pages)).pages, self._put_back)
        """Pages that stand at many addresses instead of records."""
        self.on_site = common.on_site
        self.robots = common.robots
        self._book = book
        self._admission: Admission | None = None
        self._database = common.database
        self._frontier = frontier
        self._keeps_revisits = spider.keeps_revisits
        self._asks_conditionally = spider.settings.getbool("GWC_CONDITIONAL_GET")
        self._owner = common.owner
        self._revisits: dict[str, Revisit] = {}
        self._silent = spider.contact
        self._sitemaps = SitemapSources(common.site, common.robots)
        self._spider = spider
        self._told: set[str] = set()

    # --- admission ------------------------------------------------------------------------------------------------

    def guard(
        self,
        group_of: Callable[[str], UrlGroup],
        limits: YieldLimits | None = None,
        max_depth: int | None = None,
        columns: tuple[int, int] | None = None,
    ) -> Admission:
        """Put an admission before the frontier; it starts from the known rejections and states of classes."""
        admission = Admission(
            self._book,
            group_of,
            self._frontier.recall,
            limits=limits,
            max_depth=max_depth,
            columns=columns,
            robots=self.robots,
            readmit=self._frontier.readmit,
        )
        self._put(admission)
        return admission

    def _put(self, admission: Admission) -> None:
        self._frontier.admission = self._admission = admission
        self._database.on_rollback(admission.forget_forbidden)

    def rules_changed(self, origin: str) -> None:
        """Judge the URLs anew that robots.txt of *origin* kept out: its rules have changed."""
        if self._admission is not None:
            self._admission.rules_changed(f"{glob.escape(origin)}/*")
            self.changes += 1

    # --- sitemaps -------------------------------------------------------------------------------------------------

    def begin_sitemaps(self) -> None:
        """Put in the sitemaps that are known when the crawl begins."""
        self._add(self._sitemaps.at_start())

    def rules_read(self, origin: str, robots: bytes) -> None:
        """Put in the sitemaps that the robots.txt of *origin* names, which has just been read."""
        self._add(self._sitemaps.when_read(origin, robots))

    def is_named_sitemap(self, url: str) -> bool:
        """Say whether the site file or robots.txt calls this a sitemap."""
        return url in self._sitemaps.named

    def _add(self, links: Sequence[Link]) -> None:
        if links and self._frontier.add(links):
            self.changes += 1

    def look_sooner(self, listed: Mapping[str, float | None], limits: Intervals) -> int:
        """Look again at pages that changed since the last look by *listed*, URL → epoch seconds; returns how many."""
        now = time.time()
        known = self._frontier.revisits([url for url, moment in listed.items() if moment is not None])
        due = [url for url, old in known.items() if has_changed_since(old, listed[url], now, limits)]
        count = self._frontier.hasten(due) if due else 0
        self.changes += bool(count)
        return count

    def settle(self) -> None:
        """Write down what admission has learned: the pages are stored by which it did."""
        self.changes += 1
        if self._admission is not None:
            self._admission.settle()
        for page in self.same_pages.settle():
            if page.told not in self._told:  # once of each text
                self._told.add(page.told)
                logger.warning(
                    "one and the same page at several addresses where records stand %s: they are asked for again; what "
                    "never comes is an error (`scrapy status`), and `-a recrawl=errors` asks for it another day",
                    page.told,
                )

    def _put_back(self, urls: list[str]) -> list[str]:
        """Make the complete ones of *urls* wait again; return those that are on their way to the store."""
        infos = [self._frontier.find(url) for url in urls]
        running = [one.url for one in infos if one is not None and one.state is UrlState.RUNNING]
        self._frontier.retry([url for url in urls if url not in running], [UrlState.COMPLETE])
        return running

    # --- leases go out --------------------------------------------------------------------------------------------

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the best *count* URLs, none of *busy_hosts*, that admission lets pass."""
        if self._silent.left_alone:
            busy_hosts = {*busy_hosts, *self._silent.hosts_left_alone}
        admission, at_once = self._admission, count
        for _ in range(LEASE_ROUNDS):
            given_up = admission.given_up if admission is not None else 0
            leases = self._take(at_once, busy_hosts)
            revisits = self._frontier.revisits([one.url for one in leases]) if self._keeps_revisits and leases else {}
            self._revisits.update(revisits)
            if admission is None:
                return leases
            used, cut = admission.screen(leases, revisits)
            for reason, cut_off in cut.items():
                self._frontier.cut_off(cut_off, reason)
                if starts := [one for one in cut_off if not one.depth]:
                    self._spider.start_given_up(starts[0], reason)
            if used or not (leases or admission.given_up > given_up):
                if at_once > count:
                    self._frontier.release(used[count:])
                    return used[:count]
                return used
            at_once = CUT_AT_ONCE
        self.changes += 1
        return []

    def _take(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        return self._frontier.lease(count, self._owner, busy_hosts)

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL; the one place where crawl Requests come from."""
        spider, revisit = self._spider, self._revisits.pop(lease.url, None)
        meta = weight_meta(lease)
        meta[META_REVISIT] = revisit
        if not spider.may_keep_file(lease.url):
            meta[META_UNREAD] = FILE_TYPES
        meta["verbatim_url"] = True  # it is normalised; Scrapy need not look for what would have to be escaped
        self._silent.ask(origin_of(lease.url))
        headers = self.conditions(revisit)
        request = Request(
            lease.url, callback=spider.parse, errback=spider.on_failure, headers=headers, meta=meta, dont_filter=True
        )
        del request.meta["verbatim_url"]  # a redirect's need not be
        return request

    def conditions(self, revisit: Revisit | None) -> dict[str, str]:
        """Return the headers by which the server may answer with a 304."""
        return conditions_of(revisit) if revisit is not None and self._asks_conditionally else {}

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease still holds, as far as is known here; an embedded crawl is alone."""
        return True

    def revisit_of(self, url: str) -> Revisit | None:
        """Return the data kept of the page at *url*, if it was fetched before."""
        return self._frontier.revisits([url]).get(url) if self._keeps_revisits else None

    # --- and come back --------------------------------------------------------------------------------------------

    def give_up(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page; a wait for a later attempt is the frontier's."""
        why = replace(why, reason=masked(why.reason))
        if why.reason == FORBIDDEN and why.retry_at is None and why.revisit is None:
            self._frontier.cut_off([lease], FORBIDDEN)
        else:
            self._frontier.fail(lease, why)
        self.changes += 1
        if self._admission is not None and why.retry_at is None and why.revisit is None:
            self._admission.failed(lease.url, why.reason)

    def hand_back(self, leases: Sequence[Lease]) -> None:
        """Return leases that were not begun."""
        if leases:
            try:
                self._frontier.release(leases)
            except StoreError as error:
                logger.warning("leases not handed back, they expire count=%d error=%s", len(leases), error)

    def put_off(self, lease: Lease) -> None:
        """Make a URL wait again whose host could not be asked: that does not count as an attempt."""
        self.hand_back([lease])
        self.changes += 1

    def pause_host(self, url: str, until: float) -> None:
        """Lease nothing of this URL's host before *until* (epoch seconds)."""
        self._frontier.pause_host(host_of(url), until)

    # --- what is left ---------------------------------------------------------------------------------------------

    def has_work(self) -> bool:
        """Say whether this crawl has anything to wait for."""
        return self._waits_beside_silent(self._frontier.counts())

    def _waits_beside_silent(self, counts: FrontierCounts) -> bool:
        left_alone = self._silent.hosts_left_alone
        return counts.waiting > (self._frontier.waiting_of(left_alone) if left_alone and counts.waiting else 0)

    def seconds_to_next(self) -> float | None:
        """Return how long until a waiting URL becomes due; None when none waits."""
        counts = self._frontier.counts()
        if not counts.waiting:
            return None
        return 1.0 if counts.next_ready_at is None else max(0.05, counts.next_ready_at - time.time())

    def under_way(self) -> int:
        """Return how many leases of this worker have not ended."""
        return self._frontier.counts().running

    def stats(self) -> dict[str, int]:
        """Return the stats below gwc/frontier/."""
        return {}
