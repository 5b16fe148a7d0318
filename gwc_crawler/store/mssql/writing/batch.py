"""Units → a SQL Server, in one transaction: copied into the session's own tables, then taken over by key.

`BatchTable` is one site's (or spider's) tables over one connection. A batch that comes again changes nothing: its pages
are stored with the same time already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from gwc_crawler.store.mssql.identifiers import qualified, quoted
from gwc_crawler.store.mssql.writing.server import ServerConnection, ServerFault
from gwc_crawler.store.mssql.writing.sql_schema import Records, ServerColumn, statements
from gwc_crawler.store.mssql.writing.sql_values import is_storable, is_text
from gwc_crawler.store.mssql.writing.staged import KEYS_A_ROW, PAGE_TABLES, Staged, Stager, Unit

if TYPE_CHECKING:
    from gwc_crawler.store.mssql.writing.joined import Joined

KNOWN_URLS = 200_000
"""URLs that a writer knows to be on the server, with their keys; about 300 bytes each."""

READ_KINDS = frozenset({"target", "directory", "index", "information", "continuation", "lookalike", "alias"})
"""Of which pages a stored procedure gets title and content."""


class BatchTable:
    """Where the batches of one head go.

    Args:
        head: what the batches are: `form` (pages | items), `site`, `table`, `fields`, `lists`, `procedure`.

    Raises:
        ServerFault: the server, or the way to it, said no.
    """

    def __init__(self, server: ServerConnection, schema: str, head: Mapping[str, Any]) -> None:
        self._server = server
        self._schema = schema
        self._known: dict[str, bytes] = {}
        self._is_of_pages = head["form"] == "pages"
        self._procedure = qualified(head["procedure"], schema) if head["procedure"] else ""
        records = Records(server, schema, head["table"], [(field, kind) for field, kind in head["fields"]])
        first, *rest = [
            *(statements("pages.sql", schema) if self._is_of_pages else ()),
            *record_statements(records.table, records.columns, beside_pages=self._is_of_pages),
            *(() if self._is_of_pages else statements("items.sql", schema)),
        ]
        self._take_over = in_few_messages(first, rest, parted=bool(self._procedure))
        self._stager = Stager(head["site"], records.columns, lists_apart=head["lists"] == "tables", known=self._known)
        make_stage(server, schema, records.columns)
        self._joined: Joined | None = None
        if head.get("paged") or head.get("files"):
            from gwc_crawler.store.mssql.writing.joined import Joined  # for sites that have such fields alone

            self._joined = Joined(server, schema, head, records)

    def write(self, units: Sequence[Unit]) -> None:
        """Store units: all, or none.

        Raises:
            ServerFault: none of them is stored, or all are and the answer got lost; the connection is to be closed.
        """
        staged = self._staged(units)
        self._copy(staged)
        with self._joined.alone() if self._joined is not None else nullcontext():
            for number, part in enumerate(self._take_over):
                if number:
                    self._call_procedure()
                self._server.run(part)
            if self._joined is not None:
                self._joined.write(staged.pages)
            self._server.commit()
        if len(self._known) > KNOWN_URLS:
            self._known.clear()
        self._known.update(staged.urls)

    def _staged(self, units: Sequence[Unit]) -> Staged:
        try:
            return self._stager.pages(units) if self._is_of_pages else self._stager.items(units)
        except Exception as error:  # whatever it is, one of the units is the matter, and the others are stored
            raise ServerFault(f"no rows can be made of it: {type(error).__name__}: {error}", is_data=True) from error

    def _copy(self, staged: Staged) -> None:
        tables = {**staged.rows, "#records": staged.records}
        self._server.run("; ".join(f"TRUNCATE TABLE {table}" for table in tables))
        for table, rows in tables.items():
            self._server.copy(table, rows)
        self._server.run(";\n".join(statements("guards.sql", self._schema)))

    def _call_procedure(self) -> None:
        """Hand title and content of the pages that are new, or newer, to the stored procedure.

        They come out of the session's own table: so they are as long and as exact as they were copied.
        """
        for key, kind in self._server.run("SELECT url_id AS url_id, kind AS kind FROM #pages"):
            if kind in READ_KINDS:
                self._server.run(
                    "DECLARE @page_title NVARCHAR(MAX), @page_content NVARCHAR(MAX); "  # noqa: S608  # a key
                    "SELECT @page_title = COALESCE(title, N''), "
                    "@page_content = COALESCE(CAST(DECOMPRESS(body) AS NVARCHAR(MAX)), N'') "
                    f"FROM #pages WHERE url_id = 0x{key.hex()}; "
                    f"EXEC {self._procedure} @title = @page_title, @content = @page_content"
                )


def in_few_messages(first: str, rest: Sequence[str], *, parted: bool) -> list[str]:
    """Return what begins a transaction and does these statements; a message costs as much as copying two pages.

    Args:
        parted: something else is to be done behind the first of them.
    """
    begin = ["BEGIN TRANSACTION", first]
    return [";\n".join(begin), ";\n".join(rest)] if parted else [";\n".join([*begin, *rest])]


def make_stage(server: ServerConnection, schema: str, columns: Sequence[ServerColumn]) -> None:
    """Make the session's own tables; they go with it."""
    for name in (*PAGE_TABLES, "#records", "#numbers"):
        server.run(f"IF OBJECT_ID(N'tempdb..{name}') IS NOT NULL DROP TABLE {name}")
    for statement in statements("stage.sql", schema):
        server.run(statement)
    fields = "".join(f", f{number} NVARCHAR(MAX) NULL" for number in range(1, len(columns) + 1))
    server.run(
        "CREATE TABLE #records (url_id BINARY(16) NOT NULL, url NVARCHAR(MAX) NOT NULL, "
        f"fetched_at VARCHAR(40) NOT NULL, guarded VARCHAR(MAX) NULL{fields}, PRIMARY KEY (url_id))"
    )
    server.copy("#numbers", [(number,) for number in range(1, KEYS_A_ROW + 1)])


