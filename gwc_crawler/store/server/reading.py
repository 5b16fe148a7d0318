"""Pages and records on a server, to be read: over one connection, which waits for no longer than a person does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from isal import igzip

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.http import hide
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.store.reading import (
    COVERAGE_RECORDS,
    COVERAGE_STEPS,
    MOST_EXCEPTIONS,
    RECORDS_AT_ONCE,
    ColumnFacts,
    Coverage,
    ExceptionStats,
    GraphRow,
    RecentRecords,
    RecordRows,
    Row,
    SiteReader,
    add_exception,
    facts_of,
    item_types_of,
)
from gwc_crawler.store.server.config import ServerConfig, quoted, table_of, text_literal, url_id
from gwc_crawler.store.server.connection import ServerFault
from gwc_crawler.store.server.schema import connect
from gwc_crawler.store.server.units import iso_time

PATIENCE_SECONDS = 10
"""So long a person may wait for the server."""
ROWS_AT_ONCE = 20_000
FACTS = "title, kind, status, content_type, charset, requested, fetched_at"
FIRST_KEY = "0x00"


class ServerReader(SiteReader):
    """A `SiteReader` over a SQL Server or PostgreSQL.

    Raises:
        StoreError: the server can't be asked.
    """

    def __init__(self, config: ServerConfig, site: str) -> None:
        if config.password:
            hide(config.password)
        self.place = f"the {config.name} at {config.place}"
        self._config, self._site = config, site
        self._numbers: dict[bytes, int] = {}
        self._of_site = f"site = {text_literal(site)}"
        self._server = self._asked(
            lambda: connect(replace(config, timeout_seconds=min(config.timeout_seconds, PATIENCE_SECONDS)))
        )

    def close(self) -> None:
        self._server.close()

    def records(self) -> ServerRecords | None:
        table = self.table(table_of("records", self._site, self._config.engine))
        kinds = {name: kind for name, kind, _ in self._asked(lambda: self._server.columns(table)) if name != "url_id"}
        return ServerRecords(self, table, kinds) if kinds else None

    def page_facts(self, url: str) -> dict[str, Any] | None:
        kept = "CASE WHEN html IS NULL THEN 0 ELSE 1 END AS kept"
        rows = self._pages(f"{FACTS}, {kept}", url)
        if not rows:
            return None
        found = dict(zip((*FACTS.split(", "), "html_kept"), rows[0], strict=True))
        return {**found, "fetched_at": epoch(found["fetched_at"]), "html_kept": bool(found["html_kept"])}

    def stored_page(self, url: str) -> StoredPage | None:
        rows = self._pages("url, content_type, charset, weight, depth, relevant, html", url)
        if not rows or rows[0][-1] is None:
            return None
        address, content_type, charset, weight, depth, relevant, html = rows[0]
        return StoredPage(
            address,
            address,
            bytes(igzip.decompress(html)),  # type: ignore[no-untyped-call]  # its stubs say nothing
            content_type,
            charset,
            weight,
            depth,
            bool(relevant),
        )

    def exceptions_of(self, url: str) -> list[dict[str, str]]:
        rows = self.rows(
            f"SELECT field, reason, closest FROM {self.table('exceptions')} "  # noqa: S608  # quoted
            f"WHERE url_id = {self.key(url)} ORDER BY field"
        )
        return [dict(zip(("field", "reason", "closest"), row, strict=True)) for row in rows]

    def exception_counts(self) -> dict[str, int]:
        return dict(
            self.rows(
                f"SELECT field, COUNT(*) AS n FROM {self.table('exceptions')} WHERE {self._of_site} "  # noqa: S608
                "GROUP BY field ORDER BY COUNT(*) DESC, field"
            )
        )

    def incomplete_records(self) -> int:
        (row,) = self.rows(
            f"SELECT COUNT(DISTINCT url) AS n FROM {self.table('exceptions')} WHERE {self._of_site} "  # noqa: S608
            "AND field <> ''"
        )
        return int(row[0])

    def exception_stats(self) -> tuple[dict[str, ExceptionStats], bool]:
        found: dict[str, ExceptionStats] = {}
        rows = self.rows(
            f"SELECT TOP ({MOST_EXCEPTIONS + 1}) url, field, reason, closest FROM {self.table('exceptions')} "  # noqa: S608
            f"WHERE {self._of_site}"
        )
        for row in rows[:MOST_EXCEPTIONS]:
            add_exception(found, *row)
        return dict(sorted(found.items(), key=lambda one: -one[1].count)), len(rows) > MOST_EXCEPTIONS

    def pages_by_kind(self) -> dict[str, int]:
        query = f"SELECT kind, COUNT(*) AS n FROM {self.table('pages')} WHERE {self._of_site} GROUP BY kind"  # noqa: S608
        return dict(self.rows(query))

    def took_its_place(self, url: str, main: str) -> bool:
        kinds = [self._pages("kind", one) for one in (url, main)]
        return not kinds[1] and bool(kinds[0]) and kinds[0][0][0] in (PageKind.TARGET, PageKind.LOOKALIKE)

    def linking_to(self, url: str, limit: int) -> list[tuple[str, int]]:
        found: list[Any] = self.rows(
            f"SELECT TOP ({int(limit)}) p.url, p.weight FROM {self.table('link_ids')} AS l "  # noqa: S608  # quoted
            f"INNER JOIN {self.table('pages')} AS p ON p.url_id = l.src WHERE l.dst = {self.key(url)}"
        )
        return found

    # --- the graph ----------------------------------------------------------------------------------------------------

    def graph_pages(self, *, known: bool = False) -> list[GraphRow]:
        join = "LEFT JOIN" if known else "INNER JOIN"
        rows = self._by_key(
            "u.url_id, u.url, COALESCE(p.kind, N'') AS kind, COALESCE(u.state, N'') AS state, "
            "COALESCE(p.title, N'') AS title",
            f"{self.table('urls')} AS u {join} {self.table('pages')} AS p ON p.url_id = u.url_id",
            f"u.{self._of_site} AND (p.kind IS NULL OR p.kind NOT IN (N'redirect', N'sitemap'))",
            "u.url_id",
        )
        return [GraphRow(self._number(key), *rest) for key, *rest in rows]

    def graph_links(self) -> Iterator[tuple[int, int, int]]:
        """Return all links: those of some pages at a time."""
        source = f"{self.table('link_ids')} AS l INNER JOIN {self.table('pages')} AS p ON p.url_id = l.src"
        links = self._by_key("l.src, l.dst, l.pruned", source, f"p.{self._of_site}", "l.src", ties=" WITH TIES")
        yield from ((self._number(start), self._number(end), int(pruned)) for start, end, pruned in links)

    def redirects(self) -> dict[int, int]:
        query = f"SELECT url_id, requested FROM {self.table('pages')} WHERE {self._of_site} AND requested IS NOT NULL"  # noqa: S608
        engine = self._config.engine
        return {self._number(url_id(self._site, url, engine)): self._number(key) for key, url in self.rows(query)}

    def has_more_links(self, most: int) -> bool:
        count = f"SELECT COUNT(*) AS n FROM {self.table('pages')} WHERE {self._of_site}"  # noqa: S608  # quoted
        links = (
            f"SELECT COUNT(*) AS n FROM {self.table('link_ids')} AS l INNER JOIN {self.table('urls')} AS u "  # noqa: S608
            f"ON u.url_id = l.src WHERE u.{self._of_site}"
        )
        return any(self.rows(query)[0][0] > most for query in (count, links))

    def _number(self, key: bytes) -> int:
        return self._numbers.setdefault(bytes(key), len(self._numbers))

    # --- asking -------------------------------------------------------------------------------------------------------

    def table(self, name: str) -> str:
        """Return the quoted name of a table."""
        return f"{quoted(self._config.schema)}.{quoted(name)}"

    def key(self, url: str) -> str:
        """Return the key of a URL, as SQL has it."""
        return f"0x{url_id(self._site, url, self._config.engine).hex()}"

    def rows(self, query: str) -> list[Row]:
        """Return what a query gives."""
        found: list[Row] = self._asked(lambda: self._server.run(query))
        return found

    def _pages(self, columns: str, url: str) -> list[Row]:
        return self.rows(f"SELECT {columns} FROM {self.table('pages')} WHERE url_id = {self.key(url)}")  # noqa: S608

    def _by_key(self, columns: str, source: str, condition: str, key: str, *, ties: str = "") -> Iterator[Row]:
        """Give all rows in the order of their key, which stands first, some at a time; *ties*: a key has several."""
        last = FIRST_KEY
        while rows := self.rows(
            f"SELECT TOP ({ROWS_AT_ONCE}){ties} {columns} FROM {source} "  # noqa: S608  # quoted
            f"WHERE {key} > {last} AND {condition} ORDER BY {key}"
        ):
            yield from rows
            last = f"0x{bytes(rows[-1][0]).hex()}"

    def _asked(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except ServerFault as fault:
            with suppress(AttributeError):
                self.close()
            raise StoreError(f"{self.place[4:]}: {fault}") from fault


class ServerRecords(RecordRows):
    """A table of records; see `RecordRows`."""

    def __init__(self, reader: ServerReader, table: str, kinds: Mapping[str, str]) -> None:
        self._reader, self._table, self._kinds = reader, table, kinds

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def read(
        self, columns: Sequence[str], *, since: float | None = None, batch: int = RECORDS_AT_ONCE
    ) -> Iterator[list[Row]]:
        names = "".join(f", {quoted(name)}" for name in columns)
        wanted = "" if since is None else f" AND fetched_at >= CONVERT(DATETIME2(6), N'{iso_time(since)}', 126)"
        last = FIRST_KEY
        while rows := self._reader.rows(
            f"SELECT TOP ({int(batch)}) url_id{names} FROM {self._table} "  # noqa: S608  # quoted
            f"WHERE url_id > {last}{wanted} ORDER BY url_id"
        ):
            last = f"0x{bytes(rows[-1][0]).hex()}"
            yield [self._plain(columns, row[1:]) for row in rows]

    def one(self, url: str) -> dict[str, Any] | None:
        rows = self._reader.rows(f"{self._select(self.columns)} WHERE url_id = {self._reader.key(url)}")
        return dict(zip(self.columns, self._plain(self.columns, rows[0]), strict=True)) if rows else None

    def count(self) -> int:
        return int(self._reader.rows(f"SELECT COUNT(*) AS n FROM {self._table}")[0][0])  # noqa: S608  # quoted

    def facts(self, columns: Sequence[str]) -> dict[str, ColumnFacts]:
        return facts_of(columns, self._all(columns)) if columns else {}

    def item_types(self, column: str) -> dict[str | None, set[str]]:
        return item_types_of(value for (value,) in self._all([column]))

    def recent(self, columns: Sequence[str], *, before: str = "", limit: int = 50, search: str = "") -> RecentRecords:
        """Return records, the last that were fetched first. Cost: it sorts all, and with a search reads them."""
        wanted = [_behind(before)] if before else []
        if search:
            sought = text_literal(search.lower())
            texts = [f"LOWER(CAST({quoted(name)} AS NVARCHAR(MAX)))" for name in columns]
            wanted.append("(" + " OR ".join(f"CHARINDEX({sought}, {text}) > 0" for text in texts) + ")")
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        names = ", ".join(map(quoted, columns))
        rows = self._reader.rows(
            f"SELECT TOP ({limit + 1}) url_id, fetched_at, {names} FROM {self._table}{where} "  # noqa: S608  # quoted
            "ORDER BY fetched_at DESC, url_id"
        )
        place = f"{moment(rows[limit - 1][1]).isoformat()}~{bytes(rows[limit - 1][0]).hex()}" if rows[limit:] else None
        shown = [self._plain(columns, row[2:]) for row in rows[:limit]]
        return RecentRecords(shown, place, len(shown))

    def coverage(self, columns: Sequence[str]) -> list[Coverage]:
        names = ("fetched_at", *columns)
        rows = self._reader.rows(
            f"SELECT TOP ({COVERAGE_RECORDS}) {', '.join(map(quoted, names))} FROM {self._table} "  # noqa: S608  # quoted
            "ORDER BY fetched_at DESC"
        )
        found = [self._plain(names, row) for row in reversed(rows)]
        width = max(1, -(-len(found) // COVERAGE_STEPS))
        return [_step(columns, found[start : start + width]) for start in range(0, len(found), width)]

    def _plain(self, columns: Sequence[str], row: Row) -> Row:
        return tuple(
            epoch(value) if name == "fetched_at" else plain_value(value, self._kinds[name])
            for name, value in zip(columns, row, strict=True)
        )

    def _select(self, columns: Iterable[str]) -> str:
        return f"SELECT {', '.join(map(quoted, columns))} FROM {self._table}"  # noqa: S608  # quoted

    def _all(self, columns: Sequence[str]) -> Iterator[Row]:
        for rows in self.read(columns, batch=ROWS_AT_ONCE):
            yield from rows


def _step(columns: Sequence[str], rows: Sequence[Row]) -> Coverage:
    full = [sum(row[place] not in (None, "", "[]") for row in rows) for place in range(1, len(columns) + 1)]
    return rows[0][0], len(rows), {name: count / len(rows) for name, count in zip(columns, full, strict=True)}


def plain_value(value: Any, kind: str) -> Any:
    """Return a value of a column of some type as SQLite has it: whole numbers as such, days and moments as texts.

    >>> plain_value(Decimal("11.50"), "DECIMAL(38, 10)"), plain_value("3.00", "DECIMAL(38, 10)")
    (11.5, 3)
    >>> plain_value(datetime(2010, 6, 12), "DATETIME2(6)"), plain_value("7", "NVARCHAR(MAX)")
    ('2010-06-12', '7')
    """
    if value is None:
        return None
    if kind.startswith(("DECIMAL", "NUMERIC", "MONEY", "SMALLMONEY")):
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)
    if kind.startswith(("DATE", "SMALLDATETIME")):
        at = moment(str(value))
        return at.date().isoformat() if at.time() == time() else at.isoformat()
    return value if isinstance(value, str | int | float) else str(value)


def epoch(value: Any) -> float:
    """Return a moment of the server's, which is in UTC, in seconds since 1970."""
    return moment(value).replace(tzinfo=UTC).timestamp()


def moment(value: Any) -> datetime:
    """A time of the server's; a driver that does not know DATETIME2 leaves it as text."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value[:26])


def _behind(place: str) -> str:
    at, _, key = place.partition("~")
    try:
        when = f"CONVERT(DATETIME2(6), {text_literal(datetime.fromisoformat(at).isoformat())}, 126)"
        after = f"0x{bytes.fromhex(key).hex()}"
    except ValueError as error:
        raise InputError(f"{place[:60]!r} is no place among the records; begin with the last ones") from error
    return f"(fetched_at < {when} OR (fetched_at = {when} AND url_id > {after}))"
