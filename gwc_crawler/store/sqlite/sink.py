"""Visits → SQLite tables: pages, links, records, exceptions, newly found sites; and back again for learning.

Called by the `Batcher` with a batch at a time. docs/operate.md, *The database, and its size*, names the tables; they
share the file, the URL numbers and, embedded, the transaction with the frontier.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

from gwc_crawler.field_types.table import RAW
from gwc_crawler.items import PageKind, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.history import History, JoinedFields, parts_of
from gwc_crawler.store.sink import (
    PAGE_COLUMNS,
    PRUNED_KINDS,
    Revision,
    clean_text,
    column_names,
    column_value,
    exceptions_of,
    page_values,
    sites_of_links,
    stored_record,
    table_name,
)
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name, sqlite_errors
from gwc_crawler.urls import host_of, site_of

# --- What of a record comes with other pages, and the index of kept files ---------------------------------------------


class SqliteJoined(JoinedFields[str]):
    """The joined fields of one site's records, which are known by their URLs.

    *table*: the quoted name of the table of records; *columns*: field → its column there.
    """

    def __init__(self, database: CrawlDatabase, table: str, columns: Mapping[str, str], shape: RecordShape) -> None:
        super().__init__(shape.paged, shape.files)
        self._sql, self._table, self._columns = database.connection, table, columns

    def write(self, visits: Sequence[Visit | Revision]) -> None:
        """Keep parts and files of a batch of pages, and join what belongs to them; its records stand there already.

        Cost: nothing where no file was kept and no field is joined.
        """
        arrived = self._note_files([visit for visit in visits if isinstance(visit, Visit)])
        if self.paged:
            self._replace_parts(visits)
        if self.named:
            records = [record.parent or record.url for visit in visits if (record := visit.record) is not None]
            users = self._listed("SELECT DISTINCT record_url FROM file_uses WHERE file_url", arrived)
            names = ", ".join(("url", *(quote_name(self._columns[owner]) for owner in self.owners)))
            wanted = list(dict.fromkeys([*records, *(row[0] for row in users)]))
            self._listed("DELETE FROM file_uses WHERE record_url", wanted)
            for url, *values in self._listed(f"SELECT {names} FROM {self._table} WHERE url", wanted):  # noqa: S608
                self.fill(url, values)

    def _replace_parts(self, visits: Sequence[Visit | Revision]) -> None:
        moved = [visit.lease.url for visit in visits if isinstance(visit, Visit)]  # their own pages are no more
        pages = [*moved, *(visit.page.url for visit in visits)]
        before = self._listed("SELECT parent_url FROM record_parts WHERE page_url", pages)
        self._listed("DELETE FROM record_parts WHERE page_url", pages)
        rows = [
            (visit.page.url, name, record.parent or record.url, record.number, column_value(items))
            for visit in visits
            if (record := visit.record) is not None and not record.rejected
            for name, items in parts_of(record, self.paged)
        ]
        self._sql.executemany(
            "INSERT OR REPLACE INTO record_parts (page_url, field, parent_url, number, items) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
        query = "SELECT parent_url, field, number, page_url, items FROM record_parts WHERE parent_url"
        self.put_together(self._listed(query, [*(row[0] for row in before), *(row[2] for row in rows)]))

    def _note_files(self, visits: Sequence[Visit]) -> list[str]:
        rows = [
            (url, kept.path, kept.kind, kept.size, kept.sha256, kept.name, visit.fetched_at)
            for visit in visits
            if (kept := visit.file) is not None
            for url in dict.fromkeys((visit.lease.url, visit.page.url))
        ]
        self._sql.executemany(
            "INSERT OR REPLACE INTO files (url, path, type, size, sha256, name, fetched_at) VALUES (?,?,?,?,?,?,?)",
            rows,
        )
        return [row[0] for row in rows]

    def note_uses(self, record: str, urls: Sequence[str]) -> Mapping[str, str]:
        uses = [(url, record) for url in urls]
        self._sql.executemany("INSERT OR IGNORE INTO file_uses (file_url, record_url) VALUES (?, ?)", uses)
        return dict(self._listed("SELECT url, path FROM files WHERE url", urls))

    def set(self, record: str, fields: Mapping[str, Any]) -> None:
        sets = ", ".join(f"{quote_name(self._columns[name])} = ?" for name in fields)
        values = (*map(column_value, fields.values()), record)
        self._sql.execute(f"UPDATE {self._table} SET {sets} WHERE url = ?", values)  # noqa: S608  # quoted

    def _listed(self, statement: str, values: Sequence[str]) -> list[Any]:
        query = f"{statement} IN (SELECT value FROM json_each(?))"  # noqa: S608  # a statement of ours
        return self._sql.execute(query, (json.dumps(values),)).fetchall()


class SqliteSink:
    """The `RecordSink` in the crawl's own database.

    Args:
        database: the file, which may be the frontier's.
        site: names the table of records (`records_table`).
        fields: the records' columns; new ones are added to an existing table, and one that holds numbers from now on
            leaves its texts to the `…_raw` column beside it. A sequence of names means plain texts and lists.
        keep_html: of which pages the HTML is kept as it came.
        keep_history: whether it is noted what becomes of each record (`changes`).
    """

    def __init__(
        self,
        database: CrawlDatabase,
        *,
        site: str,
        fields: Sequence[str] | RecordShape = (),
        keep_html: KeepHtml = KeepHtml.TARGETS,
        keep_history: bool = False,
    ) -> None:
        self._database, self._urls, self._bodies = database, database.urls, database.bodies
        self._run, self._keep_html = database.connection.executemany, keep_html
        self._table = quote_name(records_table(site))
        shape = fields if isinstance(fields, RecordShape) else RecordShape(tuple(dict.fromkeys(fields)))
        self._fields = shape.columns
        self._columns = column_names(self._fields)
        columns = dict(zip(self._fields, self._columns, strict=True))
        self._joined = SqliteJoined(database, self._table, columns, shape)
        self._history = History(database.connection, self._table) if keep_history else None
        with database.transaction() as connection:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} (url TEXT PRIMARY KEY, fetched_at REAL NOT NULL)"
            )
            for field, column in columns.items():
                self._make_column(column, "NUMERIC" if field in shape.numbers else "TEXT")

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch; joins the transaction that is open, if one is."""
        with self._database.transaction(), self._noted(visits):
            self._write_sites(visits)
            self._forget_moved(visits)
            self._write_pages(visits)
            self._write_records(visits)
            self._joined.write(visits)
            self._write_exceptions(visits)

    def revise(self, revisions: Sequence[Revision]) -> int:
        """Replace records, exceptions and kinds of stored pages in one transaction; returns how many kinds changed.

        Texts, links, weights and states stay as the crawl left them.
        """
        with self._database.transaction() as connection, self._noted(revisions):
            kinds, pruned = [], []
            for page in (revision.page for revision in revisions):
                row = connection.execute("SELECT id, kind FROM pages WHERE url = ?", (page.url,)).fetchone()
                if row is not None and row[1] != page.kind:
                    kinds.append((page.kind.value, row[0]))
                    pruned.append((int(page.kind in PRUNED_KINDS), row[0]))
            self._run("UPDATE pages SET kind = ? WHERE id = ?", kinds)
            self._run("UPDATE urls SET kind = ? WHERE id = ? AND state = 'C'", kinds)
            self._run("UPDATE link_ids SET pruned = ? WHERE src = ?", pruned)
            self._write_records(revisions)
            self._joined.write(revisions)
            self._write_exceptions(revisions)
            return len(kinds)

    def _noted(self, writes: Sequence[Visit | Revision]) -> AbstractContextManager[None]:
        return nullcontext() if self._history is None else self._history.noted(writes)

    def close(self) -> None:
        """Do nothing more: the database stays open, its owner closes it."""

    def _forget_moved(self, visits: Sequence[Visit]) -> None:
        """A URL that has become a redirect has no page and no record of its own any more."""
        moved = [(visit.lease.url,) for visit in visits if visit.lease.url != visit.page.url]
        for table in ("pages", self._table, "exceptions"):
            self._run(f"DELETE FROM {table} WHERE url = ?", moved)  # noqa: S608  # quoted

    def _write_pages(self, visits: Sequence[Visit]) -> None:
        ids = self._urls.ids(list(chain.from_iterable((visit.page.url, *visit.page.links) for visit in visits)))
        self._bodies.settle()
        rows, links, start = [], [], 0
        for visit in visits:
            end = start + 1 + len(visit.page.links)
            *values, html = page_values(visit, self._keep_html).values()
            packed = None if html is None else self._bodies.pack(html)
            rows.append((ids[start], *map(column_value, values), packed))
            links.append((ids[start], int(visit.page.kind in PRUNED_KINDS), json.dumps(ids[start + 1 : end])))
            start = end
        names = ", ".join(("id", *PAGE_COLUMNS))
        self._run(f"INSERT OR REPLACE INTO pages ({names}) VALUES ({'?, ' * len(PAGE_COLUMNS)}?)", rows)  # noqa: S608
        self._run("DELETE FROM link_ids WHERE src = ?", [(row[0],) for row in rows])
        # a page's links in one statement: half the time of one for each
        self._run("INSERT OR IGNORE INTO link_ids (src, dst, pruned) SELECT ?1, value, ?2 FROM json_each(?3)", links)

    # --- records --------------------------------------------------------------------------------------------------

    def _make_column(self, column: str, kind: str) -> None:
        """Add a column, or change its kind: what it held is the raw text of a number, or becomes the field again."""
        run = self._database.connection.execute
        have = {row[1].casefold(): row[2] for row in run(f"PRAGMA table_info({self._table})")}
        name, raw = quote_name(column), quote_name(column + RAW)
        present = have.get(column.casefold())
        if present == kind:
            return
        if present == "TEXT" and (column + RAW).casefold() not in have:
            run(f"ALTER TABLE {self._table} RENAME COLUMN {name} TO {raw}")
        elif present is not None:
            run(f"ALTER TABLE {self._table} DROP COLUMN {name}")
            if kind == "TEXT" and (column + RAW).casefold() in have:
                run(f"ALTER TABLE {self._table} RENAME COLUMN {raw} TO {name}")
                return
        run(f"ALTER TABLE {self._table} ADD COLUMN {name} {kind}")

    def _write_records(self, visits: Sequence[Visit | Revision]) -> None:
        without = [(visit.page.url,) for visit in visits if stored_record(visit) is None]
        self._run(f"DELETE FROM {self._table} WHERE url = ?", without)  # noqa: S608  # quoted
        rows = [
            (visit.page.url, visit.fetched_at, *(column_value(record.fields.get(name)) for name in self._fields))
            for visit in visits
            if (record := stored_record(visit)) is not None
        ]
        names = ", ".join(map(quote_name, ("url", "fetched_at", *self._columns)))
        marks = ", ".join("?" * (2 + len(self._columns)))
        self._run(f"INSERT OR REPLACE INTO {self._table} ({names}) VALUES ({marks})", rows)  # noqa: S608  # quoted

    def _write_exceptions(self, visits: Sequence[Visit | Revision]) -> None:
        self._run("DELETE FROM exceptions WHERE url = ?", [(visit.page.url,) for visit in visits])
        rows = [(visit.page.url, *map(clean_text, row)) for visit in visits for row in exceptions_of(visit)]
        self._run("INSERT OR REPLACE INTO exceptions (url, field, reason, closest) VALUES (?, ?, ?, ?)", rows)

    # --- other sites ----------------------------------------------------------------------------------------------

    def _write_sites(self, visits: Sequence[Visit]) -> None:
        """Count links to sites, also the own; a page that is stored already, or comes twice in a batch, counts once."""
        counts: Counter[str] = Counter()
        own: Counter[str] = Counter()
        first: dict[str, tuple[str, str, float]] = {}
        leading = {visit.page.url: visit for visit in visits if visit.page.outside or visit.page.links}
        query = "SELECT url FROM pages WHERE url IN (SELECT value FROM json_each(?))"
        stored = {row[0] for row in self._database.connection.execute(query, (json.dumps(list(leading)),))}
        for visit in leading.values():
            own[host_of(visit.page.url)] += len(visit.page.links) if visit.page.url not in stored else 0
            for site, number, host, url in sites_of_links(visit.page.outside):
                counts[site] += number if visit.page.url not in stored else 0
                first.setdefault(site, (host, url, visit.fetched_at))
        self._run(
            "INSERT INTO sites (site, host, name, link_count, first_url, found_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (site) DO UPDATE SET link_count = link_count + excluded.link_count",
            [(site, first[site][0], site, count, *first[site][1:]) for site, count in counts.items()],
        )
        self._run(
            "UPDATE sites SET link_count = link_count + ? WHERE site = "  # of a family, hosts are sites
            "(SELECT site FROM sites WHERE site IN (?, ?) ORDER BY length(site) DESC LIMIT 1)",
            [(count, host, site_of(host)) for host, count in own.items()],
        )


