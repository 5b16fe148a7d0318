"""Visits → SQLite tables: pages, links, records, exceptions, newly found sites; and back again for learning.

Called by the `Committer` with a batch at a time. docs/architecture.md, *The data's way*, names the tables; they share
the file, the URL numbers and, embedded, the transaction with the frontier.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any

from gwc_crawler.field_types import RAW
from gwc_crawler.files import file_urls
from gwc_crawler.items import PageKind, Visit
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.modes import HtmlFiles, KeepHtml
from gwc_crawler.store.history import SCHEMA as HISTORY_SCHEMA
from gwc_crawler.store.history import History, as_field, filled, merge_parts, parts_of
from gwc_crawler.store.sink import Revision, clean_text, column_value, stored_record
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.urls import host_of, site_of

# --- Lists that go over several pages: what each page shows of them, and all of it together in the record -------------


PARTS_SCHEMA = """
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
            database.create_tables(PARTS_SCHEMA)

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


# --- The index of kept files, and the places in records that lead to them ---------------------------------------------


FILES_SCHEMA = """
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
        database.create_tables(FILES_SCHEMA)
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


SCHEMA = """
-- One row for each page fetched. body: its visible text, of an information page its main text; abstract: how that
-- begins; html: as it came, packed (gwc_crawler.store.sqlite.bodies). The long columns stand last.
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY,          -- urls.id
    url TEXT NOT NULL UNIQUE,
    requested TEXT,                  -- the URL before redirects, where it differs
    title TEXT,
    kind TEXT NOT NULL,
    page_kind TEXT,                  -- index or information, whatever it is for the crawl (T-Spider, algorithm 1)
    relevant INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    status INTEGER,
    content_type TEXT,
    charset TEXT,
    fetched_at REAL NOT NULL,
    abstract TEXT,
    body TEXT,
    stripped_html TEXT,
    html BLOB
);
-- The link graph by urls.id, and by URL. pruned: leaves a content page, so it says nothing of the site's own order.
CREATE TABLE IF NOT EXISTS link_ids (
    src INTEGER NOT NULL, dst INTEGER NOT NULL, pruned INTEGER NOT NULL, PRIMARY KEY (src, dst)
) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS links AS
    SELECT a.url AS src_url, b.url AS dst_url, l.pruned FROM link_ids AS l
    JOIN urls AS a ON a.id = l.src JOIN urls AS b ON b.id = l.dst;
-- What a target page should have given and did not; field '' stands for the page as a whole, of whatever kind.
CREATE TABLE IF NOT EXISTS exceptions (
    url TEXT NOT NULL, field TEXT NOT NULL, reason TEXT NOT NULL, closest TEXT NOT NULL, PRIMARY KEY (url, field)
) WITHOUT ROWID;
-- Other sites that pages link to: state U until somebody adopts them.
CREATE TABLE IF NOT EXISTS sites (
    site TEXT PRIMARY KEY, host TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'U',
    link_count INTEGER NOT NULL DEFAULT 0, first_url TEXT, found_at REAL
) WITHOUT ROWID;
"""

PRUNED_KINDS = frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.CONTINUATION, PageKind.ALIAS})
"""Links that leave content pages are no part of the site's own classification (T-Spider, algorithm 1)."""

KEPT_KINDS = frozenset({PageKind.TARGET, PageKind.CONTINUATION, PageKind.LOOKALIKE, PageKind.ALIAS})
"""Whose HTML "targets" keeps: what looks like a target may prove to be one when the page check is mended."""

_PAGE_COLUMNS = (
    "id, url, requested, title, kind, page_kind, relevant, weight, depth, status, content_type, charset, fetched_at, "
    "abstract, body, stripped_html, html"
)


def is_kept(which: KeepHtml | HtmlFiles, kind: PageKind) -> bool:
    """Say whether a page of a kind is one of those whose HTML is kept as it came."""
    if which in (KeepHtml.TARGETS, HtmlFiles.TARGETS):
        return kind in KEPT_KINDS
    return which in (KeepHtml.RAW, KeepHtml.ALL, HtmlFiles.ALL)


