"""What outlives a crawl of its hosts' limits: one small file for all crawls that share a data directory.

Only a host that was told to wait, or is asked with gaps, has a row; the first one makes the file. So pre-crawl and
crawl, a crawl and its next run (also after kill -9), and crawls at the same time go by one word of a host. Rows hold
spans of time from the moment they were written: a clock that is put back lengthens no wait.
A file that can't be used costs this memory, not the crawl.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.store.database import explain

logger = logging.getLogger(__name__)

HOSTS_DB = "hosts.db"
"""Its name in the data directory."""

APPLICATION_ID = 0x47574348
"""Marks the file ("GWCH" in ASCII); one of an earlier version has no mark."""

KEPT_SECONDS = 3600
"""So long after it was asked last a host's penalty and pace are remembered; in Redis, too."""

BUSY_SECONDS = 0.5
"""The crawl stands still for so long at most when another one is writing."""

CLEAN_SECONDS = 60.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS hosts (
    key TEXT PRIMARY KEY,       -- host, host:port or address
    at REAL NOT NULL,           -- when this was written, seconds since 1970
    free_in REAL NOT NULL,      -- so many seconds later it may be asked
    penalty REAL NOT NULL,      -- seconds between requests, by its back-off
    failing INTEGER NOT NULL,   -- whether its last word was "wait", or none
    pace REAL                   -- seconds between requests, by AutoThrottle
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class HostNote:
    """What is remembered of a host; see the columns of `SCHEMA`."""

    free_in: float
    penalty: float
    failing: bool
    pace: float | None


class HostMemory:
    """Reads and writes the file, which is made by the first note.

    Args:
        path: the file.
        clock: seconds since 1970, as other processes have it.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._is_useless = False
        self._clean_at = 0.0
        self._version: int | None = None
        self._looked_at = clock()

    def recall(self, key: str) -> HostNote | None:
        """Return what is known of a host, as it is now."""
        rows = self._ask("SELECT at, free_in, penalty, failing, pace FROM hosts WHERE key = ?", key)
        return self._note(*rows[0]) if rows else None

    def keep(self, notes: Iterable[tuple[str, HostNote]]) -> bool:
        """Write down what is true of these hosts now; False: to be tried again."""
        now = self._clock()
        rows = [(key, now, note.free_in, note.penalty, note.failing, note.pace) for key, note in notes]
        try:
            connection = self._open(create=True)
            if connection is None:
                return True
            with connection:
                connection.executemany("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?)", rows)
                if not self._clean_at <= now < self._clean_at + CLEAN_SECONDS:
                    self._clean_at = now
                    connection.execute(
                        "DELETE FROM hosts WHERE at + free_in < :now "
                        "AND (penalty = 0 AND pace IS NULL OR at < :now - :kept)",
                        {"now": now, "kept": KEPT_SECONDS},
                    )
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return self._is_useless
        return True

    def news(self) -> list[tuple[str, HostNote]]:
        """Return the hosts that others were told to wait by since this was asked last."""
        version = self._ask("PRAGMA data_version")
        if not version or version[0][0] == self._version:
            return []
        self._version, since, self._looked_at = version[0][0], self._looked_at, self._clock()
        rows = self._ask(
            "SELECT key, at, free_in, penalty, failing, pace FROM hosts WHERE failing AND at >= ?", since - BUSY_SECONDS
        )
        return [(key, note) for key, *row in rows if (note := self._note(*row)) is not None]

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _note(self, at: float, free_in: float, penalty: float, failing: int, pace: float | None) -> HostNote | None:
        elapsed = max(0.0, self._clock() - at)  # less than nothing: the clock was put back, the span counts anew
        left = max(0.0, free_in - elapsed)
        return HostNote(left, penalty, bool(failing), pace) if left or elapsed < KEPT_SECONDS else None

    def _ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            connection = self._open(create=False)
            return connection.execute(query, values).fetchall() if connection is not None else []
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return []

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        """Return the connection; None where there is no file, or none that can be used."""
        if self._connection is None and not self._is_useless and (create or self.path.exists()):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE", check_same_thread=False
            )
            try:
                _check(self.path, connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _fail(self, error: Exception) -> None:
        """Go on without: a moment's lock is forgiven, anything else is said once."""
        if "locked" in str(error):
            return
        self._is_useless = True
        self.close()
        reason = explain(self.path, error) if isinstance(error, sqlite3.Error) else f"{self.path}: {error}"
        logger.warning("what hosts asked for is not kept for the next run: %s", reason)


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Raise OSError where the file is another one's."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    if mark not in (0, APPLICATION_ID):
        raise OSError(f"{path.name} is not the file of what hosts asked for; move it away")
