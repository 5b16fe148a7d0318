"""What `--from` and `--to` name: `sqlite:PATH`, `mssql:[DATABASE]`, `dir:DIR`, `warc:PATH`; and opening it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any

from gwc_crawler.errors import InputError
from gwc_crawler.store.mssql import OutletConfig, ServerConfig
from gwc_crawler.store.tables import (
    PageSource,
    PageTarget,
    SqliteTarget,
    SqlServerPages,
    SqlServerTarget,
    StopWatch,
    open_sqlite_source,
)
from gwc_crawler.stripping.folders import FolderSource, FolderTarget
from gwc_crawler.stripping.warc import WarcSource


class PlaceKind(StrEnum):
    """Where pages can be."""

    SQLITE = "sqlite"
    MSSQL = "mssql"
    WARC = "warc"
    FOLDER = "dir"


SOURCES = tuple(PlaceKind)
TARGETS = (PlaceKind.SQLITE, PlaceKind.MSSQL, PlaceKind.FOLDER)

NO_SETTINGS: Mapping[str, Any] = {}


def open_source(
    where: str, table: str | None, watch: StopWatch, settings: Mapping[str, Any] = NO_SETTINGS
) -> PageSource:
    """Open where waiting pages are.

    Args:
        where: "sqlite:data/shop/crawl.db" and the like.
        table: of a database; None: its pages.
        settings: how a SQL Server is reached (GWC_MSSQL_*).
    Raises:
        InputError: it names nothing that can be read.
        StoreError: it can't be read.
    """
    kind, path = _split(where, SOURCES, "--from")
    if kind is PlaceKind.SQLITE:
        return open_sqlite_source(path, table, watch)
    if kind is PlaceKind.MSSQL:
        return SqlServerPages(_server(where, settings), table, watch)
    if table is not None:
        raise InputError(f"--table names a table of a database; {where} has none")
    return WarcSource(path, watch) if kind is PlaceKind.WARC else FolderSource(path, watch)


def open_target(
    where: str, table: str | None, watch: StopWatch, settings: Mapping[str, Any] = NO_SETTINGS
) -> PageTarget:
    """Open where stripped pages go; what is missing is made. Raises as `open_source`."""
    kind, path = _split(where, TARGETS, "--to")
    if kind is PlaceKind.MSSQL:
        return SqlServerTarget(_server(where, settings), watch, *([table] if table else []))
    if kind is PlaceKind.SQLITE:
        return SqliteTarget(path, watch, *([table] if table else []))
    if table is not None:
        raise InputError(f"--to-table names a table of a database; {where} has none")
    return FolderTarget(path, watch)


def check_apart(source: str, source_table: str | None, target: str, target_table: str | None) -> None:
    """Refuse to write pages over those that are read.

    Raises:
        InputError: both are one place.
    """
    (kind, path), (kind_to, path_to) = _split(source, SOURCES, "--from"), _split(target, TARGETS, "--to")
    if kind is kind_to is PlaceKind.FOLDER and (path.resolve() in (path_to.resolve(), *path_to.resolve().parents)):
        raise InputError(f"{target} lies in {source}, and would be read again; name a folder outside")
    if (
        kind is kind_to is PlaceKind.SQLITE
        and path.resolve() == path_to.resolve()
        and source_table
        and source_table == target_table
    ):
        raise InputError(f"table {source_table!r} of {path} can't be both; name another one with --to-table")


def _server(where: str, settings: Mapping[str, Any]) -> ServerConfig:
    """Return the server that the settings name; what stands behind the colon is another database of it.

    Raises:
        InputError: they name none.
    """
    database = where.partition(":")[2]
    return OutletConfig.from_settings({**settings, **({"GWC_MSSQL_DATABASE": database} if database else {})}).server


def _split(where: str, kinds: tuple[PlaceKind, ...], option: str) -> tuple[PlaceKind, Path]:
    kind, colon, rest = where.partition(":")
    if not colon or kind not in kinds or not (rest or kind == PlaceKind.MSSQL):
        forms = ", ".join(f"{one}:{'' if one is PlaceKind.MSSQL else 'PATH'}" for one in kinds)
        near = get_close_matches(kind, kinds, 1) if colon else []
        meant = f"; did you mean {near[0]}:{rest}?" if near and near[0] != kind else ""
        raise InputError(f"{option} {where}: takes {forms}{meant}")
    return PlaceKind(kind), Path(rest).expanduser()
