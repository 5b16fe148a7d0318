"""Records on a SQL Server, as somebody looks at them: the last ones, those that hold a text, one. Only reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.http import hide
from gwc_crawler.store.server.config import ServerConfig, quoted, table_of, text_literal, url_id

if TYPE_CHECKING:
    from gwc_crawler.store.server.connection import ServerConnection


PATIENCE_SECONDS = 10
"""So long a person may wait for the server."""

_COLUMNS = "SELECT c.name AS name FROM sys.columns AS c WHERE c.object_id = OBJECT_ID({table}) ORDER BY c.column_id"


@dataclass(frozen=True, slots=True)
class ServerRecords:
    """Some records, the last that were fetched first; `next`: where to go on, None at the end.

    Each has "url", "fetched_at" (epoch seconds) and the fields as the server's columns are named.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    next: str | None


def recent_server_records(
    config: ServerConfig, site: str, *, before: str = "", limit: int = 50, search: str = ""
) -> ServerRecords | None:
    """Return the records of a site; None where the server has none.

    Args:
        before: the `next` of an earlier answer.
        search: only those in which a column holds this text, in whatever case.
    Raises:
        StoreError: the server can't be asked.
        InputError: *before* is no such answer. Cost: it sorts the site's records, and with a search reads all of them.
    """
    table = f"{quoted(config.schema)}.{quoted(table_of('records', site))}"
    with _connected(config) as server:
        columns = _columns(server, table)
        if not columns:
            return None
        wanted = [_behind(before)] if before else []
        if search:
            sought = text_literal(search.lower())
            texts = [f"LOWER(CAST({quoted(name)} AS NVARCHAR(MAX)))" for name in columns if name != "url_id"]
            wanted.append("(" + " OR ".join(f"CHARINDEX({sought}, {text}) > 0" for text in texts) + ")")
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        rows = server.run(f"{_select(columns, table, limit + 1)}{where} ORDER BY fetched_at DESC, url_id")
    shown = rows[:limit]
    named = tuple(name for name in columns if name != "url_id")
    more = _place(columns, shown[-1]) if rows[limit:] else None
    return ServerRecords(named, tuple(_row(columns, row) for row in shown), more)


def server_record_at(config: ServerConfig, site: str, url: str) -> Mapping[str, Any] | None:
    """Return one record; None where the server has none of this URL.

    Raises:
        StoreError: the server can't be asked.
    """
    table = f"{quoted(config.schema)}.{quoted(table_of('records', site))}"
    with _connected(config) as server:
        if not (columns := _columns(server, table)):
            return None
        rows = server.run(f"{_select(columns, table)} WHERE url_id = 0x{url_id(site, url).hex()}")
    return _row(columns, rows[0]) if rows else None


@contextmanager
def _connected(config: ServerConfig) -> Iterator[ServerConnection]:
    from gwc_crawler.store.server.connection import ServerFault, connect

    if config.password:
        hide(config.password)
    server = None
    try:
        server = connect(replace(config, timeout_seconds=min(config.timeout_seconds, PATIENCE_SECONDS)))
        yield server
    except ServerFault as fault:
        raise StoreError(f"SQL Server at {config.place}: {fault}") from fault
    finally:
        if server is not None:
            server.close()


def _columns(server: ServerConnection, table: str) -> list[str]:
    return [name for (name,) in server.run(_COLUMNS.format(table=text_literal(table)))]


def _select(columns: list[str], table: str, limit: int = 1) -> str:
    names = ", ".join(f"{quoted(name)} AS {quoted(name)}" for name in columns)
    return f"SELECT TOP ({limit}) {names} FROM {table}"  # noqa: S608  # quoted


def _place(columns: list[str], row: tuple[Any, ...]) -> str:
    """Where a record stands in the order of `recent_server_records`."""
    found = dict(zip(columns, row, strict=True))
    return f"{_moment(found['fetched_at']).isoformat(timespec='microseconds')}~{bytes(found['url_id']).hex()}"


def _behind(place: str) -> str:
    moment, _, key = place.partition("~")
    try:
        when = f"CONVERT(DATETIME2(6), {text_literal(datetime.fromisoformat(moment).isoformat())}, 126)"
        after = f"0x{bytes.fromhex(key).hex()}"
    except ValueError as error:
        raise InputError(f"{place[:60]!r} is no place among the records; begin with the last ones") from error
    return f"(fetched_at < {when} OR (fetched_at = {when} AND url_id > {after}))"


def _row(columns: list[str], row: tuple[Any, ...]) -> dict[str, Any]:
    found = dict(zip(columns, row, strict=True))
    del found["url_id"]
    return {**found, "fetched_at": _moment(found["fetched_at"]).replace(tzinfo=UTC).timestamp()}


def _moment(value: Any) -> datetime:
    """A time of the server's; a driver that does not know DATETIME2 leaves it as text."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value[:26])
