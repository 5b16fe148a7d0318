"""Tables besides the crawl: pages that the strip engine reads and writes, records that a SQL Server alone has."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.tables.mssql import SqlServerPages, SqlServerTarget
    from gwc_crawler.store.tables.pages import PageKey, PageSource, PageTarget, StrippedPage, WaitingPage
    from gwc_crawler.store.tables.server_records import ServerRecords, recent_server_records, server_record_at
    from gwc_crawler.store.tables.sqlite_source import CrawlPages, SqliteTable, open_sqlite_source
    from gwc_crawler.store.tables.sqlite_target import SqliteTarget
    from gwc_crawler.store.tables.stop_watch import OperationTime, StopWatch
else:
    __getattr__ = face(__name__)

__all__ = [
    "CrawlPages",
    "OperationTime",
    "PageKey",
    "PageSource",
    "PageTarget",
    "ServerRecords",
    "SqlServerPages",
    "SqlServerTarget",
    "SqliteTable",
    "SqliteTarget",
    "StopWatch",
    "StrippedPage",
    "WaitingPage",
    "open_sqlite_source",
    "recent_server_records",
    "server_record_at",
]