class SqliteSink:
    """The `RecordSink` in the crawl's own database.

    Args:
        database: the file, which may be the frontier's.
        site: names the table of records (`records_table`).
        fields: the records' columns; new ones are added to an existing table, and one that holds numbers from now on
            leaves its texts to the `…_raw` column beside it. A sequence of names means plain texts and lists.
        keep_html: whether the HTML as it came is kept, for every page, for `KEPT_KINDS` only, or not.
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
        self._database = database
        self._urls = database.urls
        self._bodies = database.bodies
        self._keep_html = keep_html
        self._table = quote_name(records_table(site))
        shape = fields if isinstance(fields, RecordShape) else RecordShape(tuple(dict.fromkeys(fields)))
        self._fields = shape.columns
        self._columns = column_names(self._fields)
        self._numbers = shape.numbers
        columns = dict(zip(self._fields, self._columns, strict=True))
        self._parts = RecordParts(database, self._table, columns, shape.paged)
        self._files = FileIndex(database, self._table, columns, shape.files)
        self._sites: dict[str, str] = {}
        database.create_tables(SCHEMA)
        if keep_history:
            database.create_tables(HISTORY_SCHEMA)
        self._history = History(database.connection, self._table) if keep_history else None
        with database.transaction():
            self._make_records_table()

    def write(self, visits: Sequence[Visit]) -> None:
        """Store a batch; joins the transaction that is open, if one is."""
        with self._database.transaction(), self._noted(visits):
            ids = self._urls.ids(list(chain.from_iterable((visit.page.url, *visit.page.links) for visit in visits)))
            self._write_links(visits, ids)
            self._write_sites(visits)
            self._forget_moved(visits)
            self._write_pages(visits, ids)
            self._write_records(visits)
            self._parts.write(visits)
            self._files.write(visits)
            self._write_exceptions(visits)

    def revise(self, revisions: Sequence[Revision]) -> int:
        """Replace records, exceptions and kinds of stored pages in one transaction; returns how many kinds changed.

        Texts, links, weights and states stay as the crawl left them.
        """
        with self._database.transaction() as connection, self._noted(revisions):
            changed = []
            for page in (revision.page for revision in revisions):
                row = connection.execute("SELECT id, kind FROM pages WHERE url = ?", (page.url,)).fetchone()
                if row is not None and row[1] != page.kind:
                    changed.append((page.kind.value, int(page.kind in PRUNED_KINDS), row[0]))
            kinds = [(kind, number) for kind, _, number in changed]
            connection.executemany("UPDATE pages SET kind = ? WHERE id = ?", kinds)
            connection.executemany("UPDATE urls SET kind = ? WHERE id = ? AND state = 'C'", kinds)
            connection.executemany(
                "UPDATE link_ids SET pruned = ? WHERE src = ?", [(pruned, number) for _, pruned, number in changed]
            )
            self._write_records(revisions)
            self._parts.write(revisions)
            self._files.write(revisions)
            self._write_exceptions(revisions)
            return len(changed)

    def _noted(self, writes: Sequence[Visit | Revision]) -> AbstractContextManager[None]:
        return nullcontext() if self._history is None else self._history.noted(writes)

    def close(self) -> None:
        """Do nothing more: the database stays open, its owner closes it."""

    def _write_links(self, visits: Sequence[Visit], ids: Sequence[int]) -> None:
        pages = []
        start = 0
        for visit in visits:
            end = start + 1 + len(visit.page.links)
            pages.append((ids[start], int(visit.page.kind in PRUNED_KINDS), json.dumps(ids[start + 1 : end])))
            start = end
        run = self._database.connection.executemany
        run("DELETE FROM link_ids WHERE src = ?", [(source,) for source, _, _ in pages])
        run(  # a page's links in one statement: half the time of one for each
            "INSERT OR IGNORE INTO link_ids (src, dst, pruned) SELECT ?1, value, ?2 FROM json_each(?3)", pages
        )

    def _forget_moved(self, visits: Sequence[Visit]) -> None:
        """A URL that has become a redirect has no page and no record of its own any more."""
        moved = [(visit.lease.url,) for visit in visits if visit.lease.url != visit.page.url]
        for table in ("pages", self._table, "exceptions"):
            self._database.connection.executemany(f"DELETE FROM {table} WHERE url = ?", moved)  # noqa: S608  # quoted

    def _write_pages(self, visits: Sequence[Visit], ids: Sequence[int]) -> None:
        self._bodies.settle()
        rows = []
        place = 0
        for visit in visits:
            rows.append((ids[place], *self._page_row(visit)))
            place += 1 + len(visit.page.links)
        marks = ", ".join("?" * (_PAGE_COLUMNS.count(",") + 1))
        self._database.connection.executemany(
            f"INSERT OR REPLACE INTO pages ({_PAGE_COLUMNS}) VALUES ({marks})",  # noqa: S608  # constants
            rows,
        )

    def _page_row(self, visit: Visit) -> tuple[Any, ...]:
        page, lease = visit.page, visit.lease
        keep = is_kept(self._keep_html, page.kind) and not (page.kind is PageKind.BINARY and visit.file is not None)
        return (
            page.url,
            lease.url if lease.url != page.url else None,
            clean_text(page.title),
            page.kind.value,
            page.page_kind and page.page_kind.value,
            int(page.relevant),
            visit.weight,
            lease.depth,
            page.status,
            page.content_type,
            page.charset,
            visit.fetched_at,
            clean_text(visit.abstract),
            clean_text(page.text),
            clean_text(visit.stripped_html),
            self._bodies.pack(page.body) if keep else None,
        )

    # --- records --------------------------------------------------------------------------------------------------

    def _make_records_table(self) -> None:
        connection = self._database.connection
        connection.execute(f"CREATE TABLE IF NOT EXISTS {self._table} (url TEXT PRIMARY KEY, fetched_at REAL NOT NULL)")
        for field, column in zip(self._fields, self._columns, strict=True):
            self._make_column(column, "NUMERIC" if field in self._numbers else "TEXT")

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
        run = self._database.connection.executemany
        run(
            f"DELETE FROM {self._table} WHERE url = ?",  # noqa: S608  # quoted
            [(visit.page.url,) for visit in visits if stored_record(visit) is None],
        )
        names = ", ".join(map(quote_name, ("url", "fetched_at", *self._columns)))
        marks = ", ".join("?" * (2 + len(self._columns)))
        run(
            f"INSERT OR REPLACE INTO {self._table} ({names}) VALUES ({marks})",  # noqa: S608  # quoted
            [
                (visit.page.url, visit.fetched_at, *(column_value(record.fields.get(name)) for name in self._fields))
                for visit in visits
                if (record := stored_record(visit)) is not None
            ],
        )

    def _write_exceptions(self, visits: Sequence[Visit | Revision]) -> None:
        run = self._database.connection.executemany
        run("DELETE FROM exceptions WHERE url = ?", [(visit.page.url,) for visit in visits])
        rows = []
        for visit in visits:
            record, flaws = visit.record, visit.page.flaws
            if record is not None and record.rejected is not None:  # of another category: its fields are not missing
                flaws, record = (record.rejected, *flaws), None
            if flaws:
                rows.append((visit.page.url, "", clean_text("; ".join(flaws)), ""))
            if record is None:
                continue
            rows += [(visit.page.url, p.field, clean_text(p.reason), clean_text(p.closest)) for p in record.problems]
        run("INSERT OR REPLACE INTO exceptions (url, field, reason, closest) VALUES (?, ?, ?, ?)", rows)

    # --- other sites ----------------------------------------------------------------------------------------------

    def _write_sites(self, visits: Sequence[Visit]) -> None:
        """Count links to sites, also the own; a page that is stored already, or comes twice in a batch, counts once."""
        counts: Counter[str] = Counter()
        own: Counter[str] = Counter()
        first: dict[str, tuple[str, str, float]] = {}
        leading = {visit.page.url: visit for visit in visits if visit.page.outside or visit.page.links}
        stored = self._stored(list(leading)) if leading else set()
        for visit in leading.values():
            own[host_of(visit.page.url)] += len(visit.page.links) if visit.page.url not in stored else 0
            for url in visit.page.outside:
                host = host_of(url)
                site = site_of(host)
                counts[site] += visit.page.url not in stored
                if site not in first:
                    first[site] = (host, url, visit.fetched_at)
        self._database.connection.executemany(
            "INSERT INTO sites (site, host, name, link_count, first_url, found_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (site) DO UPDATE SET link_count = link_count + excluded.link_count",
            [(site, first[site][0], site, count, *first[site][1:]) for site, count in counts.items()],
        )
        self._database.connection.executemany(
            "UPDATE sites SET link_count = link_count + ? WHERE site = "  # of a family, hosts are sites
            "(SELECT site FROM sites WHERE site IN (?, ?) ORDER BY length(site) DESC LIMIT 1)",
            [(count, host, site_of(host)) for host, count in own.items()],
        )

    def _stored(self, urls: Sequence[str]) -> set[str]:
        query = "SELECT url FROM pages WHERE url IN (SELECT value FROM json_each(?))"
        return {row[0] for row in self._database.connection.execute(query, (json.dumps(urls),))}


def records_table(site: str) -> str:
    """The name of the table with *site*'s records.

    >>> records_table("my-shop.example")
    'records_my_shop_example'
    """
    return "records_" + re.sub(r"\W+", "_", site).strip("_").lower()


def column_names(fields: Sequence[str]) -> list[str]:
    """A column for each field; a field that would hide `url` or `fetched_at`, or another in other case, gets a tail.

    >>> column_names(["title", "URL", "Title"])
    ['title', 'URL_2', 'Title_2']
    """
    taken = {"url", "fetched_at"}
    columns = []
    for name in fields:
        column, number = name, 1
        while column.casefold() in taken:
            number += 1
            column = f"{name}_{number}"
        taken.add(column.casefold())
        columns.append(column)
    return columns


def count_waiting_urls(database: CrawlDatabase) -> int:
    """How many known URLs were not asked for yet."""
    with database.errors():
        return int(database.connection.execute("SELECT count(*) FROM urls WHERE state = 'U'").fetchone()[0])


def read_records(database: CrawlDatabase, site: str, limit: int | None = None) -> list[dict[str, Any]]:
    """The first *limit* records of *site* (None: all), as stored: column → text or number, lists as JSON."""
    table = quote_name(records_table(site))
    with database.errors():
        rows = database.connection.execute(
            f"SELECT * FROM {table} ORDER BY rowid LIMIT ?",  # noqa: S608  # quoted
            (-1 if limit is None else limit,),
        )
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
            self._database.connection.executemany(
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
            self._database.connection.executemany(
                "INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", list(counts.items())
            )
