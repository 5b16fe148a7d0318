"""A spider and its settings → the parts of its crawl, or pre-crawl, opened: in one file, or shared by many workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from gwc_crawler import settings as ours
from gwc_crawler.crawl.beginning import Beginning, site_database
from gwc_crawler.crawl.common import LeasingSpider
from gwc_crawler.crawl.context import CrawlContext, CrawlControl
from gwc_crawler.crawl.data_files import CRAWL_DB, SAMPLES_DB
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.limits import page_limits
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.crawl.precrawl import PrecrawlContext, PrecrawlLeases, PrecrawlStore
from gwc_crawler.frontier.rejections import LimitsBook
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.precrawl import PrecrawlFrontier
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import RobotsTable
from gwc_crawler.wiring.options import chosen_sinks, is_in_redis, lease_options

if TYPE_CHECKING:
    from gwc_crawler.store.redis_server import Server


def open_context(
    spider: LeasingSpider,
    settings: BaseSettings,
    *,
    max_weight: int | None,
    fields: Sequence[str] | RecordShape,
    keep_html: KeepHtml,
    reuse_samples: bool,
    stays_paused: bool,
) -> CrawlContext:
    """Open frontier and store of a spider's site and put its start URLs in: the entry, and the sample pages.

    The frontier is in the same file as the store, or with GWC_FRONTIER = redis shared by many workers.

    Raises:
        StoreError: the directory or file can't be used, or another crawl of the site is running.
        OutageError: Redis can't be reached.
    """
    with site_database(spider.site, settings, CRAWL_DB) as database, ExitStack() as undo:
        beginning = Beginning(
            spider,
            settings,
            database,
            undo,
            max_weight=max_weight,
            fields=fields,
            keep_html=keep_html,
            stays_paused=stays_paused,
            reuse_samples=reuse_samples,
            sinks=chosen_sinks(settings),
        )
        if is_in_redis(settings):
            from gwc_crawler.crawl.shared import open_shared  # Redis only if it is used

            opened: CrawlContext = open_shared(beginning)
        else:
            opened = open_embedded(beginning)
        opened.leases.begin_sitemaps()
        opened.state.begin()
        undo.pop_all()
    return opened


def open_embedded(beginning: Beginning) -> CrawlContext:
    """Open a crawl that is alone: pages, frontier and all else in one file."""
    settings, database = beginning.settings, beginning.database
    lease = lease_options(settings)
    frontier = SqliteFrontier(
        database,
        max_weight=beginning.max_weight,
        lease_seconds=lease.seconds,
        max_lost_leases=lease.max_lost,
        page_limits=page_limits(settings),
        queue_of=beginning.queues,
        known_urls=settings.getint("GWC_KNOWN_URLS"),
    )
    sink = beginning.sink(SqliteSink)
    common = beginning.common(RobotsTable(database))
    committer = beginning.committer(frontier, sink, database)
    leases = Leases(common, frontier, LimitsBook(database))
    store = PageStore(committer, leases)
    beginning.put_starts_into(frontier)
    control = CrawlControl(common, beginning.channel(), leases, store)
    return CrawlContext(common, frontier, leases, store, control)


def open_precrawl(spider: LeasingSpider, settings: BaseSettings) -> PrecrawlContext:
    """Open the pre-crawl of a spider's site, and put its start URLs in.

    Raises:
        StoreError: the directory or file can't be used, or another pre-crawl of the site is running.
        OutageError: crawls are shared, and Redis can't be reached.
    """
    with site_database(spider.site, settings, SAMPLES_DB) as database, ExitStack() as undo:
        beginning = Beginning(spider, settings, database, undo)
        server: Server | None = None
        if is_in_redis(settings):  # all workers share the hosts' limits
            from gwc_crawler.crawl.redis_parts import connect  # Redis only if it is used

            server = connect(settings)
            undo.callback(server.close)
        lease = lease_options(settings)
        frontier = PrecrawlFrontier(
            database,
            lease_seconds=max(lease.seconds, ours.GWC_LEASE_SECONDS),  # one process, known to live
            max_lost_leases=lease.max_lost,
            queue_of=beginning.queues,
        )
        sink = SqliteSink(database, site=spider.site.name, fields=(), keep_html=KeepHtml.ALL)
        common = beginning.common(RobotsTable(database), server)
        committer = beginning.committer(frontier, sink, database)
        leases = PrecrawlLeases(common, frontier, LimitsBook(database))
        store = PrecrawlStore(committer, leases)
        beginning.put_starts_into(frontier)
        leases.begin_sitemaps()
        control = CrawlControl(common, beginning.channel(), leases, store)
        undo.pop_all()
    return PrecrawlContext(common, frontier, leases, store, control)
