"""The parts that all parts of one crawl share, whatever its backend; made once, when the crawl is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from scrapy import Request

from gwc_crawler.crawl.silent_hosts import SilentHosts
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.frontier.sqlite.revisits import read_revisits
from gwc_crawler.items import Lease, StoredPage
from gwc_crawler.network.politeness.retry import RetryPolicy
from gwc_crawler.network.politeness.robots import Robots
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.archive import Archive
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.state import is_archived
from gwc_crawler.store.sqlite.stats import stored_urls
from gwc_crawler.urls import UrlCleaner

if TYPE_CHECKING:
    from gwc_crawler.store.redis_server import Server


class StoredSamples:
    """The pages that a pre-crawl has stored. For most URLs it has none, and says so without a look at the file.

    Args:
        database: its file; closed with this.
        since: the time (epoch seconds) from which on a page is recent enough to be used.
        clean: removes parts of a URL that mean nothing: a page requested with them is the page without them.
        archived_only: use only pages whose exchange is in the archive.
    """

    def __init__(
        self, database: CrawlDatabase, since: float, clean: Callable[[str], str], *, archived_only: bool = False
    ) -> None:
        self._database = database
        self._since = since
        self._archived_only = archived_only
        self._hashes = set(map(hash, stored_urls(database)))  # 32 bytes a page; the file has the last word
        cleaned = {} if archived_only else {clean(url): url for url in stored_urls(database)}
        self._spelled = {url: stored for url, stored in cleaned.items() if hash(url) not in self._hashes}

    def page(self, url: str) -> StoredPage | None:
        """Return the stored page at *url*, if it is recent enough."""
        stored = self._spelled.get(url)
        if stored is None and hash(url) not in self._hashes:
            return None
        found = SqliteReader(self._database, "").stored_page(stored or url, since=self._since)
        if found is not None and stored is not None:
            found = replace(found, url=url)
        if found is not None and self._archived_only and not is_archived(self._database, found.url):
            return None
        return found

    def leave_out(self, url: str) -> None:
        """Fetch *url* from now on: the stored page is not one of its site."""
        self._hashes.discard(hash(url))
        self._spelled.pop(url, None)

    def validators(self, url: str) -> dict[str, str]:
        """Return the ETag and Last-Modified that came with *url*."""
        kept = read_revisits(self._database, [url]).get(url)
        if kept is None:
            return {}
        return {name: value for name, value in (("ETag", kept.etag), ("Last-Modified", kept.last_modified)) if value}

    def close(self) -> None:
        """Close the file."""
        self._database.close()


class LeasingSpider(Protocol):
    """The members of the spider that opens a crawl's parts that these use."""

    site: Site
    clean: UrlCleaner
    """Removes parts of a URL that mean nothing."""
    contact: SilentHosts
    """Hosts that don't answer: URLs of those given up are not leased, and the crawl does not wait for them."""

    @property
    def keeps_revisits(self) -> bool:
        """Whether it is kept of each page when it was looked at and how it was."""

    def request(self, lease: Lease, meta: dict[str, Any]) -> Request:
        """Make the Request of a lease."""

    def start_given_up(self, lease: Lease, reason: str) -> None:
        """Hear that a start URL may not be fetched."""


@dataclass(frozen=True, slots=True)
class Scheduling:
    """Requests of a crawl's parts to the scheduler that they give leases to.

    Attributes:
        lease_anew: returns leases that were not begun.
        wake: looks at once whether there is a URL to request.
        sink_has_answered: notes, from another thread, that a commit is due.
    """

    lease_anew: Callable[[], None]
    wake: Callable[[], None]
    sink_has_answered: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Common:
    """The objects that are the same for all parts of one crawl.

    `owner` is the name under which this process leases. `stays_paused`: see `Steering`. `samples` is None if no page
    of the pre-crawl is used again, `robots` if robots.txt does not count. `server` is the Redis in which the limits of
    hosts are shared with other workers; None: this crawl has its own. `archive` is None if no WARC files are written.
    """

    spider: LeasingSpider
    site: Site
    database: CrawlDatabase
    owner: str
    on_site: Callable[[str], bool]
    queues: RoleQueues
    retry: RetryPolicy
    robots: Robots | None
    samples: StoredSamples | None
    stays_paused: bool
    server: Server | None
    archive: Archive | None = None
