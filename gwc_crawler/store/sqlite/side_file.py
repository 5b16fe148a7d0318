"""A small SQLite file beside the crawls' own, for all crawls that share a data directory.

It is made by the first that is written into it. What can't be read or written costs this memory, not the crawl.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from gwc_crawler.network.dns_cache import DnsCounts, KeptName, NameMemory
from gwc_crawler.store.sqlite.database import explain

logger = logging.getLogger(__name__)

Row: TypeAlias = tuple[Any, ...]

BUSY_SECONDS = 0.5
"""The crawl stands still for so long at most when another one is writing."""


class SideFile:
    """Reads and writes the file *path*, which is opened when it is asked first. *clock*: seconds since 1970."""

    mark: ClassVar[int]
    """Its application_id."""
    schema: ClassVar[str]
    holds: ClassVar[str]
    loss: ClassVar[str]
    """What is lost without it, for people."""
    clean_seconds: ClassVar[float]
    """So often it is tidied up."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.is_useless = False
        self._clock = clock
        self._clean_at = float("-inf")
        self._connection: sqlite3.Connection | None = None

    def ask(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query; none where there is no file, or none that can be read."""
        try:
            connection = self._open(create=False)
            return connection.execute(query, values).fetchall() if connection is not None else []
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return []

    def write(self, rows: Mapping[str, Sequence[Row]], tidy: str, values: Mapping[str, float]) -> bool:
        """Run statements over rows in one transaction, and from time to time *tidy*; False: to be tried again."""
        now = self._clock()
        try:
            connection = self._open(create=True)
            if connection is not None:
                with connection:
                    for statement, some in rows.items():
                        connection.executemany(statement, some)
                    if not self._clean_at <= now < self._clean_at + self.clean_seconds:
                        self._clean_at = now
                        connection.execute(tidy, {"now": now, **values})
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
            options: dict[str, Any] = {"isolation_level": "IMMEDIATE", "check_same_thread": False}
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, **options)
            try:
                (mark,) = connection.execute("PRAGMA application_id").fetchone()
                if mark not in (0, self.mark):
                    raise OSError(f"{self.path.name} is not the file of {self.holds}; move it away")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(self.schema)
                connection.execute(f"PRAGMA application_id = {self.mark}")
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _fail(self, error: Exception) -> None:
        """Go on without: a moment's lock is forgiven, anything else is said once."""
        if "locked" in str(error):
            return
        self.is_useless = True
        self.close()
        reason = explain(self.path, error) if isinstance(error, sqlite3.Error) else f"{self.path}: {error}"
        logger.warning("%s: %s", self.loss, reason)


# --- What outlives a crawl of its hosts' limits: one small file for all crawls that share a data directory ------------


HOSTS_DB = "hosts.db"
"""Its name in the data directory."""

KEPT_SECONDS = 3600
"""So long after it was asked last a host's penalty and pace are remembered; in Redis, too."""


@dataclass(frozen=True, slots=True)
class HostNote:
    """What is remembered of a host; see the columns of the table `hosts`."""

    free_in: float
    penalty: float
    failing: bool
    pace: float | None


class HostMemory(SideFile):
    """What hosts asked for; the file, marked "GWCH" in ASCII, is made by the first note."""

    mark, clean_seconds = 0x47574348, 60.0
    holds, loss = "what hosts asked for", "what hosts asked for is not kept for the next run"
    schema = """
CREATE TABLE IF NOT EXISTS hosts (
    key TEXT PRIMARY KEY,       -- host, host:port or address
    at REAL NOT NULL,           -- when this was written, seconds since 1970
    free_in REAL NOT NULL,      -- so many seconds later it may be asked
    penalty REAL NOT NULL,      -- seconds between requests, by its back-off
    failing INTEGER NOT NULL,   -- whether its last word was "wait", or none
    pace REAL                   -- seconds between requests, by AutoThrottle
) WITHOUT ROWID
"""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        super().__init__(path, clock)
        self._version: int | None = None
        self._looked_at = clock()

    def recall(self, key: str) -> HostNote | None:
        """Return what is known of a host, as it is now."""
        rows = self.ask("SELECT at, free_in, penalty, failing, pace FROM hosts WHERE key = ?", key)
        return self._note(*rows[0]) if rows else None

    def keep(self, notes: Iterable[tuple[str, HostNote]]) -> bool:
        """Write down what is true of these hosts now; False: to be tried again."""
        now = self._clock()
        rows = [(key, now, note.free_in, note.penalty, note.failing, note.pace) for key, note in notes]
        tidy = "DELETE FROM hosts WHERE at + free_in < :now AND (penalty = 0 AND pace IS NULL OR at < :now - :kept)"
        statement = "INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?)"
        return self.write({statement: rows}, tidy, {"kept": KEPT_SECONDS})

    def news(self) -> list[tuple[str, HostNote]]:
        """Return the hosts that others were told to wait by since this was asked last."""
        version = self.ask("PRAGMA data_version")
        if not version or version[0][0] == self._version:
            return []
        self._version, since, self._looked_at = version[0][0], self._looked_at, self._clock()
        query = "SELECT key, at, free_in, penalty, failing, pace FROM hosts WHERE failing AND at >= ?"
        rows = self.ask(query, since - BUSY_SECONDS)
        return [(key, note) for key, *row in rows if (note := self._note(*row)) is not None]

    def _note(self, at: float, free_in: float, penalty: float, failing: int, pace: float | None) -> HostNote | None:
        elapsed = max(0.0, self._clock() - at)  # less than nothing: the clock was put back, the span counts anew
        left = max(0.0, free_in - elapsed)
        return HostNote(left, penalty, bool(failing), pace) if left or elapsed < KEPT_SECONDS else None


# --- What outlives a crawl of the names it has looked up --------------------------------------------------------------


NAMES_DB = "names.db"
"""Its name in the data directory."""


class NameFile(SideFile, NameMemory):
    """Names and addresses; the file, marked "GWCN" in ASCII, is made by the first name. Addresses are kept for
    *stale_seconds* after their time.
    """

    mark, clean_seconds = 0x4757434E, 3600.0
    holds, loss = "names and addresses", "addresses are not kept for the next run"
    schema = """
CREATE TABLE IF NOT EXISTS names (
    name TEXT PRIMARY KEY,
    addresses TEXT NOT NULL,    -- a JSON list, the best first
    asked_at REAL NOT NULL,     -- seconds since 1970
    expires_at REAL NOT NULL    -- until then the name server's answer holds
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lookups (
    what TEXT PRIMARY KEY,      -- lookups, hits, queries, failures, stale
    count INTEGER NOT NULL      -- over all crawls
) WITHOUT ROWID;
"""

    def __init__(self, path: Path, stale_seconds: float = 86_400.0, clock: Callable[[], float] = time.time) -> None:
        super().__init__(path, clock)
        self._stale_seconds = stale_seconds

    def recall(self, name: str) -> KeptName | None:
        rows = self.ask("SELECT addresses, asked_at, expires_at FROM names WHERE name = ?", name)
        try:
            return KeptName(name, tuple(map(str, json.loads(rows[0][0]))), *map(float, rows[0][1:])) if rows else None
        except (ValueError, TypeError):  # somebody has written into it by hand
            return None

    def keep(self, names: Iterable[KeptName], counts: DnsCounts) -> None:
        """Write down names, and add to what has been counted before."""
        rows: list[Row] = [(one.name, json.dumps(one.addresses), one.asked_at, one.expires_at) for one in names]
        sums: list[Row] = [(what, count) for what, count in asdict(counts).items() if count]
        if rows or sums:
            added = "INSERT INTO lookups VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
            tidy = "DELETE FROM names WHERE expires_at < :now - :stale"
            statements = {"INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?)": rows, added: sums}
            self.write(statements, tidy, {"stale": self._stale_seconds})

    def totals(self) -> tuple[int, DnsCounts]:
        """Return how many names are kept, and what has been counted over all crawls."""
        size = self.ask("SELECT count(*) FROM names")
        counts: dict[str, Any] = dict(self.ask("SELECT what, count FROM lookups"))
        return (size[0][0] if size else 0), DnsCounts(*(int(counts.get(what, 0)) for what in DnsCounts.__slots__))
