"""What waits for a SQL Server is brought there without a crawl; on request also what it has refused before."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gwc_crawler.errors import StoreError
from gwc_crawler.store.mssql.config import OutletConfig
from gwc_crawler.store.mssql.outlet import Outlet
from gwc_crawler.store.mssql.state import FOLDER, ITEMS_FOLDER, REFUSED, OutletState

AGAIN = "again"
"""Where what was refused lies until it is safe among what waits: what is refused once more comes beside it."""
UNITS = 100


def delivery_folders(data: Path, site_directory: Path | None, items: str) -> list[Path]:
    """Return the folders of batches that there are: a site's, and those of a spider's pipeline, which *items* names."""
    folders = [site_directory / FOLDER] if site_directory is not None else []
    return [folder for folder in (*folders, data / ITEMS_FOLDER / items) if folder.is_dir()]


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
        raise StoreError(f"SQL Server: {state.told}; nothing is lost: bring it back, and run again")
    return state


def count_refused(directory: Path) -> int:
    """Return how many pages (or items) the server has refused."""
    return len(list((directory / REFUSED).glob("*.json"))) + len(list((directory / REFUSED / AGAIN).glob("*.json")))


def _put_again(outlet: Outlet, directory: Path) -> None:
    """Put refused units among what waits, and delete their files when they are safe there."""
    again = directory / AGAIN
    again.mkdir(parents=True, exist_ok=True)
    for path in directory.glob("*.json"):
        with suppress(FileNotFoundError):  # somebody else is bringing it in
            path.replace(again / path.name)
    heads: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(again.glob("*.json")):
        heads[json.dumps(_read(path)[0], sort_keys=True)].append(path)
    for head, all_paths in heads.items():
        for start in range(0, len(all_paths), UNITS):
            paths = all_paths[start : start + UNITS]
            outlet.put(json.loads(head), partial(_units, paths)).result()
            for path in paths:
                path.unlink(missing_ok=True)


def _units(paths: list[Path]) -> Iterator[Mapping[str, Any]]:
    return (_read(path)[1] for path in paths)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return head and unit of what was refused.

    Raises:
        StoreError: the file is not as it was written.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {name: value for name, value in told.items() if name not in ("error", "reason", "unit")}, told["unit"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} can't be read ({error}); move it away, and run again") from error
