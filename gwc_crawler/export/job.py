"""An export from the beginning to the end: columns settled, rows written, the file put in its place and described."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from gwc_crawler.errors import StoreError
from gwc_crawler.export.columns import ColumnPlan, plan_columns
from gwc_crawler.export.filters import Filter
from gwc_crawler.export.formats import Format, Style
from gwc_crawler.export.package import NAME, Exported, describe, with_resource
from gwc_crawler.export.rows import LateValue, read_rows
from gwc_crawler.export.target import ExportFile
from gwc_crawler.store.outlet import RecordTable

TRIES = 5
"""So often the columns are settled anew where a crawl stores other kinds of values meanwhile."""

GZIP_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records an export has, and in which form.

    Attributes:
        fields, known, texts, explode: see `plan_columns`.
        since: only what is new or has changed since (seconds since 1970).
        filters: conditions that all have to hold.
    """

    format: Format
    is_compressed: bool = False
    fields: tuple[str, ...] | None = None
    known: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    explode: str | None = None
    since: float | None = None
    filters: tuple[Filter, ...] = ()
    style: Style = field(default_factory=Style)

    def plan(self, table: RecordTable) -> ColumnPlan:
        """Settle the columns."""
        for test in self.filters:
            plan_columns(table, fields=(test.field,))
        return plan_columns(table, fields=self.fields, known=self.known, texts=self.texts, explode=self.explode)


@dataclass(frozen=True, slots=True)
class Written:
    """What an export has written. `notes` are sentences for a person."""

    rows: int
    plan: ColumnPlan
    notes: tuple[str, ...] = ()


def export_file(
    table: RecordTable, choice: Selection, target: ExportFile, *, advance: Callable[[int], object] = lambda rows: None
) -> Written:
    """Write a file.

    Args:
        advance: told after each batch how many rows it had.
    Raises:
        InputError: there is no such field, or a package is missing.
        StoreError: the database can't be read, or the file not be written; the target is as it was.
    """
    for _ in range(TRIES):
        plan = choice.plan(table)
        try:
            with target.opened() as (path, file), _compressed(file, choice) as stream:
                return _write(table, plan, choice, path, stream, advance)
        except LateValue:
            continue  # what came meanwhile stands in the table now, so the next plan has room for it
    raise StoreError("the records change faster than they can be read; run it again when the crawl has ended")


def export_stream(table: RecordTable, choice: Selection, file: IO[bytes]) -> Written:
    """Write to a pipe or terminal.

    Raises:
        StoreError: as `export_file`; also where a crawl has stored a value that its column can't take.
    """
    plan = choice.plan(table)
    try:
        with _compressed(file, choice) as stream:
            written = _write(table, plan, choice, None, stream, lambda rows: None)
        file.flush()
        return written
    except LateValue as error:
        raise StoreError(
            f"while it was read, the crawl stored a value of another kind in {error.column}: run it again"
        ) from error


def _write(
    table: RecordTable,
    plan: ColumnPlan,
    choice: Selection,
    path: Path | None,
    stream: IO[bytes],
    advance: Callable[[int], object],
) -> Written:
    writer = choice.format.writer(path, stream, plan, choice.style)
    count, notes = 0, list[str]()
    try:
        for rows in read_rows(table, plan, since=choice.since, filters=choice.filters, tell=notes.append):
            writer.write(rows)
            count += len(rows)
            advance(len(rows))
    except BaseException:
        with suppress(Exception):  # what it still holds, in memory or elsewhere, it gives up now
            writer.close()
        raise
    return Written(count, plan, (*notes, *writer.close()))


@contextmanager
def _compressed(file: IO[bytes], choice: Selection) -> Iterator[IO[bytes]]:
    if not choice.is_compressed:
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=file, mtime=0) as packed:
        yield packed  # type: ignore[misc]  # writes bytes, as it should


def describe_file(exported: Exported, book: Path, *, created: str) -> tuple[Path, Sequence[str]]:
    """Write `datapackage.json` beside an export; returns where it stands, and what a person should know.

    Raises:
        StoreError: it can't be written.
    """
    path = exported.path.with_name(NAME)
    present = path.read_bytes() if path.exists() else None
    resource = describe(exported, created=created)
    made = with_resource(present, resource, exported.site)
    notes = []
    if made is None:
        path = exported.path.with_name(f"{exported.path.name}.{NAME}")
        notes.append(f"{exported.path.with_name(NAME)} is not ours: the columns are described in {path.name}")
        made = with_resource(None, resource, exported.site)
    assert made is not None
    with replace(ExportFile(path, overwrites=True, book=book)).opened() as (_, file):
        file.write(made)
    return path, notes
