"""Parquet, by pyarrow: typed columns, compressed, a group of rows at a time in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import IO, Any

from gwc_crawler.export.columns import Column, ColumnKind
from gwc_crawler.export.formats import Style
from gwc_crawler.export.rows import Row

GROUP_ROWS = 65_536
GROUP_CHARACTERS = 16_000_000
"""A group of rows is written when it has so many; the first that is reached."""


class ParquetWriter:
    """Lists are JSON texts; times are timestamps in UTC, to the millisecond.

    Raises:
        ImportError: pyarrow is not installed.
    """

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
        """Write some rows, as soon as they make a group."""
        self._rows += rows
        self._characters += sum(len(value) for row in rows for value in row if isinstance(value, str))
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._write_group()

    def close(self) -> list[str]:
        """Write what is left, and the footer."""
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
