"""A connection to a SQL Server, by pymssql."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pymssql
from pymssql import _mssql

from gwc_crawler.store.server.config import MSSQL, ServerConfig, quoted, text_literal
from gwc_crawler.store.server.connection import LOCK_SECONDS, LOGIN_SECONDS, Blame, ServerConnection, ServerFault

OLDEST_DRIVER = (2, 4, 6)
"""Drivers before this one garble the texts of a bulk copy."""

SESSION = "SET NOCOUNT OFF; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF"
"""Whatever the server's defaults are: an error ends the whole transaction, none begins by itself, and a bulk copy is
told how many rows arrived, without which FreeTDS takes it for failed."""

REFUSED = frozenset({18456, 18452, 18470, 18486, 18487, 18488, 4060, 4064, 916, 40615})
"""Of a login: it is wrong, expired or may not use the database. Waiting does not help, people do."""

DATA = frozenset(
    {220, 232, 235, 241, 242, 244, 245, 248, 257, 295, 296, 298, 515, 517, 530, 547, 1946, 2601, 2627, 2628, 3609}
    | {4815, 4863, 4864, 6522, 8114, 8115, 8134, 8152, 8169, 9420, 9436}
)
"""Of a statement: a value does not go into its column, or breaks a constraint or a trigger's rule."""

OWN_ERRORS = 50_000
"""From here on are the numbers of THROW and RAISERROR: rules of people's own triggers and procedures."""


PATIENT = frozenset(
    {207, 208, 229, 262, 596, 601, 701, 802, 952, 978, 1101, 1105, 1204, 1205, 1222, 2812, 3906, 3958, 3960, 3961}
    | {4891, 6005, 8628, 8645, 8651, 9002, 10928, 10929, 40197, 40501, 40544, 40613, 49918, 49919, 49920}
)
"""Of a statement: the server can't just now, or lacks something that people have to give it; no row is to blame."""

DRIVERS = range(20_000, 21_000)
"""Numbers by which the driver itself speaks: of the way to the server."""


