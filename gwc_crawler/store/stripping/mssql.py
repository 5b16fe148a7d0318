"""Waiting pages in a SQL Server or PostgreSQL, and stripped ones into it: over one connection each.

T-SQL of SQL Server 2017 on. A block goes by bulk copy into a table of the session's own, and in one transaction from
there into its place.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.http import hide
from gwc_crawler.store.server.config import ServerConfig, quoted, text_literal
from gwc_crawler.store.sink import clean_text
from gwc_crawler.store.sqlite.bodies import unpacked
from gwc_crawler.store.stripping.pages import PageKey, StopWatch, StrippedPage, WaitingPage

if TYPE_CHECKING:
    from gwc_crawler.store.server.connection import ServerConnection


PAGES_TABLE = "pages"
STRIPPED_TABLE = "stripped"
KEYS = ("url_id", "id", "url")
CONTENTS = ("html", "content", "body")
NO_PAGES = "N'redirect', N'binary', N'sitemap'"

TRIES = 3
"""So often a connection that broke is made anew for one operation; each may be done twice without harm."""
FIRST_PAUSE_SECONDS = 0.5

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

_PROBLEM = "CASE WHEN LEN(s.problem) > 1 THEN LEFT(s.problem, LEN(s.problem) - 1) ELSE NULL END"
_CONTENT = "CASE WHEN LEN(s.problem) > 1 THEN NULL ELSE LEFT(s.content, LEN(s.content) - 1) END"

_UPDATE = f"""UPDATE t SET t.version = LEFT(s.version, LEN(s.version) - 1),
    t.stripped_at = CONVERT(DATETIME2(6), s.stripped_at, 126), t.problem = {_PROBLEM}, t.content = {_CONTENT}
FROM {{table}} AS t INNER JOIN #stripped AS s ON s.url_id = t.url_id"""  # noqa: S608  # constants

_INSERT = f"""INSERT INTO {{table}} (url_id, url, version, stripped_at, problem, content)
SELECT s.url_id, s.url, LEFT(s.version, LEN(s.version) - 1), CONVERT(DATETIME2(6), s.stripped_at, 126),
    {_PROBLEM}, {_CONTENT}
FROM #stripped AS s
WHERE NOT EXISTS (SELECT 1 FROM {{table}} AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)"""  # noqa: S608  # constants


class _Server:
    """A connection that is made anew when it broke; `begin` is done with each new one."""

    def __init__(self, config: ServerConfig, watch: StopWatch, begin: Callable[[ServerConnection], None]) -> None:
        if config.password:
            hide(config.password)
        self.place = f"{config.name} at {config.place}"
        self._config = config
        self._watch = watch
        self._begin = begin
        self._connection: ServerConnection | None = None

    def do(self, work: Callable[[ServerConnection], Any]) -> Any:
        """Have something done, on another connection where one breaks.

        Raises:
            StoreError: the server refuses, or is away for long.
        """
        from gwc_crawler.store.server.connection import ServerFault  # the driver comes with it

        for attempt in range(TRIES):
            try:
                with self._watch.inside():
                    return work(self._open())
            except ServerFault as fault:
                self.close()
                if fault.is_refusal or fault.is_data or attempt + 1 == TRIES:
                    raise StoreError(
                        f"{self.place}: {fault}; mend it, and run again: what was written stays"
                    ) from fault
                time.sleep(FIRST_PAUSE_SECONDS * 2**attempt)
        return None

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        found: list[tuple[Any, ...]] = self.do(lambda server: server.run(statement))
        return found

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns; none where there is no table."""
        return {name.lower() for name, _, _ in self.do(lambda server: server.columns(table))}

    def close(self) -> None:
        """Close what is open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> ServerConnection:
        from gwc_crawler.store.server.schema import connect

        if self._connection is None:
            self._connection = connect(self._config)
            self._begin(self._connection)
        return self._connection


