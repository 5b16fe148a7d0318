"""The tables on the server: migrated by numbered files, and the columns of records, which come with site files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from gwc_crawler.store.mssql.names import OWN_COLUMNS, column_names, quoted, text_literal
from gwc_crawler.store.mssql.writing.server import Connection, Fault

LOCK_SECONDS = 60
TYPES = {"text": "NVARCHAR(MAX)", "number": "DECIMAL(38, 10)", "date": "DATETIME2(6)", "bit": "BIT", "int": "BIGINT",
         "float": "FLOAT"}  # fmt: skip
"""What a field is → the type of its column."""

COLUMNS = (
    "SELECT c.name AS name, TYPE_NAME(c.system_type_id) AS type, c.max_length AS max_length, "
    "c.precision AS precision, c.scale AS scale FROM sys.columns AS c"
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of records: of which field, its name, and its type as it is on the server."""

    field: str
    name: str
    type: str


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


def migrate(server: Connection, schema: str) -> int:
    """Bring the tables to the newest version, one process at a time; returns that version.

    Raises:
        Fault: they can't be made, or a newer program has been here.
    """
    with applock(server, "gwc_crawler.migrate"):
        _make_schema(server, schema)
        version = _version(server, schema)
        newest = max(migrations())
        if version > newest:
            raise Fault(f"its tables have version {version}, this program knows {newest}: update gwc-crawler", 18456)
        for number, name in migrations().items():
            if number > version:
                _apply(server, schema, number, name)
        return newest


def _make_schema(server: Connection, schema: str) -> None:
    if server.run(f"SELECT SCHEMA_ID({text_literal(schema)}) AS id") == [(None,)]:
        server.run(f"CREATE SCHEMA {quoted(schema)}")


def _version(server: Connection, schema: str) -> int:
    table = f"{quoted(schema)}.[gwc_versions]"
    if not exists(server, table):
        server.run(
            f"CREATE TABLE {table} (version INT NOT NULL, applied_at DATETIME2(0) NOT NULL, PRIMARY KEY (version))"
        )
    return server.run(f"SELECT COALESCE(MAX(version), 0) AS version FROM {table}")[0][0]  # type: ignore[no-any-return]  # noqa: S608  # quoted


def _apply(server: Connection, schema: str, number: int, name: str) -> None:
    server.run("BEGIN TRANSACTION")
    for statement in statements(name, schema):
        server.run(statement)
    server.run(
        f"INSERT INTO {quoted(schema)}.[gwc_versions] (version, applied_at) "  # noqa: S608  # quoted
        f"VALUES ({number}, SYSUTCDATETIME())"
    )
    server.run("COMMIT TRANSACTION")


@contextmanager
def applock(server: Connection, name: str) -> Iterator[None]:
    """Be the only one on the server under this name.

    Raises:
        Fault: somebody else was, for too long.
    """
    resource = text_literal(name)
    ((granted,),) = server.run(
        f"DECLARE @granted INT; EXEC @granted = sp_getapplock @Resource = {resource}, @LockMode = N'Exclusive', "
        f"@LockOwner = N'Session', @LockTimeout = {LOCK_SECONDS * 1000}; SELECT @granted AS granted"
    )
    if granted < 0:
        raise Fault(f"another process is changing its tables for {LOCK_SECONDS} seconds already")
    yield  # after an error the connection is closed, and the lock gone
    server.run(f"EXEC sp_releaseapplock @Resource = {resource}, @LockOwner = N'Session'")


def exists(server: Connection, table: str) -> bool:
    """Say whether there is a table of this quoted name."""
    return server.run(f"SELECT OBJECT_ID({text_literal(table)}, N'U') AS id") != [(None,)]


class Records:
    """A table of records: made, given the columns that are missing, and looked at. Columns that are there keep their
    types, whoever made them.

    Args:
        fields: field → what it is: one of `TYPES`.
    """

    def __init__(self, server: Connection, schema: str, table: str, fields: Sequence[tuple[str, str]]) -> None:
        self.table = f"{quoted(schema)}.{quoted(table)}"
        with applock(server, f"gwc_crawler.{table}"):
            self._make(server)
            self.columns = self._with_columns(server, fields)

    def _make(self, server: Connection) -> None:
        if not exists(server, self.table):
            server.run(
                f"CREATE TABLE {self.table} (url_id BINARY(16) NOT NULL, "
                "url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL, fetched_at DATETIME2(6) NOT NULL, "
                "PRIMARY KEY (url_id))"
            )

    def _with_columns(self, server: Connection, fields: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
        names = column_names([field for field, _ in fields], OWN_COLUMNS)
        known = self._known(server)
        for name, (_, kind) in zip(names, fields, strict=True):
            if name not in known:
                server.run(f"ALTER TABLE {self.table} ADD {quoted(name)} {TYPES[kind]} NULL")
                known[name] = TYPES[kind]
        return tuple(Column(field, name, known[name]) for name, (field, _) in zip(names, fields, strict=True))

    def _known(self, server: Connection) -> dict[str, str]:
        """Return column → type."""
        rows = server.run(f"{COLUMNS} WHERE c.object_id = OBJECT_ID({text_literal(self.table)})")
        return {name: _type(kind.upper(), *sizes) for name, kind, *sizes in rows}


def _type(name: str, length: int, precision: int, scale: int) -> str:
    if name in ("DECIMAL", "NUMERIC"):
        return f"DECIMAL({precision}, {scale})"
    if name == "DATETIME2":
        return f"DATETIME2({scale})"
    if name.endswith(("CHAR", "BINARY")):
        size = "MAX" if length == -1 else length // 2 if name.startswith("N") else length
        return f"{name}({size})"
    return name