class SqlServerConnection(ServerConnection):
    """Its errors are told by their numbers."""

    engine, taken_name, locks_rows = MSSQL, 2714, True

    def __init__(self, config: ServerConfig) -> None:
        check_driver(pymssql.__version__)  # type: ignore[attr-defined]
        try:
            self._connection = pymssql.connect(
                server=config.host,
                port=str(config.port),
                user=config.user,
                password=config.password,
                database=config.database,
                tds_version="7.4",
                charset="UTF-8",
                encryption=config.encryption,
                login_timeout=min(LOGIN_SECONDS, config.timeout_seconds),
                timeout=config.timeout_seconds,
                autocommit=True,  # transactions are begun and ended by statements
                appname="gwc-crawler",
            )
        except (pymssql.Error, _mssql.MSSQLException) as error:
            fault = fault_of(error)
            if config.encryption != "require" or "connection failed" not in str(fault):
                raise fault from error
            no_tls = (  # it was reached, and the two did not come to terms
                f"{fault}: it answers, but not by TLS, which GWC_MSSQL_ENCRYPTION = require asks for: "
                "mend its certificate, or say request, or off"
            )
            raise ServerFault(no_tls, fault.number, fault.blame) from error
        self.run(SESSION)

    def _run(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All results are read: an error may stand behind the first, and what is left undoes the transaction."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement, tuple(values)) if values else cursor.execute(statement)
                rows: list[tuple[Any, ...]] | None = None
                while True:
                    found = cursor.fetchall() if cursor.description else None  # what only counted rows has none
                    rows = found if rows is None else rows
                    if not cursor.nextset():
                        return rows or []
        except (pymssql.Error, _mssql.MSSQLException) as error:
            raise fault_of(error) from error

    def commit(self) -> None:
        """It fails where somebody's procedure or trigger has begun another one, which would undo it later."""
        still_open = self.run("COMMIT TRANSACTION; SELECT @@TRANCOUNT AS still_open")[0][0]
        if still_open:
            raise ServerFault(
                f"{still_open} transactions are open that a procedure or a trigger has begun and not ended"
            )

    def copy(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        try:
            self._connection.bulk_copy(table, rows, batch_size=len(rows))
        except (pymssql.Error, _mssql.MSSQLException) as error:
            raise fault_of(error) from error
        except (TypeError, ValueError, OverflowError) as error:
            raise ServerFault(f"the driver refuses a value: {error}", blame=Blame.ROWS) from error

    def columns(self, table: str) -> list[tuple[str, str, int]]:
        rows = self.run(f"{COLUMNS} WHERE c.object_id = OBJECT_ID({text_literal(table)}) ORDER BY c.column_id")
        return [(name, _type(kind.upper(), *sizes), page or 0) for name, kind, *sizes, page in rows]

    def make_schema(self, schema: str) -> None:
        if self.run(f"SELECT SCHEMA_ID({text_literal(schema)}) AS id") == [(None,)]:
            self.run(f"CREATE SCHEMA {quoted(schema)}")

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        resource = text_literal(" ".join(name.split()))
        ((granted,),) = self.run(
            f"DECLARE @granted INT; EXEC @granted = sp_getapplock @Resource = {resource}, @LockMode = N'Exclusive', "
            f"@LockOwner = N'Session', @LockTimeout = {LOCK_SECONDS * 1000}; SELECT @granted AS granted"
        )
        if granted < 0:
            raise ServerFault(f"another process is changing its tables for {LOCK_SECONDS} seconds already")
        yield
        self.run(f"EXEC sp_releaseapplock @Resource = {resource}, @LockOwner = N'Session'")

    def give_page(self, procedure: str, key: bytes) -> None:
        """It comes out of the session's own table: so it is as long and as exact as it was copied."""
        self.run(
            "DECLARE @page_title NVARCHAR(MAX), @page_content NVARCHAR(MAX); "  # noqa: S608  # a key
            "SELECT @page_title = LEFT(title, LEN(title) - 1), "
            "@page_content = COALESCE(CASE is_ascii WHEN 1 THEN CAST(DECOMPRESS(body) AS VARCHAR(MAX)) "
            "ELSE CAST(DECOMPRESS(body) AS NVARCHAR(MAX)) END, N'') "
            f"FROM #pages WHERE url_id = 0x{key.hex()}; "
            f"EXEC {procedure} @title = @page_title, @content = @page_content"
        )

    def version(self) -> str:
        rows = self.run("SELECT @@VERSION AS version")
        return str(rows[0][0]).splitlines()[0].strip() if rows and rows[0][0] else "no version told"

    def close(self) -> None:
        with suppress(pymssql.Error, _mssql.MSSQLException):
            self._connection.close()


def check_driver(found: str) -> None:
    """See whether this version of the driver is good enough. Raises ServerFault: it is not."""
    if tuple(int(part) for part in found.split(".")[:3] if part.isdigit()) < OLDEST_DRIVER:
        wanted = ".".join(map(str, OLDEST_DRIVER))
        raise ServerFault(f"pymssql {found} garbles texts", help=f"pip install 'pymssql>={wanted}'")


def fault_of(error: Exception) -> ServerFault:
    """Return what a driver's error says, without the driver's own words around it."""
    number, text = 0, str(error)
    parts = error.args[0] if error.args and isinstance(error.args[0], tuple) else error.args
    if parts and isinstance(parts[0], int):
        number = parts[0]
        said = parts[1] if len(parts) > 1 else b""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    lines = [line for line in text.replace("DB-Lib error message", "\nDB-Lib error message").splitlines() if line]
    told = [line for line in lines if not line.startswith(("DB-Lib", "General SQL Server", "Net-Lib error during"))]
    return numbered(" ".join(told or lines) or type(error).__name__, number)


def numbered(text: str, number: int) -> ServerFault:
    """Return a fault by its number, of which our lists say what it means."""
    if number in DATA or number >= OWN_ERRORS:
        return ServerFault(text, number, Blame.ROWS)
    if number in REFUSED:
        return ServerFault(text, number, Blame.PEOPLE)
    is_known = not number or number in PATIENT or number in DRIVERS
    return ServerFault(text, number, Blame.MOMENT if is_known else Blame.DOUBT)


COLUMNS = (
    "SELECT c.name AS name, COALESCE(TYPE_NAME(c.system_type_id), N'') AS type, c.max_length AS max_length, "
    "c.[precision] AS [precision], c.scale AS scale, "
    "CAST(COLLATIONPROPERTY(c.collation_name, 'CodePage') AS INT) AS code_page FROM sys.columns AS c"
)


def _type(name: str, length: int, precision: int, scale: int) -> str:
    if name in ("DECIMAL", "NUMERIC"):
        return f"DECIMAL({precision}, {scale})"
    if name in ("DATETIME2", "DATETIMEOFFSET"):
        return f"{name}({scale})"
    if name.endswith(("CHAR", "BINARY")):
        size = "MAX" if length == -1 else length // 2 if name.startswith("N") else length
        return f"{name}({size})"
    return name
