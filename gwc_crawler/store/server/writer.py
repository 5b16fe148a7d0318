"""The process that writes: one connection, one batch at a time, from files that the crawl has made safe before.

`python -m gwc_crawler.store.server.writer`; a line of JSON on stdin is an order, a line on stdout its answer:

    {"server": {…}}                     how the server is reached; first of all, and never on a command line
    {"check": true}                     {"ok": true}: it can be reached, and its tables are there
    {"write": "…/000000000001.batch"}   {"ok": true, "pages": 98, "refused": 2, "why": "…"}: all of it is on the server
                                        but for what that refuses, which is kept with its reason in `refused/`
                                        {"damaged": "…"}: the file is not as it was written
                                        {"away": "…"}: try again later
                                        {"refusal": "…", "help": "…"}: as away, and only people can help
    with "doubt": true                  also what fails for a reason that nobody knows is refused
    with "deadly": [7]                  unit by unit but for these, at which the process has ended: they are refused

Before units are written a line says {"at": 8}; {"at": -1} before the file is read, {"at": null} behind the last unit.
It ends with its stdin.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from gwc_crawler.store.kept_files import WholeFolder
from gwc_crawler.store.server.config import LONGEST, ServerConfig, qualified, quoted
from gwc_crawler.store.server.connection import MIGRATING, Blame, ServerConnection, ServerFault, before_rows
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
from gwc_crawler.store.server.spool import REFUSED, TRIES
from gwc_crawler.store.server.staged import KEYS_A_ROW, TABLES, Head, Joined, Staged, Unit
from gwc_crawler.store.server.units import UTF_16, Damaged, decode, in_encoding, readable
from gwc_crawler.urls import KEPT_URLS

# --- Units → a SQL Server, in one transaction: copied into the session's own tables, then taken over by key -----------


TAKE_OVER = {
    "pages": ("pages.sql", "told.sql"),
    "revised": ("revised.sql", "told.sql"),
    "states": ("states.sql",),
    "items": (),
}
"""What a batch is → the files whose statements take it over."""

ENDED = "the writer's process ends whenever it is written"

READ_KINDS = frozenset({"target", "directory", "index", "information", "continuation", "lookalike", "alias"})
"""Of which pages a stored procedure gets title and content."""


class BatchTable:
    """Where the batches of one head go: `form` (one of TAKE_OVER), `site`, `table`, `fields`, `lists`, `procedure`.

    Each method raises ServerFault.
    """

    def __init__(self, server: ServerConnection, schema: str, head: Head) -> None:
        self._server, self._head = server, head
        self._known: dict[str, bytes] = {}
        self._turn = f"gwc_crawler.{schema}.{head['site']}"
        self._procedure = qualified(head["procedure"], schema) if head["procedure"] else ""
        records = Records(server, schema, head["table"], head["fields"])
        self._columns, is_of_pages = records.columns, head["form"] != "items"
        first, *rest = [
            *(one for name in TAKE_OVER[head["form"]] for one in statements(name, schema)),
            *record_statements(records.table, records.columns, beside_pages=is_of_pages),
            *(() if is_of_pages else statements("items.sql", schema)),
        ]
        first = f"BEGIN TRANSACTION;\n{first}"
        self._take_over = [first, ";\n".join(rest)] if self._procedure else [";\n".join([first, *rest])]
        """In few messages: one costs as much as copying two pages. The procedure is called behind the first."""
        make_stage(server, schema, records.columns)
        is_joined = head.get("paged") or head.get("files")
        self._joined = Joined(server, schema, head, records) if is_joined else None

    def write(self, units: Sequence[Unit]) -> None:
        """Store units: all, or none; or all are stored and the answer got lost. Then the connection is to be closed."""
        try:
            staged = Staged(self._head, units, self._columns, self._server.engine, self._known)
        except Exception as error:  # whatever it is, one of the units is the matter, and the others are stored
            told = f"no rows can be made of it: {type(error).__name__}: {error}"
            raise ServerFault(told, blame=Blame.ROWS) from error
        self._server.run("; ".join(f"TRUNCATE TABLE {table}" for table in staged.rows))
        for table, rows in staged.rows.items():
            if rows:
                self._server.copy(table, rows)
        is_alone = self._joined is None and self._server.locks_rows  # two don't come into each other's way
        with nullcontext() if is_alone else self._server.locked(self._turn):
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
        for key, kind in self._server.run("SELECT url_id AS url_id, kind AS kind FROM #pages"):
            if kind in READ_KINDS:
                self._server.give_page(self._procedure, key)


def make_stage(server: ServerConnection, schema: str, columns: Sequence[ServerColumn]) -> None:
    """Make the session's own tables; they go with it."""
    server.run("; ".join(f"DROP TABLE IF EXISTS {name}" for name in (*TABLES, "#numbers")))
    for statement in statements("stage.sql", schema):
        server.run(statement)
    fields = "".join(f", f{number} NVARCHAR(MAX) NULL" for number in range(1, len(columns) + 1))
    server.run(
        "CREATE TABLE #records (url_id BINARY(16) NOT NULL, url NVARCHAR(MAX) NOT NULL, "
        f"fetched_at VARCHAR(40) NOT NULL{fields}, PRIMARY KEY (url_id))"
    )
    server.copy("#numbers", [(number,) for number in range(1, KEYS_A_ROW + 1)])