def record_statements(table: str, columns: Sequence[ServerColumn], *, beside_pages: bool) -> list[str]:
    """Return what takes records over from #records; beside pages only those of pages that are taken over."""
    values = {quoted(column.name): _value(number, column.type) for number, column in enumerate(columns, 1)}
    here = "s.url_id IN (SELECT url_id FROM #pages)" if beside_pages else "1 = 1"
    sets = "".join(f", t.{name} = {value}" for name, value in values.items())
    update = (
        f"UPDATE t SET t.fetched_at = CONVERT(DATETIME2(6), s.fetched_at, 126){sets} "  # noqa: S608  # quoted
        f"FROM {table} AS t INNER JOIN #records AS s ON s.url_id = t.url_id "
        f"WHERE {here} AND t.fetched_at <= CONVERT(DATETIME2(6), s.fetched_at, 126)"
    )
    names, contents = "".join(f", {name}" for name in values), "".join(f", {one}" for one in values.values())
    insert = (
        f"INSERT INTO {table} (url_id, url, fetched_at{names}) "  # noqa: S608  # quoted
        f"SELECT s.url_id, s.url, CONVERT(DATETIME2(6), s.fetched_at, 126){contents} "
        f"FROM #records AS s WHERE {here} "
        f"AND NOT EXISTS (SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)"
    )
    gone = (
        f"DELETE FROM {table} WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL "  # noqa: S608  # quoted
        "UNION ALL SELECT url_id FROM #pages WHERE has_record = 0)"
    )
    outdated = (
        f"DELETE FROM #records WHERE EXISTS (SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) "  # noqa: S608  # quoted
        "WHERE t.url_id = #records.url_id AND t.fetched_at > CONVERT(DATETIME2(6), #records.fetched_at, 126))"
    )
    return [gone if beside_pages else outdated, update, insert]


def _value(number: int, kind: str) -> str:
    """Return what a column gets; see `staged.guarded`."""
    if is_text(kind):
        cut = f"LEFT(s.f{number}, LEN(s.f{number}) - 1)"
        text = f"CASE WHEN CHARINDEX(',{number},', s.guarded) > 0 THEN {cut} ELSE s.f{number} END"
        return text if "CHAR" in kind else f"CONVERT({kind}, {text})"
    if not is_storable(kind):
        return "NULL"
    style = ", 126" if "DATE" in kind else ""
    return f"CONVERT({kind}, s.f{number}{style})"
