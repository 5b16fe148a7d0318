"""Tables of pages for the strip engine: where waiting pages are read from, and where stripped ones go."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.tables.mssql import SqlServerPages, SqlServerTarget
    from gwc_crawler.store.tables.pages import PageKey, PageSource, PageTarget, StrippedPage, WaitingPage
    from gwc_crawler.store.tables.sqlite_source import CrawlPages, SqliteTable, open_sqlite_source
    from gwc_crawler.store.tables.sqlite_target import SqliteTarget
    from gwc_crawler.store.tables.watch import OperationTime, StopWatch
else:
    __getattr__ = face(__name__)

__all__ = [
    "CrawlPages",
    "OperationTime",
    "PageKey",
    "PageSource",
    "PageTarget",
    "SqlServerPages",
    "SqlServerTarget",
    "SqliteTable",
    "SqliteTarget",
    "StopWatch",
    "StrippedPage",
    "WaitingPage",
    "open_sqlite_source",
]
