"""The process that writes: one connection, one batch at a time, from files that the crawl has made safe before.

`python -m gwc_crawler.store.server.writer`; a line of JSON on stdin is an order, a line on stdout its answer:

    {"server": {…}}                     how the server is reached; first of all, and never on a command line
    {"check": true}                     {"ok": true}: it can be reached, and its tables are there
    {"write": "…/000000000001.batch"}   {"ok": true, "pages": 100, "refused": 0}: all of it is on the server
                                        {"damaged": "…"}: the file is not as it was written
                                        {"away": "…", "number": 1205}: try again later
                                        {"refusal": "…"}: as away, and only people can help: the login is wrong
    {"count": "…"}                      {"ok": true, "units": 100}
    {"write": …, "from": 0, "to": 50}   the same as "write", of these units alone
    {"refuse": …, "from": 7, "to": 8}   {"ok": true, …}: what ends this process is kept apart; nothing is written
    {"write": …, "doubt": true}         the same, when it was tried often: a row may be to blame though the server's
                                        words don't say so; it is, if the server takes others of the batch

It ends with its stdin. What a row is refused for is kept beside the batches, in `refused/`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from gwc_crawler.store.server.config import ServerConfig, qualified, quoted
from gwc_crawler.store.server.connection import MIGRATING, ServerConnection, ServerFault, before_rows
from gwc_crawler.store.server.outlet import REFUSED
from gwc_crawler.store.server.schema import Records, ServerColumn, connect, is_storable, is_text, migrate, statements
from gwc_crawler.store.server.spool import Damaged, unpack, write_whole
from gwc_crawler.store.server.staged import KEYS_A_ROW, PAGE_TABLES, Joined, Staged, Stager, Unit
from gwc_crawler.store.server.units import decode, readable

# --- Units → a SQL Server, in one transaction: copied into the session's own tables, then taken over by key -----------


KNOWN_URLS = 200_000
"""URLs that a writer knows to be on the server, with their keys; about 300 bytes each."""

TAKE_OVER = {
    "pages": ("pages.sql", "told.sql"),
    "revised": ("revised.sql", "told.sql"),
    "states": ("states.sql",),
    "items": (),
}
"""What a batch is → the files whose statements take it over."""

READ_KINDS = frozenset({"target", "directory", "index", "information", "continuation", "lookalike", "alias"})
"""Of which pages a stored procedure gets title and content."""


class BatchTable:
    """Where the batches of one head go.

    Args:
        head: what the batches are: `form` (one of TAKE_OVER), `site`, `table`, `fields`, `lists`, `procedure`.

    Raises:
        ServerFault: the server, or the way to it, said no.
    """

    def __init__(self, server: ServerConnection, schema: str, head: Mapping[str, Any]) -> None:
        self._server = server
        self._schema = schema
        self._known: dict[str, bytes] = {}
        self._form, self._site = head["form"], head["site"]
        self._is_of_pages = self._form != "items"
        self._procedure = qualified(head["procedure"], schema) if head["procedure"] else ""
        records = Records(server, schema, head["table"], [(field, kind) for field, kind in head["fields"]])
        first, *rest = [
            *(one for name in TAKE_OVER[self._form] for one in statements(name, schema)),
            *record_statements(records.table, records.columns, beside_pages=self._is_of_pages),
            *(() if self._is_of_pages else statements("items.sql", schema)),
        ]
        self._take_over = in_few_messages(first, rest, parted=bool(self._procedure))
        self._stager = Stager(
            self._site, records.columns, server.engine, lists_apart=head["lists"] == "tables", known=self._known
        )
        make_stage(server, schema, records.columns)
        self._joined: Joined | None = None
        if head.get("paged") or head.get("files"):
            self._joined = Joined(server, schema, head, records)

    def write(self, units: Sequence[Unit]) -> None:
        """Store units: all, or none.

        Raises:
            ServerFault: none of them is stored, or all are and the answer got lost; the connection is to be closed.
        """
        staged = self._staged(units)
        self._copy(staged)
        with self._turn():
            for number, part in enumerate(self._take_over):
                if number:
                    self._call_procedure()
                self._server.run(part)
            if self._joined is not None:
                self._joined.write(staged.pages)
            self._server.commit()
        if len(self._known) > KNOWN_URLS:
            self._known.clear()
        self._known.update(staged.urls)

    def _turn(self) -> AbstractContextManager[None]:
        """Be the only writer of this site where two would come into each other's way."""
        if self._joined is None and self._server.locks_rows:
            return nullcontext()
        return self._server.locked(f"gwc_crawler.{self._schema}.{self._site}")

    def _staged(self, units: Sequence[Unit]) -> Staged:
        try:
            if not self._is_of_pages:
                return self._stager.items(units)
            if self._form == "states":
                return self._stager.states(units)
            return self._stager.pages(units, revised=self._form == "revised")
        except Exception as error:  # whatever it is, one of the units is the matter, and the others are stored
            raise ServerFault(f"no rows can be made of it: {type(error).__name__}: {error}", is_data=True) from error

    def _copy(self, staged: Staged) -> None:
        tables = {**staged.rows, "#records": staged.records}
        self._server.run("; ".join(f"TRUNCATE TABLE {table}" for table in tables))
        for table, rows in tables.items():
            self._server.copy(table, rows)

    def _call_procedure(self) -> None:
        """Hand title and content of the pages that are new, or newer, to the stored procedure."""
        for key, kind in self._server.run("SELECT url_id AS url_id, kind AS kind FROM #pages"):
            if kind in READ_KINDS:
                self._server.give_page(self._procedure, key)


