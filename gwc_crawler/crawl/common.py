"""What all parts of one crawl share, whatever its backend; made when it is opened, and asked for other parts."""

from __future__ import annotations

import glob
import os
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scrapy.settings import BaseSettings

import gwc_crawler
from gwc_crawler.crawl.data_files import SAMPLES_DB, site_directory
from gwc_crawler.crawl.limits import hand_on, robots_of
from gwc_crawler.crawl.silent_hosts import SilentHosts
from gwc_crawler.errors import unwritten
from gwc_crawler.frontier.protocol import DROPPED, Frontier
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.frontier.sqlite.revisits import read_revisits
from gwc_crawler.items import Lease, Link, StoredPage
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.network.politeness.robots import RobotsBook
from gwc_crawler.operate.fleet.channel import SqliteChannel
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.archive import Archive
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sink import RecordSinks, SinkConfig
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import ArchivedRows, is_archived
from gwc_crawler.store.sqlite.stats import stored_urls
from gwc_crawler.urls import UrlCleaner, same_site
from gwc_crawler.wiring.options import ChosenSinks, keeps_exchanges

if TYPE_CHECKING:
    from gwc_crawler.store.redis_server import Server

Sink = TypeVar("Sink", bound=SqliteSink)
Store = TypeVar("Store", bound=Batcher)


class LeasingSpider(Protocol):
    """The members of a spider that the parts of its crawl use."""

    settings: BaseSettings
    site: Site
    clean: UrlCleaner
    """Removes parts of a URL that mean nothing."""
    contact: SilentHosts
    """Hosts that don't answer: URLs of those given up are not leased, and the crawl does not wait for them."""
    queues: RoleQueues
    """The assignment of URLs to queues, by GWC_QUEUE_POLICY."""
    stays_paused: bool
    """See `Steering`."""
    reuses_samples: bool
    """Whether pages of the pre-crawl are taken instead of fetched."""
    max_weight: int | None
    """Of a URL that is fetched; None: any."""
    shape: RecordShape
    keep_html: KeepHtml

    @property
    def keeps_revisits(self) -> bool:
        """Whether it is kept of each page when it was looked at and how it was."""

    def may_keep_file(self, url: str) -> bool:
        """Say whether somebody wants a body at *url* that is no page."""

    def parse(self, response: Any) -> Any:
        """Take the answer to a Request."""

    def on_failure(self, failure: Any) -> list[Any]:
        """Take the news that there is no answer."""

    def start_given_up(self, lease: Lease, reason: str) -> None:
        """Hear that a start URL may not be fetched."""


def own_name() -> str:
    """Return the name under which this process leases."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Common:
    """The open objects that are the same for all parts of one crawl.

    Args:
        undo: closes them again if the rest can't be opened.
        rules: keeps robots.txt files.
        server: the Redis in which the limits of hosts are shared with other workers; None: this crawl has its own.
    """

    def __init__(
        self,
        spider: LeasingSpider,
        database: CrawlDatabase,
        undo: ExitStack,
        rules: RobotsBook,
        server: Server | None = None,
    ) -> None:
        self.spider = spider
        self.site = spider.site
        self.database = database
        self.owner = own_name()
        self.robots = robots_of(spider.settings, rules)
        """None: robots.txt does not count."""
        self.samples = stored_samples(spider, rules, undo)
        """None: no page of the pre-crawl is used again."""
        self.server = server
        self.archive = archive_of(spider, database)
        self._undo = undo

    def on_site(self, url: str) -> bool:
        """Say whether a URL is on a site of the crawl."""
        return same_site(url, self.site.sites)

    def store(
        self,
        kind: type[Store],
        frontier: Frontier,
        sink: SqliteSink,
        settled: Callable[[], None],
        shared_with: CrawlDatabase | None,
        sinks: ChosenSinks,
    ) -> Store:
        """Return the store of pages, with open sinks; *shared_with*: the file that holds both pages and frontier."""
        settings = self.spider.settings
        config = SinkConfig(self.site.name, site_directory(settings, self.site.name), self.spider.shape, settings)
        store = kind(
            frontier,
            sink if sinks.own else None,
            shared_with.transaction if shared_with else nullcontext,
            others=RecordSinks(sinks.others, config) if sinks.others else None,
            archive=self.archive,
            settled=settled,
            max_pages=settings.getint("GWC_COMMIT_PAGES"),
            max_seconds=settings.getfloat("GWC_COMMIT_SECONDS"),
        )
        self._undo.callback(store.close)
        return store

    def sink(self, kind: type[Sink]) -> Sink:
        """Return the sink of pages and records in the crawl's own file."""
        spider = self.spider
        return kind(
            self.database,
            site=self.site.name,
            fields=spider.shape,
            keep_html=spider.keep_html,
            keep_history=spider.settings.getbool("GWC_HISTORY"),
        )

    def channel(self) -> SqliteChannel:
        """Return the channel by which people steer a crawl that is alone; its former worker is removed from it."""
        channel = SqliteChannel(self.database)
        channel.leave(self.owner)
        return channel

    def put_starts_into(self, frontier: Frontier) -> None:
        """Add the start URLs. One that failed the last time is worth another try, one that was dropped is not."""
        starts = list(dict.fromkeys(map(self.spider.clean, self.site.starts)))
        frontier.add([Link(url) for url in starts])
        for url in starts:
            if (known := frontier.find(url)) is not None and known.reason != DROPPED:
                frontier.retry(glob.escape(url))


