"""A small SQLite file beside the crawls' own, for all crawls that share a data directory.

It is made by the first that is written into it. What can't be read or written costs this memory, not the crawl.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.store.sqlite import explain

logger = logging.getLogger(__name__)

BUSY_SECONDS = 0.5
"""The crawl stands still for so long at most when another one is writing."""


@dataclass(frozen=True, slots=True)
class SideFileKind:
    """What such a file is: its mark (application_id), its table, what it holds, and what is lost without it."""

    mark: int
    schema: str
    holds: str
    loss: str


class SideFile:
    """Reads and writes the file *path*, which is opened when it is asked first."""

    def __init__(self, path: Path, kind: SideFileKind) -> None:
        self.path = path
        self.is_useless = False
        self._kind = kind
        self._connection: sqlite3.Connection | None = None

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where there is no file, or none that can be read."""
        try:
            connection = self._open(create=False)
            return connection.execute(query, values).fetchall() if connection is not None else []
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return []

    def write(self, write: Callable[[sqlite3.Connection], None]) -> bool:
        """Have *write* done in one transaction; False: to be tried again."""
        try:
            connection = self._open(create=True)
            if connection is not None:
                with connection:
                    write(connection)
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return self.is_useless
        return True

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        """Return the connection; None where there is no file, or none that can be used."""
        if self._connection is None and not self.is_useless and (create or self.path.exists()):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE", check_same_thread=False
            )
            try:
                self._check(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(self._kind.schema)
                connection.execute(f"PRAGMA application_id = {self._kind.mark}")
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raise OSError where the file is another one's."""
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        if mark not in (0, self._kind.mark):
            raise OSError(f"{self.path.name} is not the file of {self._kind.holds}; move it away")

    def _fail(self, error: Exception) -> None:
        """Go on without: a moment's lock is forgiven, anything else is said once."""
        if "locked" in str(error):
            return
        self.is_useless = True
        self.close()
        reason = explain(self.path, error) if isinstance(error, sqlite3.Error) else f"{self.path}: {error}"
        logger.warning("%s: %s", self._kind.loss, reason)
