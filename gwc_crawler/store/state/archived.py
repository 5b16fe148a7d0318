"""What the crawl's WARC files hold of each URL, as rows: so that nothing is archived twice, over all runs."""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.archive import Known
from gwc_crawler.store.sqlite import CrawlDatabase

SCHEMA = """
-- What was archived last of a URL: its payload's digest, and the WARC record that holds it, with that record's URL and
-- date.
CREATE TABLE IF NOT EXISTS archived (
    url TEXT PRIMARY KEY, digest TEXT NOT NULL, record TEXT NOT NULL, record_url TEXT NOT NULL,
    record_date TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS archived_by_digest ON archived (digest);
"""

_COLUMNS = "url, digest, record, record_url, record_date"


class ArchivedRows:
    """The table of one file."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        database.create_tables(SCHEMA)

    def of_url(self, url: str) -> Known | None:
        """Return what was archived last of *url*."""
        return self._first(f"SELECT {_COLUMNS} FROM archived WHERE url = ?", url)  # noqa: S608  # a constant

    def of_digest(self, digest: str) -> Known | None:
        """Return something that has this payload."""
        return self._first(f"SELECT {_COLUMNS} FROM archived WHERE digest = ? LIMIT 1", digest)  # noqa: S608  # a constant

    def add(self, known: Sequence[Known]) -> None:
        """Keep these."""
        with self._database.transaction() as sql:
            sql.executemany(
                f"INSERT OR REPLACE INTO archived ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",  # noqa: S608  # a constant
                [(one.url, one.digest, one.record, one.record_url, one.record_date) for one in known],
            )

    def _first(self, query: str, value: str) -> Known | None:
        with self._database.errors():
            row = self._database.connection.execute(query, (value,)).fetchone()
        return None if row is None else Known(*row)


def is_archived(database: CrawlDatabase, url: str) -> bool:
    """Say whether *url* is in the archive; of a file that was only read, too."""
    with database.errors():
        found = "SELECT count(*) FROM sqlite_schema WHERE name = 'archived'"
        if not database.connection.execute(found).fetchone()[0]:
            return False
        return database.connection.execute("SELECT 1 FROM archived WHERE url = ?", (url,)).fetchone() is not None
