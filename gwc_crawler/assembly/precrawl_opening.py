"""The parts of a pre-crawl, opened; it is always one process's."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from gwc_crawler.admission import LimitsBook
from gwc_crawler.assembly.beginning import Beginning, site_database
from gwc_crawler.assembly.data_files import SAMPLES_DB
from gwc_crawler.config import is_in_redis, lease_options
from gwc_crawler.crawl import CrawlControl, LeasingSpider, PrecrawlContext, PrecrawlLeases, PrecrawlStore
from gwc_crawler.frontier.sqlite import PrecrawlFrontier
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store import SqliteSink
from gwc_crawler.store.state import RobotsTable

if TYPE_CHECKING:
    from gwc_crawler.redis_server import Server

SHORTEST_LEASE_SECONDS = 600.0
"""A pre-crawl is one process, known to live: short leases would only run out at a host that rests."""


def open_precrawl(spider: LeasingSpider, settings: BaseSettings) -> PrecrawlContext:
    """Open the pre-crawl of a spider's site, and put its start URLs in.

    Raises:
        StoreError: the directory or file can't be used, or another pre-crawl of the site is running.
        OutageError: crawls are shared, and Redis can't be reached.
    """
    with site_database(spider.site, settings, SAMPLES_DB) as database, ExitStack() as undo:
        beginning = Beginning(spider, settings, database, undo)
        server = _server_of_the_crawl(settings) if is_in_redis(settings) else None
        if server is not None:
            undo.callback(server.close)
        lease = lease_options(settings)
        frontier = PrecrawlFrontier(
            database,
            lease_seconds=max(lease.seconds, SHORTEST_LEASE_SECONDS),
            max_lost_leases=lease.max_lost,
            queue_of=beginning.queues,
        )
        sink = SqliteSink(database, site=spider.site.name, fields=(), keep_html=KeepHtml.ALL)
        common = beginning.common(RobotsTable(database), server)
        committer = beginning.committer(frontier, sink, database)
        leases = PrecrawlLeases(common, frontier, LimitsBook(database), committer)
        store = PrecrawlStore(committer, leases)
        beginning.put_starts_into(frontier)
        leases.begin_sitemaps()
        control = CrawlControl(common, beginning.channel(), leases, store)
        undo.pop_all()
    return PrecrawlContext(common, frontier, leases, store, control)


def _server_of_the_crawl(settings: BaseSettings) -> Server:
    """Return the Redis in which the hosts' limits are those of all workers; it is loaded only where it is asked for."""
    from gwc_crawler.assembly.redis_parts import connect

    return connect(settings)
