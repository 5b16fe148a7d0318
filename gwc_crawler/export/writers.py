"""Records as text, or as files that other programs open (Parquet, SQLite, XLSX): a writer for each format.

Libraries that only one format needs are imported when its writer is made.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Any

from gwc_crawler.errors import InputError
from gwc_crawler.export.columns import Column, ColumnKind, Row
from gwc_crawler.export.filters import moment_text
from gwc_crawler.export.formats import FormatWriter, Style
from gwc_crawler.store.sink import as_extracted
from gwc_crawler.store.sqlite.sink import RecordFile

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a spreadsheet may run as formulas (OWASP, CSV Injection)."""


class CsvWriter(FormatWriter):
    """RFC 4180: a header line, lines that end with CR LF, quotes where they are needed. None is an empty cell."""

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style, *, dialect: str = "excel") -> None:
        self._file = file
        self._text = io.StringIO(newline="")
        self._csv = csv.writer(self._text, dialect)
        self._moments = [place for place, one in enumerate(columns) if one.kind is ColumnKind.MOMENT]
        self._guards = style.guards_formulas
        self._formulas = 0
        if style.bom:
            self._text.write("\ufeff")
        self._csv.writerow([column.name for column in columns])
        self._send()

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._csv.writerow([self._guarded(value) for value in _with_times(row, self._moments)])
        self._send()

    def close(self) -> list[str]:
        if not self._formulas:
            return []
        if self._guards:
            return [f"{self._formulas:,} cells began like a formula, and have an apostrophe before them"]
        helps = "write it with --guard-formulas, or as xlsx, where texts stay texts"
        return [
            f"{self._formulas:,} cells begin like a formula (= + - @): before a spreadsheet opens the file, {helps}"
        ]

    def _send(self) -> None:
        self._file.write(self._text.getvalue().encode("utf-8", "replace"))
        self._text.seek(0)
        self._text.truncate()

    def _guarded(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
            self._formulas += 1
            return "'" + value if self._guards else value
        return value


def _with_times(row: Row, moments: Sequence[int]) -> Row:
    if not moments:
        return row
    values = list(row)
    for place in moments:
        if values[place] is not None:
            values[place] = moment_text(values[place])
    return tuple(values)


class TsvWriter(CsvWriter):
    """The same with tabs between the cells."""

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style) -> None:
        super().__init__(file, columns, style, dialect="excel-tab")


def as_json(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    """Return a row as an object: lists as lists, times as texts."""
    return {
        one.name: value if value is None or one.kind not in _JSON else _JSON[one.kind](value)
        for one, value in zip(columns, row, strict=True)
    }


class JsonLinesWriter(FormatWriter):
    """An object a line; lists are lists, absent values null."""

    before, between, after = b"", b"\n", b"\n"

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style) -> None:
        self._file = file
        self._columns = columns
        self._count = 0
        file.write(self.before)

    def write(self, rows: Sequence[Row]) -> None:
        parts = [json.dumps(as_json(self._columns, row), ensure_ascii=False) for row in rows]
        if parts:
            text = self.between.decode().join(parts).encode("utf-8", "replace")
            self._file.write((self.between if self._count else b"") + text)
            self._count += len(parts)

    def close(self) -> list[str]:
        self._file.write(self.after if self._count or self.before else b"")
        return []


class JsonWriter(JsonLinesWriter):
    """One list of objects."""

    before, between, after = b"[\n", b",\n", b"\n]\n"


_JSON: dict[ColumnKind, Callable[[Any], Any]] = {
    ColumnKind.MOMENT: moment_text,
    ColumnKind.LIST: as_extracted,
    ColumnKind.MIXED: as_extracted,
}


GROUP_ROWS = 65_536
GROUP_CHARACTERS = 16_000_000
"""Rows and characters at which a group of rows is written; the first limit that is reached counts."""