def in_few_messages(first: str, rest: Sequence[str], *, parted: bool) -> list[str]:
    """Return what begins a transaction and does these statements; a message costs as much as copying two pages.

    Args:
        parted: something else is to be done behind the first of them.
    """
    begin = ["BEGIN TRANSACTION", first]
    return [";\n".join(begin), ";\n".join(rest)] if parted else [";\n".join([*begin, *rest])]


def make_stage(server: ServerConnection, schema: str, columns: Sequence[ServerColumn]) -> None:
    """Make the session's own tables; they go with it."""
    server.drop_own((*PAGE_TABLES, "#records", "#numbers"))
    for statement in statements("stage.sql", schema):
        server.run(statement)
    fields = "".join(f", f{number} NVARCHAR(MAX) NULL" for number in range(1, len(columns) + 1))
    server.run(
        "CREATE TABLE #records (url_id BINARY(16) NOT NULL, url NVARCHAR(MAX) NOT NULL, "
        f"fetched_at VARCHAR(40) NOT NULL{fields}, PRIMARY KEY (url_id))"
    )
    server.copy("#numbers", [(number,) for number in range(1, KEYS_A_ROW + 1)])


def record_statements(table: str, columns: Sequence[ServerColumn], *, beside_pages: bool) -> list[str]:
    """Return what takes records over from #records; beside pages only those of pages that are taken over."""
    values = {quoted(column.name): _value(number, column.type) for number, column in enumerate(columns, 1)}
    here = "s.url_id IN (SELECT url_id FROM #pages)" if beside_pages else "1 = 1"
    sets = "".join(f", t.{name} = {value}" for name, value in values.items())
    update = (
        f"UPDATE t SET t.fetched_at = CONVERT(DATETIME2(6), s.fetched_at, 126){sets} "  # noqa: S608  # quoted
        f"FROM {table} AS t INNER JOIN #records AS s ON s.url_id = t.url_id "
        f"WHERE {here} AND t.fetched_at <= CONVERT(DATETIME2(6), s.fetched_at, 126)"
    )
    names, contents = "".join(f", {name}" for name in values), "".join(f", {one}" for one in values.values())
    insert = (
        f"INSERT INTO {table} (url_id, url, fetched_at{names}) "  # noqa: S608  # quoted
        f"SELECT s.url_id, s.url, CONVERT(DATETIME2(6), s.fetched_at, 126){contents} "
        f"FROM #records AS s WHERE {here} "
        f"AND NOT EXISTS (SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)"
    )
    gone = (
        f"DELETE FROM {table} WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL "  # noqa: S608  # quoted
        "UNION ALL SELECT url_id FROM #pages WHERE has_record = 0)"
    )
    outdated = (
        f"DELETE FROM #records WHERE EXISTS (SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) "  # noqa: S608  # quoted
        "WHERE t.url_id = #records.url_id AND t.fetched_at > CONVERT(DATETIME2(6), #records.fetched_at, 126))"
    )
    return [gone if beside_pages else outdated, update, insert]


def _value(number: int, kind: str) -> str:
    """Return what a column gets; see `staged.barred`."""
    if is_text(kind):
        text = f"LEFT(s.f{number}, LEN(s.f{number}) - 1)"
        return text if "CHAR" in kind else f"CONVERT({kind}, {text})"
    if not is_storable(kind):
        return "NULL"
    style = ", 126" if "DATE" in kind else ""
    return f"CONVERT({kind}, s.f{number}{style})"


TRIES = 2
"""So often a batch that the server finds fault with is tried whole: it may be a race with another writer."""


ALL = slice(None)


