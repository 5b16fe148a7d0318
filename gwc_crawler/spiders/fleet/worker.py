"""A worker of the fleet: takes a site, crawls it, gives it back, takes the next; until it leaves.

All crawls run in this one process, one after the other; only learning has a process of its own.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import BaseSettings, Settings

from gwc_crawler.crawl.common import own_name
from gwc_crawler.crawl.context import TICK_SECONDS
from gwc_crawler.crawl.data_files import template_first
from gwc_crawler.crawl.redis_parts import open_channel, open_look, start_urls
from gwc_crawler.crawl.shared import SharedContext
from gwc_crawler.errors import (
    GwcError,
    InputError,
    NameServerError,
    NoAddressError,
    OutageError,
    SilentHostError,
    StoreError,
    advice,
)
from gwc_crawler.items import UrlState, context_of
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.operate.fleet.control import BY_HAND, Steering
from gwc_crawler.operate.fleet.plan import NOWHERE, FleetSites, SiteEntry
from gwc_crawler.operate.fleet.redis_channel import RedisChannel
from gwc_crawler.operate.fleet.register import PAGE, Fleet, SiteLease
from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.crawler import SiteCrawler
from gwc_crawler.spiders.fleet.learning import SharedLearning, learn_in_a_process, learning_error
from gwc_crawler.spiders.loader import spider_for
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.store.redis_server import Server
from gwc_crawler.wiring.check import settings_of, with_site
from gwc_crawler.wiring.options import crawl_names, lease_options

logger = logging.getLogger(__name__)

HANDED_BACK = "handed back"
TAKEN_AWAY = "taken away"
"""Why a worker's crawl of a site ends before the site's end."""

LONGEST_BEAT_SECONDS = 2.0
"""A site's figures in the register are not older than this; so often a worker looks whether a paused one may go on."""

STOPPED = "stopped by `scrapy stop`; `scrapy work --retry` goes on with it"

QUIET_SECONDS = 3.0
"""Seconds without work at a site after which a worker goes where it is needed; if workers own parts of the site, after
as long as others may take to give up parts beyond their share."""


class SiteWatch:
    """Keeps one crawl and its entry in the register together."""

    def __init__(
        self, fleet: Fleet, sites: FleetSites, lease: SiteLease, lease_seconds: float, queue_seconds: float
    ) -> None:
        self.lease = lease
        self.rest_until = 0.0
        """Time until which nothing at the site can be done, if the worker goes for that reason."""
        self.beat_seconds = min(lease_seconds / 4, LONGEST_BEAT_SECONDS)
        self.look_seconds = min(self.beat_seconds, TICK_SECONDS / 2)
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
        """Report, learn changes, stop the crawl if it has nothing to do; yields lines for the person who watches."""
        crawl = _crawl_of(spider)
        if crawl.is_closed:
            return
        control = crawl.control
        now = time.monotonic()
        try:
            quiet = self._is_quiet(crawl, now)
            if quiet or now >= self._beat_at:
                self._beat_at = now + self.beat_seconds
                lease = self._fleet.beat(self.lease, crawl.frontier.part_counts(), crawl.leases.owned_parts)
                if lease is not None:
                    self.lease = lease
                elif not control.stopping:
                    spider.stop(TAKEN_AWAY)
                yield from self.report()
            if BY_HAND in control.pauses and not control.stopping:
                self.rest_until = self._fleet.now() + LONGEST_BEAT_SECONDS
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


