"""Pages in a table of SQLite, a SQL Server or PostgreSQL: waiting ones, and stripped ones.

What is asked is the same everywhere but for a few words, those of `Tables`. A server gets a block by bulk copy into a
table of the session's own, and from there into its place in one transaction.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gwc_crawler.errors import InputError
from gwc_crawler.store.reading import Tables
from gwc_crawler.store.server.config import ServerConfig
from gwc_crawler.store.server.reading import ServerTables
from gwc_crawler.store.server.schema import taking_over
from gwc_crawler.store.server.units import iso_time
from gwc_crawler.store.sink import clean_text
from gwc_crawler.store.sqlite.database import PAGE_BYTES, CrawlDatabase, is_crawl_database, quote_name, sqlite_errors
from gwc_crawler.store.sqlite.reading import SqliteTables
from gwc_crawler.store.stripping.engine import PageKey, PageSource, PageTarget, StopWatch, StrippedPage, WaitingPage

if TYPE_CHECKING:
    from gwc_crawler.store.server.connection import ServerConnection

PAGES_TABLE, STRIPPED_TABLE = "pages", "stripped"
KEYS = ("url_id", "id", "url")
CONTENTS = ("html", "content", "body")
NO_PAGES = ("redirect", "binary", "sitemap")
COLUMNS = ("url", "version", "stripped_at", "problem", "content")


class TableSource(PageSource):
    """A table of pages: a crawl's own (`pages`), or any with a URL and a content, which may be packed.

    Args:
        key: a table's quoted name → what it is read in the order of; "" for one of its columns.
        there: what is told of a database that has no such table.
    Raises:
        InputError: there is no such table or column.
    """

    def __init__(
        self,
        database: Tables,
        table: str,
        key: Callable[[str], str] = lambda table: "",
        there: Callable[[], str] = lambda: "",
    ) -> None:
        self._database = database
        self._table = database.table(table)
        try:
            columns = {name.casefold(): name for name in database.columns(self._table)}
            if not columns:
                told = f"{database.place}: no table {table!r}; --table takes one of those that are there"
                raise InputError(told + there())
            self._url = self._find(("url",), columns, table)
            self._content = self._find(CONTENTS, columns, table)
            self._key = key(self._table) or database.column(next(columns[name] for name in KEYS if name in columns))
        except BaseException:
            self.close()
            raise
        self._version = "fetched_at" if "fetched_at" in columns else "NULL"
        self._type = "content_type" if "content_type" in columns else "NULL"
        self._wanted = f"{self._content} IS NOT NULL AND {self._url} IS NOT NULL"
        if "kind" in columns:
            self._wanted += f" AND COALESCE(kind, '') NOT IN ({', '.join(map(database.literal, NO_PAGES))})"

    def count(self) -> int:
        query = f"SELECT COUNT(*) AS n FROM {self._table} WHERE {self._wanted}"  # noqa: S608  # quoted
        return int(self._database.rows(query)[0][0])

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        behind = f"{self._key} > {self._database.literal(after.place)} AND " if after else ""
        columns = f"{self._key} AS place, {self._url} AS url, {self._version} AS version"
        rest = f"{columns} FROM {self._table} WHERE {behind}{self._wanted} ORDER BY {self._key}"
        query: str = self._database.first(limit, rest, ties=True)  # a collation may take two URLs for one
        return [PageKey(place, str(url), _version(at)) for place, url, at in self._database.rows(query)]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        places = ", ".join(self._database.literal(key.place) for key in keys)
        wanted = {key.url for key in keys}
        rows = self._database.rows(
            f"SELECT {self._url} AS url, {self._version} AS version, {self._content} AS content, {self._type} AS type "  # noqa: S608
            f"FROM {self._table} WHERE {self._key} IN ({places}) AND {self._wanted} ORDER BY {self._key}"
        )
        return [self._waiting(*row) for row in rows if str(row[0]) in wanted]  # others' keys are equal for the server

    def close(self) -> None:
        self._database.close()

    def _waiting(self, url: object, at: Any, content: Any, content_type: str | None) -> WaitingPage:
        if isinstance(content, bytes):
            return WaitingPage(str(url), _version(at), self._database.unpacked(content), content_type or "")
        text = str(content).encode("utf-8", "replace")
        return WaitingPage(str(url), _version(at), text, "text/html; charset=utf-8")

    def _find(self, names: Sequence[str], columns: Mapping[str, str], table: str) -> str:
        for name in names:
            if name in columns:
                return self._database.column(columns[name])
        raise InputError(
            f"{self._database.place}: table {table!r} has no column {' or '.join(names)}, only "
            f"{', '.join(columns.values())}; make a view that names it so"
        )


def _version(at: Any) -> str:
    """Return a time as a text that is greater for what is later; "" where nobody knows it."""
    if isinstance(at, datetime):
        return at.isoformat(timespec="microseconds")
    return f"{at:017.6f}" if isinstance(at, float) else str(at or "")


class TableTarget(PageTarget):
    """A table of stripped pages, made when it is missing; each URL stands there once.

    Raises:
        InputError: there is such a table with other columns.
    """

    def __init__(self, database: Tables, table: str) -> None:
        self._database, self._table = database, database.table(table)
        try:
            have = {name.casefold() for name in database.columns(self._table)}
            if lacking := [name for name in COLUMNS if name not in have]:
                raise InputError(
                    f"{database.place}: table {table!r} is there and lacks {', '.join(lacking)}; "
                    "name another one with --to-table"
                )
            self._is_empty = not database.rows(database.first(1, f"url FROM {self._table} ORDER BY url"))
        except BaseException:
            self.close()
            raise

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Nothing is looked up where the table was empty at first."""
        if self._is_empty:
            return ()
        known = self._known_by(key.url for key in keys)
        query = f"SELECT url AS url, version AS version FROM {self._table} WHERE {known}"  # noqa: S608  # quoted
        versions: dict[str, str] = dict(self._database.rows(query))
        return {key.url for key in keys if key.url in versions and versions[key.url] >= key.version}

    @abstractmethod
    def _known_by(self, urls: Iterable[str]) -> str:
        """Return the condition that a row is of one of these."""

    def close(self) -> None:
        self._database.close()


