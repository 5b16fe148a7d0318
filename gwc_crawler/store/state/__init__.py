"""What a crawl remembers besides its pages: a module for each subject, with its tables; the only ones that read them.

All but `host_memory` and `name_memory`, which have files for all crawls (`side_file`), are in the crawl's own
`CrawlDatabase`. What the rows mean is said by the packages that use them: admission, control, politeness, dns,
assembly, the feeds.
"""

from gwc_crawler.store.state.side_file import HOSTS_DB, KEPT_SECONDS, NAMES_DB, HostMemory, HostNote, NameFile
from gwc_crawler.store.state.tables import (
    ArchivedRows,
    ChannelRows,
    DraftRow,
    DraftTable,
    FeedBook,
    FeedState,
    LimitRows,
    RobotsTable,
    is_archived,
    mark_sites,
    outdate_feeds,
    site_state,
)
