"""Waiting pages in SQLite: those of a crawl's own file, or any table with a URL and a content."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.store.sink import clean_text
from gwc_crawler.store.sqlite.bodies import unpacked
from gwc_crawler.store.sqlite.database import PAGE_BYTES, CrawlDatabase, explain, is_crawl_database, quote_name
from gwc_crawler.store.stripping.pages import PageKey, PageSource, StopWatch, StrippedPage, WaitingPage

PAGES_TABLE = "pages"
"""Of a crawl's own file."""

URL_COLUMNS = ("url",)
CONTENT_COLUMNS = ("content", "html", "body")
"""Looked for in this order in a table of somebody else's."""

_PAGES = "html IS NOT NULL AND kind NOT IN ('redirect', 'binary', 'sitemap')"


def open_sqlite_source(path: Path, table: str | None, watch: StopWatch) -> PageSource:
    """Open the pages of a crawl's own file, or the *table* of another one.

    Raises:
        InputError: there is no such file, table or column.
        StoreError: the file can't be read.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such database")
    if is_crawl_database(path) and table in (None, PAGES_TABLE):
        return CrawlPages(path, watch)
    return SqliteTable(path, table or PAGES_TABLE, watch)


class CrawlPages:
    """The pages of a crawl whose HTML was kept; may be read while the crawl runs."""

    def __init__(self, path: Path, watch: StopWatch) -> None:
        self._database = CrawlDatabase(path, read_only=True, known_urls=2)
        self._bodies = self._database.bodies
        self._watch = watch

    def count(self) -> int:
        """Return how many pages there are."""
        return int(self._rows(f"SELECT count(*) FROM pages WHERE {_PAGES}")[0][0])  # noqa: S608  # constants

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        """Return the next pages by their number; the version is when a page was fetched."""
        query = f"SELECT id, url, fetched_at FROM pages WHERE id > ? AND {_PAGES} ORDER BY id LIMIT ?"  # noqa: S608
        rows = self._rows(query, after.place if after else -1, limit)
        return [PageKey(number, url, f"{fetched_at:017.6f}") for number, url, fetched_at in rows]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Read and unpack pages."""
        rows = self._rows(
            "SELECT url, fetched_at, html, content_type FROM pages "
            "WHERE id IN (SELECT value FROM json_each(?)) AND html IS NOT NULL ORDER BY id",
            json.dumps([key.place for key in keys]),
        )
        return [
            WaitingPage(url, f"{fetched_at:017.6f}", self._bodies.unpack(html), content_type or "")
            for url, fetched_at, html, content_type in rows
        ]

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._database.errors(), self._watch.inside():
            return self._database.connection.execute(query, values).fetchall()


class SqliteTable:
    """Any table with a column of URLs and one of contents: text, or bytes, which may be packed by gzip, zlib or zstd.

    Read by row number, or by URL where a table has none.
    """

    def __init__(self, path: Path, table: str, watch: StopWatch) -> None:
        self._path = path
        self._watch = watch
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)
        try:
            self._table = quote_name(table)
            with self._errors():
                columns = self._columns(table)
            self._url = self._find("a URL", URL_COLUMNS, columns, table)
            self._content = self._find("the content", CONTENT_COLUMNS, columns, table)
            self._key = "rowid" if self._has_row_numbers(table) else self._url
        except BaseException:
            self._connection.close()
            raise

    def count(self) -> int:
        """Return how many rows have a content."""
        return int(self._rows(f"SELECT count(*) FROM {self._table} WHERE {self._wanted}")[0][0])  # noqa: S608  # quoted

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        """Return the next rows; nobody knows how new they are."""
        behind = f"{self._key} > ? AND" if after else ""
        rows = self._rows(
            f"SELECT {self._key}, {self._url} FROM {self._table} "  # noqa: S608  # quoted
            f"WHERE {behind} {self._wanted} ORDER BY {self._key} LIMIT ?",
            *([after.place] if after else []),
            limit,
        )
        return [PageKey(place, str(url)) for place, url in rows]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Read and unpack rows."""
        rows = self._rows(
            f"SELECT {self._url}, {self._content} FROM {self._table} "  # noqa: S608  # quoted
            f"WHERE {self._key} IN (SELECT value FROM json_each(?)) AND {self._wanted} ORDER BY {self._key}",
            json.dumps([key.place for key in keys]),
        )
        return [WaitingPage(str(url), "", *_as_bytes(content)) for url, content in rows]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def _wanted(self) -> str:
        return f"{self._content} IS NOT NULL AND {self._url} IS NOT NULL"

    def _columns(self, table: str) -> list[str]:
        columns = [row[0] for row in self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        if not columns:
            found = self._connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
            names = ", ".join(sorted(row[0] for row in found)) or "none"
            raise InputError(f"{self._path}: no table {table!r}; --table takes one of those that are there: {names}")
        return columns

    def _find(self, what: str, names: Sequence[str], columns: Sequence[str], table: str) -> str:
        by_name = {column.casefold(): column for column in columns}
        for name in names:
            if name in by_name:
                return quote_name(by_name[name])
        raise InputError(
            f"{self._path}: table {table!r} has no column for {what} ({' or '.join(names)}), only "
            f"{', '.join(columns)}; make a view that names it so"
        )

    def _has_row_numbers(self, table: str) -> bool:
        """Say whether rows have numbers: views and tables made WITHOUT ROWID have none."""
        try:
            self._connection.execute(f"SELECT rowid FROM {self._table} WHERE rowid IS NOT NULL LIMIT 1")  # noqa: S608
        except sqlite3.OperationalError:
            return False
        kind = "SELECT type FROM sqlite_schema WHERE name = ?"
        return bool(self._connection.execute(kind, (table,)).fetchone() != ("view",))

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._errors(), self._watch.inside():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(explain(self._path, error)) from error


def _as_bytes(content: object) -> tuple[bytes, str]:
    """Return a content as bytes, and what is known of their charset: texts have none of their own any more."""
    if isinstance(content, bytes):
        return unpacked(content), ""
    return str(content).encode("utf-8", "replace"), "text/html; charset=utf-8"


# --- Stripped pages into a table of SQLite: a block at a time in one transaction, each URL once -----------------------


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
