"""XLSX, by XlsxWriter, a row at a time: what doesn't fit Excel's limits goes to further sheets, nothing is cut off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import IO, Any

from gwc_crawler.errors import InputError
from gwc_crawler.export.columns import Column, ColumnKind
from gwc_crawler.export.formats import Style
from gwc_crawler.export.rows import Row

MAX_ROWS = 1_048_576
"""Of a sheet, its header among them."""

MAX_COLUMNS = 16_384
MAX_CHARACTERS = 32_767
"""Of a cell, in UTF-16 units, as Excel counts them."""

EXACT_DIGITS = 10**15
"""Excel keeps 15 digits of a number: a longer whole number is written as a text."""

FIRST_DAY = date(1900, 3, 1)
"""Earlier days, Excel can't tell right; they are written as texts."""

LONG_TEXTS = "long texts"


class XlsxWriter:
    """Sheets `records`, `records 2` … when one is full; texts that no cell takes stand in pieces on `long texts`.

    Texts are always written as texts, so none is run as a formula or made a link.

    Raises:
        ImportError: XlsxWriter is not installed.
        InputError: there are more columns than a sheet has.
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
        self._cells = [self._cell_of(column.kind) for column in columns]
        self._sheets: list[Any] = []
        self._row = max_rows
        self._long: Any = None
        self._long_row = 0
        self._long_texts = 0
        self._new_sheet()

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows."""
        for row in rows:
            if self._row >= self._max_rows:
                self._new_sheet()
            for place, (value, write) in enumerate(zip(row, self._cells, strict=True)):
                if value is not None:
                    write(place, value)
            self._row += 1

    def close(self) -> list[str]:
        """Put the file together."""
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

    def _cell_of(self, kind: ColumnKind) -> Callable[[int, Any], None]:
        writers: dict[ColumnKind, Callable[[int, Any], None]] = {
            ColumnKind.INTEGER: self._write_number,
            ColumnKind.NUMBER: self._write_number,
            ColumnKind.DAY: self._write_day,
            ColumnKind.MOMENT: self._write_moment,
            ColumnKind.MIXED: self._write_mixed,
        }
        return writers.get(kind, self._write_text)

    def _write_text(self, place: int, value: str) -> None:
        if len(value) > MAX_CHARACTERS // 2 and _units(value) > MAX_CHARACTERS:
            value = self._set_aside(place, value)
        self._sheets[-1].write_string(self._row, place, value)

    def _write_mixed(self, place: int, value: Any) -> None:
        (self._write_text if isinstance(value, str) else self._write_number)(place, value)

    def _write_number(self, place: int, value: float) -> None:
        if (isinstance(value, int) and abs(value) >= EXACT_DIGITS) or not math.isfinite(value):
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
            for column, title in enumerate(("sheet", "row", "field", "piece", "text")):
                self._long.write_string(0, column, title, self._bold)
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
    """Cut a text into pieces that a cell takes, whatever signs it has."""
    size = MAX_CHARACTERS // 8 if any(sign < " " for sign in text) else MAX_CHARACTERS // 2
    return [text[start : start + size] for start in range(0, len(text), size)]
