"""The formats of an export, by name and by the ending of a file's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import IO, Protocol

from gwc_crawler.errors import InputError
from gwc_crawler.export.columns import ColumnPlan, Row


@dataclass(frozen=True, slots=True)
class Style:
    """How texts are written.

    bom: begin a CSV with a byte order mark, by which Excel knows that it is UTF-8.
    guards_formulas: put an apostrophe before cells of a CSV that a spreadsheet would take for a formula.
    """

    bom: bool = False
    guards_formulas: bool = False


class FormatWriter(Protocol):
    """Writes one file. Memory: that of a batch, however many there are."""

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows, in the order of the columns; values are as the store has them."""

    def close(self) -> list[str]:
        """End the file; return notes on it for a person, in sentences."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: the value for `--format`; also the ending of files.
        factory: its class in `writers`, which is imported when it is used.
        is_text: a terminal can show it, and a `.gz` can hold it.
        in_stream: it can go to a pipe.
        extra: the extra that it needs beyond a plain install.
    """

    name: str
    factory: str
    media_type: str
    is_text: bool = False
    in_stream: bool = True
    extra: str = ""
    endings: tuple[str, ...] = ()

    def writer(self, path: Path | None, file: IO[bytes], plan: ColumnPlan, style: Style) -> FormatWriter:
        """Open a writer of *file* at *path*. Raises InputError: a package is missing, or there are too many columns."""
        factory: Callable[..., FormatWriter] = getattr(import_module("gwc_crawler.export.writers"), self.factory)
        if not self.in_stream:
            return factory(path, plan.columns, plan.key)
        try:
            return factory(file, plan.columns, style)
        except ImportError as error:
            helps = "which is not installed here: `pip install 'gwc-crawler[export]'` brings it"
            raise InputError(f"{self.name} needs {self.extra}, {helps}") from error


_OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

FORMATS = {
    one.name: one
    for one in (
        Format("csv", "CsvWriter", "text/csv", is_text=True),
        Format("tsv", "TsvWriter", "text/tab-separated-values", is_text=True, endings=("tab",)),
        Format("jsonl", "JsonLinesWriter", "application/jsonl", is_text=True, endings=("jl", "ndjson")),
        Format("json", "JsonWriter", "application/json", is_text=True),
        Format("parquet", "ParquetWriter", "application/vnd.apache.parquet", extra="pyarrow"),
        Format("xlsx", "XlsxWriter", _OFFICE, extra="XlsxWriter"),
        Format("sqlite", "SqliteWriter", "application/vnd.sqlite3", in_stream=False, endings=("db", "sqlite3")),
    )
}

ENDINGS = {ending: one for one in FORMATS.values() for ending in (one.name, *one.endings)}


def format_named(name: str) -> Format:
    """Return a format by its name or one of its endings. Raises InputError: there is no such format."""
    found = ENDINGS.get(name.lower().lstrip("."))
    if found is None:
        near = get_close_matches(name.lower(), ENDINGS, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        known = f"{', '.join(FORMATS)}, and .gz behind those that are texts"
        raise InputError(f"there is no format {name!r}{hint}; there are {known}")
    return found


def format_of(name: str) -> tuple[Format, bool]:
    """Return the format that a file's name ends with, and whether gzip packs it. Raises InputError: it names none."""
    path = Path(name)
    is_compressed = path.suffix.lower() == ".gz"
    ending = (path.with_suffix("") if is_compressed else path).suffix
    if not ending:
        raise InputError(f"{name!r} doesn't end with a format; end it with one, as in records.csv, or add --format")
    found = format_named(ending)
    if is_compressed and not found.is_text:
        raise InputError(f"{name!r}: {found.name} is compressed already; leave .gz away")
    return found, is_compressed
