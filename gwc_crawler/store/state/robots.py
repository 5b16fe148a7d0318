"""The robots.txt files of a crawl, in its file; a text stands there once for all hosts that have it."""

from __future__ import annotations

from hashlib import md5

from gwc_crawler.items import RobotsText
from gwc_crawler.store.sqlite import CrawlDatabase

SCHEMA = """
-- What robots.txt of each host (scheme, name and port) said, and when it was read (epoch seconds).
CREATE TABLE IF NOT EXISTS robots (origin TEXT PRIMARY KEY, digest BLOB NOT NULL, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots_texts (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""


class RobotsTable:
    """A `RobotsBook` (gwc_crawler.politeness.robots) in a crawl's file; read-only where the file is."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        database.create_tables(SCHEMA)
        with database.errors():
            self._exists = has_tables(database)

    def read(self, origin: str) -> RobotsText | None:
        """Return what is known of *origin* ("http://host:port"), however old."""
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
        """Keep what *origin* has answered."""
        digest = md5(robots.text, usedforsecurity=False).digest()
        with self._database.transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO robots_texts VALUES (?, ?)", (digest, robots.text.decode()))
            sql.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (origin, digest, robots.read_at))


def has_tables(database: CrawlDatabase) -> bool:
    """Whether the file has room for rules."""
    found = database.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'robots_texts'").fetchone()
    return found is not None
