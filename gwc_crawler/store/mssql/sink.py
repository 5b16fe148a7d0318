"""The `RecordSink` that is called `mssql`: pages, links, records and exceptions of a crawl into a SQL Server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from gwc_crawler.items import Visit
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.mssql.config import OutletConfig
from gwc_crawler.store.mssql.identifiers import table_of
from gwc_crawler.store.mssql.outlet import Outlet
from gwc_crawler.store.mssql.state import FOLDER, OutletState
from gwc_crawler.store.mssql.units import page_unit
from gwc_crawler.store.sink import SinkConfig


class SqlServerSink:
    """Hands batches to an `Outlet`; each is safe when the Future that `write` returns is done.

    Raises:
        InputError: a setting can't be used.
        StoreError: see `Outlet`.
    """

    def __init__(self, config: SinkConfig) -> None:
        outlet = OutletConfig.from_settings(config.settings)
        self._keep_html = KeepHtml(config.settings["GWC_KEEP_HTML"])
        self._head = batch_head(config.site, config.shape, outlet)
        self._paged = config.shape.paged
        self._outlet = Outlet(outlet, config.directory / FOLDER)

    def write(self, visits: Sequence[Visit]) -> Future[None]:
        """Take a batch; nobody may change its pages until the Future is done."""
        return self._outlet.put(
            self._head, lambda: (page_unit(visit, self._keep_html, self._paged) for visit in visits)
        )

    def ending(self) -> None:
        """The crawl ends: no batch waits any longer for room while the server is away."""
        self._outlet.ending()

    @property
    def state(self) -> OutletState:
        """How it does just now."""
        return self._outlet.state

    def is_empty_within(self, seconds: float) -> bool:
        """Wait until the server has all that was written; False when it has not by then."""
        return self._outlet.is_empty_within(seconds)

    def close(self) -> None:
        """Wait a while for the server to have it all; what it has not is safe, and for the next run."""
        self._outlet.close()


def batch_head(site: str, shape: RecordShape, config: OutletConfig) -> dict[str, Any]:
    """Return what a batch of pages says of itself."""
    kinds = dict.fromkeys(shape.numbers, "number") | dict.fromkeys(shape.dates, "date")
    return {
        "form": "pages",
        "site": site,
        "table": table_of("records", site),
        "fields": [[field, kinds.get(field, "text")] for field in shape.columns],
        "lists": config.lists,
        "procedure": config.procedure,
        "paged": {name: list(group) for name, group in shape.paged.items()},
        "files": list(shape.files),
    }


def item_head(site: str, table: str, fields: Mapping[str, str], config: OutletConfig) -> dict[str, Any]:
    """Return what a batch of items says of itself; *fields*: name → one of `schema.TYPES`."""
    return {
        "form": "items",
        "site": site,
        "table": table,
        "fields": [[field, kind] for field, kind in fields.items()],
        "lists": config.lists,
        "procedure": "",
    }
