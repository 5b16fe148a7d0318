"""What `--from` and `--to` name: `sqlite:PATH`, `dir:DIR`, `warc:PATH`; and opening it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from gwc_crawler.errors import InputError
from gwc_crawler.store.tables import PageSource, PageTarget, SqliteTarget, StopWatch, open_sqlite_source
from gwc_crawler.stripping.folders import FolderSource, FolderTarget
from gwc_crawler.stripping.warc import WarcSource

SOURCES = ("sqlite", "warc", "dir")
TARGETS = ("sqlite", "dir")


def open_source(where: str, table: str | None, watch: StopWatch) -> PageSource:
    """Open where waiting pages are.

    Args:
        where: "sqlite:data/shop/crawl.db" and the like.
        table: of a database; None: its pages.
    Raises:
        InputError: it names nothing that can be read.
        StoreError: it can't be read.
    """
    kind, path = _split(where, SOURCES, "--from")
    if kind == "sqlite":
        return open_sqlite_source(path, table, watch)
    if table is not None:
        raise InputError(f"--table names a table of a database; {where} has none")
    return WarcSource(path, watch) if kind == "warc" else FolderSource(path, watch)


def open_target(where: str, table: str | None, watch: StopWatch) -> PageTarget:
    """Open where stripped pages go; what is missing is made. Raises as `open_source`."""
    kind, path = _split(where, TARGETS, "--to")
    if kind == "sqlite":
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
    if kind == kind_to == "dir" and (path.resolve() in (path_to.resolve(), *path_to.resolve().parents)):
        raise InputError(f"{target} lies in {source}, and would be read again; name a folder outside")
    if (
        kind == kind_to == "sqlite"
        and path.resolve() == path_to.resolve()
        and source_table
        and source_table == target_table
    ):
        raise InputError(f"table {source_table!r} of {path} can't be both; name another one with --to-table")


def _split(where: str, kinds: tuple[str, ...], option: str) -> tuple[str, Path]:
    kind, colon, rest = where.partition(":")
    if not colon or kind not in kinds or not rest:
        forms = ", ".join(f"{one}:PATH" for one in kinds)
        near = get_close_matches(kind, kinds, 1) if colon else []
        meant = f"; did you mean {near[0]}:{rest}?" if near and near[0] != kind else ""
        raise InputError(f"{option} {where}: takes {forms}{meant}")
    return kind, Path(rest).expanduser()
