"""Scrapy's feed exports, for crawls that continue: after the last run each record is in the feed, once."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extensions.feeds.feed_files import check_feeds
else:
    __getattr__ = face(__name__)

__all__ = [
    "check_feeds",
]
