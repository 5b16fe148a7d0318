"""Scrapy's scheduler over the frontier: leases become Requests, in the order of the crawl, as their hosts allow."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.scheduler.priority_queue import TunnelWeightQueue
else:
    __getattr__ = face(__name__)

__all__ = [
    "TunnelWeightQueue",
]
