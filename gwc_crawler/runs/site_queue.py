"""The queue of a site, in its file or in Redis, for who looks into it or changes it beside a crawl that runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gwc_crawler.config import is_in_redis, lease_options
from gwc_crawler.operate import QueueView
from gwc_crawler.runs.lookup import SiteFiles
from gwc_crawler.runs.servers import Servers
from gwc_crawler.store import CrawlDatabase

if TYPE_CHECKING:
    from gwc_crawler.frontier import Frontier


@contextmanager
def frontier_of(files: SiteFiles, *, max_weight: int | None = None, make: bool = False) -> Iterator[Frontier]:
    """Open the frontier of a site beside a crawl that may be running; only with *make* it need not exist yet."""
    if is_in_redis(files.settings):
        with shared_queue(files) as shared:
            yield shared
        return
    from gwc_crawler.frontier.sqlite import SqliteFrontier

    with CrawlDatabase(files.crawl_db if make else files.require_crawl()) as database:
        yield SqliteFrontier(
            database,
            max_weight=max_weight,
            lease_seconds=lease_options(files.settings).seconds,
            exclusive=False,
        )


@contextmanager
def look_of(files: SiteFiles) -> Iterator[QueueView]:
    """Look into the frontier of a site; nothing is changed, also where the knowledge here is another one."""
    if is_in_redis(files.settings):
        from gwc_crawler.assembly import open_look  # Redis only where it is asked for

        with ExitStack() as stack:
            yield open_look(files.site.name, files.settings, Servers(stack).of(files.settings))
        return
    from gwc_crawler.frontier.sqlite import SqliteFrontier

    with CrawlDatabase(files.require_crawl(), read_only=True) as database:
        yield SqliteFrontier(database, exclusive=False)


@contextmanager
def shared_queue(files: SiteFiles) -> Iterator[Frontier]:
    """Open the queue that the workers of a site share."""
    from gwc_crawler.assembly import connect, shared_frontier  # Redis only where it is asked for

    server = connect(files.settings)
    try:
        yield shared_frontier(files.site.name, files.settings, server, files.max_weight(files.knowledge()))
    finally:
        server.close()
