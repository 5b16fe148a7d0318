"""What became of records over time: for each write that changes one, when it was, and what stood there before.

The sink asks for the records of a batch before it writes them, and notes the difference afterwards, in the same
transaction. A value counts as changed when its text on the page has: that "8 hours ago" means another time an hour
later is no change.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from gwc_crawler.field_types import RAW
from gwc_crawler.items import Visit
from gwc_crawler.store.column_values import Revision

SCHEMA = """
-- What became of records, with GWC_HISTORY. what: new | changed | removed. field: the column; '' for the record as a
-- whole. old, new: values as stored; of a removed record, old is all of it as JSON. cause: crawl | extract.
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, at REAL NOT NULL, what TEXT NOT NULL, field TEXT NOT NULL,
    old, new, cause TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS changes_by_url ON changes (url, at);
CREATE INDEX IF NOT EXISTS changes_by_time ON changes (at, id);
"""


class ChangeKind(StrEnum):
    """What became of a record."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    """Its page is no target any more, or has become a redirect."""
    GONE = "gone"
    """Its page answers that it is no more; the record stays. Not kept here: the frontier knows."""


class ChangeCause(StrEnum):
    """Whose work changed a record."""

    CRAWL = "crawl"
    EXTRACT = "extract"
    """`scrapy extract`, from the stored page."""


class History:
    """Writes the table `changes` of one database.

    Args:
        connection: of the crawl's database; every call is made within the transaction that writes the records.
        table: the quoted name of the table of records.
    """

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = table

    @contextmanager
    def noted(self, writes: Sequence[Visit | Revision]) -> Iterator[None]:
        """Note what the block changes in the records of a batch. Cost: two reads of them by their key."""
        times = self._times(writes)
        before = self._records(times)
        yield
        after = self._records(times)
        cause = ChangeCause.CRAWL if writes and isinstance(writes[0], Visit) else ChangeCause.EXTRACT
        rows = [
            (url, at, what.value, field, old, new, cause)
            for url, at in times.items()
            for what, field, old, new in differences(before.get(url), after.get(url))
        ]
        self._connection.executemany(
            "INSERT INTO changes (url, at, what, field, old, new, cause) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )

    def _times(self, writes: Sequence[Visit | Revision]) -> dict[str, float]:
        """URL of each record that the batch may change → when."""
        times: dict[str, float] = {}
        for one in writes:
            at = one.fetched_at if isinstance(one, Visit) else time.time()
            times[one.page.url] = at
            if isinstance(one, Visit) and one.lease.url != one.page.url:
                times[one.lease.url] = at
        for one in writes:
            if one.record is not None and one.record.parent is not None and self._was_looked_at(one.record.parent):
                times.setdefault(one.record.parent, one.fetched_at)
        return times

    def _was_looked_at(self, url: str) -> bool:
        """Whether a record with a list over several pages was complete once: its first assembly is no change."""
        if not self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'revisits'").fetchone():
            return False
        query = "SELECT 1 FROM revisits WHERE checks > 0 AND id = (SELECT id FROM pages WHERE url = ?)"
        return self._connection.execute(query, (url,)).fetchone() is not None

    def _records(self, urls: Iterable[str]) -> dict[str, dict[str, Any]]:
        rows = self._connection.execute(
            f"SELECT * FROM {self._table} WHERE url IN (SELECT value FROM json_each(?))",  # noqa: S608  # quoted
            (json.dumps(list(urls)),),
        )
        names = [column[0] for column in rows.description]
        return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def differences(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[tuple[ChangeKind, str, Any, Any]]:
    """Yield what, field, old and new value of each difference between two states of a record; None: there is none.

    >>> list(differences({"price": "$3"}, {"price": "$4"}))
    [(<ChangeKind.CHANGED: 'changed'>, 'price', '$3', '$4')]
    """
    if before is None and after is None:
        return
    if before is None:
        yield ChangeKind.NEW, "", None, None
    elif after is None:
        kept = {name: value for name, value in before.items() if name != "url"}
        yield ChangeKind.REMOVED, "", json.dumps(kept, ensure_ascii=False), None
    else:
        for name, new in after.items():
            old = before.get(name)
            if name != "fetched_at" and old != new and not _reads_the_same(name, before, after):
                yield ChangeKind.CHANGED, name, old, new


def _reads_the_same(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    raw = name + RAW
    return raw in before and before[raw] == after.get(raw) is not None
