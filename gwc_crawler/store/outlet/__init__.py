"""What leaves the store: records and links read while a crawl writes, what changed when, the file of an export."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.outlet.changes import Change, has_history, read_changes
    from gwc_crawler.store.outlet.links import (
        GraphRow,
        has_more_links,
        read_graph_links,
        read_graph_pages,
        read_redirects,
    )
    from gwc_crawler.store.outlet.recent import ExceptionStats, coverage_steps, exception_stats, recent_records
    from gwc_crawler.store.outlet.record_file import RecordFile
    from gwc_crawler.store.outlet.records import EXACT, ColumnFacts, RecordTable, record_table
else:
    __getattr__ = face(__name__)

__all__ = [
    "EXACT",
    "Change",
    "ColumnFacts",
    "ExceptionStats",
    "GraphRow",
    "RecordFile",
    "RecordTable",
    "coverage_steps",
    "exception_stats",
    "has_history",
    "has_more_links",
    "read_changes",
    "read_graph_links",
    "read_graph_pages",
    "read_redirects",
    "recent_records",
    "record_table",
]
