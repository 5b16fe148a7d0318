"""A spider and its settings → the parts of its crawl, opened: in one file, or shared by many workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from scrapy.settings import BaseSettings

from gwc_crawler.admission import LimitsBook
from gwc_crawler.assembly.beginning import Beginning, site_database
from gwc_crawler.assembly.data_files import CRAWL_DB
from gwc_crawler.assembly.limits import page_limits
from gwc_crawler.config import chosen_sinks, is_in_redis, lease_options
from gwc_crawler.crawl import CrawlContext, CrawlControl, Leases, LeasingSpider, PageStore
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store import SqliteSink
from gwc_crawler.store.state import RobotsTable


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
            from gwc_crawler.assembly.shared_opening import open_shared  # Redis only where it is asked for

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
    )
    sink = SqliteSink(
        database,
        site=beginning.site.name,
        fields=beginning.fields,
        keep_html=beginning.keep_html,
        keep_history=settings.getbool("GWC_HISTORY"),
    )
    common = beginning.common(RobotsTable(database))
    committer = beginning.committer(frontier, sink, database)
    leases = Leases(common, frontier, LimitsBook(database), committer)
    store = PageStore(committer, leases)
    beginning.put_starts_into(frontier)
    control = CrawlControl(common, beginning.channel(), leases, store)
    return CrawlContext(common, frontier, leases, store, control)
