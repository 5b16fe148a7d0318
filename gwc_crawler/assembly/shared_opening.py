"""The parts of one worker's share of a crawl, opened: frontier, channel and robots.txt texts in Redis, pages in a file.

Loaded only where Redis is asked for (GWC_FRONTIER = redis).
"""

from __future__ import annotations

from gwc_crawler.admission import LimitsBook, SharedLimitsBook
from gwc_crawler.assembly.beginning import Beginning
from gwc_crawler.assembly.redis_parts import connect, open_channel, open_frontier, start_urls
from gwc_crawler.config import lease_options
from gwc_crawler.crawl.shared import SharedContext, SharedControl, SharedLeases, SharedPageStore
from gwc_crawler.frontier.sqlite import RevisitMirror
from gwc_crawler.politeness.robots import RedisRobots
from gwc_crawler.store import SharedSqliteSink


def open_shared(beginning: Beginning) -> SharedContext:
    """Open one worker's part of a crawl.

    Raises:
        OutageError: Redis can't be reached.
    """
    settings, database, site = beginning.settings, beginning.database, beginning.site.name
    server = connect(settings)
    beginning.undo.callback(server.close)
    mirror = RevisitMirror(database)
    sink = SharedSqliteSink(
        database,
        site=site,
        fields=beginning.fields,
        keep_html=beginning.keep_html,
        keep_history=settings.getbool("GWC_HISTORY"),
    )
    frontier = open_frontier(site, settings, server, beginning.max_weight, beginning.queues)
    channel = open_channel(site, settings, server)
    channel.forget_the_vanished()
    queue_key = frontier.shared.queue_key
    common = beginning.common(RedisRobots(server, queue_key), server)
    book = SharedLimitsBook(server, queue_key, LimitsBook(database))
    idle_seconds = settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE")
    committer = beginning.committer(frontier, sink, None)
    leases = SharedLeases(common, frontier, book, committer, mirror, idle_seconds=idle_seconds)
    store = SharedPageStore(committer, leases, frontier, sink, mirror)
    beginning.put_starts_into(frontier)
    control = SharedControl(
        common,
        channel,
        leases,
        store,
        frontier=frontier,
        server=server,
        starts=start_urls(site, settings, server),
        beat_seconds=lease_options(settings).seconds / 4,
    )
    return SharedContext(common, frontier, leases, store, control)
