"""A SQLite file with the records of one site and nothing else: one of the formats of an export."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gwc_crawler.store.sqlite.database import quote_name, sqlite_errors


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
        with sqlite_errors(path):
            path.write_bytes(b"")
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = OFF")  # whoever is interrupted begins anew
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("BEGIN")
            self._connection.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(parts)})")

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows."""
        with sqlite_errors(self._path):
            self._connection.executemany(self._insert, rows)

    def close(self) -> None:
        """Have them in the file."""
        with sqlite_errors(self._path):
            self._connection.execute("COMMIT")
            self._connection.close()
