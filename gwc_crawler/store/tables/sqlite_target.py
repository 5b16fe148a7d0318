"""Stripped pages into a table of SQLite: a block at a time in one transaction, each URL once."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.store.column_values import clean_text
from gwc_crawler.store.sqlite import PAGE_BYTES, explain, quote_name
from gwc_crawler.store.tables.pages import PageKey, StrippedPage
from gwc_crawler.store.tables.stop_watch import StopWatch

STRIPPED_TABLE = "stripped"
COLUMNS = ("url", "version", "stripped_at", "problem", "content")

SCHEMA = """
CREATE TABLE IF NOT EXISTS {table} (
    url TEXT PRIMARY KEY,
    version TEXT NOT NULL,       -- of the page that was stripped: greater for what is newer
    stripped_at REAL NOT NULL,   -- seconds since 1970
    problem TEXT,                -- why there is no content
    content TEXT                 -- NULL: it stands in a file, or there is none
)
"""

WRITE = """
INSERT INTO {table} (url, version, stripped_at, problem, content) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET version = excluded.version, stripped_at = excluded.stripped_at,
    problem = excluded.problem, content = excluded.content WHERE excluded.version >= version
"""


class SqliteTarget:
    """A table in a file that may be new, another program's, or a crawl's.

    Args:
        keeps_content: False for an index of pages whose content stands elsewhere.
        wall: seconds since 1970.

    Raises:
        InputError: there is such a table with other columns.
        StoreError: the file can't be written.
    """

    def __init__(
        self,
        path: Path,
        watch: StopWatch,
        table: str = STRIPPED_TABLE,
        *,
        keeps_content: bool = True,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._watch = watch
        self._keeps_content = keeps_content
        self._wall = wall
        self._table = quote_name(table)
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            self._connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        try:
            with self._errors():
                if is_new:
                    self._connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
                    self._connection.execute("PRAGMA journal_mode = WAL")
                if self._mode() == "wal":
                    self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute(SCHEMA.format(table=self._table))
                self._check_columns(table)
                self._is_empty = not self._connection.execute(f"SELECT 1 FROM {self._table} LIMIT 1").fetchone()  # noqa: S608
        except BaseException:
            self._connection.close()
            raise

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of pages that are here; nothing is looked up where the table was empty at first."""
        if self._is_empty:
            return ()
        with self._errors(), self._watch.inside():
            rows = self._connection.execute(
                f"SELECT url, version FROM {self._table} WHERE url IN (SELECT value FROM json_each(?))",  # noqa: S608
                (json.dumps([key.url for key in keys]),),
            )
            versions = dict(rows.fetchall())
        return {key.url for key in keys if key.url in versions and versions[key.url] >= key.version}

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Insert pages in one transaction."""
        now = self._wall()
        rows = [(clean_text(page.url), page.version, now, page.problem or None, self._content(page)) for page in pages]
        with self._errors(), self._watch.inside():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(WRITE.format(table=self._table), rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _content(self, page: StrippedPage) -> str | None:
        return clean_text(page.content) if self._keeps_content and not page.problem else None

    def _mode(self) -> str:
        return str(self._connection.execute("PRAGMA journal_mode").fetchone()[0])

    def _check_columns(self, table: str) -> None:
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        have = {row[0].casefold() for row in rows}
        if lacking := [name for name in COLUMNS if name not in have]:
            raise InputError(
                f"{self._path}: table {table!r} is there and lacks {', '.join(lacking)}; "
                "name another one with --to-table"
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(explain(self._path, error)) from error
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror or error}; check its directory") from error
