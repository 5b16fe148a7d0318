"""What outlives a crawl of its hosts' limits: one small file for all crawls that share a data directory.

Only a host that was told to wait, or is asked with gaps, has a row; the first one makes the file. So pre-crawl and
crawl, a crawl and its next run (also after kill -9), and crawls at the same time go by one word of a host. Rows hold
spans of time from the moment they were written: a clock that is put back lengthens no wait.
A file that can't be used costs this memory, not the crawl.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from gwc_crawler.store.state.side_file import BUSY_SECONDS, SideFile, SideFileKind

HOSTS_DB = "hosts.db"
"""Its name in the data directory."""

KEPT_SECONDS = 3600
"""So long after it was asked last a host's penalty and pace are remembered; in Redis, too."""

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

APPLICATION_ID = 0x47574348
"""Marks the file ("GWCH" in ASCII)."""

KIND = SideFileKind(APPLICATION_ID, SCHEMA, "what hosts asked for", "what hosts asked for is not kept for the next run")


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
        self._file = SideFile(path, KIND)
        self._clean_at = 0.0
        self._version: int | None = None
        self._looked_at = clock()

    def recall(self, key: str) -> HostNote | None:
        """Return what is known of a host, as it is now."""
        rows = self._file.ask("SELECT at, free_in, penalty, failing, pace FROM hosts WHERE key = ?", key)
        return self._note(*rows[0]) if rows else None

    def keep(self, notes: Iterable[tuple[str, HostNote]]) -> bool:
        """Write down what is true of these hosts now; False: to be tried again."""
        now = self._clock()
        rows = [(key, now, note.free_in, note.penalty, note.failing, note.pace) for key, note in notes]

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?)", rows)
            if not self._clean_at <= now < self._clean_at + CLEAN_SECONDS:
                self._clean_at = now
                connection.execute(
                    "DELETE FROM hosts WHERE at + free_in < :now "
                    "AND (penalty = 0 AND pace IS NULL OR at < :now - :kept)",
                    {"now": now, "kept": KEPT_SECONDS},
                )

        return self._file.write(write)

    def news(self) -> list[tuple[str, HostNote]]:
        """Return the hosts that others were told to wait by since this was asked last."""
        version = self._file.ask("PRAGMA data_version")
        if not version or version[0][0] == self._version:
            return []
        self._version, since, self._looked_at = version[0][0], self._looked_at, self._clock()
        rows = self._file.ask(
            "SELECT key, at, free_in, penalty, failing, pace FROM hosts WHERE failing AND at >= ?", since - BUSY_SECONDS
        )
        return [(key, note) for key, *row in rows if (note := self._note(*row)) is not None]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _note(self, at: float, free_in: float, penalty: float, failing: int, pace: float | None) -> HostNote | None:
        elapsed = max(0.0, self._clock() - at)  # less than nothing: the clock was put back, the span counts anew
        left = max(0.0, free_in - elapsed)
        return HostNote(left, penalty, bool(failing), pace) if left or elapsed < KEPT_SECONDS else None
