"""The process that writes: one connection, one batch at a time, from files that the crawl has made safe before.

`python -m gwc_crawler.store.server.writer`; a line of JSON on stdin is an order, a line on stdout its answer:

    {"server": {…}}                     how the server is reached; first of all, and never on a command line
    {"check": true}                     {"ok": true}: it can be reached, and its tables are there
    {"write": "…/000000000001.batch"}   {"ok": true, "pages": 100}: all of it is on the server
                                        {"damaged": "…"}: the file is not as it was written
                                        {"away": "…", "number": 1205, "blame": ""}: try again later; a row is to blame
                                        where it says "data", and may be where it says "odd"
                                        {"refusal": "…"}: as away, and only people can help: the login is wrong
    {"write": …, "from": 0, "to": 50}   the same, of these units alone
    {"count": "…"}                      {"ok": true, "units": 100}, if it can be reached
    {"refuse": …, "from": 7, "to": 8, "reason": "…", "number": 2627}
                                        {"ok": true, "why": "…"}: these units are kept apart; nothing is written

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

from gwc_crawler.store.kept_files import WholeFolder
from gwc_crawler.store.server.config import LONGEST, ServerConfig, qualified, quoted
from gwc_crawler.store.server.connection import MIGRATING, ServerConnection, ServerFault, before_rows
from gwc_crawler.store.server.schema import (
    Records,
    ServerColumn,
    connect,
    is_storable,
    is_text,
    make_tables,
    statements,
    taking_over,
)
from gwc_crawler.store.server.spool import REFUSED, Damaged, unpack
from gwc_crawler.store.server.staged import KEYS_A_ROW, PAGE_TABLES, Joined, Staged, Stager, Unit
from gwc_crawler.store.server.units import UTF_16, decode, in_encoding, readable
from gwc_crawler.urls import KEPT_URLS

# --- Units → a SQL Server, in one transaction: copied into the session's own tables, then taken over by key -----------


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
        first = f"BEGIN TRANSACTION;\n{first}"
        self._take_over = [first, ";\n".join(rest)] if self._procedure else [";\n".join([first, *rest])]
        """In few messages: one costs as much as copying two pages. The procedure is called behind the first."""
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
        tables = {**staged.rows, "#records": staged.records}
        self._server.run("; ".join(f"TRUNCATE TABLE {table}" for table in tables))
        for table, rows in tables.items():
            self._server.copy(table, rows)
        with self._turn():
            for number, part in enumerate(self._take_over):
                if number:
                    self._call_procedure()
                self._server.run(part)
            if self._joined is not None:
                self._joined.write(staged.pages)
            self._server.commit()
        if len(self._known) > KEPT_URLS:
            self._known.clear()
        self._known.update(staged.urls)

    def _call_procedure(self) -> None:
        """Hand the pages that are new, or newer, to the stored procedure."""
        for key, kind in self._server.run("SELECT url_id AS url_id, kind AS kind FROM #pages"):
            if kind in READ_KINDS:
                self._server.give_page(self._procedure, key)

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


def make_stage(server: ServerConnection, schema: str, columns: Sequence[ServerColumn]) -> None:
    """Make the session's own tables; they go with it."""
    server.run("; ".join(f"DROP TABLE IF EXISTS {name}" for name in (*PAGE_TABLES, "#records", "#numbers")))
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
    values = {"fetched_at": "CAST(s.fetched_at AS DATETIME2(6))", **values}
    if beside_pages:
        gone = (
            f"DELETE FROM {table} WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL "  # noqa: S608  # quoted
            "UNION ALL SELECT url_id FROM #pages WHERE has_record = 0)"
        )
        return [gone, *taking_over(table, "#records", values, "s.url_id IN (SELECT url_id FROM #pages)")]
    outdated = (
        f"DELETE FROM #records WHERE EXISTS (SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) "  # noqa: S608  # quoted
        "WHERE t.url_id = #records.url_id AND t.fetched_at > CAST(#records.fetched_at AS DATETIME2(6)))"
    )
    return [outdated, *taking_over(table, "#records", values)]


def _value(number: int, kind: str) -> str:
    """Return what a column gets; see `staged.barred`."""
    if is_text(kind):
        text = f"LEFT(s.f{number}, LEN(s.f{number}) - 1)"
        return text if "CHAR" in kind else f"CAST({text} AS {kind})"
    return f"CAST(s.f{number} AS {kind})" if is_storable(kind) else "NULL"


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
            make_tables(self._server, self._config.schema)

    def write(self, path: Path, part: slice) -> dict[str, Any]:
        """Write a part of a batch; see the module for what comes back, and `read` for what is raised."""
        head, units = read(path, part)
        encoding = LONGEST[self._config.engine][0]
        self._target(head).write(in_encoding(units, head.get("encoding", UTF_16), encoding))
        return {"ok": True, "pages": len(units) if head["form"] != "states" else 0}

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


def refuse(path: Path, part: slice, reason: str, number: int | str) -> dict[str, Any]:
    """Keep units safely apart, with the reason, before their batch is called done; raises as `read`."""
    head, units = read(path, part)
    folder = WholeFolder(path.parent.parent / REFUSED, syncs_names=True)
    for unit in units:
        name = hashlib.md5(unit["url"].encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        told = {"error": number, "reason": reason, **head, "unit": readable(unit, head.get("encoding", UTF_16))}
        folder.write(f"{name}.json", json.dumps(told, ensure_ascii=False).encode())
    return {"ok": True, "why": f"{units[0]['url']}: {reason} ({number})"}


def read(path: Path, part: slice) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return head and units of a part of a batch.

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
            return writer.write(Path(order["write"]), part)
        if "refuse" in order:
            return refuse(Path(order["refuse"]), part, order["reason"], order["number"])
        writer.check()
        return {"ok": True, "units": len(read(Path(order["count"]), part)[1]) if "count" in order else 0}
    except ServerFault as fault:
        writer.close()
        text = f"{fault}; {fault.help}" if fault.help else str(fault)
        blame = "data" if fault.is_data else "odd" if fault.is_odd else ""
        kind = "refusal" if fault.is_refusal else "away"
        return {kind: text, "reason": str(fault), "number": fault.number, "help": fault.help, "blame": blame}
    except Damaged as error:
        return {"damaged": str(error)}
    except OSError as error:
        return {"away": f"what it refuses can't be kept: {error}"}


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