class BatchWriter:
    """Keeps a connection and what was made over it; after any fault both are made anew."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._server: ServerConnection | None = None
        self._targets: dict[str, BatchTable] = {}

    def check(self) -> None:
        """Connect, if there is no connection that is well.

        Raises:
            ServerFault: there can be none.
        """
        if self._server is not None and self._server.is_well:
            return
        self.close()
        self._server = connect(self._config)
        with before_rows(MIGRATING):
            migrate(self._server, self._config.schema)

    def write(self, path: Path, part: slice = ALL, *, doubt: bool = False) -> dict[str, Any]:
        """Write a batch, or a part of it; see the module for what comes back.

        Raises:
            Damaged: the file is not as it was written.
        """
        head, units = read(path, part)
        refused = Refused(path.parent.parent / REFUSED, head)
        blamed: list[tuple[Unit, ServerFault]] = []
        self._write(head, units, refused, blamed if doubt and len(units) > 1 else None)
        if blamed and len(blamed) == len(units):
            raise blamed[0][1]
        for unit, fault in blamed:
            refused.keep(unit, fault)
        pages = len(units) - refused.count if head["form"] != "states" else 0
        return {"ok": True, "pages": pages, "refused": refused.count, "why": refused.first}

    def refuse(self, path: Path, part: slice) -> dict[str, Any]:
        """Keep units apart without looking at them; raises as `write`."""
        head, units = read(path, part)
        refused = Refused(path.parent.parent / REFUSED, head)
        for unit in units:
            refused.keep(unit, ServerFault("the writer's process ends whenever it is written"))
        return {"ok": True, "pages": 0, "refused": refused.count, "why": refused.first}

    def _write(
        self,
        head: Mapping[str, Any],
        units: Sequence[Unit],
        refused: Refused,
        blamed: list[tuple[Unit, ServerFault]] | None,
    ) -> None:
        """Write units, by halves where the server finds fault with them, so that only the faulty ones are left out.

        Args:
            blamed: gets those that may be the matter; None: only what surely is one is left out.
        """
        for attempt in range(TRIES):
            try:
                self._target(head).write(units)
                return
            except ServerFault as fault:
                self.close()
                if not fault.is_data and not (blamed is not None and fault.is_odd):
                    raise
                if attempt + 1 == TRIES and len(units) == 1:
                    if fault.is_data or blamed is None:
                        refused.keep(units[0], fault)
                    else:
                        blamed.append((units[0], fault))
                    return
        middle = len(units) // 2
        self._write(head, units[:middle], refused, blamed)
        self._write(head, units[middle:], refused, blamed)

    def _target(self, head: Mapping[str, Any]) -> BatchTable:
        self.check()
        assert self._server is not None
        name = json.dumps(head, sort_keys=True)
        if name not in self._targets:
            with before_rows(MIGRATING):
                self._targets = {name: BatchTable(self._server, self._config.schema, head)}
        return self._targets[name]

    def close(self) -> None:
        """Close the connection, if there is one."""
        self._targets = {}
        if self._server is not None:
            self._server.close()
            self._server = None


class Refused:
    """What the server does not take: kept as files, with the reason."""

    def __init__(self, directory: Path, head: Mapping[str, Any]) -> None:
        self.count = 0
        self.first = ""
        self._directory = directory
        self._head = head

    def keep(self, unit: Unit, fault: ServerFault) -> None:
        """Keep a unit safely, before its batch is called done."""
        self._directory.mkdir(exist_ok=True)
        name = hashlib.md5(unit["url"].encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        told = {"error": fault.number, "reason": str(fault), **self._head, "unit": readable(unit)}
        write_whole(self._directory / f"{name}.json", json.dumps(told, ensure_ascii=False).encode())
        self.count += 1
        self.first = self.first or f"{unit['url']}: {fault} ({fault.number})"


def read(path: Path, part: slice = ALL) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return head and units of a batch.

    Raises:
        Damaged: the file is not as it was written.
    """
    try:
        head, units = decode(unpack(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise Damaged(str(error)) from error
    return head, units[part]


def answer_to(writer: BatchWriter, order: Mapping[str, Any]) -> dict[str, Any]:
    """Do what is asked; returns the answer."""
    part = slice(order.get("from"), order.get("to"))
    try:
        if "write" in order:
            return writer.write(Path(order["write"]), part, doubt=order.get("doubt", False))
        if "refuse" in order:
            return writer.refuse(Path(order["refuse"]), part)
        if "count" in order:
            return {"ok": True, "units": len(read(Path(order["count"]))[1])}
        writer.check()
        return {"ok": True}
    except ServerFault as fault:
        writer.close()
        text = f"{fault}; {fault.help}" if fault.help else str(fault)
        return {"refusal" if fault.is_refusal else "away": text, "number": fault.number, "help": fault.help}
    except Damaged as error:
        return {"damaged": str(error)}
    except OSError as error:
        return {"away": f"what it refuses can't be kept: {error}", "number": 0}


def main(orders: IO[str], answers: IO[str]) -> None:
    """Answer orders until the crawl ends, or is killed: then at once, whatever the server is waited for.

    What was under way is rolled back, and its batch is on the disk.
    """
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, lines), daemon=True).start()
    writer = BatchWriter(ServerConfig(**json.loads(lines.get())["server"]))
    with suppress(BrokenPipeError):
        while True:
            print(json.dumps(answer_to(writer, json.loads(lines.get()))), file=answers, flush=True)


def _listen(orders: IO[str], lines: SimpleQueue[str]) -> None:
    for line in orders:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