class ParquetWriter(FormatWriter):
    """Lists are JSON texts; times are timestamps in UTC, to the millisecond. ImportError: pyarrow is not installed."""

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style) -> None:
        import pyarrow
        import pyarrow.parquet

        self._array: Any = pyarrow.array
        self._columns = columns
        types = {
            ColumnKind.INTEGER: pyarrow.int64(),
            ColumnKind.NUMBER: pyarrow.float64(),
            ColumnKind.DAY: pyarrow.date32(),
            ColumnKind.MOMENT: pyarrow.timestamp("ms", tz="UTC"),
        }
        self._table: Any = pyarrow.Table.from_arrays
        self._schema: Any = pyarrow.schema([(one.name, types.get(one.kind, pyarrow.string())) for one in columns])
        self._file: Any = pyarrow.parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[Row] = []
        self._characters = 0

    def write(self, rows: Sequence[Row]) -> None:
        self._rows += rows
        self._characters += sum(len(value) for row in rows for value in row if isinstance(value, str))
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._write_group()

    def close(self) -> list[str]:
        if self._rows:
            self._write_group()
        self._file.close()
        return []

    def _write_group(self) -> None:
        lists = zip(*self._rows, strict=True)
        arrays = [
            self._array([_value(column.kind, value) for value in values], type=kind.type)
            for column, kind, values in zip(self._columns, self._schema, lists, strict=True)
        ]
        self._file.write_table(self._table(arrays, schema=self._schema), row_group_size=GROUP_ROWS)
        self._rows, self._characters = [], 0


def _value(kind: ColumnKind, value: Any) -> Any:
    if value is None:
        return None
    if kind is ColumnKind.MOMENT:
        return round(value * 1000)
    if kind is ColumnKind.DAY:
        return date.fromisoformat(value)
    return value if kind in (ColumnKind.INTEGER, ColumnKind.NUMBER) else str(value)


_TYPES = {ColumnKind.INTEGER: "INTEGER", ColumnKind.NUMBER: "NUMERIC", ColumnKind.MIXED: ""}


class SqliteWriter(FormatWriter):
    """Lists are JSON texts, for SQLite's JSON functions; times are texts in ISO 8601, in UTC."""

    def __init__(self, path: Path, columns: Sequence[Column], key: Sequence[str]) -> None:
        named = [(column.name, _TYPES.get(column.kind, "TEXT")) for column in columns]
        self._moments = [place for place, one in enumerate(columns) if one.kind is ColumnKind.MOMENT]
        self._file = RecordFile(path, "records", named, key)

    def write(self, rows: Sequence[Row]) -> None:
        self._file.write([_with_times(row, self._moments) for row in rows])

    def close(self) -> list[str]:
        self._file.close()
        return []


MAX_ROWS = 1_048_576
"""Rows of a sheet, its header included."""

MAX_COLUMNS = 16_384
MAX_CHARACTERS = 32_767
"""Characters of a cell, in UTF-16 units, as Excel counts them."""

EXACT_DIGITS = 10**sys.float_info.dig
"""Excel keeps 15 digits of a number: a longer whole number is written as a text."""

FIRST_DAY = date(1900, 3, 1)
"""Earlier days, Excel can't tell right; they are written as texts."""

LONG_TEXTS = "long texts"


