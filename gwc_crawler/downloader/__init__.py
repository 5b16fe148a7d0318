"""Scrapy's downloader with limits that belong to hosts, and the handler that fetches over kept connections."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.downloader.direct import DirectDownloader
    from gwc_crawler.downloader.name_lookup import AddressRefused, names_of
    from gwc_crawler.downloader.politeness import host_limits, limiter_of
else:
    __getattr__ = face(__name__)

__all__ = [
    "AddressRefused",
    "DirectDownloader",
    "host_limits",
    "limiter_of",
    "names_of",
]
