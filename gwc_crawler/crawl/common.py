"""What all parts of one crawl have in common, whatever its backend; made once, when the crawl is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from scrapy import Request

from gwc_crawler.archive import Archive
from gwc_crawler.clean_urls import UrlCleaner
from gwc_crawler.crawl.silent_hosts import SilentHosts
from gwc_crawler.crawl.stored_samples import StoredSamples
from gwc_crawler.frontier import RoleQueues
from gwc_crawler.items import Lease
from gwc_crawler.politeness import RetryPolicy
from gwc_crawler.politeness.robots import Robots
from gwc_crawler.sites import Site
from gwc_crawler.store import CrawlDatabase

if TYPE_CHECKING:
    from gwc_crawler.redis_server import Server


class LeasingSpider(Protocol):
    """What a crawl's parts see of the spider that opens them."""

    site: Site
    clean: UrlCleaner
    """Takes what says nothing of a page out of its URL."""
    contact: SilentHosts
    """Which hosts don't answer: of those that are given up nothing is leased, and nobody waits for them."""

    @property
    def keeps_revisits(self) -> bool:
        """Whether it is kept of each page when it was looked at and how it was."""

    def request(self, lease: Lease, meta: dict[str, Any]) -> Request:
        """Make the Request of a lease."""

    def start_given_up(self, lease: Lease, reason: str) -> None:
        """Hear that a start URL may not be fetched."""


@dataclass(frozen=True, slots=True)
class Common:
    """Whose crawl it is, and what is the same for all its parts.

    `owner` is the name under which this process leases. `stays_paused`: see `Steering`. `samples` is None where no page
    of the pre-crawl is used again, `robots` where robots.txt does not count. `server` is the Redis in which the limits
    of hosts are shared with other workers; None: this crawl has its own. `archive` is None where no WARC files are
    written.
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