class XlsxWriter(FormatWriter):
    """Writes sheets `records`, `records 2` … when one is full; texts too long for a cell go in pieces to `long texts`.

    Texts are always written as texts, so none is run as a formula or made a link. Raises ImportError: XlsxWriter is not
    installed; InputError: there are more columns than a sheet has.
    """

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style, *, max_rows: int = MAX_ROWS) -> None:
        import xlsxwriter

        if len(columns) > MAX_COLUMNS:
            raise InputError(f"a sheet has {MAX_COLUMNS:,} columns, this has {len(columns):,}; choose some by --fields")
        self._columns = columns
        self._max_rows = max_rows
        self._book: Any = xlsxwriter.Workbook(file, {"constant_memory": True})
        self._bold = self._book.add_format({"bold": True})
        self._day = self._book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        writers: dict[ColumnKind, Callable[[int, Any], None]] = {
            ColumnKind.INTEGER: self._write_number,
            ColumnKind.NUMBER: self._write_number,
            ColumnKind.MIXED: self._write_number,
            ColumnKind.DAY: self._write_day,
            ColumnKind.MOMENT: self._write_moment,
        }
        self._cells = [writers.get(column.kind, self._write_text) for column in columns]
        self._sheets: list[Any] = []
        self._row = max_rows
        self._long: Any = None
        self._long_row = 0
        self._long_texts = 0
        self._new_sheet()

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if self._row >= self._max_rows:
                self._new_sheet()
            for place, (value, write) in enumerate(zip(row, self._cells, strict=True)):
                if value is not None:
                    write(place, value)
            self._row += 1

    def close(self) -> list[str]:
        self._book.close()
        notes = []
        if len(self._sheets) > 1:
            notes.append(f"a sheet has {self._max_rows:,} rows: the records are on {len(self._sheets)} sheets")
        if self._long_texts:
            notes.append(
                f"a cell takes {MAX_CHARACTERS:,} characters: {self._long_texts:,} longer texts are whole on the sheet "
                f"'{LONG_TEXTS}', in pieces; their cells say so"
            )
        return notes

    def _new_sheet(self) -> None:
        sheet = self._book.add_worksheet("records" if not self._sheets else f"records {len(self._sheets) + 1}")
        sheet.freeze_panes(1, 0)
        for place, column in enumerate(self._columns):
            sheet.write_string(0, place, column.name[:MAX_CHARACTERS], self._bold)
        self._sheets.append(sheet)
        self._row = 1

    def _write_text(self, place: int, value: str) -> None:
        if len(value) > MAX_CHARACTERS // 2 and _units(value) > MAX_CHARACTERS:
            value = self._set_aside(place, value)
        self._sheets[-1].write_string(self._row, place, value)

    def _write_number(self, place: int, value: float | str) -> None:
        if isinstance(value, str):  # of a mixed column
            self._write_text(place, value)
        elif (isinstance(value, int) and abs(value) >= EXACT_DIGITS) or not math.isfinite(value):
            self._write_text(place, str(value))
        else:
            self._sheets[-1].write_number(self._row, place, value)

    def _write_day(self, place: int, value: str) -> None:
        day = date.fromisoformat(value)
        if day < FIRST_DAY:
            self._write_text(place, value)
        else:
            self._sheets[-1].write_datetime(self._row, place, day, self._day)

    def _write_moment(self, place: int, value: float) -> None:
        moment = datetime.fromtimestamp(round(value, 3), UTC).replace(tzinfo=None)
        self._sheets[-1].write_datetime(self._row, place, moment, self._moment)

    def _set_aside(self, place: int, value: str) -> str:
        """Write a text that no cell takes to a sheet of its own; return what its cell says."""
        if self._long is None:
            self._long = self._book.add_worksheet(LONG_TEXTS)
            self._long.write_row(0, 0, ("sheet", "row", "field", "piece", "text"), self._bold)
        self._long_texts += 1
        for number, piece in enumerate(_pieces(value), 1):
            self._long_row += 1
            self._long.write_string(self._long_row, 0, self._sheets[-1].get_name())
            self._long.write_number(self._long_row, 1, self._row + 1)
            self._long.write_string(self._long_row, 2, self._columns[place].name)
            self._long.write_number(self._long_row, 3, number)
            self._long.write_string(self._long_row, 4, piece)
        return f"[{len(value):,} characters: whole on the sheet '{LONG_TEXTS}'] {value[:200]}…"


def _units(text: str) -> int:
    """Count UTF-16 units; XML's escapes of control signs take seven each."""
    return len(text) + sum(7 if sign < " " else 1 if sign > "\uffff" else 0 for sign in text)


def _pieces(text: str) -> list[str]:
    size = MAX_CHARACTERS // 8 if any(sign < " " for sign in text) else MAX_CHARACTERS // 2
    return [text[start : start + size] for start in range(0, len(text), size)]