AGAIN_SECONDS = 5.0
"""How often complete sites are looked at, and a site that has to wait until somebody else has learned."""


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

        Not those that were ended by a limit. Raises OutageError: Redis can't be reached.
        """
        if time.monotonic() < self._look_at:
            return []
        self._look_at = time.monotonic() + AGAIN_SECONDS
        complete = [
            entry
            for entry in self._fleet.sites()
            if entry.state == UrlState.COMPLETE and not entry.reason and self._sites.can_crawl(entry)
        ]
        if self._turn >= len(complete):
            self._turn = 0
        looked_at = complete[self._turn : self._turn + PAGE]
        self._turn += PAGE
        refilled = {entry.name for entry in looked_at if self._has_urls(entry)}
        return self._fleet.reopen({UrlState.COMPLETE}, lambda entry: entry.name in refilled) if refilled else []

    def _has_urls(self, entry: SiteEntry) -> bool:
        site = self._sites.site(entry)
        settings = self._settings.copy()
        settings.setdict(dict(site.settings) if site else {}, priority="spider")
        server = self._fleet.server
        waiting = open_look(entry.name, settings, server).waiting()
        return waiting > 0 or bool(start_urls(entry.name, settings, server).read(1))


FLEET = "fleet"
"""The reason of a pause that was asked of the whole fleet."""


def fleet_channel(server: Server, fleet: str) -> RedisChannel:
    """Return the channel of the fleet called so."""
    return RedisChannel(server, f"{{{fleet}}}:board")


class FleetSteering:
    """People's wishes for one of a fleet's workers; while Redis is away, their last ones."""

    def __init__(self, channel: RedisChannel, owner: str) -> None:
        self._channel = channel
        self._owner = owner
        self._steering: Steering | None = None
        self._pages_before = 0

    @property
    def paused(self) -> bool:
        """Whether no site shall be taken for now."""
        return self._steering is not None and self._steering.paused

    @property
    def stop_asked(self) -> bool:
        """Whether the worker is to leave."""
        return self._steering is not None and self._steering.stop_asked

    def look(self, spider: Any, *, stopping: bool) -> None:
        """Report, hear what is wanted, and pause the site that the worker is at with the fleet."""
        crawl = spider if isinstance(spider, SiteSpider) else None
        with suppress(OutageError):
            if self._steering is None:
                self._channel.forget_the_vanished()
                self._steering = Steering("--all", self._channel, self._owner, stays_paused=True)
            pages = self._pages_before + (crawl.store.pages if crawl else 0)
            under_way = crawl.leases.under_way() if crawl else 0
            self._steering.heed(self._channel.exchange(self._steering.report(pages, under_way, stopping=stopping)))
        if crawl is None:
            return
        if self.paused:
            crawl.control.pause(FLEET, advice("with the fleet, until `scrapy resume --all`"))
        else:
            crawl.control.resume(FLEET)

    def site_ended(self, spider: Any) -> None:
        """Count the pages of a site that the worker is not at any more."""
        if isinstance(spider, SiteSpider):
            self._pages_before += spider.store.pages

    def leave(self) -> None:
        """Take the report off the channel: the worker ends."""
        if self._steering is not None:
            self._steering.leave()


FAREWELL_SECONDS = 3.0
"""How long pages that are under way may take when the worker is told to leave; then they are handed back, too."""

SILENT_REST_SECONDS = 60.0
"""Seconds before a site is taken again whose host does not answer, if the crawls themselves wait for hosts forever."""


class SiteStopped(GwcError):
    """Somebody stopped the crawl of a site; the fleet leaves it alone until it is told to go on."""


@dataclass(frozen=True)
class WorkOptions:
    """How a worker works. `once`: until its sites are done, however long nothing is to do for it.

    *silent_host_seconds*: how long a crawl waits for a host that answers no more, and a site is left alone; 0: the
    crawls wait without end.
    """

    fleet: str
    lease_seconds: float
    silent_host_seconds: float
    idle_seconds: float
    once: bool = False


class Worker:
    """One process of the fleet: *process* runs the crawls; *say* shows one line to the person who watches."""

    def __init__(
        self,
        process: AsyncCrawlerProcess,
        settings: Settings,
        fleet: Fleet,
        sites: FleetSites,
        options: WorkOptions,
        say: Callable[[str], None],
    ) -> None:
        self.owner = own_name()
        self.leaving = False
        self._process = process
        self._settings = settings
        self._fleet = fleet
        self._sites = sites
        self._options = options
        self._say = say
        self._lease: SiteLease | None = None
        self._crawler: SiteCrawler | None = None
        self._watch: SiteWatch | None = None
        self._learner: asyncio.subprocess.Process | None = None
        self._working: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._away = False
        self._refill = Refill(fleet, sites, settings)
        self._steering = FleetSteering(fleet_channel(fleet.server, options.fleet), self.owner)

    async def run(self) -> None:
        """Work until nothing is wanted, `leave` is called, or the fleet stops. StoreError: its disk can't be used."""
        self._steering.look(None, stopping=False)
        steered = asyncio.ensure_future(self._heed())
        work = self._working = asyncio.ensure_future(self._work())
        try:
            await asyncio.wait({work})
            if not work.cancelled():
                work.result()
        finally:
            steered.cancel()
            self._steering.leave()

    async def _heed(self) -> None:
        while True:
            self._steering.look(self._spider, stopping=self.leaving)
            if self._steering.stop_asked and not self.leaving:
                self.leave()
            await asyncio.sleep(TICK_SECONDS)

    async def _work(self) -> None:
        idle_since: float | None = None
        entered = False
        while not self.leaving:
            try:
                if not entered:
                    entered = self._enter()
                await self._locate()
                paused = self._steering.paused
                lease = None if paused else self._fleet.take(self.owner, self._sites.can_crawl)
                self._redis_is_back()
                if paused:
                    idle_since = None
                elif lease is None and not self._refill.look():
                    idle_since = time.monotonic() if idle_since is None else idle_since
                    if self._has_nothing_to_wait_for(time.monotonic() - idle_since):
                        return
            except OutageError as error:
                lease, idle_since = None, None
                self._redis_is_away(error)
            if lease is not None:
                await self._serve(lease)
                idle_since = None
            elif not self.leaving:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), TICK_SECONDS)

    def leave(self) -> None:
        """Hand everything back and end: the site now, pages under way when they are done, or after a moment."""
        if self.leaving:
            self._end_now()
        self.leaving = True
        self._wake.set()
        self._say("leaves the fleet, hands back what it holds")
        if self._lease is not None:
            with suppress(OutageError):
                self._fleet.leave(self._lease)
        if self._learner is not None and self._learner.returncode is None:
            self._learner.terminate()
        if isinstance(spider := self._spider, SiteSpider):
            spider.stop(HANDED_BACK)
        asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self._end_now)

    @property
    def _spider(self) -> Any:
        return self._crawler.spider if self._crawler is not None else None

    def _end_now(self) -> None:
        """End the work after a last commit; pages under way are handed back, remaining tasks end with the process."""
        if self._crawler is not None:
            self._crawler.abandon()
        if isinstance(spider := self._spider, SiteSpider):
            spider.on_closed()
        if self._working is not None:
            self._working.cancel()

    # --- asking ---------------------------------------------------------------------------------------------------

    def _enter(self) -> bool:
        begin = self._sites.begin()
        new = self._fleet.enrol(begin)
        for mine in begin:
            there = self._fleet.site(mine.name)
            if there is not None and there.columns != mine.columns:
                raise InputError(
                    f"this fleet crawls {_share_text(there)} of {mine.name}, not {_share_text(mine)}: give each share "
                    "of columns a Redis of its own (another REDIS_DB is enough) and a GWC_DATA_DIR of its own"
                )
        new += self._fleet.enrol(self._sites.adopt(self._fleet.found()))
        self._say(f"joins the fleet, {len(new)} sites are new")
        return True

    async def _locate(self) -> None:
        """Look up where hosts are that are not known yet, if the worker takes only sites in a range of addresses."""
        sites = self._sites
        for entry in self._fleet.sites() if sites.share.networks else ():
            site = sites.site(entry)
            if entry.host in sites.addresses or site is None:
                continue
            with suppress(NameServerError):  # the name is asked for again
                names = crawl_names(with_site(self._settings, site))
                sites.addresses[entry.host] = await address_of(names, entry.host)

    def _has_nothing_to_wait_for(self, idle_seconds: float) -> bool:
        """Say whether to leave: idle for long enough with no site that only rests; with `once`, when all are done."""
        if not self._options.once and idle_seconds < self._options.idle_seconds:
            return False
        mine = [entry for entry in self._fleet.sites() if self._sites.can_crawl(entry)]
        if self._options.once:
            over = all(entry.state in (UrlState.COMPLETE, UrlState.ERROR) for entry in mine)
        else:
            over = not any(entry.state == UrlState.WAITING for entry in mine)
        if over:
            self._say("leaves the fleet, nothing is left to do")
        return over

    def _redis_is_away(self, error: OutageError) -> None:
        if not self._away:
            logger.warning("the worker waits until Redis is back: %s", error)
        self._away = True

    def _redis_is_back(self) -> None:
        if self._away:
            logger.warning("Redis is back, the worker goes on")
        self._away = False

    # --- a site ---------------------------------------------------------------------------------------------------

    async def _serve(self, lease: SiteLease) -> None:
        self._lease = lease
        began = time.monotonic()
        pages = 0
        parts = ExitStack()
        try:
            site = self._sites.site(lease.entry)
            assert site is not None, "it said that it can"
            settings = settings_of(site, self._settings)
            learning = parts.enter_context(closing(SharedLearning(site, settings)))
            if open_channel(site.name, settings, self._fleet.server).desired().pause is not None:
                self._fleet.leave(lease, self._fleet.now() + LONGEST_BEAT_SECONDS)
                return
            waiting = sum(lease.entry.waiting)
            self._say(f"takes  {lease.name}{f', {waiting} URLs wait' if waiting else ''}")
            if not site.is_whole and not learning.sync() and not await self._learn(lease, site, learning):
                return
            ending = await self._crawl(lease, site, settings)
            pages = getattr(self._spider, "pages_done", 0)
            self._settle(lease, ending, f"{pages} pages in {time.monotonic() - began:.0f} s")
        except OutageError as error:
            self._redis_is_away(error)
            await asyncio.sleep(TICK_SECONDS)
        except SilentHostError as error:
            with suppress(OutageError):
                self._fleet.leave(lease, self._fleet.now() + (self._options.silent_host_seconds or SILENT_REST_SECONDS))
            self._say(f"left   {lease.name}, until its host may be back: {error}")
        except StoreError:
            self._fleet.leave(lease)
            raise
        except GwcError as error:
            if not self.leaving:
                with suppress(OutageError):  # then the site is taken again when this lease has run out
                    self._fleet.end(lease, UrlState.ERROR, str(error))
                self._say(f"error  {lease.name}: {error}")
        finally:
            parts.close()
            self._steering.site_ended(self._spider)
            self._lease = self._crawler = None

    def _settle(self, lease: SiteLease, ending: str, stats: str) -> None:
        if self.leaving or ending == TAKEN_AWAY:
            self._say(f"left   {lease.name}, {stats}")
        elif ending == HANDED_BACK:
            assert self._watch is not None
            self._fleet.leave(lease, self._watch.rest_until)
            self._say(f"left   {lease.name}, {stats}; nothing for it waits there now")
        else:
            reason = "" if ending == "finished" else ending
            first = self._fleet.end(lease, UrlState.COMPLETE, reason)
            self._say(f"{'done' if first else 'left'}   {lease.name}, {stats}{', ' + reason if reason else ''}")

    async def _learn(self, lease: SiteLease, site: Site, learning: SharedLearning) -> bool:
        """Learn the site in a process of its own; False: it has to wait until somebody else has learned."""
        if site.template:
            template = self._fleet.site(site.template)
            if template is None or template.state in (UrlState.COMPLETE, UrlState.ERROR):
                raise template_first(site)
            self._fleet.leave(lease, self._fleet.now() + AGAIN_SECONDS)
            return False
        self._fleet.learning(lease, True)
        self._say(f"learns {lease.name}")
        self._learner = await learn_in_a_process(site, self._settings)
        waiting = asyncio.ensure_future(self._learner.communicate())
        beat_seconds = self._options.lease_seconds / 4
        while not (await asyncio.wait({waiting}, timeout=beat_seconds))[0]:
            with suppress(OutageError):
                if self._fleet.beat(lease) is None:
                    self._learner.terminate()
        _, errors = waiting.result()
        code, self._learner = self._learner.returncode, None
        if self.leaving:
            return False
        if code == 0:
            self._fleet.learning(lease, False)
            return learning.sync()
        if code == StoreError.exit_code and learning.holder():
            self._fleet.leave(lease, self._fleet.now() + AGAIN_SECONDS)
            return False
        raise learning_error(code, errors.decode(errors="replace"))

    async def _crawl(self, lease: SiteLease, site: Site, settings: Settings) -> str:
        """Crawl the site until it is done, or has no work for this worker; return how the crawl ended.

        Raises GwcError: the error that ended it early.
        """
        spider_class = type(site.name, (spider_for(site),), {"stays_paused": True})  # a fleet obeys an old pause, too
        crawler = self._crawler = SiteCrawler(spider_class, settings)
        queue_seconds = lease_options(settings).queue_seconds
        watch = self._watch = SiteWatch(self._fleet, self._sites, lease, self._options.lease_seconds, queue_seconds)
        crawler.signals.connect(watch.opened, signals.spider_opened)
        task = self._process.crawl(crawler)
        while not (await asyncio.wait({task}, timeout=watch.look_seconds))[0]:
            if isinstance(crawler.spider, SiteSpider) and not self.leaving:
                for line in watch.look(crawler.spider):
                    self._say(line)
        if (error := crawler.error_after(task.exception())) is not None:
            raise error
        for line in watch.report():
            self._say(line)
        if crawler.was_stopped:
            raise SiteStopped(STOPPED)
        return str(crawler.stats.get_value("finish_reason")) if crawler.stats else ""


async def address_of(names: CrawlNames, host: str) -> str:
    """Return the address under which "host" or "host:port" is counted: the least in IPv4, else in IPv6; NOWHERE.

    Raises NameServerError: nobody can say.
    """
    name = urlsplit(f"//{host}").hostname or ""
    try:
        found = await names.addresses_of(name)
    except NoAddressError:
        return NOWHERE
    return min(found, key=lambda one: (":" in one, int(ip_address(one))), default=NOWHERE)


def _share_text(entry: SiteEntry) -> str:
    return f"share {entry.columns[0]} of {entry.columns[1]} of the columns" if entry.columns else "all columns"
