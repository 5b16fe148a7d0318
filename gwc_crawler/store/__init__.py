"""Where pages, links, records and exceptions go, in batches, always before the frontier moves on."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.batcher import Committer
    from gwc_crawler.store.column_values import Revision, column_value, stored_record
    from gwc_crawler.store.history import ChangeCause, ChangeKind
    from gwc_crawler.store.lock import crawl_holder, take_lock
    from gwc_crawler.store.sink import RecordSink, RecordSinks, SinkConfig, SinkFactory, record_rows
    from gwc_crawler.store.sqlite import (
        CrawlDatabase,
        ItemReader,
        KeptPage,
        SharedSqliteSink,
        SqliteSink,
        as_extracted,
        column_names,
        count_exceptions,
        count_exceptions_by_field,
        count_kept_pages,
        count_pages_by_kind,
        count_records,
        count_stored_pages,
        count_waiting_urls,
        drop_link_index,
        exceptions_of,
        explain,
        has_tables,
        index_links,
        is_begun,
        is_kept,
        item_reader,
        least_depth_of_linking,
        page_facts,
        pages_linking_to,
        pages_without_html,
        read_kept_pages,
        read_records,
        read_stored_pages,
        record_of,
        records_table,
        stored_page,
        stored_urls,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "ChangeCause",
    "ChangeKind",
    "Committer",
    "CrawlDatabase",
    "ItemReader",
    "KeptPage",
    "RecordSink",
    "RecordSinks",
    "Revision",
    "SharedSqliteSink",
    "SinkConfig",
    "SinkFactory",
    "SqliteSink",
    "as_extracted",
    "column_names",
    "column_value",
    "count_exceptions",
    "count_exceptions_by_field",
    "count_kept_pages",
    "count_pages_by_kind",
    "count_records",
    "count_stored_pages",
    "count_waiting_urls",
    "crawl_holder",
    "drop_link_index",
    "exceptions_of",
    "explain",
    "has_tables",
    "index_links",
    "is_begun",
    "is_kept",
    "item_reader",
    "least_depth_of_linking",
    "page_facts",
    "pages_linking_to",
    "pages_without_html",
    "read_kept_pages",
    "read_records",
    "read_stored_pages",
    "record_of",
    "record_rows",
    "records_table",
    "stored_page",
    "stored_record",
    "stored_urls",
    "take_lock",
]
