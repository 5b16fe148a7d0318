"""Pages and records on a server, to be read: over one connection, which waits for no longer than a person does."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.network.masking import hide
from gwc_crawler.store.reading import GRAPH_ROWS, RecentRecords, RecordRows, Row, SiteReader, Tables
from gwc_crawler.store.server.config import ServerConfig, quoted, table_of, text_literal, url_id
from gwc_crawler.store.server.connection import Blame, ServerConnection, ServerFault
from gwc_crawler.store.server.schema import connect
from gwc_crawler.store.server.units import iso_time
from gwc_crawler.store.sqlite.bodies import unpacked

PATIENCE_SECONDS = 10
"""So long a person may wait for the server."""
FIRST_KEY = "0x00"
FIRST_PAUSE_SECONDS = 0.5


class ServerTables(Tables):
    """The tables of a server, over a connection that is made anew when it broke.

    Args:
        begin: done with each new connection.
        inside: entered while the server is asked.
    """

    tries = 3
    """So often a connection is made for one operation, which may be done twice without harm."""
    helps = "; mend it, and run again: what was written stays"

    def __init__(
        self,
        config: ServerConfig,
        begin: Callable[[ServerConnection], None] = lambda server: None,
        inside: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        if config.password:
            hide(config.password)
        self.place = f"{config.name} at {config.place}"
        self._config, self._begin, self._inside = config, begin, inside
        self._connection: ServerConnection | None = None

    def do(self, work: Callable[[ServerConnection], Any]) -> Any:
        """Have something done, on another connection where one breaks."""
        for attempt in count():
            try:
                with self._inside():
                    return work(self._opened())
            except ServerFault as fault:
                self.close()
                if fault.blame in (Blame.PEOPLE, Blame.ROWS) or attempt + 1 >= self.tries:
                    raise StoreError(f"{self.place.removeprefix('the ')}: {fault}{self.helps}") from fault
            time.sleep(FIRST_PAUSE_SECONDS * 2**attempt)
        return None

    def rows(self, query: str) -> list[Row]:
        found: list[Row] = self.do(lambda server: server.run(query))
        return found

    def columns(self, table: str) -> dict[str, str]:
        return {name: kind for name, kind, _ in self.do(lambda server: server.columns(table))}

    def first(self, count: int, rest: str, *, ties: bool = False) -> str:
        return f"SELECT TOP ({int(count)}) {'WITH TIES ' if ties else ''}{rest}"

    def table(self, name: str) -> str:
        return f"{quoted(self._config.schema)}.{quoted(name)}"

    def column(self, name: str) -> str:
        return quoted(name)

    def literal(self, value: Any) -> str:
        if isinstance(value, bytes | bytearray | memoryview):
            return f"0x{bytes(value).hex()}"
        return str(value) if isinstance(value, int) else text_literal(str(value))

    def unpacked(self, html: bytes) -> bytes:
        return unpacked(html)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> ServerConnection:
        if self._connection is None:
            self._connection = connect(self._config)
            self._begin(self._connection)
        return self._connection


class ServerReader(ServerTables, SiteReader):
    """A `SiteReader` over a SQL Server or PostgreSQL; StoreError: it can't be asked."""

    key, first_key = "url_id", FIRST_KEY
    tries, helps = 1, ""

    def __init__(self, config: ServerConfig, site: str) -> None:
        super().__init__(replace(config, timeout_seconds=min(config.timeout_seconds, PATIENCE_SECONDS)))
        self.place = f"the {self.place}"
        self._site = site
        self._numbers: dict[bytes, int] = {}
        self.do(lambda server: None)

    def records(self) -> ServerRecords | None:
        table = self.table(table_of("records", self._site, self._config.engine))
        kinds = {name: kind for name, kind in self.columns(table).items() if name != "url_id"}
        return ServerRecords(self, table, kinds) if kinds else None

    def graph_links(self) -> Iterator[tuple[int, int, int]]:
        source = f"{self.table('link_ids')} AS l INNER JOIN {self.table('pages')} AS p ON p.url_id = l.src"
        query, last = f"l.src, l.dst, l.pruned FROM {source} WHERE {self.of_site('p.')} AND l.src > ", FIRST_KEY
        while rows := self.rows(self.first(GRAPH_ROWS, f"{query}{last} ORDER BY l.src", ties=True)):
            yield from ((self.number(start), self.number(end), int(pruned)) for start, end, pruned in rows)
            last = self.literal(rows[-1][0])

    def redirects(self) -> dict[int, int]:
        query = f"SELECT url_id, requested FROM {self.table('pages')} WHERE {self.of_site()} AND requested IS NOT NULL"  # noqa: S608
        engine = self._config.engine
        return {self.number(url_id(self._site, url, engine)): self.number(key) for key, url in self.rows(query)}

    def has_more_links(self, most: int) -> bool:
        links = f"{self.table('link_ids')} AS l INNER JOIN {self.table('urls')} AS u ON u.url_id = l.src"
        sources = (f"{self.table('pages')} WHERE {self.of_site()}", f"{links} WHERE {self.of_site('u.')}")
        return any(self.rows(f"SELECT COUNT(*) AS n FROM {source}")[0][0] > most for source in sources)  # noqa: S608

    # --- its words ----------------------------------------------------------------------------------------------------

    def time(self, seconds: float) -> str:
        return f"CAST(N'{iso_time(seconds)}' AS DATETIME2(6))"

    def seconds(self, time: Any) -> float:
        return epoch(time)

    def of_site(self, alias: str = "") -> str:
        return f"{alias}site = {text_literal(self._site)}"

    def of_url(self, url: str) -> str:
        return f"url_id = {self.key_of(url)}"

    def key_of(self, url: str) -> str:
        return self.literal(url_id(self._site, url, self._config.engine))

    def number(self, key: bytes) -> int:
        return self._numbers.setdefault(bytes(key), len(self._numbers))


