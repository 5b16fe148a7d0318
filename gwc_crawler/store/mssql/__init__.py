"""Pages and records in a SQL Server: batches are safe on disk at once, and on the server soon."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.mssql.config import OutletConfig, ServerConfig, number_of
    from gwc_crawler.store.mssql.delivery import count_refused, deliver, delivery_folders
    from gwc_crawler.store.mssql.identifiers import quoted, table_of, text_literal, url_id
    from gwc_crawler.store.mssql.outlet import Outlet
    from gwc_crawler.store.mssql.sink import SqlServerSink, batch_head, item_head
    from gwc_crawler.store.mssql.state import ITEMS_FOLDER, REFUSED, OutletState, read_state
    from gwc_crawler.store.mssql.units import item_unit, plain
else:
    __getattr__ = face(__name__)

__all__ = [
    "ITEMS_FOLDER",
    "REFUSED",
    "Outlet",
    "OutletConfig",
    "OutletState",
    "ServerConfig",
    "SqlServerSink",
    "batch_head",
    "count_refused",
    "deliver",
    "delivery_folders",
    "item_head",
    "item_unit",
    "number_of",
    "plain",
    "quoted",
    "read_state",
    "table_of",
    "text_literal",
    "url_id",
]
