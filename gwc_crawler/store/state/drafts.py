"""What a pre-crawl was seen to have settled after so many pages, in its file: it goes on from there when it is resumed.

What a draft is, and when the decision is settled, says `gwc_crawler.learn.precrawl`; here it is text.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

from gwc_crawler.store.sqlite import CrawlDatabase

SCHEMA = """
-- A look at the pages fetched so far: how many there were, how many there are to be at the next look, why the decision
-- is not settled ('' where it is), from how many pages on the filters were the same (0: they were not), the filters of
-- the moment as JSON, a digest of what of the site file is learned.
CREATE TABLE IF NOT EXISTS drafts (
    pages INTEGER PRIMARY KEY, next_at INTEGER NOT NULL, doubt TEXT NOT NULL, since INTEGER NOT NULL,
    draft TEXT NOT NULL, task TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One look; see the columns of `SCHEMA`."""

    pages: int
    next_at: int
    doubt: str
    since: int
    draft: str
    task: str

    @property
    def told(self) -> dict[str, Any]:
        """What is told of it, ready for JSON."""
        return {"pages": self.pages, "doubt": self.doubt, "since": self.since}


class DraftTable:
    """The looks of one pre-crawl; read-only where the file is."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        database.create_tables(SCHEMA)

    def rows(self, task: str | None = None) -> list[DraftRow]:
        """Return the looks, the earliest first; only those of *task* where one is named."""
        with self._database.errors():
            sql = self._database.connection
            if not sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'drafts'").fetchone():
                return []  # the file was made before there were looks, and is only read now
            rows = sql.execute(
                "SELECT pages, next_at, doubt, since, draft, task FROM drafts "
                "WHERE ? IS NULL OR task = ? ORDER BY pages",
                (task, task),
            )
            return [DraftRow(*row) for row in rows.fetchall()]

    def keep(self, row: DraftRow) -> None:
        """Add a look; those of other tasks, or at as many pages, are outdated by it."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM drafts WHERE task <> ? OR pages >= ?", (row.task, row.pages))
            sql.execute("INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?)", astuple(row))

    def clear(self) -> None:
        """Forget all looks: the pages have changed."""
        with self._database.transaction() as sql:
            sql.execute("DELETE FROM drafts")
