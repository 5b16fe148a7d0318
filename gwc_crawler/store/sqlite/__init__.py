"""The embedded store: one SQLite file for a crawl, with its pages, links and records, beside the frontier's tables."""

from gwc_crawler.store.sqlite.bodies import dictionary_of
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables
from gwc_crawler.store.sqlite.reading import (
    Change,
    SqliteReader,
    has_history,
    read_changes,
)
from gwc_crawler.store.sqlite.record_file import RecordFile
from gwc_crawler.store.sqlite.sink import (
    SharedSqliteSink,
    SqliteSink,
    column_names,
    count_waiting_urls,
    read_records,
)
from gwc_crawler.store.sqlite.stats import (
    ItemReader,
    KeptPage,
    count_complete,
    count_stored_pages,
    item_reader,
    least_depth_of_linking,
    pages_without_html,
    read_kept_pages,
    read_stored_pages,
    stored_urls,
)
from gwc_crawler.store.sqlite.upkeep import FileSizes, file_sizes, vacuum
