"""The `RecordSink`s called `mssql` and `postgres`: pages, links, records and exceptions of a crawl into a server."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.reading import RECORDS_AT_ONCE
from gwc_crawler.store.server.config import LONGEST, MSSQL, NAMES, POSTGRES, OutletConfig, table_of
from gwc_crawler.store.server.outlet import ITEMS_FOLDER, Outlet, OutletState
from gwc_crawler.store.server.spool import REFUSED
from gwc_crawler.store.server.units import page_unit, revised_unit, state_units
from gwc_crawler.store.sink import Revision, SinkConfig, Standing


class ServerSink:
    """Hands batches to an `Outlet`, which may refuse to open (StoreError); each is safe when the Future that `write`
    returns is done.
    """

    engine: ClassVar[str]

    def __init__(self, config: SinkConfig) -> None:
        outlet = OutletConfig.from_settings(config.settings, self.engine)
        self._keep_html = KeepHtml(config.settings["GWC_KEEP_HTML"])
        self._head = batch_head(config.site, config.shape, outlet)
        self._paged = config.shape.paged
        self.outlet = Outlet(outlet, config.directory / self.engine)

    def write(self, visits: Sequence[Visit]) -> Future[None]:
        """Take a batch; nobody may change its pages until the Future is done."""
        return self.outlet.put(self._head, lambda: (page_unit(visit, self._keep_html, self._paged) for visit in visits))

    def revise(self, revisions: Sequence[Revision]) -> Future[None]:
        """Have records, exceptions and kinds of stored pages replaced."""
        head = {**self._head, "form": "revised", "procedure": ""}
        return self.outlet.put(head, lambda: (revised_unit(one, self._paged) for one in revisions))

    def tell(self, standing: Standing) -> None:
        """Have the states of the site and of its URLs written that are not complete."""
        head = {**self._head, "form": "states", "procedure": "", "paged": {}, "files": []}
        units = list(state_units(standing))
        self.outlet.put(head, lambda: units).result()

    def ending(self) -> None:
        """The crawl ends: no batch waits any longer for room while the server is away."""
        self.outlet.ending()

    def close(self) -> None:
        """Wait a while for the server to have it all; what it has not is safe, and for the next run.

        Raises:
            StoreError: it has nothing of all that was written.
        """
        self.outlet.close()
        self.outlet.require_some()


class SqlServerSink(ServerSink):
    """Into a SQL Server."""

    engine = MSSQL


class PostgresSink(ServerSink):
    """Into PostgreSQL."""

    engine = POSTGRES


def batch_head(site: str, shape: RecordShape, config: OutletConfig) -> dict[str, Any]:
    """Return what a batch of pages says of itself."""
    kinds = dict.fromkeys(shape.numbers, "number") | dict.fromkeys(shape.dates, "date")
    return {
        "form": "pages",
        "encoding": LONGEST[config.server.engine][0],
        "site": site,
        "table": table_of("records", site, config.server.engine),
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


# --- What waits for a SQL Server is brought there without a crawl; on request also what it has refused before ---------


AGAIN = "again"
"""Where what was refused lies until it is safe among what waits: what is refused once more comes beside it."""


def delivery_folders(data: Path, site_directory: Path | None, items: str) -> list[Path]:
    """Return the folders of batches that there are: a site's, and those of a spider's pipeline, which *items* names."""
    folders = [site_directory / engine for engine in NAMES] if site_directory is not None else []
    return [folder for folder in (*folders, data / ITEMS_FOLDER / items) if folder.is_dir()]


def engine_of(folder: Path) -> str:
    """Return for what engine the batches in a folder are."""
    return folder.name if folder.name in NAMES else MSSQL


def deliver(config: OutletConfig, directory: Path, *, refused: bool) -> OutletState:
    """Bring over what waits, for as long as the server answers; returns how it ended.

    Args:
        refused: what the server has refused goes there again, too; what it refuses once more is kept as before.
    Raises:
        StoreError: the server can't be reached or refuses the login; the disk does not take what is to wait.
    """
    outlet = Outlet(replace(config, close_seconds=math.inf), directory)
    try:
        if refused and outlet.state.reachable:
            _put_again(outlet, directory / REFUSED)
    finally:
        outlet.close()
    state = outlet.state
    if state.waiting_batches and not state.reachable:
        raise StoreError(f"{state.told}; nothing is lost: bring it back, and run again")
    return state


def count_refused(directory: Path) -> int:
    """Return how many pages (or items) the server has refused."""
    return len(list((directory / REFUSED).glob("*.json"))) + len(list((directory / REFUSED / AGAIN).glob("*.json")))


def _put_again(outlet: Outlet, directory: Path) -> None:
    again = directory / AGAIN
    again.mkdir(parents=True, exist_ok=True)
    for path in directory.glob("*.json"):
        with suppress(FileNotFoundError):  # somebody else is bringing it in
            path.replace(again / path.name)
    heads: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(again.glob("*.json")):
        heads[json.dumps(_read(path)[0], sort_keys=True)].append(path)
    for head, all_paths in heads.items():
        for start in range(0, len(all_paths), RECORDS_AT_ONCE):
            paths = all_paths[start : start + RECORDS_AT_ONCE]
            outlet.put(json.loads(head), lambda: [_read(path)[1] for path in paths]).result()  # noqa: B023  # called now
            for path in paths:
                path.unlink(missing_ok=True)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {name: value for name, value in told.items() if name not in ("error", "reason", "unit")}, told["unit"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} can't be read ({error}); move it away, and run again") from error
