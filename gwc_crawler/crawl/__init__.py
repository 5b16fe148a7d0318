"""A running crawl: where its leases come from, where its pages go, what is asked of it."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.crawl.common import Common, LeasingSpider
    from gwc_crawler.crawl.context import CrawlContext
    from gwc_crawler.crawl.control import CrawlControl
    from gwc_crawler.crawl.leases import Leases
    from gwc_crawler.crawl.page_store import PageStore
    from gwc_crawler.crawl.precrawl import PrecrawlContext, PrecrawlLeases, PrecrawlStore
    from gwc_crawler.crawl.settling import Settling
    from gwc_crawler.crawl.silent_hosts import Silence, SilentHosts, kind_of
    from gwc_crawler.crawl.stored_samples import StoredSamples
else:
    __getattr__ = face(__name__)

__all__ = [
    "Common",
    "CrawlContext",
    "CrawlControl",
    "Leases",
    "LeasingSpider",
    "PageStore",
    "PrecrawlContext",
    "PrecrawlLeases",
    "PrecrawlStore",
    "Settling",
    "Silence",
    "SilentHosts",
    "StoredSamples",
    "kind_of",
]
