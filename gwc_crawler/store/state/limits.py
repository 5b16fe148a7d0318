"""What was cut off, how classes of URLs do, and which page stands at many addresses, as rows in a crawl's file.

What they mean is said by `gwc_crawler.admission`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from gwc_crawler.store.sqlite import CrawlDatabase

SCHEMA = """
-- URLs that were cut off, by reason and, where a class of URLs is meant, by its regex; examples: a JSON list of URLs.
CREATE TABLE IF NOT EXISTS cuts (
    reason TEXT, pattern TEXT, count INTEGER NOT NULL, examples TEXT NOT NULL, last_at REAL NOT NULL,
    PRIMARY KEY (reason, pattern)
) WITHOUT ROWID;
-- The directory classes: what each brought lately, and whether it is closed; state: JSON of admission's ClassState.
CREATE TABLE IF NOT EXISTS url_classes (regex TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
-- Texts that several targets without a record show, by a hash; state: JSON of admission's SamePage.
CREATE TABLE IF NOT EXISTS same_pages (hash TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
"""


class LimitRows:
    """The tables of one file; what is written joins the transaction that is open, or is one."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        database.create_tables(SCHEMA)

    def version(self) -> int:
        """Return a number that changes when another process has written to the file."""
        with self._database.errors():
            return int(self._database.connection.execute("PRAGMA data_version").fetchone()[0])

    def cuts(self) -> list[tuple[str, str, int, list[str]]]:
        """Return reason, pattern, count and example URLs, most first; none of a file that was made without limits."""
        rows = self._rows("SELECT reason, pattern, count, examples FROM cuts ORDER BY count DESC")
        return [(reason, pattern, count, json.loads(urls)) for reason, pattern, count, urls in rows]

    def classes(self) -> dict[str, Any]:
        """Return the state of each class of URLs by its regex; none of a file that was made without limits."""
        return {name: json.loads(text) for name, text in self._rows("SELECT regex, state FROM url_classes")}

    def same_pages(self) -> dict[str, Any]:
        """Return the state of each text by its hash; none of a file that was made without them."""
        return {name: json.loads(text) for name, text in self._rows("SELECT hash, state FROM same_pages")}

    def write_same_pages(self, pages: Mapping[str, str], gone: Iterable[str]) -> None:
        """Replace the states (JSON) of these texts, and delete those of the hashes that are *gone*."""
        with self._database.transaction() as sql:
            sql.executemany("INSERT OR REPLACE INTO same_pages (hash, state) VALUES (?, ?)", list(pages.items()))
            sql.executemany("DELETE FROM same_pages WHERE hash = ?", [(key,) for key in gone])

    def write(self, cuts: Iterable[tuple[str, str, int, list[str]]], classes: Mapping[str, Any], *, now: float) -> None:
        """Replace these rows; *now*: epoch seconds."""
        with self._database.transaction() as sql:
            sql.executemany(
                "INSERT OR REPLACE INTO cuts (reason, pattern, count, examples, last_at) VALUES (?, ?, ?, ?, ?)",
                [(*key, count, json.dumps(urls, ensure_ascii=False), now) for *key, count, urls in cuts],
            )
            sql.executemany(
                "INSERT OR REPLACE INTO url_classes (regex, state) VALUES (?, ?)",
                [(name, json.dumps(state, ensure_ascii=False)) for name, state in classes.items()],
            )

    def forget_cuts(self, reasons: Iterable[str]) -> None:
        """Delete what was cut for these *reasons*."""
        with self._database.transaction() as sql:
            sql.executemany("DELETE FROM cuts WHERE reason = ?", [(reason,) for reason in reasons])

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._database.errors():
            try:
                return self._database.connection.execute(query).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" not in str(error):
                    raise
                return []
