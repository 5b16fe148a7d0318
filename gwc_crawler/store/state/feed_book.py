"""Which records each feed has, and how far its file is written: so that a crawl that continues leaves whole feeds.

The feed exporter notes here, in the transaction that stores pages, which records its feeds now owe; once their rows are
written it notes that, and the file's length, in the next one. After `kill -9` a file may be longer than noted: it is
cut there, and what is still owed comes again out of the table of records. So each record is in a feed once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import records_table


@dataclass
class FeedState:
    """A row of the table `feeds`."""

    key: str
    options: str
    uri: str
    batch: int = 1
    items: int = 0
    start: int = 0
    length: int = 0
    crc: int = 0
    names: tuple[str, ...] | None = None
    changes: bool = False
    finished: bool = False
    is_open: bool = False
    outdated: bool = False
    seen_at: float = 0.0
    number: int = 0


_COLUMNS = (
    "key, options, uri, batch, items, start, length, crc, names, changes, finished, is_open, outdated, seen_at, id"
)


class FeedBook:
    """Reads and writes both tables of one site's database.

    What changes something joins the transaction that is open, or is one.
    """

    def __init__(self, database: CrawlDatabase, site: str) -> None:
        self._database = database
        self._records = quote_name(records_table(site))

    def find(self, key: str) -> FeedState | None:
        """Return what is known of a feed."""
        row = self._sql(f"SELECT {_COLUMNS} FROM feeds WHERE key = ?", (key,)).fetchone()  # noqa: S608
        if row is None:
            return None
        values = dict(zip(_COLUMNS.split(", ")[:-1], row, strict=False))
        values["names"] = values["names"] and tuple(json.loads(values["names"]))
        return FeedState(**values, number=row[-1])

    def begin(self, state: FeedState) -> None:
        """Enter a feed that has no row yet; what an earlier one of this key had is forgotten."""
        with self._database.transaction():
            self._sql("DELETE FROM feed_rows WHERE feed IN (SELECT id FROM feeds WHERE key = ?)", (state.key,))
            self._sql("DELETE FROM feeds WHERE key = ?", (state.key,))
            self.save(state)
            state.number = self._sql("SELECT id FROM feeds WHERE key = ?", (state.key,)).fetchone()[0]

    def save(self, state: FeedState) -> None:
        """Write the row of a feed."""
        names = None if state.names is None else json.dumps(state.names)
        with self._database.transaction():
            values = asdict(state) | {"names": names, "number": state.number or None}
            marks = ", ".join("?" * len(values))
            self._sql(f"INSERT OR REPLACE INTO feeds ({_COLUMNS}) VALUES ({marks})", tuple(values.values()))  # noqa: S608

    # --- rows -----------------------------------------------------------------------------------------------------

    def owe(self, feed: int, ids: Sequence[int]) -> set[int]:
        """Note that records are to be in a feed; returns those that are there already."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO feed_rows (feed, id, sent) VALUES (?, ?, 0)", [(feed, one) for one in ids]
            )
        return set(ids) - self.owed_among(feed, ids)

    def owe_all(self, feed: int) -> None:
        """Note that all stored records are to be in a feed."""
        with self._database.transaction():
            self._sql(
                f"INSERT OR IGNORE INTO feed_rows (feed, id, sent) SELECT ?, p.id, 0 FROM {self._records} AS r "  # noqa: S608
                "JOIN pages AS p ON p.url = r.url",
                (feed,),
            )

    def owe_again(self, feed: int) -> None:
        """Note that all rows of a feed have to be written once more."""
        with self._database.transaction():
            self._sql("UPDATE feed_rows SET sent = 0 WHERE feed = ?", (feed,))

    def sent(self, feed: int, ids: Sequence[int], *, delivered: bool = True) -> None:
        """Note that rows are written, for good, or into a file that is yet to be delivered."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO feed_rows (feed, id, sent) VALUES (?, ?, ?)",
                [(feed, one, 1 if delivered else 2) for one in ids],
            )

    def delivered(self, feed: int) -> None:
        """Note that the file with all rows of this run is delivered."""
        with self._database.transaction():
            self._sql("UPDATE feed_rows SET sent = 1 WHERE feed = ? AND sent = 2", (feed,))

    def owe_undelivered(self, feed: int) -> None:
        """Note that the file an earlier run wrote was never delivered."""
        with self._database.transaction():
            self._sql("UPDATE feed_rows SET sent = 0 WHERE feed = ? AND sent = 2", (feed,))

    def forget(self, ids: Sequence[int]) -> None:
        """Note that records are gone: no feed owes them any more."""
        if ids:
            with self._database.transaction() as connection:
                connection.executemany("DELETE FROM feed_rows WHERE id = ? AND sent = 0", [(one,) for one in ids])

    def count(self, feed: int, *, sent: bool) -> int:
        """Return how many rows are written, or owed."""
        query = "SELECT count(*) FROM feed_rows WHERE feed = ? AND sent = ?"
        return int(self._sql(query, (feed, int(sent))).fetchone()[0])

    def owed(self, feed: int, after: int, limit: int, *, also_waiting: bool) -> list[int]:
        """Return the next owed rows by number; without those of pages that wait to be fetched (again), if so asked."""
        is_waiting = "EXISTS (SELECT 1 FROM urls AS u WHERE u.id = f.id AND u.state IN ('U', 'R'))"
        waiting = "" if also_waiting else f"AND NOT {is_waiting}"
        rows = self._sql(
            f"SELECT id FROM feed_rows AS f WHERE feed = ? AND sent = 0 AND id > ? {waiting} ORDER BY id LIMIT ?",  # noqa: S608
            (feed, after, limit),
        )
        return [row[0] for row in rows.fetchall()]

    def owed_among(self, feed: int, ids: Collection[int]) -> set[int]:
        """Return which of *ids* are owed."""
        rows = self._sql(
            "SELECT id FROM feed_rows WHERE feed = ? AND sent = 0 AND id IN (SELECT value FROM json_each(?))",
            (feed, json.dumps(list(ids))),
        )
        return {row[0] for row in rows.fetchall()}

    def is_outdated(self, state: FeedState) -> bool:
        """Say whether a record in the feed was stored anew, or is gone, since: by a run that had no such feed."""
        query = (
            f"SELECT 1 FROM feed_rows AS f JOIN pages AS p ON p.id = f.id LEFT JOIN {self._records} AS r "  # noqa: S608
            "ON r.url = p.url WHERE f.feed = ? AND f.sent = 1 AND (r.url IS NULL OR r.fetched_at > ?) LIMIT 1"
        )
        return state.outdated or self._sql(query, (state.number, state.seen_at)).fetchone() is not None

    def _sql(self, query: str, values: Sequence[object]) -> sqlite3.Cursor:
        with self._database.errors():
            return self._database.connection.execute(query, values)


def outdate_feeds(database: CrawlDatabase) -> None:
    """Have the next crawl write all feeds anew: the records were read once more, without a crawl."""
    with database.transaction() as connection:
        connection.execute("UPDATE feeds SET outdated = 1")
