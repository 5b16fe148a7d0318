"""SQLite: a file with one table of records, keyed by URL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gwc_crawler.export.columns import Column, ColumnKind
from gwc_crawler.export.moments import moment_text
from gwc_crawler.export.rows import Row
from gwc_crawler.store.outlet import RecordFile

_TYPES = {ColumnKind.INTEGER: "INTEGER", ColumnKind.NUMBER: "NUMERIC", ColumnKind.MIXED: ""}


class SqliteWriter:
    """Lists are JSON texts, for SQLite's JSON functions; times are texts in ISO 8601, in UTC."""

    def __init__(self, path: Path, columns: Sequence[Column], key: Sequence[str]) -> None:
        named = [(column.name, _TYPES.get(column.kind, "TEXT")) for column in columns]
        self._moments = [place for place, one in enumerate(columns) if one.kind is ColumnKind.MOMENT]
        self._file = RecordFile(path, "records", named, key)

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows."""
        self._file.write([self._with_times(row) for row in rows])

    def close(self) -> list[str]:
        """End the file."""
        self._file.close()
        return []

    def _with_times(self, row: Row) -> Row:
        return tuple(
            moment_text(value) if place in self._moments and value is not None else value
            for place, value in enumerate(row)
        )