# --- SQLite -----------------------------------------------------------------------------------------------------------


def open_sqlite_source(path: Path, table: str | None, watch: StopWatch) -> PageSource:
    """Open the pages of a crawl's own file, or the *table* of another one; raises as `TableSource`."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such database")
    if is_crawl_database(path) and table in (None, PAGES_TABLE):
        crawl = CrawlDatabase(path, read_only=True)
        file = SqliteTables(path, crawl.connection, crawl.bodies.unpack, watch.inside)
    else:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)
        file = SqliteTables(path, connection, inside=watch.inside)

    def key(table: str) -> str:
        """Views and tables made WITHOUT ROWID have no numbers of rows, and are read by their URLs."""
        ((_, _, kind, _, is_without, _),) = file.rows(f"PRAGMA main.table_list({table})")
        return "rowid" if kind == "table" and not is_without else file.column("url")

    def there() -> str:
        names = file.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
        return ": " + (", ".join(name for (name,) in names) or "none")

    return TableSource(file, table or PAGES_TABLE, key, there)


SQLITE_TARGET = """
CREATE TABLE IF NOT EXISTS {table} (
    url TEXT PRIMARY KEY,
    version TEXT NOT NULL,       -- of the page that was stripped: greater for what is newer
    stripped_at REAL NOT NULL,   -- seconds since 1970
    problem TEXT,                -- why there is no content
    content TEXT                 -- NULL: it stands in a file, or there is none
)
"""

SQLITE_WRITE = """
INSERT INTO {table} (url, version, stripped_at, problem, content) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET version = excluded.version, stripped_at = excluded.stripped_at,
    problem = excluded.problem, content = excluded.content WHERE excluded.version >= version
