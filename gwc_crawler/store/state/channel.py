"""What people and workers leave for each other in a crawl's file: named texts; `gwc_crawler.control` says which."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gwc_crawler.store.sqlite import CrawlDatabase

SCHEMA = """
-- What people want of the crawl ('pause', 'stops') and what its process says of itself ('worker OWNER').
CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class ChannelRows:
    """The named texts of one file; what is written joins the transaction that is open, or is one."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        database.create_tables(SCHEMA)

    def read(self, names: Sequence[str] = ()) -> dict[str, str]:
        """Return the texts called so, or all. A file that is looked into may have no board."""
        with self._database.errors():
            sql = self._database.connection
            if (
                self._database.read_only
                and not sql.execute("SELECT 1 FROM sqlite_schema WHERE name = 'board'").fetchone()
            ):
                return {}
            rows = sql.execute(
                "SELECT name, value FROM board WHERE ? OR name IN (SELECT value FROM json_each(?))",
                (not names, json.dumps(names)),
            )
            return dict(rows.fetchall())

    def put(self, name: str, value: str) -> None:
        """Write a text, in the place of an earlier one of this name."""
        with self._database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO board (name, value) VALUES (?, ?)", (name, value))

    def remove(self, name: str) -> None:
        """Delete a text."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM board WHERE name = ?", (name,))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Read and write as one."""
        with self._database.transaction():
            yield

    @contextmanager
    def hurry(self, milliseconds: int) -> Iterator[None]:
        """Wait no longer than this for another writer."""
        with self._database.errors():
            sql = self._database.connection
            (usual,) = sql.execute("PRAGMA busy_timeout").fetchone()
            sql.execute(f"PRAGMA busy_timeout = {milliseconds}")
            try:
                yield
            finally:
                sql.execute(f"PRAGMA busy_timeout = {int(usual)}")
