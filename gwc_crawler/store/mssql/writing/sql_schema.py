"""The tables on the server: migrated by numbered files, and the columns of records, which come with site files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from gwc_crawler.store.mssql.identifiers import OWN_COLUMNS, column_names, folded, quoted, text_literal
from gwc_crawler.store.mssql.writing.server import ServerConnection, ServerFault
from gwc_crawler.store.mssql.writing.sql_values import NUMBER_SCALE

LOCK_SECONDS = 60
THERE_ALREADY = 2714
"""The server's number for a name that something else has."""
ANOTHER_SCHEMA = "set GWC_MSSQL_SCHEMA to a schema for the crawls alone"
TYPES = {"text": "NVARCHAR(MAX)", "number": f"DECIMAL(38, {NUMBER_SCALE})", "date": "DATETIME2(6)", "bit": "BIT",
         "int": "BIGINT", "float": "FLOAT"}  # fmt: skip
"""What a field is → the type of its column."""

COLUMNS = (
    "SELECT c.name AS name, COALESCE(TYPE_NAME(c.system_type_id), N'') AS type, c.max_length AS max_length, "
    "c.[precision] AS [precision], c.scale AS scale, "
    "CAST(COLLATIONPROPERTY(c.collation_name, 'CodePage') AS INT) AS code_page FROM sys.columns AS c"
)


@dataclass(frozen=True, slots=True)
class ServerColumn:
    """A column of a table of records: of which field, its name, and its type as it is on the server.

    Attributes:
        code_page: of a column of texts, 65001 for UTF-8; what NCHAR and NVARCHAR hold does not depend on it.
    """

    field: str
    name: str
    type: str
    code_page: int = 0


@cache
def statements(name: str, schema: str) -> tuple[str, ...]:
    """Return the batches of a file in `sql/`, for a schema; "GO" on a line of its own stands between them."""
    text = files(__package__).joinpath("sql", name).read_text(encoding="utf-8")
    plain = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).replace("[dbo].", quoted(schema) + ".")
    return tuple(part.strip() for part in re.split(r"^GO$", plain, flags=re.MULTILINE))


@cache
def migrations() -> dict[int, str]:
    """Return version → file, in order."""
    names = sorted(one.name for one in files(__package__).joinpath("sql").iterdir() if one.name[:4].isdigit())
    return {int(name[:4]): name for name in names}


def migrate(server: ServerConnection, schema: str) -> int:
    """Bring the tables to the newest version, one process at a time; returns that version.

    Raises:
        ServerFault: they can't be made, or a newer program has been here.
    """
    with applock(server, "gwc_crawler.migrate"):
        make_schema(server, schema)
        version = _version(server, schema)
        newest = max(migrations())
        if version > newest:
            raise ServerFault(
                f"its tables have version {version}, this program knows {newest}", help="update gwc-crawler"
            )
        for number, name in migrations().items():
            if number > version:
                _apply(server, schema, number, name)
        return newest


def make_schema(server: ServerConnection, schema: str) -> None:
    """Make a schema that is missing."""
    if server.run(f"SELECT SCHEMA_ID({text_literal(schema)}) AS id") == [(None,)]:
        server.run(f"CREATE SCHEMA {quoted(schema)}")


def _version(server: ServerConnection, schema: str) -> int:
    table = f"{quoted(schema)}.[gwc_versions]"
    if not exists(server, table):
        server.run(
            f"CREATE TABLE {table} (version INT NOT NULL, applied_at DATETIME2(0) NOT NULL, PRIMARY KEY (version))"
        )
    return server.run(f"SELECT COALESCE(MAX(version), 0) AS version FROM {table}")[0][0]  # type: ignore[no-any-return]  # noqa: S608  # quoted


