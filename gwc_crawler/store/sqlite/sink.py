"""Visits → SQLite tables: pages, links, records, exceptions, newly found sites; and back again for learning.

Called by the `Committer` with a batch at a time. docs/architecture.md, *The data's way*, names the tables; they share
the file, the URL numbers and, embedded, the transaction with the frontier.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any

from gwc_crawler.field_types import RAW
from gwc_crawler.items import PageKind, Visit
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.modes import HtmlFiles, KeepHtml
from gwc_crawler.store.column_values import Revision, clean_text, column_value, stored_record
from gwc_crawler.store.history import SCHEMA as HISTORY_SCHEMA
from gwc_crawler.store.history import History
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.files import FileIndex
from gwc_crawler.store.sqlite.list_parts import RecordParts
from gwc_crawler.urls import host_of, site_of

SCHEMA = """
-- One row for each page fetched. body: its visible text, of an information page its main text; abstract: how that
-- begins; html: as it came, packed (gwc_crawler.store.sqlite.bodies). The long columns stand last.
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY,          -- urls.id
    url TEXT NOT NULL UNIQUE,
    requested TEXT,                  -- the URL before redirects, where it differs
    title TEXT,
    kind TEXT NOT NULL,
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
    "id, url, requested, title, kind, relevant, weight, depth, status, content_type, charset, fetched_at, "
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
        """Count links to other sites; a page that is stored already, or comes twice in a batch, counts once."""
        counts: Counter[str] = Counter()
        first: dict[str, tuple[str, str, float]] = {}
        leading = {visit.page.url: visit for visit in visits if visit.page.outside}
        stored = self._stored(list(leading)) if leading else set()
        for visit in leading.values():
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