class ServerRecords(RecordRows):
    """A table of records on a server."""

    key, first_key, latest = "url_id", FIRST_KEY, "fetched_at DESC"

    def changed_since(self, time: str) -> str:
        return f"r.fetched_at >= {time}"

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
            f"ORDER BY {self.latest}, url_id"
        )
        place = f"{moment(rows[limit - 1][1]).isoformat()}~{bytes(rows[limit - 1][0]).hex()}" if rows[limit:] else None
        shown = [self.plain(columns, row[2:]) for row in rows[:limit]]
        return RecentRecords(shown, place, len(shown))

    def plain(self, columns: Sequence[str], row: Row) -> Row:
        return tuple(
            epoch(value) if name == "fetched_at" else plain_value(value, self._kinds[name])
            for name, value in zip(columns, row, strict=True)
        )


def plain_value(value: Any, kind: str) -> Any:
    """Return a value of a column of some type as SQLite has it: whole numbers as such, days and moments as texts.

    >>> plain_value(Decimal("11.50"), "DECIMAL(38, 10)"), plain_value("3.00", "DECIMAL(38, 10)")
    (11.5, 3)
    >>> plain_value(datetime.datetime(2010, 6, 12), "DATETIME2(6)"), plain_value("7", "NVARCHAR(MAX)")
    ('2010-06-12', '7')
    """
    if value is None:
        return None
    if kind.startswith(("DECIMAL", "NUMERIC", "MONEY", "SMALLMONEY")):
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)
    if kind.startswith(("DATE", "SMALLDATETIME")):
        at = moment(str(value))
        return at.date().isoformat() if at.time() == datetime.time() else at.isoformat()
    return value if isinstance(value, str | int | float) else str(value)


def epoch(value: Any) -> float:
    """Return a moment of the server's, which is in UTC, in seconds since 1970."""
    return moment(value).replace(tzinfo=datetime.UTC).timestamp()


def moment(value: Any) -> datetime.datetime:
    """A time of the server's; a driver that does not know DATETIME2 leaves it as text."""
    return value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(value[:26])


def _behind(place: str) -> str:
    at, _, key = place.partition("~")
    try:
        when = f"CAST({text_literal(datetime.datetime.fromisoformat(at).isoformat())} AS DATETIME2(6))"
        after = f"0x{bytes.fromhex(key).hex()}"
    except ValueError as error:
        raise InputError(f"{place[:60]!r} is no place among the records; begin with the last ones") from error
    return f"(fetched_at < {when} OR (fetched_at = {when} AND url_id > {after}))"
