"""Pages and records in a SQL Server: batches are safe on disk at once, and on the server soon."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.mssql.config import OutletConfig, ServerConfig, number_of, table_of, text_literal, url_id
    from gwc_crawler.store.mssql.outlet import ITEMS_FOLDER, REFUSED, Outlet, OutletState, read_state
    from gwc_crawler.store.mssql.records import recent_server_records, server_record_at
    from gwc_crawler.store.mssql.server import ServerConnection, ServerFault
    from gwc_crawler.store.mssql.sink import SqlServerSink, count_refused, deliver, delivery_folders, item_head
    from gwc_crawler.store.mssql.sql_schema import TYPES, UnfitValue, as_text, for_column
    from gwc_crawler.store.mssql.units import item_unit, plain
else:
    __getattr__ = face(__name__)
