"""CSV, TSV, JSON Lines and JSON, in UTF-8."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import IO, Any

from gwc_crawler.export.columns import Column, ColumnKind
from gwc_crawler.export.formats import Style
from gwc_crawler.export.moments import moment_text
from gwc_crawler.export.rows import Row
from gwc_crawler.store import as_extracted

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet may run as a formula (OWASP, CSV Injection)."""


class CsvWriter:
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
        """Write some rows."""
        for row in rows:
            self._csv.writerow([self._guarded(value) for value in self._with_times(row)])
        self._send()

    def close(self) -> list[str]:
        """End; the file itself stays open."""
        if not self._formulas:
            return []
        if self._guards:
            return [f"{self._formulas:,} cells began like a formula, and have an apostrophe before them"]
        helps = (
            "before a spreadsheet opens the file, write it with --guard-formulas, or as xlsx, where texts stay texts"
        )
        return [f"{self._formulas:,} cells begin like a formula (= + - @): {helps}"]

    def _send(self) -> None:
        self._file.write(self._text.getvalue().encode("utf-8", "replace"))
        self._text.seek(0)
        self._text.truncate()

    def _with_times(self, row: Row) -> Row | list[Any]:
        if not self._moments:
            return row
        values = list(row)
        for place in self._moments:
            if values[place] is not None:
                values[place] = moment_text(values[place])
        return values

    def _guarded(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
            self._formulas += 1
            return "'" + value if self._guards else value
        return value


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


class JsonLinesWriter:
    """An object a line; lists are lists, absent values null."""

    before, between, after = b"", b"\n", b"\n"

    def __init__(self, file: IO[bytes], columns: Sequence[Column], style: Style) -> None:
        self._file = file
        self._columns = columns
        self._count = 0
        file.write(self.before)

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows."""
        parts = [json.dumps(as_json(self._columns, row), ensure_ascii=False) for row in rows]
        if parts:
            text = self.between.decode().join(parts).encode("utf-8", "replace")
            self._file.write((self.between if self._count else b"") + text)
            self._count += len(parts)

    def close(self) -> list[str]:
        """End; the file itself stays open."""
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
