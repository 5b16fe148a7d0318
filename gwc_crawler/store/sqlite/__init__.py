"""The embedded store: one SQLite file for a crawl, with its pages, links and records, beside the frontier's tables."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.sqlite.bodies import dictionary_of, unpacked
    from gwc_crawler.store.sqlite.database import PAGE_BYTES, CrawlDatabase, has_tables, is_crawl_database, quote_name
    from gwc_crawler.store.sqlite.errors import explain
    from gwc_crawler.store.sqlite.link_index import drop_link_index, index_links
    from gwc_crawler.store.sqlite.mirror import SharedSqliteSink
    from gwc_crawler.store.sqlite.sink import (
        PRUNED_KINDS,
        SqliteSink,
        column_names,
        count_waiting_urls,
        is_kept,
        read_records,
        records_table,
    )
    from gwc_crawler.store.sqlite.stats import (
        KeptPage,
        count_complete,
        count_exceptions,
        count_exceptions_by_field,
        count_kept_pages,
        count_pages_by_kind,
        count_records,
        count_stored_pages,
        exceptions_of,
        is_begun,
        least_depth_of_linking,
        page_facts,
        pages_linking_to,
        pages_without_html,
        read_kept_pages,
        read_stored_pages,
        record_of,
        stored_page,
        stored_urls,
        took_its_place,
    )
    from gwc_crawler.store.sqlite.stored_items import ItemReader, as_extracted, item_reader
else:
    __getattr__ = face(__name__)

__all__ = [
    "PAGE_BYTES",
    "PRUNED_KINDS",
    "CrawlDatabase",
    "ItemReader",
    "KeptPage",
    "SharedSqliteSink",
    "SqliteSink",
    "as_extracted",
    "column_names",
    "count_complete",
    "count_exceptions",
    "count_exceptions_by_field",
    "count_kept_pages",
    "count_pages_by_kind",
    "count_records",
    "count_stored_pages",
    "count_waiting_urls",
    "dictionary_of",
    "drop_link_index",
    "exceptions_of",
    "explain",
    "has_tables",
    "index_links",
    "is_begun",
    "is_crawl_database",
    "is_kept",
    "item_reader",
    "least_depth_of_linking",
    "page_facts",
    "pages_linking_to",
    "pages_without_html",
    "quote_name",
    "read_kept_pages",
    "read_records",
    "read_stored_pages",
    "record_of",
    "records_table",
    "stored_page",
    "stored_urls",
    "took_its_place",
    "unpacked",
]
