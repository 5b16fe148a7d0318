"""A spider → the parts of its crawl, or pre-crawl, opened: in one file, or shared by many workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gwc_crawler import settings as ours
from gwc_crawler.crawl.common import Common, LeasingSpider
from gwc_crawler.crawl.context import CrawlContext, CrawlControl
from gwc_crawler.crawl.data_files import CRAWL_DB, SAMPLES_DB, make_site_directory, remember_site_file, site_directory
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.precrawl import PrecrawlLeases, PrecrawlStore
from gwc_crawler.frontier.admission import PageLimits
from gwc_crawler.frontier.rejections import LimitsBook
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.precrawl import PrecrawlFrontier
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import RobotsTable
from gwc_crawler.wiring.options import ChosenSinks, chosen_sinks, is_in_redis, lease_options, sites_directory

if TYPE_CHECKING:
    from gwc_crawler.store.redis_server import Server


def open_context(spider: LeasingSpider) -> CrawlContext:
    """Open frontier and store of a spider's site, and put its start URLs in: the entry, and the sample pages.

    StoreError: the directory or file can't be used, or another crawl of the site is running; OutageError: no Redis.
    """
    with site_database(spider, CRAWL_DB) as database, ExitStack() as undo:
        if is_in_redis(spider.settings):
            from gwc_crawler.crawl.shared import open_shared  # Redis only if it is used

            opened: CrawlContext = open_shared(spider, database, undo)
        else:
            opened = open_embedded(spider, database, undo)
        opened.leases.begin_sitemaps()
        opened.say_it_runs()
        undo.pop_all()
    return opened


def open_embedded(spider: LeasingSpider, database: CrawlDatabase, undo: ExitStack) -> CrawlContext:
    """Open a crawl that is alone: pages, frontier and all else in one file."""
    settings, lease = spider.settings, lease_options(spider.settings)
    frontier = SqliteFrontier(
        database,
        max_weight=spider.max_weight,
        lease_seconds=lease.seconds,
        max_lost_leases=lease.max_lost,
        page_limits=PageLimits.read(settings.getint),
        queue_of=spider.queues,
        known_urls=settings.getint("GWC_KNOWN_URLS"),
    )
    common = Common(spider, database, undo, RobotsTable(database))
    leases = Leases(common, frontier, LimitsBook(database))
    sink = common.sink(SqliteSink)
    store = common.store(Batcher, frontier, sink, leases.settle, database, chosen_sinks(settings))
    common.put_starts_into(frontier)
    control = CrawlControl(common, common.channel(), leases, store)
    return CrawlContext(common, frontier, leases, store, control)


def open_precrawl(spider: LeasingSpider) -> CrawlContext:
    """Open the pre-crawl of a spider's site, and put its start URLs in. Raises as `open_context`."""
    with site_database(spider, SAMPLES_DB) as database, ExitStack() as undo:
        server: Server | None = None
        if is_in_redis(spider.settings):  # all workers share the hosts' limits
            from gwc_crawler.crawl.redis_parts import connect  # Redis only if it is used

            server = connect(spider.settings)
            undo.callback(server.close)
        lease = lease_options(spider.settings)
        frontier = PrecrawlFrontier(
            database,
            lease_seconds=max(lease.seconds, ours.GWC_LEASE_SECONDS),  # one process, known to live
            max_lost_leases=lease.max_lost,
            queue_of=spider.queues,
        )
        common = Common(spider, database, undo, RobotsTable(database), server)
        leases = PrecrawlLeases(common, frontier, LimitsBook(database))
        sink = SqliteSink(database, site=spider.site.name, keep_html=KeepHtml.ALL)
        store = common.store(PrecrawlStore, frontier, sink, leases.settle, database, ChosenSinks())
        store.note_outcome = leases.note_outcome
        common.put_starts_into(frontier)
        leases.begin_sitemaps()
        control = CrawlControl(common, common.channel(), leases, store)
        undo.pop_all()
    return CrawlContext(common, frontier, leases, store, control)


@contextmanager
def site_database(spider: LeasingSpider, name: str) -> Iterator[CrawlDatabase]:
    """Open a file of the site, closed if its user raises. Raises StoreError: the directory or file can't be used."""
    site, settings = spider.site, spider.settings
    directory = site_directory(settings, site.name)
    make_site_directory(directory)
    if not site.template and site.path.parent != sites_directory(settings):
        remember_site_file(directory, site.path)
    database = CrawlDatabase(directory / name, busy_seconds=settings.getfloat("GWC_BUSY_SECONDS"))
    try:
        yield database
    except BaseException:
        database.close()
        raise