def record_statements(table: str, columns: Sequence[ServerColumn], *, beside_pages: bool) -> list[str]:
    """Return what takes records over from #records; *beside_pages* only those of pages that are taken over."""
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
    if is_text(kind):
        text = f"LEFT(s.f{number}, LEN(s.f{number}) - 1)"
        return text if "CHAR" in kind else f"CAST({text} AS {kind})"
    return f"CAST(s.f{number} AS {kind})" if is_storable(kind) else "NULL"


class BatchWriter:
    """Keeps a connection and what was made over it; after any fault both are made anew. Raises ServerFault."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._server: ServerConnection | None = None
        self._targets: dict[str, BatchTable] = {}

    def check(self) -> None:
        """Connect, if there is no connection that is well."""
        if self._server is not None and self._server.is_well:
            return
        self.close()
        self._server = connect(self._config)
        with before_rows(MIGRATING):
            make_tables(self._server, self._config.schema)

    def write(self, head: Head, units: Sequence[Unit]) -> None:
        """Store units of one batch, as `BatchTable.write` does."""
        given, wanted = head.get("encoding", UTF_16), LONGEST[self._config.engine][0]
        try:
            self._target(head).write(in_encoding(units, given, wanted))
        except ServerFault:
            self.close()
            raise

    def _target(self, head: Head) -> BatchTable:
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


class Batch:
    """A batch on its way to the server; what of it is to blame is found by halves, and kept apart.

    Raises:
        Damaged: the file is not as it was written.
    """

    def __init__(self, path: Path, *, doubt: bool, deadly: Sequence[int]) -> None:
        try:
            self._head, self.units = decode(path.read_bytes())
        except (OSError, ValueError) as error:
            raise Damaged(str(error)) from error
        self._folder = path.parent.parent / REFUSED
        self._blamed = (Blame.ROWS, Blame.DOUBT) if doubt else (Blame.ROWS,)
        self._refused = {number: ServerFault(ENDED, blame=Blame.ROWS) for number in deadly}

    def write(self, writer: BatchWriter, part: range) -> None:
        """Write units; what may be a race with another writer is tried again.

        Raises:
            ServerFault: they are not stored, and none of them is to blame.
        """
        for _ in range(TRIES):
            try:
                writer.write(self._head, self.units[part.start : part.stop])
                return
            except ServerFault as fault:
                if fault.blame not in self._blamed:
                    raise
                found = fault
        if len(part) == 1:
            self._refused[part.start] = found
        else:
            self.write(writer, part[: len(part) // 2])
            self.write(writer, part[len(part) // 2 :])

    def outcome(self) -> dict[str, Any]:
        """Keep what is refused safely apart, with the reason; returns the answer for all.

        Raises:
            ServerFault: all of it is, for reasons that nobody knows: the rows are not the matter.
        """
        faults = list(self._refused.values())
        if faults and len(faults) == len(self.units) and all(one.blame is Blame.DOUBT for one in faults):
            raise faults[0]
        why = [self._keep(self.units[number], fault) for number, fault in self._refused.items()]
        pages = 0 if self._head["form"] == "states" else len(self.units) - len(why)
        return {"ok": True, "pages": pages, "refused": len(why), "why": "".join(why[:1])}

    def _keep(self, unit: Unit, fault: ServerFault) -> str:
        name = hashlib.md5(unit["url"].encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        text = readable(unit, self._head.get("encoding", UTF_16))
        told = {"error": fault.number, "reason": str(fault), **self._head, "unit": text}
        WholeFolder(self._folder, syncs_names=True).write(f"{name}.json", json.dumps(told, ensure_ascii=False).encode())
        return f"{unit['url']}: {fault} ({fault.number})"


def answer_to(writer: BatchWriter, order: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """Do what is asked; returns the answer."""
    try:
        writer.check()
        if "write" not in order:
            return {"ok": True}
        deadly = order["deadly"] or []
        tell({"at": -1})
        batch = Batch(Path(order["write"]), doubt=order["doubt"], deadly=deadly)
        step = 1 if order["deadly"] is not None else max(1, len(batch.units))
        for start in range(0, len(batch.units), step):
            if start not in deadly:
                tell({"at": start})
                batch.write(writer, range(start, start + step))
        tell({"at": None})
        return batch.outcome()
    except ServerFault as fault:
        writer.close()
        text = f"{fault}; {fault.help}" if fault.help else str(fault)
        return {"refusal" if fault.blame is Blame.PEOPLE else "away": text, "help": fault.help}
    except Damaged as error:
        return {"damaged": str(error)}
    except OSError as error:
        return {"away": f"what it refuses can't be kept: {error}"}


def main(orders: IO[str], answers: IO[str]) -> None:
    """Answer orders until the crawl ends, or is killed: then at once, and what was under way is rolled back."""
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, lines), daemon=True).start()
    writer = BatchWriter(ServerConfig(**json.loads(lines.get())["server"]))

    def tell(answer: Any) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    with suppress(BrokenPipeError):
        while True:
            tell(answer_to(writer, json.loads(lines.get()), tell))


def _listen(orders: IO[str], lines: SimpleQueue[str]) -> None:
    for line in orders:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
