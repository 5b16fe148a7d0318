"""A site and the settings → its workbench, opened: which frontier, which store, with which limits."""

from __future__ import annotations

import glob
import os
import socket
import time
from collections.abc import Sequence
from typing import Any

from scrapy.settings import BaseSettings

from gwc_crawler.database import Database
from gwc_crawler.download.retry import RetryPolicy
from gwc_crawler.frontier import Frontier, SqliteFrontier
from gwc_crawler.frontier.board import Board, SqliteBoard
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.frontier.states import DROPPED
from gwc_crawler.items import Link
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.sites import Site
from gwc_crawler.spiders.choices import partition_policy, setting_choice
from gwc_crawler.spiders.limits import page_limits
from gwc_crawler.spiders.site_files import CRAWL_DB, SAMPLES_DB, make_site_directory, site_directory
from gwc_crawler.spiders.site_state import mark_begin
from gwc_crawler.spiders.steering import Steering
from gwc_crawler.spiders.workbench import Workbench
from gwc_crawler.store import Committer, KeepHtml, SqliteSink
from gwc_crawler.urls import same_site


def open_workbench(
    site: Site,
    settings: BaseSettings,
    *,
    database_name: str,
    max_weight: int | None,
    fields: Sequence[str] | RecordShape,
    keep_html: KeepHtml,
    reuse_samples: bool = False,
    stays_paused: bool = False,
) -> Workbench:
    """Open frontier and store of one site and put its start URLs in: the entry, and the sample pages.

    The frontier is in the same file as the store, or with GWC_FRONTIER = redis shared by many workers (the pre-crawl
    is always one worker's). *stays_paused*: see `Steering`.

    Raises:
        StoreError: the directory or file can't be used, or another crawl of the site is running.
    """
    directory = site_directory(settings, site.name)
    make_site_directory(directory)
    database = Database(directory / database_name, busy_seconds=settings.getfloat("GWC_BUSY_SECONDS"))
    owner = f"{socket.gethostname()}:{os.getpid()}"
    try:
        setting_choice(settings, "GWC_SINK", ("sqlite",))
        shared = database_name == CRAWL_DB and setting_choice(settings, "GWC_FRONTIER", ("sqlite", "redis")) == "redis"
        frontier: Frontier
        sink: SqliteSink
        board: Board
        bench: type[Workbench] = Workbench
        queues = RoleQueues(partition_policy(settings))
        more: dict[str, Any] = {}
        if shared:
            from gwc_crawler.spiders.shared import SharedWorkbench, shared_parts  # Redis only where it is asked for

            bench = SharedWorkbench
            frontier, sink, board, more = shared_parts(
                *(site.name, settings, database),
                max_weight=max_weight,
                fields=fields,
                keep_html=keep_html,
                queue_of=queues,
            )
        else:
            frontier = SqliteFrontier(
                database,
                max_weight=max_weight,
                lease_seconds=settings.getfloat("GWC_LEASE_SECONDS"),
                max_lost_leases=settings.getint("GWC_MAX_LEASES"),
                page_limits=page_limits(settings) if database_name == CRAWL_DB else None,
                queue_of=queues,
            )
            sink = SqliteSink(database, site=site.name, fields=fields, keep_html=keep_html)
            board = SqliteBoard(database)
            board.leave(owner)  # whoever was at it before is gone
        committer = Committer(
            frontier,
            sink,
            None if shared else database,
            max_pages=settings.getint("GWC_COMMIT_PAGES"),
            max_seconds=settings.getfloat("GWC_COMMIT_SECONDS"),
        )
        samples, since = None, 0.0
        if reuse_samples and (reuse := settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")) > 0:
            since = time.time() - reuse
            path = directory / SAMPLES_DB
            samples = Database(path, read_only=True) if path.exists() else None
        starts = list(site.starts)
        frontier.add([Link(url) for url in starts])
        for url in starts:  # a start that failed the last time is worth another try, one that was dropped is not
            if (known := frontier.find(url)) is not None and known.reason != DROPPED:
                frontier.retry(glob.escape(url))
        steering = Steering(site.name, board, owner, stays_paused=stays_paused)
    except BaseException:
        database.close()
        raise
    sites = site.sites
    opened = bench(
        site=site,
        frontier=frontier,
        committer=committer,
        database=database,
        retry=RetryPolicy(
            settings.getint("RETRY_TIMES"),
            frozenset(int(code) for code in settings.getlist("RETRY_HTTP_CODES")),
            settings.getfloat("GWC_RETRY_BASE_SECONDS"),
            settings.getfloat("GWC_RETRY_MAX_SECONDS"),
        ),
        steering=steering,
        owner=owner,
        on_site=lambda url: same_site(url, sites),
        queues=queues,
        samples=samples,
        samples_since=since,
        **more,
    )
    if database_name == CRAWL_DB:
        mark_begin(opened)
    return opened
