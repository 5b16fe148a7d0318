"""One connection to a server, and what its errors mean: wait and try again, or this row is the matter.

What is said over it is T-SQL; PostgreSQL's own words stand in `postgres`. A driver may keep Python's lock while it
sends a bulk copy, so a crawl leaves it to a writer's process. After any error a connection is closed: it may be in the
midst of a bulk copy or of an answer.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from typing import Any, ClassVar

CHECK_AFTER_SECONDS = 30.0
"""A connection that rested this long is asked whether it is still there."""

LOCK_SECONDS, LOGIN_SECONDS = 60, 15


class Blame(Enum):
    """What is the matter when a server says no."""

    MOMENT = "moment"
    """It can't just now, or the way to it can't."""
    ROWS = "rows"
    DOUBT = "doubt"
    """It said what is in none of our lists: it may be the rows."""
    PEOPLE = "people"
    """They alone can help: the login is wrong, or something else is there already."""


class ServerFault(Exception):
    """The server, or the way to it, said no.

    `number` is the server's, 0 or "" where it said nothing; `help`: what people can do, "" where only the login can be
    the matter.
    """

    def __init__(self, text: str, number: int | str = 0, blame: Blame = Blame.MOMENT, help: str = "") -> None:
        super().__init__(text)
        self.number, self.blame, self.help = number, Blame.PEOPLE if help else blame, help

    @property
    def may_be_rows(self) -> bool:
        """Whether a row is the matter, or may be."""
        return self.blame in (Blame.ROWS, Blame.DOUBT)


MIGRATING = "making its tables"
MIGRATING_HELP = "have somebody who may change the database look at that, or name another schema for the crawls"


@contextmanager
def before_rows(step: str = "") -> Iterator[None]:
    """While it is signed in, or while tables are made, no row is the matter, whatever number the server's words have.

    Where tables can't be made (*step*), only people can help, unless the server just can't at the moment.
    """
    try:
        yield
    except ServerFault as fault:
        if fault.may_be_rows and step:
            raise ServerFault(f"{step}: {fault} ({fault.number})", fault.number, help=MIGRATING_HELP) from fault
        if fault.may_be_rows:
            fault.blame = Blame.MOMENT
        raise


class ServerConnection(ABC):
    """A connection that signs in at once. Each method raises ServerFault, after which it is to be closed."""

    engine: ClassVar[str]
    locks_rows: ClassVar[bool]
    """Whether what is looked for and not found is locked, too."""
    taken_name: ClassVar[int | str]
    """The server's number for a name that something else has."""

    _used_at = 0.0

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run statements and return the rows of the first result that has columns."""
        rows = self._run(statement, values)
        self._used_at = time.monotonic()
        return rows

    @abstractmethod
    def _run(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]: ...

    def commit(self) -> None:
        self.run("COMMIT TRANSACTION")

    @abstractmethod
    def copy(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Copy rows into a table in bulk, all of its columns in their order."""

    @abstractmethod
    def columns(self, table: str) -> list[tuple[str, str, int]]:
        """Return name, type (as SQL Server calls it), and code page (0: any text) of each column of a quoted table, if
        it is there.
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