def _apply(server: ServerConnection, schema: str, number: int, name: str) -> None:
    server.run("BEGIN TRANSACTION")
    try:
        for statement in statements(name, schema):
            server.run(statement)
    except ServerFault as fault:
        if fault.number == THERE_ALREADY:
            raise ServerFault(str(fault), fault.number, help=ANOTHER_SCHEMA) from fault
        raise
    server.run(
        f"INSERT INTO {quoted(schema)}.[gwc_versions] (version, applied_at) "  # noqa: S608  # quoted
        f"VALUES ({number}, SYSUTCDATETIME())"
    )
    server.commit()


@contextmanager
def applock(server: ServerConnection, name: str) -> Iterator[None]:
    """Be the only one on the server under this name.

    Raises:
        ServerFault: somebody else was, for too long.
    """
    resource = text_literal(" ".join(name.split()))
    ((granted,),) = server.run(
        f"DECLARE @granted INT; EXEC @granted = sp_getapplock @Resource = {resource}, @LockMode = N'Exclusive', "
        f"@LockOwner = N'Session', @LockTimeout = {LOCK_SECONDS * 1000}; SELECT @granted AS granted"
    )
    if granted < 0:
        raise ServerFault(f"another process is changing its tables for {LOCK_SECONDS} seconds already")
    yield  # after an error the connection is closed, and the lock gone
    server.run(f"EXEC sp_releaseapplock @Resource = {resource}, @LockOwner = N'Session'")


def exists(server: ServerConnection, table: str) -> bool:
    """Say whether there is a table of this quoted name."""
    return server.run(f"SELECT OBJECT_ID({text_literal(table)}, N'U') AS id") != [(None,)]


class Records:
    """A table of records: made, given the columns that are missing, and looked at. Columns that are there keep their
    types, whoever made them.

    Args:
        fields: field → what it is: one of `TYPES`.
    """

    def __init__(self, server: ServerConnection, schema: str, table: str, fields: Sequence[tuple[str, str]]) -> None:
        self.table = f"{quoted(schema)}.{quoted(table)}"
        with applock(server, f"gwc_crawler.{table}"):
            self._make(server)
            self.columns = self._with_columns(server, fields)

    def _make(self, server: ServerConnection) -> None:
        if not exists(server, self.table):
            server.run(
                f"CREATE TABLE {self.table} (url_id BINARY(16) NOT NULL, "
                "url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL, fetched_at DATETIME2(6) NOT NULL, "
                "PRIMARY KEY (url_id))"
            )

    def _with_columns(self, server: ServerConnection, fields: Sequence[tuple[str, str]]) -> tuple[ServerColumn, ...]:
        known = self._known(server)
        if lacking := [name for name in OWN_COLUMNS if name not in known]:
            raise ServerFault(
                f"table {self.table} is there and is not ours: it lacks {', '.join(lacking)}",
                help=f"rename it, or {ANOTHER_SCHEMA}",
            )
        columns = []
        for name, (field, kind) in zip(column_names([name for name, _ in fields]), fields, strict=True):
            there = known.get(folded(name))
            if there is None:
                server.run(f"ALTER TABLE {self.table} ADD {quoted(name)} {TYPES[kind]} NULL")
                there = ServerColumn("", name, TYPES[kind])
            columns.append(replace(there, field=field))
        return tuple(columns)

    def _known(self, server: ServerConnection) -> dict[str, ServerColumn]:
        """Return the columns that are there, each by what tells its name apart for a server."""
        rows = server.run(f"{COLUMNS} WHERE c.object_id = OBJECT_ID({text_literal(self.table)})")
        columns = [ServerColumn("", name, _type(kind.upper(), *sizes), page or 0) for name, kind, *sizes, page in rows]
        return {folded(column.name): column for column in columns}


def _type(name: str, length: int, precision: int, scale: int) -> str:
    if name in ("DECIMAL", "NUMERIC"):
        return f"DECIMAL({precision}, {scale})"
    if name in ("DATETIME2", "DATETIMEOFFSET"):
        return f"{name}({scale})"
    if name.endswith(("CHAR", "BINARY")):
        size = "MAX" if length == -1 else length // 2 if name.startswith("N") else length
        return f"{name}({size})"
    return name
