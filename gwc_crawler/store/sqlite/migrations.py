"""A file of an earlier numbering → one of today's, in the one transaction of who opens it.

Each step has a number, which the file then has as its `PRAGMA user_version`. Tables stand in the file from when their
owner first asked for them (`CrawlDatabase.create_tables`, in today's form), so a step changes only what is there.
To change a table: its declaration where it stands, and a step here. What was once released stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FIRST_VERSION = 1
"""The numbering that the first release wrote."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step.

    Attributes:
        number: the numbering it leads to, one more than the last step's.
        readable: whether this program's readers understand a file without it, for looking at one that is older.
        apply: changes the tables that are there, inside the transaction that is open.
    """

    number: int
    apply: Callable[[sqlite3.Connection], None]
    readable: bool = True


def _keep_dictionaries(connection: sqlite3.Connection) -> None:
    """Pages may be packed by zstd from here on, with dictionaries that stand beside them."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS dictionaries ("
        "id INTEGER PRIMARY KEY, made_at REAL NOT NULL, pages INTEGER NOT NULL, dictionary BLOB NOT NULL)"
    )


MIGRATIONS: tuple[Migration, ...] = (Migration(2, _keep_dictionaries),)
"""All steps since `FIRST_VERSION`, in order."""


def latest_version(migrations: Sequence[Migration]) -> int:
    """Return the number that a file has after all steps."""
    return migrations[-1].number if migrations else FIRST_VERSION


def is_readable(version: int, migrations: Sequence[Migration]) -> bool:
    """Say whether a file of an earlier *version* can be looked at as it is."""
    return all(step.readable for step in migrations if step.number > version)


def migrate(connection: sqlite3.Connection, version: int, migrations: Sequence[Migration]) -> None:
    """Do the steps that a file of *version* lacks; a transaction is open."""
    for step in migrations:
        if step.number > version:
            step.apply(connection)
            connection.execute(f"PRAGMA user_version = {step.number}")


def add_column(connection: sqlite3.Connection, table: str, column: str, declaration: str) -> None:
    """Give *table* a *column*, if the table is there and lacks it.

    Args:
        table, column: names that need no quotes.
        declaration: what follows the name, as in CREATE TABLE.
    """
    have = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if have and column not in have:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {declaration}")
