"""A site and the settings → the context of its crawl, opened: in one file, or shared by many workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from scrapy.settings import BaseSettings

from gwc_crawler.assembly.beginning import Beginning, is_in_redis, queues_of, site_database
from gwc_crawler.assembly.context import CrawlContext
from gwc_crawler.assembly.limits import page_limits
from gwc_crawler.assembly.robots_parts import robots_of
from gwc_crawler.assembly.site_files import CRAWL_DB
from gwc_crawler.assembly.site_state import mark_begin
from gwc_crawler.control import SqliteChannel
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.sites import Site
from gwc_crawler.store import KeepHtml, SqliteSink
from gwc_crawler.store.state import RobotsTable
from gwc_crawler.wiring import chosen_sinks


def open_context(
    site: Site,
    settings: BaseSettings,
    *,
    max_weight: int | None,
    fields: Sequence[str] | RecordShape,
    keep_html: KeepHtml,
    reuse_samples: bool,
    stays_paused: bool,
) -> CrawlContext:
    """Open frontier and store of one site and put its start URLs in: the entry, and the sample pages.

    The frontier is in the same file as the store, or with GWC_FRONTIER = redis shared by many workers.

    Raises:
        StoreError: the directory or file can't be used, or another crawl of the site is running.
        OutageError: Redis can't be reached.
    """
    with site_database(site, settings, CRAWL_DB) as database, ExitStack() as undo:
        beginning = Beginning(
            site=site,
            settings=settings,
            database=database,
            queues=queues_of(settings),
            max_weight=max_weight,
            fields=fields,
            keep_html=keep_html,
            stays_paused=stays_paused,
            reuse_samples=reuse_samples,
            sinks=chosen_sinks(settings),
            undo=undo,
        )
        if is_in_redis(settings):
            from gwc_crawler.assembly.shared_context import open_shared  # Redis only where it is asked for

            opened: CrawlContext = open_shared(beginning)
        else:
            opened = open_embedded(beginning)
        mark_begin(opened)
        undo.pop_all()
    return opened


def open_embedded(beginning: Beginning) -> CrawlContext:
    """Open a crawl that is alone: pages, frontier and all else in one file."""
    site, settings, database = beginning.site, beginning.settings, beginning.database
    frontier = SqliteFrontier(
        database,
        max_weight=beginning.max_weight,
        lease_seconds=settings.getfloat("GWC_LEASE_SECONDS"),
        max_lost_leases=settings.getint("GWC_MAX_LEASES"),
        page_limits=page_limits(settings),
        queue_of=beginning.queues,
    )
    sink = SqliteSink(database, site=site.name, fields=beginning.fields, keep_html=beginning.keep_html)
    channel = SqliteChannel(database)
    channel.leave(beginning.owner)  # whoever was at it before is gone
    rules = RobotsTable(database)
    committer = beginning.committer(frontier, sink, database)
    samples = beginning.samples(rules)
    beginning.put_starts_into(frontier)
    return CrawlContext(
        site=site,
        frontier=frontier,
        committer=committer,
        database=database,
        retry=beginning.retry(),
        steering=beginning.steering(channel),
        owner=beginning.owner,
        on_site=beginning.on_site(),
        queues=beginning.queues,
        samples=samples,
        samples_since=beginning.samples_since,
        robots=robots_of(settings, rules),
    )