def archive_of(spider: LeasingSpider, database: CrawlDatabase) -> Archive | None:
    """Return the opened archive of exchanges (GWC_WARC), repaired if need be; None: none. StoreError: no folder."""
    settings, site = spider.settings, spider.site.name
    if not keeps_exchanges(settings):
        return None
    text = str(settings["GWC_WARC"])  # folder and beginning of the names; behind a last "/" the site's name
    prefix = site_directory(settings, site) / text / (site if text.endswith("/") else "")
    max_bytes = settings.getint("GWC_WARC_MAX_BYTES")
    made_by = [
        ("software", f"gwc-crawler/{gwc_crawler.__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", site),
        ("http-header-user-agent", str(settings["USER_AGENT"])),
        ("robots", "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore"),
    ]
    try:
        return Archive(prefix, max_bytes, ArchivedRows(database), made_by)
    except OSError as error:
        raise unwritten(prefix.parent, error, "mend it, or change GWC_WARC") from error


def stored_samples(spider: LeasingSpider, rules: RobotsBook, undo: ExitStack) -> StoredSamples | None:
    """Open the pre-crawl's stored pages, if they are to be used, and give *rules* its robots.txt files."""
    settings = spider.settings
    seconds = settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")
    path = site_directory(settings, spider.site.name) / SAMPLES_DB
    if not spider.reuses_samples or seconds <= 0 or not has_tables(path):
        return None
    samples = CrawlDatabase(path, read_only=True)
    undo.callback(samples.close)
    hand_on(samples, rules)
    return StoredSamples(samples, time.time() - seconds, spider.clean, archived_only=keeps_exchanges(settings))


class StoredSamples:
    """The pages that a pre-crawl has stored; of other URLs it says so without a look at the file.

    Args:
        since: epoch seconds from which on a page is recent enough to be used.
        clean: removes parts of a URL that mean nothing: a page requested with them is the page without them.
        archived_only: use only pages whose exchange is in the archive.
    """

    def __init__(
        self, database: CrawlDatabase, since: float, clean: Callable[[str], str], *, archived_only: bool = False
    ) -> None:
        self._database = database
        self._since = since
        self._archived_only = archived_only
        cleaned = {} if archived_only else {clean(url): url for url in stored_urls(database)}
        self._stored = cleaned | {url: url for url in stored_urls(database)}
        """Address → that of its page; the file has the last word."""

    def page(self, url: str) -> StoredPage | None:
        """Return the stored page at *url*, if it is recent enough."""
        if (stored := self._stored.get(url)) is None:
            return None
        found = SqliteReader(self._database, "").stored_page(stored, since=self._since)
        if found is None or (self._archived_only and not is_archived(self._database, found.url)):
            return None
        return found if stored == url else replace(found, url=url)

    def leave_out(self, url: str) -> None:
        """Fetch *url* from now on: the stored page is not one of its site."""
        self._stored.pop(url, None)

    def validators(self, url: str) -> dict[str, str]:
        """Return the ETag and Last-Modified that came with *url*."""
        kept = read_revisits(self._database, [url]).get(url)
        if kept is None:
            return {}
        return {name: value for name, value in (("ETag", kept.etag), ("Last-Modified", kept.last_modified)) if value}

    def close(self) -> None:
        """Close the file."""
        self._database.close()
