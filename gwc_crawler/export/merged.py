"""The records of several machines' files as one table: each URL once, as it was fetched last."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from gwc_crawler.store.reading import Exportable

Row = tuple[Any, ...]


class MergedRecords(Exportable):
    """Tables that are read in the order of their URLs; see `Exportable`."""

    def __init__(self, tables: Sequence[Exportable]) -> None:
        self._tables = tables
        self.columns = tuple(dict.fromkeys(name for table in tables for name in table.columns))

    def read(self, columns: Sequence[str], *, since: float | None = None, batch: int = 200) -> Iterator[list[Row]]:
        rows = heapq.merge(*(_rows(table, columns, since) for table in self._tables), key=lambda row: row[0])
        newest = (max(same, key=lambda row: row[1])[2:] for _, same in groupby(rows, key=lambda row: row[0]))
        while some := list(islice(newest, batch)):
            yield some

    def count(self) -> int:
        """Return how many records there are at most."""
        return sum(table.count() for table in self._tables)


def _rows(table: Exportable, columns: Sequence[str], since: float | None) -> Iterator[Row]:
    """Give URL, time and the wanted values of each record; a column that a table has not is empty."""
    known = [name for name in columns if name in table.columns]
    places = [known.index(name) + 2 if name in known else None for name in columns]
    for batch in table.read(("url", "fetched_at", *known), since=since):
        for row in batch:
            yield row[0], row[1], *(None if place is None else row[place] for place in places)
