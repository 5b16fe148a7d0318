"""What outlives a crawl of the names it has looked up: one small file for all crawls that share a data directory.

So pre-crawl and crawl, a crawl and its next run (also after kill -9), and the workers of one machine ask a name server
once for each name. Old addresses stay for a while: they are what is left when no name server answers.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple
from pathlib import Path

from gwc_crawler.dns import DnsCounts, KeptName
from gwc_crawler.store.state.side_file import SideFile, SideFileKind

NAMES_DB = "names.db"
"""Its name in the data directory."""

CLEAN_SECONDS = 3600.0

SCHEMA = """
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

KIND = SideFileKind(0x4757434E, SCHEMA, "names and addresses", "addresses are not kept for the next run")
"""Its mark is "GWCN" in ASCII."""


class NameFile:
    """Reads and writes the file, which is made by the first name.

    Args:
        path: the file.
        stale_seconds: so long after their time addresses are kept.
        clock: seconds since 1970.
    """

    def __init__(self, path: Path, stale_seconds: float = 86_400.0, clock: Callable[[], float] = time.time) -> None:
        self._file = SideFile(path, KIND)
        self._stale_seconds = stale_seconds
        self._clock = clock
        self._clean_at = float("-inf")

    def recall(self, name: str) -> KeptName | None:
        """Return what is kept of a name, old or not."""
        rows = self._file.ask("SELECT addresses, asked_at, expires_at FROM names WHERE name = ?", name)
        try:
            return KeptName(name, tuple(map(str, json.loads(rows[0][0]))), *map(float, rows[0][1:])) if rows else None
        except (ValueError, TypeError):  # somebody has written into it by hand
            return None

    def keep(self, names: Iterable[KeptName], counts: DnsCounts) -> None:
        """Write down names, and add to what has been counted before."""
        now = self._clock()
        rows = [(one.name, json.dumps(one.addresses), one.asked_at, one.expires_at) for one in names]
        sums = [(what, count) for what, count in zip(DnsCounts.__slots__, astuple(counts), strict=True) if count]

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?)", rows)
            connection.executemany(
                "INSERT INTO lookups VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count", sums
            )
            if not self._clean_at <= now < self._clean_at + CLEAN_SECONDS:
                self._clean_at = now
                connection.execute("DELETE FROM names WHERE expires_at < ?", (now - self._stale_seconds,))

        if rows or sums:
            self._file.write(write)

    def totals(self) -> tuple[int, DnsCounts]:
        """Return how many names are kept, and what has been counted over all crawls."""
        size = self._file.ask("SELECT count(*) FROM names")
        counts = dict(self._file.ask("SELECT what, count FROM lookups"))
        return (size[0][0] if size else 0), DnsCounts(*(int(counts.get(what, 0)) for what in DnsCounts.__slots__))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