def records_table(site: str) -> str:
    """Return the name of the table with *site*'s records."""
    return table_name("records", site)


def count_waiting_urls(database: CrawlDatabase) -> int:
    """How many known URLs were not asked for yet."""
    return int(database.rows("SELECT count(*) FROM urls WHERE state = 'U'")[0][0])


def read_records(database: CrawlDatabase, site: str, limit: int | None = None) -> list[dict[str, Any]]:
    """The first *limit* records of *site* (None: all), as stored: column → text or number, lists as JSON."""
    query = f"SELECT * FROM {quote_name(records_table(site))} ORDER BY rowid LIMIT ?"  # noqa: S608  # quoted
    with database.errors():
        rows = database.connection.execute(query, (-1 if limit is None else limit,))
        names = [column[0] for column in rows.description]
        return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


class SharedSqliteSink(SqliteSink):
    """A `SqliteSink` that marks stored pages itself, because no frontier does it in this file.

    Many workers write to it in turns. What waits, runs or failed is known by the shared frontier alone.
    """

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch, and mark its pages complete."""
        with self._database.transaction():
            super().write(visits)
            urls = [(visit.page.url, visit.page.kind, visit) for visit in visits]
            urls += [(v.lease.url, PageKind.REDIRECT, v) for v in visits if v.lease.url != v.page.url]
            ids = self._urls.ids([url for url, _, _ in urls])
            self._run(
                "UPDATE urls SET state = 'C', kind = ?, weight = ?, depth = ?, attempts = ?, hits = hits + 1, "
                "reason = NULL, "
                "added_at = coalesce(added_at, ?), done_at = ? WHERE id = ?",
                [
                    (kind.value, v.weight, v.lease.depth, v.lease.attempt, v.fetched_at, v.fetched_at, number)
                    for number, (_, kind, v) in zip(ids, urls, strict=True)
                ],
            )

    def write_counts(self, counts: Mapping[str, int]) -> None:
        """Leave the shared frontier's figures (U, R, C, E) in the file, for the summary."""
        with self._database.transaction():
            self._run("INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", counts.items())


# --- A file with the records of one site and nothing else: one of the formats of an export ----------------------------


class RecordFile:
    """Writes a new file with one table; until `close`, what is in it is worth nothing. Each method raises StoreError.

    Args:
        columns: name and SQL type of each.
        key: the columns that make a row's key; () for none.
    """

    def __init__(self, path: Path, table: str, columns: Sequence[tuple[str, str]], key: Sequence[str] = ()) -> None:
        self._path = path
        self._insert = f"INSERT INTO {quote_name(table)} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608  # quoted
        parts = [f"{quote_name(name)} {kind}".rstrip() for name, kind in columns]
        if key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quote_name, key))})")
        with sqlite_errors(path):
            path.write_bytes(b"")
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = OFF")  # whoever is interrupted begins anew
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("BEGIN")
            self._connection.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(parts)})")

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows."""
        with sqlite_errors(self._path):
            self._connection.executemany(self._insert, rows)

    def close(self) -> None:
        """Have them in the file."""
        with sqlite_errors(self._path):
            self._connection.execute("COMMIT")
            self._connection.close()
