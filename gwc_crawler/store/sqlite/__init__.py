"""The embedded store: one SQLite file for a crawl, with its pages, links and records, beside the frontier's tables."""

from gwc_crawler.store.sqlite.bodies import dictionary_of
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables
from gwc_crawler.store.sqlite.reading import (
    Change,
    RecordTable,
    SqliteReader,
    has_history,
    read_changes,
    record_table,
)
from gwc_crawler.store.sqlite.record_file import RecordFile
from gwc_crawler.store.sqlite.sink import (
    PRUNED_KINDS,
    SharedSqliteSink,
    SqliteSink,
    column_names,
    count_waiting_urls,
    is_kept,
    read_records,
)
from gwc_crawler.store.sqlite.stats import (
    ItemReader,
    KeptPage,
    as_extracted,
    count_complete,
    count_records,
    count_stored_pages,
    drop_link_index,
    index_links,
    is_begun,
    item_reader,
    least_depth_of_linking,
    page_facts,
    pages_without_html,
    read_kept_pages,
    read_stored_pages,
    stored_page,
    stored_urls,
    took_its_place,
)
from gwc_crawler.store.sqlite.upkeep import FileSizes, file_sizes, vacuum
