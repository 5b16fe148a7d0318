"""The process that writes: one connection, one batch at a time, from files that the crawl has made safe before.

`python -m gwc_crawler.store.mssql.writing.writer`; a line of JSON on stdin is an order, a line on stdout its answer:

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
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from gwc_crawler.store.mssql.batches import decode, readable
from gwc_crawler.store.mssql.config import ServerConfig
from gwc_crawler.store.mssql.spool import Damaged, unpack
from gwc_crawler.store.mssql.state import REFUSED
from gwc_crawler.store.mssql.writing.batch import BatchTable
from gwc_crawler.store.mssql.writing.server import ServerConnection, ServerFault
from gwc_crawler.store.mssql.writing.sql_schema import migrate
from gwc_crawler.store.mssql.writing.staged import Unit

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
        self._server = ServerConnection(self._config)
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
        if len(blamed) == len(units):
            raise blamed[0][1]
        for unit, fault in blamed:
            refused.keep(unit, fault)
        return {"ok": True, "pages": len(units) - refused.count, "refused": refused.count, "why": refused.first}

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
        text = json.dumps(told, ensure_ascii=False)
        half = self._directory / f"{name}.half"
        with half.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        half.replace(self._directory / f"{name}.json")
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
