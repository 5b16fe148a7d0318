"""A SQLite file with the records of one site and nothing else: one of the formats of an export."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gwc_crawler.errors import StoreError
from gwc_crawler.store.sqlite.database import explain, quote_name


class RecordFile:
    """Writes a new file with one table. Until `close`, what is in it is worth nothing.

    Args:
        path: is overwritten.
        table: its name.
        columns: name and SQL type of each.
        key: the columns that make a row's key; () for none.

    Raises:
        StoreError: from every method: the file can't be written.
    """

    def __init__(self, path: Path, table: str, columns: Sequence[tuple[str, str]], key: Sequence[str] = ()) -> None:
        self._path = path
        self._insert = f"INSERT INTO {quote_name(table)} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608  # quoted
        parts = [f"{quote_name(name)} {kind}".rstrip() for name, kind in columns]
        if key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quote_name, key))})")
        try:
            path.write_bytes(b"")
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = OFF")  # whoever is interrupted begins anew
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("BEGIN")
            self._connection.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(parts)})")
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from error

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows."""
        try:
            self._connection.executemany(self._insert, rows)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Have them in the file."""
        try:
            self._connection.execute("COMMIT")
            self._connection.close()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> StoreError:
        return StoreError(explain(self._path, error) if isinstance(error, sqlite3.Error) else f"{self._path}: {error}")
