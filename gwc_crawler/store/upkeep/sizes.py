"""How many bytes of a crawl's file each table takes, its indexes included; told in a second, however large the file is.

SQLite tells it by walking over a table's pages (`dbstat`). The table `pages`, which is nearly all of a large file, is
not walked over: it has what the others leave.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gwc_crawler.store.sqlite import CrawlDatabase

BUDGET_SECONDS = 1.0
"""For all tables; those that are not reached by then are told as one."""

REST = "rest"
LARGEST = "pages"

_STEPS = 2_000
"""Of SQLite's machine, between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class FileSizes:
    """Bytes on disk.

    Attributes:
        file: of the database, with what is free in it.
        log: of the write-ahead log beside it.
        free: what `scrapy vacuum` would give back at least.
        tables: of each table, the largest first; "rest" are those that there was no time for. Empty where this SQLite
            can't tell.
    """

    file: int
    log: int
    free: int
    tables: dict[str, int] = field(default_factory=dict)


def file_sizes(path: Path, clock: Callable[[], float] = time.monotonic) -> FileSizes | None:
    """Look at a crawl's file, which others may be writing to; None where there is none.

    Raises:
        StoreError: it can't be read.
    """
    if not path.is_file():
        return None
    log = path.with_name(f"{path.name}-wal")
    with CrawlDatabase(path, read_only=True, known_urls=2) as database, database.errors():
        ask = database.connection.execute
        page_bytes, pages, free = (
            int(ask(f"PRAGMA {name}").fetchone()[0]) for name in ("page_size", "page_count", "freelist_count")
        )
        tables = _tables(database.connection, page_bytes * (pages - free), clock)
    log_bytes = log.stat().st_size if log.is_file() else 0
    return FileSizes(path.stat().st_size, log_bytes, page_bytes * free, tables)


def _tables(connection: sqlite3.Connection, used: int, clock: Callable[[], float]) -> dict[str, int]:
    deadline = clock() + BUDGET_SECONDS
    connection.set_progress_handler(lambda: int(clock() > deadline), _STEPS)
    found: dict[str, int] = {}
    left: list[str] = []
    try:
        for table, parts in _parts(connection).items():
            size = None if table == LARGEST else _size(connection, parts)
            if size is None:
                left.append(table)
            else:
                found[table] = size
    except sqlite3.OperationalError:  # this SQLite is built without dbstat
        return {}
    finally:
        connection.set_progress_handler(None, 0)
    if left:
        found[left[0] if len(left) == 1 else REST] = max(0, used - sum(found.values()))
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _parts(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return table → its own name and those of its indexes."""
    parts: dict[str, list[str]] = {"sqlite_schema": ["sqlite_schema"]}
    rows = connection.execute("SELECT tbl_name, name FROM sqlite_schema WHERE rootpage > 0 ORDER BY tbl_name, name")
    for table, name in rows:
        parts.setdefault(table, []).append(name)
    return parts


def _size(connection: sqlite3.Connection, parts: list[str]) -> int | None:
    """Return the bytes of a table and its indexes; None: there was no time. Each is a short transaction of its own."""
    total = 0
    for name in parts:
        try:
            row = connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name = ?", (name,)).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_INTERRUPT":
                raise
            return None
        total += row[0] or 0
    return total
