"""One connection to a server, and what its errors mean: wait and try again, or this row is the matter.

What is said over it is T-SQL; PostgreSQL's own words stand in `postgres`. Only writers use it for long: a driver may
keep Python's lock while it sends a bulk copy, and its time limits hold for the whole process. After any error a
connection is closed: it may be in the midst of a bulk copy or of an answer.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

CHECK_AFTER_SECONDS = 30.0
"""A connection that rested this long is asked whether it is still there."""

LOCK_SECONDS, LOGIN_SECONDS = 60, 15


class ServerFault(Exception):
    """The server, or the way to it, said no.

    `number` is the server's (0 or "" where it said nothing), `is_data`: the rows themselves are the matter;
    `is_refusal`: the login is, or what is there already; `is_odd`: the server said what is in none of our lists, so it
    may be the rows. `help` says what people can do, "" where only the login can be the matter.
    """

    def __init__(
        self,
        text: str,
        number: int | str = 0,
        *,
        is_data: bool = False,
        is_refusal: bool = False,
        is_odd: bool = False,
        help: str = "",
    ) -> None:
        super().__init__(text)
        self.number = number
        self.help = help
        self.is_data = is_data
        self.is_refusal = is_refusal or bool(help)
        self.is_odd = is_odd


MIGRATING = "making its tables"
MIGRATING_HELP = "have somebody who may change the database look at that, or name another schema for the crawls"


@contextmanager
def before_rows(step: str = "") -> Iterator[None]:
    """While it is signed in, or while tables are made, no row is the matter, whatever number the server's words have.

    Where tables can't be made, only people can help, unless the server just can't at the moment.
    """
    try:
        yield
    except ServerFault as fault:
        told = fault
        if step and (fault.is_odd or fault.is_data):
            told = ServerFault(f"{step}: {fault} ({fault.number})", fault.number, help=fault.help or MIGRATING_HELP)
        told.is_data = told.is_odd = False
        raise told from fault.__cause__


class ServerConnection(ABC):
    """A connection that signs in at once.

    Raises:
        ServerFault: it can't; so does every method, after which the connection is to be closed.
    """

    engine: ClassVar[str]
    locks_rows: ClassVar[bool]
    """Whether what is looked for and not found is locked, too, so that two writers may do the same at a time."""
    taken_name: ClassVar[int | str]
    """The server's number for a name that something else has."""

    _used_at = 0.0

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run statements and return the rows of the first result that has some columns."""
        rows = self._run(statement, values)
        self._used_at = time.monotonic()
        return rows

    @abstractmethod
    def _run(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]: ...

    def commit(self) -> None:
        """End the transaction."""
        self.run("COMMIT TRANSACTION")

    @abstractmethod
    def copy(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Copy rows into a table in bulk, all of its columns in their order."""

    @abstractmethod
    def columns(self, table: str) -> list[tuple[str, str, int]]:
        """Return name, type (as SQL Server calls it), and code page of each column of a quoted table; none: no table.

        A code page of 0: it holds any text.
        """

    @abstractmethod
    def make_schema(self, schema: str) -> None:
        """Make a schema that is missing."""

    @abstractmethod
    def locked(self, name: str) -> AbstractContextManager[None]:
        """Be the only one on the server under this name; after an error the connection is closed, and the lock gone."""

    @abstractmethod
    def give_page(self, procedure: str, key: bytes) -> None:
        """Call a stored procedure with title and content of a page that stands in #pages."""

    @abstractmethod
    def version(self) -> str:
        """Return what the server says it is, in a line."""

    @abstractmethod
    def close(self) -> None:
        """Close it, whatever state it is in; the server rolls back what is open."""

    def has_table(self, table: str) -> bool:
        """Say whether there is a table of this quoted name."""
        return bool(self.columns(table))

    @property
    def is_well(self) -> bool:
        """Whether it can be used; asks the server when it was not used for a while."""
        if time.monotonic() - self._used_at < CHECK_AFTER_SECONDS:
            return True
        try:
            return self.run("SELECT 1 AS one") == [(1,)]
        except ServerFault:
            return False

    def __enter__(self) -> ServerConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