"""


class SqliteTarget(TableTarget):
    """A table in a file that may be new, another program's, or a crawl's.

    Args:
        keeps_content: False for an index of pages whose content stands elsewhere.
    """

    def __init__(
        self, path: Path, watch: StopWatch, table: str = STRIPPED_TABLE, *, keeps_content: bool = True
    ) -> None:
        self._keeps_content, self._watch = keeps_content, watch
        with sqlite_errors(path), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            connection = sqlite3.connect(path, timeout=10, isolation_level="IMMEDIATE")
            opened.callback(connection.close)
            if is_new:
                connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
                connection.execute("PRAGMA journal_mode = WAL")
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(SQLITE_TARGET.format(table=quote_name(table)))
            opened.pop_all()
        self._file = SqliteTables(path, connection, inside=watch.inside)
        super().__init__(self._file, table)

    def write(self, pages: Sequence[StrippedPage]) -> None:
        now = time.time()
        rows = [(clean_text(page.url), page.version, now, page.problem or None, self._content(page)) for page in pages]
        with sqlite_errors(self._file.path), self._watch.inside(), self._file.connection as connection:
            connection.executemany(SQLITE_WRITE.format(table=self._table), rows)

    def _known_by(self, urls: Iterable[str]) -> str:
        return f"url IN ({', '.join(map(self._file.literal, urls))})"

    def _content(self, page: StrippedPage) -> str | None:
        return clean_text(page.content) if self._keeps_content and not page.problem else None


# --- SQL Server and PostgreSQL ----------------------------------------------------------------------------------------


_TARGET = """CREATE TABLE {table} (
    url_id BINARY(16) NOT NULL,
    url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL,
    stripped_at DATETIME2(6) NOT NULL,
    problem NVARCHAR(MAX) NULL,
    content NVARCHAR(MAX) NULL,
    PRIMARY KEY (url_id)
)"""

_STAGE = """CREATE TABLE #stripped (
    url_id BINARY(16) NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    version VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL,
    stripped_at VARCHAR(40) NOT NULL,
    problem NVARCHAR(MAX) NOT NULL,
    content NVARCHAR(MAX) NOT NULL,
    PRIMARY KEY (url_id)
)"""

_OUTDATED = """DELETE FROM #stripped WHERE EXISTS (
    SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK)
    WHERE t.url_id = #stripped.url_id AND t.version > LEFT(#stripped.version, LEN(#stripped.version) - 1)
)"""

TAKEN_OVER = {
    "version": "LEFT(s.version, LEN(s.version) - 1)",
    "stripped_at": "CAST(s.stripped_at AS DATETIME2(6))",
    "problem": "CASE WHEN LEN(s.problem) > 1 THEN LEFT(s.problem, LEN(s.problem) - 1) ELSE NULL END",
    "content": "CASE WHEN LEN(s.problem) > 1 THEN NULL ELSE LEFT(s.content, LEN(s.content) - 1) END",
}


class ServerTarget(TableTarget):
    """A table on a server: `url_id` is HASHBYTES('MD5', url)."""

    def __init__(self, config: ServerConfig, watch: StopWatch, table: str = STRIPPED_TABLE) -> None:
        self._schema = config.schema
        self._server = ServerTables(config, self._make, watch.inside)
        self._table = self._server.table(table)  # it is made by what is asked first
        self._take_over = taking_over(self._table, "#stripped", TAKEN_OVER)
        super().__init__(self._server, table)

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Of a page that stands twice in a block the newer counts."""
        newest: dict[str, StrippedPage] = {}
        for page in pages:
            if page.url not in newest or newest[page.url].version <= page.version:
                newest[page.url] = page
        now = iso_time(time.time())
        rows = [  # the bar: a bulk copy takes '' for NULL, and drops blanks at the end
            (url_key(url), clean(url), f"{one.version}|", now, f"{clean(one.problem)}|", f"{clean(one.content)}|")
            for url, one in newest.items()
        ]
        self._server.do(lambda server: self._write(server, rows))

    def _known_by(self, urls: Iterable[str]) -> str:
        return f"url_id IN ({', '.join(self._server.literal(url_key(url)) for url in urls)})"

    def _write(self, server: ServerConnection, rows: Sequence[tuple[Any, ...]]) -> None:
        server.run("TRUNCATE TABLE #stripped")
        server.copy("#stripped", rows)
        for statement in ("BEGIN TRANSACTION", _OUTDATED.format(table=self._table), *self._take_over):
            server.run(statement)
        server.commit()

    def _make(self, server: ServerConnection) -> None:
        if not server.has_table(self._table):
            server.make_schema(self._schema)
            server.run(_TARGET.format(table=self._table))
        server.run(_STAGE)


def url_key(url: str) -> bytes:
    """Return what HASHBYTES('MD5', url) gives for an NVARCHAR."""
    return hashlib.md5(clean(url).encode("utf-16-le"), usedforsecurity=False).digest()


def clean(text: str) -> str:
    """Return a text that a column of NVARCHAR holds: no lone surrogates, no NUL."""
    return clean_text(text).replace("\0", "")
