"""What every crawl is opened from, whatever its backend: the site, its settings, its file; and the parts all have."""

from __future__ import annotations

import glob
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from scrapy.settings import BaseSettings

from gwc_crawler.assembly.robots_parts import hand_on
from gwc_crawler.assembly.site_files import SAMPLES_DB, make_site_directory, site_directory
from gwc_crawler.control import Channel, Steering
from gwc_crawler.frontier import DROPPED, Frontier, RoleQueues
from gwc_crawler.items import Link
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.politeness import RetryPolicy
from gwc_crawler.politeness.robots import RobotsBook
from gwc_crawler.sites import Site
from gwc_crawler.store import Committer, Database, KeepHtml, RecordSinks, SinkConfig, SqliteSink, drop_link_index
from gwc_crawler.urls import same_site
from gwc_crawler.wiring import ChosenSinks, partition_policy, setting_choice


def own_name() -> str:
    """Return the name under which this process leases."""
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True)
class Beginning:
    """A site, its settings and its open file. The factories of the backends make their contexts from it.

    *stays_paused*: see `Steering`; *reuse_samples*: whether pages of the pre-crawl are taken instead of fetched.
    *undo* is what has to be closed again if the rest can't be opened.
    """

    site: Site
    settings: BaseSettings
    database: Database
    queues: RoleQueues
    max_weight: int | None = None
    fields: Sequence[str] | RecordShape = ()
    keep_html: KeepHtml = "all"
    stays_paused: bool = False
    reuse_samples: bool = False
    sinks: ChosenSinks = field(default_factory=ChosenSinks)
    undo: ExitStack = field(default_factory=ExitStack)
    owner: str = field(default_factory=own_name)

    def committer(self, frontier: Frontier, sink: SqliteSink, shared_with: Database | None) -> Committer:
        """Return what commits pages and frontier, its sinks opened; *shared_with*: the file that holds both."""
        drop_link_index(self.database)
        committer = Committer(
            frontier,
            sink if self.sinks.own else None,
            shared_with,
            others=RecordSinks(self.sinks.others, self._sink_config()) if self.sinks.others else None,
            max_pages=self.settings.getint("GWC_COMMIT_PAGES"),
            max_seconds=self.settings.getfloat("GWC_COMMIT_SECONDS"),
        )
        self.undo.callback(committer.close)
        return committer

    def _sink_config(self) -> SinkConfig:
        shape = self.fields if isinstance(self.fields, RecordShape) else RecordShape(tuple(self.fields))
        return SinkConfig(self.site.name, site_directory(self.settings, self.site.name), shape, self.settings)

    def steering(self, channel: Channel) -> Steering:
        """Return what pauses and stops the crawl as *channel* says."""
        return Steering(self.site.name, channel, self.owner, stays_paused=self.stays_paused)

    def retry(self) -> RetryPolicy:
        """Return when a failed URL is tried again."""
        settings = self.settings
        return RetryPolicy(
            settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0,
            frozenset(int(code) for code in settings.getlist("RETRY_HTTP_CODES")),
            settings.getfloat("GWC_RETRY_BASE_SECONDS"),
            settings.getfloat("GWC_RETRY_MAX_SECONDS"),
        )

    def on_site(self) -> Callable[[str], bool]:
        """Return what says whether a URL belongs to the site."""
        sites = self.site.sites
        return lambda url: same_site(url, sites)

    @property
    def samples_since(self) -> float:
        """From when on (epoch seconds) a page of the pre-crawl is recent enough to be used again."""
        return time.time() - self.settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")

    def samples(self, rules: RobotsBook) -> Database | None:
        """Open what the pre-crawl has stored, if it is to be used, and have *rules* know what it has read."""
        if not self.reuse_samples or self.settings.getfloat("GWC_REUSE_SAMPLES_SECONDS") <= 0:
            return None
        path = site_directory(self.settings, self.site.name) / SAMPLES_DB
        samples = Database(path, read_only=True) if path.exists() else None
        if samples is not None:
            hand_on(samples, rules)
        return samples

    def put_starts_into(self, frontier: Frontier) -> None:
        """Add the start URLs. One that failed the last time is worth another try, one that was dropped is not."""
        starts = list(self.site.starts)
        frontier.add([Link(url) for url in starts])
        for url in starts:
            if (known := frontier.find(url)) is not None and known.reason != DROPPED:
                frontier.retry(glob.escape(url))


def is_in_redis(settings: BaseSettings) -> bool:
    """Say whether crawls are shared."""
    return setting_choice(settings, "GWC_FRONTIER", ("sqlite", "redis")) == "redis"


def queues_of(settings: BaseSettings) -> RoleQueues:
    """Return what gives URLs to queues, by GWC_QUEUE_POLICY."""
    return RoleQueues(partition_policy(settings))


@contextmanager
def site_database(site: Site, settings: BaseSettings, name: str) -> Iterator[Database]:
    """Open a file of the site, and close it again if what is made of it here fails.

    Raises:
        StoreError: the directory or file can't be used.
    """
    directory = site_directory(settings, site.name)
    make_site_directory(directory)
    database = Database(directory / name, busy_seconds=settings.getfloat("GWC_BUSY_SECONDS"))
    try:
        yield database
    except BaseException:
        database.close()
        raise
