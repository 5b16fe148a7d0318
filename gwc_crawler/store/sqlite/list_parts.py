"""Lists that go over several pages: what each page shows of them, and all of it together in the record.

A target page and its continuation pages come in any order, in any batch and run, and again when they are fetched again.
So each page's part is kept, and the record's list is put together anew from the parts whenever one of them is written.
Called by the sink within its transaction; for sites without `[paging]` there is no table and nothing is done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from gwc_crawler.items import Visit
from gwc_crawler.store.column_values import Revision, column_value
from gwc_crawler.store.joining import merge_parts, parts_of
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name

SCHEMA = """
-- What each page shows of a list that goes over several. number: the page's place, NULL: the first that is free.
-- items: JSON, a list of rows; a row has the item's value in each of the field's columns.
CREATE TABLE IF NOT EXISTS record_parts (
    page_url TEXT NOT NULL, field TEXT NOT NULL, parent_url TEXT NOT NULL, number INTEGER, items TEXT NOT NULL,
    PRIMARY KEY (page_url, field)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS record_parts_of ON record_parts (parent_url, field);
"""


class RecordParts:
    """The parts of the lists of one site's records.

    Args:
        table: the quoted name of the table of records.
        columns: field → its column in that table.
        paged: list field → the fields that make up its rows: itself, and what stands beside a typed one.
    """

    def __init__(
        self, database: CrawlDatabase, table: str, columns: Mapping[str, str], paged: Mapping[str, Sequence[str]]
    ) -> None:
        self._database = database
        self._table = table
        self._columns = columns
        self._paged = paged
        if paged:
            database.create_tables(SCHEMA)

    def write(self, visits: Sequence[Visit | Revision]) -> None:
        """Keep the parts of a batch of pages, and put the lists of all records together that they belong to.

        The records of the batch stand in the table already, with what their own page shows.
        """
        if not self._paged:
            return
        connection = self._database.connection
        moved = [visit.lease.url for visit in visits if isinstance(visit, Visit)]  # their own pages are no more
        pages = json.dumps([*moved, *(visit.page.url for visit in visits)])
        these = "page_url IN (SELECT value FROM json_each(?))"
        touched = dict.fromkeys(
            row[0]
            for row in connection.execute(f"SELECT parent_url FROM record_parts WHERE {these}", (pages,))  # noqa: S608  # constants
        )
        connection.execute(f"DELETE FROM record_parts WHERE {these}", (pages,))  # noqa: S608  # constants
        rows = [
            (visit.page.url, name, record.parent or record.url, record.number, column_value(items))
            for visit in visits
            if (record := visit.record) is not None and not record.rejected
            for name, items in parts_of(record, self._paged)
        ]
        connection.executemany(
            "INSERT OR REPLACE INTO record_parts (page_url, field, parent_url, number, items) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
        for parent in touched | dict.fromkeys(row[2] for row in rows):
            self._put_together(parent)

    def _put_together(self, parent: str) -> None:
        for name, group in self._paged.items():
            parts = self._database.connection.execute(
                "SELECT number, items FROM record_parts WHERE parent_url = ? AND field = ? ORDER BY number, page_url",
                (parent, name),
            ).fetchall()
            if not parts:
                continue
            rows = merge_parts([(number, json.loads(items)) for number, items in parts], typed=len(group) > 1)
            columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in group]
            names = ", ".join(f"{quote_name(self._columns[one])} = ?" for one in group)
            self._database.connection.execute(
                f"UPDATE {self._table} SET {names} WHERE url = ?",  # noqa: S608  # quoted
                (*map(column_value, columns), parent),
            )
