"""Pages and records in a SQL Server or PostgreSQL: batches are safe on disk at once, and on the server soon."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.server.config import (
        NAMES,
        OutletConfig,
        ServerConfig,
        number_of,
        table_of,
        text_literal,
        url_id,
    )
    from gwc_crawler.store.server.connection import ServerFault
    from gwc_crawler.store.server.outlet import ITEMS_FOLDER, REFUSED, Outlet, OutletState, read_state, read_states
    from gwc_crawler.store.server.reading import ServerReader
    from gwc_crawler.store.server.schema import TYPES, UnfitValue, as_text, connect, for_column
    from gwc_crawler.store.server.sink import (
        PostgresSink,
        SqlServerSink,
        count_refused,
        deliver,
        delivery_folders,
        engine_of,
        item_head,
    )
    from gwc_crawler.store.server.units import item_unit, plain
else:
    __getattr__ = face(__name__)
