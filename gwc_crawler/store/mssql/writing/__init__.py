"""What the writers' processes do: batches of pages and items → the tables of a SQL Server."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.mssql.writing.batch import BatchTable
    from gwc_crawler.store.mssql.writing.server import ServerConnection, ServerFault
    from gwc_crawler.store.mssql.writing.sql_schema import TYPES, make_schema, migrate
    from gwc_crawler.store.mssql.writing.sql_values import UnfitValue, as_text, for_column
else:
    __getattr__ = face(__name__)

__all__ = [
    "TYPES",
    "BatchTable",
    "ServerConnection",
    "ServerFault",
    "UnfitValue",
    "as_text",
    "for_column",
    "make_schema",
    "migrate",
]
