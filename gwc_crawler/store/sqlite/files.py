"""The index of kept files, and the places in records that lead to them.

A record and the files that its fields name come in any order, in any batch and run. So it is noted which record leads
to which URL, and whenever one of the two is written, the record's `…_file` columns are filled anew from the index.
Called by the sink within its transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from gwc_crawler.files import file_urls
from gwc_crawler.items import Visit
from gwc_crawler.store.column_values import Revision, column_value
from gwc_crawler.store.joining import as_field, filled
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name

SCHEMA = """
-- What was kept of which URL. path: in the files store (GWC_FILES_STORE); type: by its bytes; name: what it was called.
CREATE TABLE IF NOT EXISTS files (
    url TEXT PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
    name TEXT NOT NULL, fetched_at REAL NOT NULL
) WITHOUT ROWID;
"""

USES = """
-- Which record leads to which file.
CREATE TABLE IF NOT EXISTS file_uses (
    file_url TEXT NOT NULL, record_url TEXT NOT NULL, PRIMARY KEY (file_url, record_url)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_uses_of ON file_uses (record_url);
"""


class FileIndex:
    """The files of one site.

    Args:
        table: the quoted name of the table of records.
        columns: field → its column in that table.
        named: the fields, and "field.part"s, of type file.
    """

    def __init__(self, database: CrawlDatabase, table: str, columns: Mapping[str, str], named: Collection[str]) -> None:
        self._database = database
        self._table = table
        self._columns = columns
        self._named = tuple(named)
        database.create_tables(SCHEMA)
        if named:
            database.create_tables(USES)

    def write(self, visits: Sequence[Visit | Revision]) -> None:
        """Note the files of a batch, and fill the records that lead to them, or came with it; they stand there already.

        Cost: nothing where no file was kept and no field names one.
        """
        arrived = self._note_files([visit for visit in visits if isinstance(visit, Visit)])
        if not self._named:
            return
        records = {record.parent or record.url: None for visit in visits if (record := visit.record) is not None}
        for url in records | self._users_of(arrived):
            self._fill(url)

    def _note_files(self, visits: Sequence[Visit]) -> list[str]:
        """Write the index; returns the URLs at which something is kept now."""
        run = self._database.connection.executemany
        rows = [
            (url, kept.path, kept.kind, kept.size, kept.sha256, kept.name, visit.fetched_at)
            for visit in visits
            if (kept := visit.file) is not None
            for url in dict.fromkeys((visit.lease.url, visit.page.url))
        ]
        run(
            "INSERT OR REPLACE INTO files (url, path, type, size, sha256, name, fetched_at) VALUES (?,?,?,?,?,?,?)",
            rows,
        )
        return [row[0] for row in rows]

    def _users_of(self, urls: Sequence[str]) -> dict[str, None]:
        found = self._database.connection.execute(
            "SELECT DISTINCT record_url FROM file_uses WHERE file_url IN (SELECT value FROM json_each(?))",
            (json.dumps(urls),),
        )
        return {row[0]: None for row in found}

    def _fill(self, record_url: str) -> None:
        """Note what a record leads to, and write where that lies."""
        owners = list(dict.fromkeys(name.partition(".")[0] for name in self._named))
        names = ", ".join(quote_name(self._columns[owner]) for owner in owners)
        run = self._database.connection.execute
        row = run(f"SELECT {names} FROM {self._table} WHERE url = ?", (record_url,)).fetchone()  # noqa: S608  # quoted
        run("DELETE FROM file_uses WHERE record_url = ?", (record_url,))
        if row is None:
            return
        fields = {owner: as_field(value) for owner, value in zip(owners, row, strict=True)}
        urls = file_urls(fields, self._named)
        self._database.connection.executemany(
            "INSERT OR IGNORE INTO file_uses (file_url, record_url) VALUES (?, ?)", [(url, record_url) for url in urls]
        )
        places = filled(fields, self._named, self._paths(urls))
        sets = ", ".join(f"{quote_name(self._columns[name])} = ?" for name in places)
        run(
            f"UPDATE {self._table} SET {sets} WHERE url = ?",  # noqa: S608  # quoted
            (*map(column_value, places.values()), record_url),
        )

    def _paths(self, urls: Sequence[str]) -> dict[str, str]:
        rows = self._database.connection.execute(
            "SELECT url, path FROM files WHERE url IN (SELECT value FROM json_each(?))", (json.dumps(urls),)
        )
        return dict(rows.fetchall())
