"""One connection to a SQL Server, and what its errors mean: wait and try again, or this row is the matter.

Only the writers use it: the driver keeps Python's lock while it sends a bulk copy, and its time limits hold for the
whole process. After any error a connection is closed: it may be in the midst of a bulk copy or of an answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pymssql
from pymssql import _mssql

from gwc_crawler.store.mssql.config import ServerConfig

OLDEST_DRIVER = (2, 4, 6)
"""Drivers before this one garble the texts of a bulk copy."""

SESSION = "SET NOCOUNT OFF; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF"
"""Whatever the server's defaults are: an error ends the whole transaction, none begins by itself, and a bulk copy is
told how many rows arrived, without which FreeTDS takes it for failed."""

LOGIN_SECONDS = 15
CHECK_AFTER_SECONDS = 30.0
"""A connection that rested this long is asked whether it is still there."""

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


class ServerFault(Exception):
    """The server, or the way to it, said no.

    `number` is the server's (0 where it said nothing), `is_data`: the rows themselves are the matter; `is_refusal`:
    the login is, or what is there already; `is_odd`: the server said what is in none of our lists, so it may be the
    rows. `help` says what people can do, "" where only the login can be the matter.
    """

    def __init__(self, text: str, number: int = 0, *, is_data: bool = False, help: str = "") -> None:
        super().__init__(text)
        self.number = number
        self.help = help
        self.is_data = is_data or number in DATA or number >= OWN_ERRORS
        self.is_refusal = number in REFUSED or bool(help)
        known = self.is_data or self.is_refusal or number in PATIENT or number in DRIVERS
        self.is_odd = bool(number) and not known


CONNECTING = "signing in"
MIGRATING = "making its tables"


@contextmanager
def before_rows(step: str) -> Iterator[None]:
    """While it is signed in, or while tables are made, no row is the matter, whatever number the server's words have.

    Where tables can't be made, only people can help, unless the server just can't at the moment.
    """
    try:
        yield
    except ServerFault as fault:
        told = fault
        if step == MIGRATING and (fault.is_odd or fault.is_data):
            told = ServerFault(f"{step}: {fault} ({fault.number})", fault.number, help=fault.help or MIGRATING_HELP)
        told.is_data = told.is_odd = False
        raise told from fault.__cause__


MIGRATING_HELP = "have somebody who may change the database look at that, or set GWC_MSSQL_SCHEMA to another schema"

NO_TLS = (
    "it answers, but not by TLS, which GWC_MSSQL_ENCRYPTION = require asks for: "
    "mend its certificate, or say request, or off"
)
HANDSHAKE_FAILED = "connection failed"
"""FreeTDS's words where a server was reached and the two did not come to terms."""


class ServerConnection:
    """A connection that signs in at once.

    Raises:
        ServerFault: it can't.
    """

    def __init__(self, config: ServerConfig) -> None:
        check_driver(pymssql.__version__)  # type: ignore[attr-defined]
        self._used_at = time.monotonic()
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
            with before_rows(CONNECTING):
                raise _login_fault(fault_of(error), config) from error
        with before_rows(CONNECTING):
            self.run(SESSION)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return the rows of its first result that has some columns.

        The others are read, too: an error may stand behind them, and a result that is left is cancelled by the next
        statement, by which the server rolls back the transaction.

        Raises:
            ServerFault: it failed; the connection is to be closed.
        """
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
        finally:
            self._used_at = time.monotonic()

    def commit(self) -> None:
        """End the transaction.

        Raises:
            ServerFault: it failed, or somebody's procedure or trigger has begun another one, which would undo it later.
        """
        still_open = self.run("COMMIT TRANSACTION; SELECT @@TRANCOUNT AS still_open")[0][0]
        if still_open:
            raise ServerFault(
                f"{still_open} transactions are open that a procedure or a trigger has begun and not ended"
            )

    def copy(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Copy rows into a table in bulk, all of its columns in their order.

        Raises:
            ServerFault: it failed; the connection is to be closed.
        """
        if not rows:
            return
        try:
            self._connection.bulk_copy(table, rows, batch_size=len(rows))
        except (pymssql.Error, _mssql.MSSQLException) as error:
            raise fault_of(error) from error
        except (TypeError, ValueError, OverflowError) as error:
            raise ServerFault(f"the driver refuses a value: {error}", is_data=True) from error
        finally:
            self._used_at = time.monotonic()

    @property
    def is_well(self) -> bool:
        """Whether it can be used; asks the server when it was not used for a while."""
        if time.monotonic() - self._used_at < CHECK_AFTER_SECONDS:
            return True
        try:
            return self.run("SELECT 1 AS one") == [(1,)]
        except ServerFault:
            return False

    def version(self) -> str:
        """Return what the server says it is, in a line.

        Raises:
            ServerFault: it doesn't.
        """
        rows = self.run("SELECT @@VERSION AS version")
        return str(rows[0][0]).splitlines()[0].strip() if rows and rows[0][0] else "no version told"

    def close(self) -> None:
        """Close it, whatever state it is in; the server rolls back what is open."""
        with suppress(pymssql.Error, _mssql.MSSQLException):
            self._connection.close()


def _login_fault(fault: ServerFault, config: ServerConfig) -> ServerFault:
    """Return the fault of a login; where only TLS can be the matter, that is said."""
    if config.encryption == "require" and HANDSHAKE_FAILED in str(fault):
        return ServerFault(f"{fault}: {NO_TLS}", fault.number)
    return fault


def check_driver(found: str) -> None:
    """See whether the version of the driver that was found is good enough.

    Raises:
        ServerFault: it is not.
    """
    numbers = tuple(int(part) for part in found.split(".")[:3] if part.isdigit())
    if numbers < OLDEST_DRIVER:
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
    return ServerFault(" ".join(told or lines) or type(error).__name__, number)
