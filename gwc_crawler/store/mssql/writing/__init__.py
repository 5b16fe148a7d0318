"""What the writers' processes do: batches of pages and items → the tables of a SQL Server."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.mssql.writing.batch import Target
    from gwc_crawler.store.mssql.writing.schema import TYPES, make_schema, migrate
    from gwc_crawler.store.mssql.writing.server import Connection, Fault
else:
    __getattr__ = face(__name__)

__all__ = ["TYPES", "Connection", "Fault", "Target", "make_schema", "migrate"]
