"""The robots.txt files of a crawl, and the links that they keep out, in the crawl's file.

A text stands there once for all hosts that have it. A link that was refused is a number, a weight and a depth: when its
host's rules change, or a person says so, it enters the frontier after all.
"""

from __future__ import annotations

from hashlib import md5

from gwc_crawler.politeness.robots.rules import RobotsText
from gwc_crawler.store import Database

SCHEMA = """
-- What robots.txt of each host (scheme, name and port) said, and when it was read (epoch seconds).
CREATE TABLE IF NOT EXISTS robots (origin TEXT PRIMARY KEY, digest BLOB NOT NULL, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots_texts (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
-- Links that were refused because robots.txt forbids them, with the weight and depth they would have had.
CREATE TABLE IF NOT EXISTS refused_links (url_id INTEGER PRIMARY KEY, weight INTEGER NOT NULL, depth INTEGER NOT NULL);
"""


class RobotsTable:
    """A `RobotsBook` in a crawl's file; read-only where the file is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.create_tables(SCHEMA)
        with database.errors():
            self._exists = has_tables(database)

    def read(self, origin: str) -> RobotsText | None:
        """See `RobotsBook.read`."""
        if not self._exists:  # the file was made before rules were kept, and only read now
            return None
        with self._database.errors():
            row = self._database.connection.execute(
                "SELECT text, read_at FROM robots JOIN robots_texts USING (digest) WHERE origin = ?", (origin,)
            ).fetchone()
        return None if row is None else RobotsText(row[0].encode(), row[1])

    def read_since(self, moment: float) -> list[tuple[str, RobotsText]]:
        """Return what was read after *moment* (epoch seconds), by origin."""
        if not self._exists:
            return []
        with self._database.errors():
            rows = self._database.connection.execute(
                "SELECT origin, text, read_at FROM robots JOIN robots_texts USING (digest) WHERE read_at > ?", (moment,)
            ).fetchall()
        return [(origin, RobotsText(text.encode(), read_at)) for origin, text, read_at in rows]

    def write(self, origin: str, robots: RobotsText) -> None:
        """See `RobotsBook.write`."""
        digest = md5(robots.text, usedforsecurity=False).digest()
        with self._database.transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO robots_texts VALUES (?, ?)", (digest, robots.text.decode()))
            sql.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (origin, digest, robots.read_at))


def has_tables(database: Database) -> bool:
    """Whether the file has room for rules."""
    found = database.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'robots_texts'").fetchone()
    return found is not None
