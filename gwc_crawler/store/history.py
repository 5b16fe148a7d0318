"""What became of records over time: for each write that changes one, when it was, and what stood there before.

The sink asks for the records of a batch before it writes them, and notes the difference afterwards, in the same
transaction. A value counts as changed when its text on the page has: that "8 hours ago" means another time an hour
later is no change.
"""

from __future__ import annotations

import json
import sqlite3
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import count
from typing import Any, Generic, TypeVar

from gwc_crawler.field_types.table import FILE, RAW
from gwc_crawler.items import Record, Visit
from gwc_crawler.store.kept_files import file_urls
from gwc_crawler.store.sink import Revision, as_extracted

Key = TypeVar("Key")
"""By what a store knows a record."""


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
    """Writes the table `changes` of one database, within the transaction that writes the records."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection, self._table = connection, table

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
        names = "url, at, what, field, old, new, cause"
        self._connection.executemany(f"INSERT INTO changes ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608

    def _times(self, writes: Sequence[Visit | Revision]) -> dict[str, float]:
        times: dict[str, float] = {}
        for one in writes:
            if isinstance(one, Visit):
                times |= dict.fromkeys((one.page.url, one.lease.url), one.fetched_at)
            else:
                times[one.page.url] = time.time()
        for one in writes:
            if one.record is not None and one.record.parent is not None and self._was_looked_at(one.record.parent):
                times.setdefault(one.record.parent, one.fetched_at)
        return times

    def _was_looked_at(self, url: str) -> bool:
        """Whether a record with a list over several pages was complete once: its first assembly is no change."""
        query = "SELECT 1 FROM revisits WHERE checks > 0 AND id = (SELECT id FROM pages WHERE url = ?)"
        return self._connection.execute(query, (url,)).fetchone() is not None

    def _records(self, urls: Iterable[str]) -> dict[str, dict[str, Any]]:
        query = f"SELECT * FROM {self._table} WHERE url IN (SELECT value FROM json_each(?))"  # noqa: S608  # quoted
        rows = self._connection.execute(query, (json.dumps(list(urls)),))
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


# --- What of a record comes with other pages --------------------------------------------------------------------------


def parts_of(record: Record, paged: Mapping[str, Sequence[str]]) -> list[tuple[str, list[list[Any]]]]:
    """Return field and rows of each paged list that a record's page shows; a row has a value for each of its columns.

    *paged*: list field → the fields that make up its rows: itself, and what stands beside a typed one.
    """
    found = []
    for name, group in paged.items():
        columns = [record.fields.get(one) for one in group]
        lists = [column for column in columns if isinstance(column, list)]
        if len(lists) == len(columns):
            found.append((name, [list(row) for row in zip(*lists, strict=True)]))
    return found


def merge_parts(parts: Sequence[tuple[int | None, Sequence[Sequence[Any]]]], *, typed: bool = False) -> list[list[Any]]:
    """Put the rows of several pages together in the order of the pages' numbers.

    A part without a number takes the first, from 1 on, that no other has. Pages overlap where items were added between
    two fetches, or where a page is shown under two URLs; an item that another page has shown is not repeated, one that
    stands twice on one page is.

    Args:
        typed: the last column of a row is the text on the page, and tells by itself what is the same.

    >>> merge_parts([(None, [["a"], ["b"]]), (3, [["e"], ["e"]]), (2, [["b"], ["c"]])])
    [['a'], ['b'], ['c'], ['e'], ['e']]
    """
    taken = {number for number, _ in parts}
    free = next(number for number in count(1) if number not in taken)
    ordered = sorted(parts, key=lambda part: free if part[0] is None else part[0])
    shown: Counter[str] = Counter()
    merged = []
    for _, rows in ordered:
        here: Counter[str] = Counter()
        for row in rows:
            key = _identity(row[-1] if typed else row[0])
            here[key] += 1
            if here[key] > shown[key]:
                shown[key] += 1
                merged.append(list(row))
    return merged


def _identity(value: Any) -> str:
    """What makes two items the same: the texts on the page, not the values that were told from them and the time."""
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if key + RAW not in value}
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def filled(fields: Mapping[str, Any], named: Sequence[str], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what belongs into which fields of a record: beside each URL where its file lies.

    Args:
        named: the fields, and "field.part"s, of type file.
        paths: URL → place of its file, of what is kept.

    >>> filled({"cover": "http://x/1", "more": [{"photo": "http://x/2"}]}, ["cover", "more.photo"], {"http://x/1": "1"})
    {'cover_file': '1', 'more': [{'photo': 'http://x/2', 'photo_file': None}]}
    """
    found: dict[str, Any] = {}
    for name in named:
        owner, _, part = name.partition(".")
        value = fields[owner]
        if not part:
            found[owner + FILE] = _paths_of(value, paths)
        elif isinstance(value, list):
            found[owner] = [
                {**one, part + FILE: _paths_of(one[part], paths)} if isinstance(one, dict) and part in one else one
                for one in found.get(owner, value)
            ]
    return found


def _paths_of(value: Any, paths: Mapping[str, str]) -> Any:
    return [_paths_of(one, paths) for one in value] if isinstance(value, list) else paths.get(value)


class JoinedFields(ABC, Generic[Key]):
    """The fields of one site's records that other pages bring values for: lists over several pages (*paged*, see
    `parts_of`), places of files (*named*, see `filled`).
    """

    def __init__(self, paged: Mapping[str, Sequence[str]], named: Sequence[str]) -> None:
        self.paged, self.named = paged, named
        self.owners = list(dict.fromkeys(name.partition(".")[0] for name in named))
        """The fields that lead to files."""

    def put_together(self, rows: Iterable[tuple[Key, str, int | None, str, str]]) -> None:
        """Join lists out of their parts: of what record, in which field, the page's place and URL, its rows as JSON."""
        parts: dict[tuple[Key, str], list[tuple[int | None, str, Any]]] = defaultdict(list)
        for record, field, number, page, items in rows:
            parts[record, field].append((number, page, json.loads(items)))
        for (record, field), found in parts.items():
            group = self.paged.get(field)
            if group is not None:
                found.sort(key=lambda part: (part[0] is not None, part[0] or 0, part[1]))
                merged = merge_parts([(number, items) for number, _, items in found], typed=len(group) > 1)
                columns = [list(column) for column in zip(*merged, strict=True)] or [[] for _ in group]
                self.set(record, dict(zip(group, columns, strict=True)))

    def fill(self, record: Key, values: Sequence[Any]) -> None:
        """Note what files a record leads to, and write where they lie; *values*: those of its `owners`."""
        fields = {owner: as_extracted(value) for owner, value in zip(self.owners, values, strict=True)}
        self.set(record, filled(fields, self.named, self.note_uses(record, file_urls(fields, self.named))))

    @abstractmethod
    def note_uses(self, record: Key, urls: Sequence[str]) -> Mapping[str, str]:
        """Note that a record leads to these URLs and to no others; returns URL → path, of what is kept."""

    @abstractmethod
    def set(self, record: Key, fields: Mapping[str, Any]) -> None:
        """Give a record's fields other values; nothing happens where there is no such record."""
