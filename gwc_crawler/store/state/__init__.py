"""What a crawl remembers besides its pages: a module for each subject, with its tables; the only ones that read them.

All but `host_memory` and `name_memory`, which have files for all crawls (`side_file`), are in the crawl's own
`CrawlDatabase`. What the rows mean is said by the packages that use them: admission, control, politeness, dns,
assembly, the feeds.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.state.archived import ArchivedRows, is_archived
    from gwc_crawler.store.state.channel import ChannelRows
    from gwc_crawler.store.state.drafts import DraftRow, DraftTable
    from gwc_crawler.store.state.feed_book import FeedBook, FeedState, outdate_feeds
    from gwc_crawler.store.state.host_memory import HOSTS_DB, KEPT_SECONDS, HostMemory, HostNote
    from gwc_crawler.store.state.limits import LimitRows
    from gwc_crawler.store.state.name_memory import NAMES_DB, NameFile
    from gwc_crawler.store.state.robots import RobotsTable
    from gwc_crawler.store.state.sites import mark_sites, site_state
else:
    __getattr__ = face(__name__)

__all__ = [
    "HOSTS_DB",
    "KEPT_SECONDS",
    "NAMES_DB",
    "ArchivedRows",
    "ChannelRows",
    "DraftRow",
    "DraftTable",
    "FeedBook",
    "FeedState",
    "HostMemory",
    "HostNote",
    "LimitRows",
    "NameFile",
    "RobotsTable",
    "is_archived",
    "mark_sites",
    "outdate_feeds",
    "site_state",
]