class SqlServerPages:
    """A table of pages: a crawl's own (`pages`), or any with a URL and a content.

    Read in the order of its key: `url_id` or `id` where it has such a column, else the URL.

    Raises:
        InputError: there is no such table or column.
        StoreError: the server can't be reached or refuses.
    """

    def __init__(self, config: ServerConfig, table: str | None, watch: StopWatch) -> None:
        self._server = _Server(config, watch, lambda server: None)
        self._table = f"{quoted(config.schema)}.{quoted(table or PAGES_TABLE)}"
        try:
            columns = self._server.columns(self._table)
            if not columns:
                raise InputError(f"{self._server.place} has no table {self._table}; --table names one it has")
            self._key = self._find(KEYS, columns)
            self._content = self._find(CONTENTS, columns)
        except BaseException:
            self.close()
            raise
        self._version = "fetched_at" if "fetched_at" in columns else "NULL"
        self._type = "content_type" if "content_type" in columns else "NULL"
        self._wanted = f"{self._content} IS NOT NULL"
        if "kind" in columns:
            self._wanted += f" AND kind NOT IN ({NO_PAGES})"

    def count(self) -> int:
        """Return how many pages there are."""
        return int(self._server.rows(f"SELECT COUNT(*) AS n FROM {self._table} WHERE {self._wanted}")[0][0])  # noqa: S608

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        """Return the next pages by the table's key: with all whose keys the server takes for the last one's equal.

        So none is skipped where a collation takes two URLs for one, and an index of the key serves.
        """
        behind = f"{self._key} > {literal(after.place)} AND " if after else ""
        rows = self._server.rows(
            f"SELECT TOP ({int(limit)}) WITH TIES {self._key} AS place, url AS url, {self._version} AS version "  # noqa: S608
            f"FROM {self._table} WHERE {behind}{self._wanted} ORDER BY {self._key}"
        )
        return [PageKey(place, url, _moment(version)) for place, url, version in rows]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Read and unpack pages."""
        places = ", ".join(literal(key.place) for key in keys)
        wanted = {key.url for key in keys}
        rows = self._server.rows(
            f"SELECT url AS url, {self._version} AS version, {self._content} AS content, {self._type} AS type "  # noqa: S608
            f"FROM {self._table} WHERE {self._key} IN ({places}) AND {self._wanted} ORDER BY {self._key}"
        )
        return [_waiting(*row) for row in rows if row[0] in wanted]  # others have a key that is equal for the server

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def _find(self, names: Sequence[str], columns: Collection[str]) -> str:
        for name in names:
            if name in columns:
                return name
        raise InputError(
            f"table {self._table} has none of the columns {', '.join(names)}; make a view that names it so"
        )


class SqlServerTarget:
    """A table of stripped pages, made when it is missing: `url_id` is HASHBYTES('MD5', url).

    Raises:
        InputError: there is such a table with other columns.
        StoreError: the server can't be reached or refuses.
    """

    def __init__(
        self,
        config: ServerConfig,
        watch: StopWatch,
        table: str = STRIPPED_TABLE,
        *,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._schema = config.schema
        self._table = f"{quoted(config.schema)}.{quoted(table)}"
        self._wall = wall
        self._server = _Server(config, watch, self._make)
        try:
            columns = self._server.columns(self._table)
            if lacking := [name for name in ("url_id", "url", "version", "problem", "content") if name not in columns]:
                raise InputError(
                    f"table {self._table} is there and lacks {', '.join(lacking)}; name another one with --to-table"
                )
            self._is_empty = not self._server.rows(f"SELECT TOP (1) url_id AS url_id FROM {self._table}")  # noqa: S608
        except BaseException:
            self.close()
            raise

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of pages that are here; nothing is looked up where the table was empty at first."""
        if self._is_empty:
            return ()
        ids = ", ".join(literal(url_key(key.url)) for key in keys)
        rows = self._server.rows(f"SELECT url AS url, version AS version FROM {self._table} WHERE url_id IN ({ids})")  # noqa: S608
        versions = dict(rows)
        return {key.url for key in keys if key.url in versions and versions[key.url] >= key.version}

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Insert pages in one transaction; of one that stands twice in a block the newer counts."""
        newest: dict[str, StrippedPage] = {}
        for page in pages:
            if page.url not in newest or newest[page.url].version <= page.version:
                newest[page.url] = page
        now = datetime.fromtimestamp(self._wall(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
        rows = [  # the bar: a bulk copy takes '' for NULL, and drops blanks at the end
            (
                url_key(one.url),
                clean(one.url),
                f"{one.version}|",
                now,
                f"{clean(one.problem)}|",
                f"{clean(one.content)}|",
            )
            for one in newest.values()
        ]
        self._server.do(lambda server: self._write(server, rows))

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def _write(self, server: ServerConnection, rows: Sequence[tuple[Any, ...]]) -> None:
        server.run("TRUNCATE TABLE #stripped")
        server.copy("#stripped", rows)
        server.run("BEGIN TRANSACTION")
        for statement in (_OUTDATED, _UPDATE, _INSERT):
            server.run(statement.format(table=self._table))
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


def literal(value: object) -> str:
    """Return a key as T-SQL has it.

    >>> literal(b"\\x01"), literal(7), literal("it's")
    ('0x01', '7', "N'it''s'")
    """
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    return str(value) if isinstance(value, int) else text_literal(str(value))


def _moment(value: Any) -> str:
    """Return a time as a text that is greater for what is later."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return str(value or "")


def _waiting(url: str, version: Any, content: Any, content_type: str | None) -> WaitingPage:
    if isinstance(content, bytes):
        return WaitingPage(url, _moment(version), unpacked(content), content_type or "")
    return WaitingPage(url, _moment(version), str(content).encode("utf-8", "replace"), "text/html; charset=utf-8")
