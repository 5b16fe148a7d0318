"""The common start of every crawl, whatever its backend: the site, its settings, its file; and the parts all have."""

from __future__ import annotations

import glob
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from scrapy.settings import BaseSettings

import gwc_crawler
from gwc_crawler.crawl.common import Common, LeasingSpider, StoredSamples
from gwc_crawler.crawl.data_files import SAMPLES_DB, make_site_directory, remember_site_file, site_directory
from gwc_crawler.crawl.limits import hand_on, robots_of
from gwc_crawler.errors import unwritten
from gwc_crawler.frontier.protocol import DROPPED, Frontier
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.items import Link
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.network.politeness.retry import RetryPolicy
from gwc_crawler.network.politeness.robots import RobotsBook
from gwc_crawler.operate.fleet.channel import SqliteChannel
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.archive import Archive
from gwc_crawler.store.batcher import Committer
from gwc_crawler.store.sink import RecordSinks, SinkConfig
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import ArchivedRows
from gwc_crawler.urls import same_site
from gwc_crawler.wiring.options import ChosenSinks, back_off, keeps_exchanges, partition_policy, sites_directory

if TYPE_CHECKING:
    from gwc_crawler.store.redis_server import Server


Sink = TypeVar("Sink", bound=SqliteSink)


def own_name() -> str:
    """Return the name under which this process leases."""
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True)
class Beginning:
    """A spider, its settings and its site's open file. The backends' factories make their contexts from it.

    *stays_paused*: see `Steering`; *reuse_samples*: whether pages of the pre-crawl are taken instead of fetched.
    *undo* closes the opened parts again if the rest can't be opened.
    """

    spider: LeasingSpider
    settings: BaseSettings
    database: CrawlDatabase
    undo: ExitStack
    max_weight: int | None = None
    fields: Sequence[str] | RecordShape = ()
    keep_html: KeepHtml = KeepHtml.ALL
    stays_paused: bool = False
    reuse_samples: bool = False
    sinks: ChosenSinks = field(default_factory=ChosenSinks)
    owner: str = field(default_factory=own_name)

    @property
    def site(self) -> Site:
        """The site of the crawl."""
        return self.spider.site

    @cached_property
    def queues(self) -> RoleQueues:
        """The assignment of URLs to queues, by GWC_QUEUE_POLICY."""
        return RoleQueues(partition_policy(self.settings))

    def common(self, rules: RobotsBook, server: Server | None = None) -> Common:
        """Return the objects that all parts share; *rules* keeps robots.txt files, *server* the hosts' limits."""
        settings, sites, pauses = self.settings, self.site.sites, back_off(self.settings)
        return Common(
            spider=self.spider,
            site=self.site,
            database=self.database,
            owner=self.owner,
            on_site=lambda url: same_site(url, sites),
            queues=self.queues,
            retry=RetryPolicy(
                settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0,
                frozenset(int(code) for code in settings.getlist("RETRY_HTTP_CODES")),
                pauses.base_seconds,
                pauses.max_seconds,
            ),
            robots=robots_of(settings, rules),
            samples=self._samples(rules),
            stays_paused=self.stays_paused,
            server=server,
            archive=self.archive,
        )

    @cached_property
    def archive(self) -> Archive | None:
        """The opened archive of exchanges (GWC_WARC), repaired if need be; None: none. StoreError: no folder."""
        settings, site = self.settings, self.site.name
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
            return Archive(prefix, max_bytes, ArchivedRows(self.database), made_by)
        except OSError as error:
            raise unwritten(prefix.parent, error, "mend it, or change GWC_WARC") from error

    def committer(self, frontier: Frontier, sink: SqliteSink, shared_with: CrawlDatabase | None) -> Committer:
        """Return the committer of pages and frontier, with open sinks; *shared_with*: the file that holds both."""
        shape = self.fields if isinstance(self.fields, RecordShape) else RecordShape(tuple(self.fields))
        directory = site_directory(self.settings, self.site.name)
        config = SinkConfig(self.site.name, directory, shape, self.settings)
        committer = Committer(
            frontier,
            sink if self.sinks.own else None,
            shared_with.transaction if shared_with else nullcontext,
            others=RecordSinks(self.sinks.others, config) if self.sinks.others else None,
            archive=self.archive,
            max_pages=self.settings.getint("GWC_COMMIT_PAGES"),
            max_seconds=self.settings.getfloat("GWC_COMMIT_SECONDS"),
        )
        self.undo.callback(committer.close)
        return committer

    def sink(self, kind: type[Sink]) -> Sink:
        """Return the sink of pages and records in the crawl's own file."""
        return kind(
            self.database,
            site=self.site.name,
            fields=self.fields,
            keep_html=self.keep_html,
            keep_history=self.settings.getbool("GWC_HISTORY"),
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

    def _samples(self, rules: RobotsBook) -> StoredSamples | None:
        """Open the pre-crawl's stored pages, if they are to be used, and give *rules* its robots.txt files."""
        seconds = self.settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")
        path = site_directory(self.settings, self.site.name) / SAMPLES_DB
        if not self.reuse_samples or seconds <= 0 or not has_tables(path):
            return None
        samples = CrawlDatabase(path, read_only=True)
        self.undo.callback(samples.close)
        hand_on(samples, rules)
        since = time.time() - seconds
        return StoredSamples(samples, since, self.spider.clean, archived_only=keeps_exchanges(self.settings))


@contextmanager
def site_database(site: Site, settings: BaseSettings, name: str) -> Iterator[CrawlDatabase]:
    """Open a file of the site, closed if its user raises. Raises StoreError: the directory or file can't be used."""
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
