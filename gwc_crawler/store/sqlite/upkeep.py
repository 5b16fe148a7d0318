"""A crawl's file looked at and made smaller: how many bytes each table takes, told in a second; `scrapy vacuum`.

SQLite tells it by walking over a table's pages (`dbstat`). The table `pages`, which is nearly all of a large file, is
not walked over: it has what the others leave.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gwc_crawler.errors import StoreError
from gwc_crawler.store.reading import RECORDS_AT_ONCE
from gwc_crawler.store.sqlite.bodies import dictionary_of
from gwc_crawler.store.sqlite.database import CrawlDatabase

BUDGET_SECONDS = 1.0
"""For all tables; those that are not reached by then are told as one."""

REST = "rest"
LARGEST = "pages"

_STEPS = 2_000
"""Of SQLite's machine, between two looks at the clock, or whether Ctrl-C was pressed."""


@dataclass(frozen=True, slots=True)
class FileSizes:
    """Bytes on disk: of the database with what is free in it, of its log, of what `scrapy vacuum` would give back at
    least.

    `tables`: of each table, the largest first; "rest" are those that there was no time for. Empty where this SQLite
    can't
    tell.
    """

    file: int
    log: int
    free: int
    tables: dict[str, int] = field(default_factory=dict)


def file_sizes(path: Path, clock: Callable[[], float] = time.monotonic) -> FileSizes | None:
    """Look at a crawl's file, which others may be writing to; None where there is none."""
    if not path.is_file():
        return None
    log = path.with_name(f"{path.name}-wal")
    with CrawlDatabase(path, read_only=True) as database, database.errors():
        page_bytes, pages, free = _pages_of(database)
        tables = _tables(database.connection, page_bytes * (pages - free), clock)
    log_bytes = log.stat().st_size if log.is_file() else 0
    return FileSizes(path.stat().st_size, log_bytes, page_bytes * free, tables)


def _pages_of(database: CrawlDatabase) -> list[int]:
    return [int(database.rows(f"PRAGMA {name}")[0][0]) for name in ("page_size", "page_count", "freelist_count")]


def _tables(connection: sqlite3.Connection, used: int, clock: Callable[[], float]) -> dict[str, int]:
    deadline = clock() + BUDGET_SECONDS
    parts = connection.execute("SELECT tbl_name, name FROM sqlite_schema WHERE rootpage > 0 ORDER BY tbl_name, name")
    found: Counter[str] = Counter()
    left: set[str] = set()
    connection.set_progress_handler(lambda: int(clock() > deadline), _STEPS)
    try:
        for table, name in [("sqlite_schema", "sqlite_schema"), *parts.fetchall()]:
            size = None if table == LARGEST else _size(connection, name)
            found[table] += size or 0
            if size is None:
                left.add(table)
    except sqlite3.OperationalError:  # this SQLite is built without dbstat
        return {}
    finally:
        connection.set_progress_handler(None, 0)
    sizes = {table: size for table, size in found.most_common() if table not in left}
    if left:
        sizes[left.pop() if len(left) == 1 else REST] = max(0, used - sum(sizes.values()))
    return dict(sorted(sizes.items(), key=lambda one: -one[1]))


def _size(connection: sqlite3.Connection, name: str) -> int | None:
    try:
        return connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name = ?", (name,)).fetchone()[0] or 0
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return None


# --- A crawl's file made smaller --------------------------------------------------------------------------------------


SAMPLES = 50
"""Pages that a dictionary is made of, from everywhere in the file; as many others judge it."""
WORTH = 0.9
"""A dictionary takes the place of another if it packs pages to so much of their size."""


@dataclass(slots=True)
class Vacuumed:
    """What was done: pages packed anew, and the file's bytes before and after."""

    repacked: int = 0
    bytes_before: int = 0
    bytes_after: int = 0


def vacuum(path: Path, advance: Callable[[str, int, int | None], object] = lambda step, done, of: None) -> Vacuumed:
    """Pack the pages of a crawl's file anew, and give back what is free in it.

    Args:
        advance: told the step under way ("packing", "writing anew"), how much of it is done, and of how much.
    Raises:
        StoreError: a crawl is running, the disk is full or has too little room; the file is as good as before.
        KeyboardInterrupt: Ctrl-C; the same.
    """
    os.environ.setdefault("SQLITE_TMPDIR", str(path.resolve().parent))  # /tmp may be small, or in memory
    done = Vacuumed(bytes_before=_bytes_of(path))
    with CrawlDatabase(path) as database:
        database.lock(f"process {os.getpid()}, which vacuums it")
        if database.rows("SELECT 1 FROM pages WHERE html IS NOT NULL LIMIT 1"):
            done.repacked = _repack(database, advance)
        _require_room(database)
        advance("writing anew", 0, None)
        with database.errors(), _interruptible(database.connection):
            database.connection.execute("PRAGMA temp_store = FILE")
            database.connection.execute("VACUUM")
            database.connection.execute("PRAGMA busy_timeout = 0")  # the log of who still reads an older state stays
            database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    done.bytes_after = _bytes_of(path)
    return done


def _repack(database: CrawlDatabase, advance: Callable[[str, int, int | None], object]) -> int:
    """Pack all pages by one dictionary; returns how many were packed otherwise."""
    if not _choose_dictionary(database):
        return 0
    ((last,),) = database.rows("SELECT coalesce(max(id), 0) FROM pages")
    changed, rows = 0, [(-1, b"")]
    query = "SELECT id, html FROM pages WHERE id > ? AND html IS NOT NULL ORDER BY id LIMIT ?"
    while rows := database.rows(query, (rows[-1][0], RECORDS_AT_ONCE)):
        with database.transaction() as connection:
            packed = [(database.bodies.pack(database.bodies.unpack(html)), number) for number, html in rows]
            smaller = [new for new, (_, old) in zip(packed, rows, strict=True) if new[0] != old]
            connection.executemany("UPDATE pages SET html = ? WHERE id = ?", smaller)
        changed += len(smaller)
        advance("packing", rows[-1][0], last)
    return changed


def _choose_dictionary(database: CrawlDatabase) -> bool:
    """Take into use what packs pages from everywhere in the file best; False: there is none, deflate stays."""
    with database.transaction():
        pages = _spread(database, 2 * SAMPLES)
        bodies = database.bodies
        has_one = bodies.settle()
        judges = pages[1::2]
        before = sum(len(bodies.pack(page)) for page in judges)
        made = dictionary_of(pages[::2])
        if made is None or bodies.packed_size(judges, made) >= WORTH * before:
            return has_one
        bodies.keep(made, len(pages[::2]))
        return True


def _spread(database: CrawlDatabase, count: int) -> list[bytes]:
    """Return so many bodies at most, evenly from the file's rows; in an order that has nothing to do with theirs."""
    ((low, high),) = database.rows("SELECT min(id), max(id) FROM pages")
    places = sorted({low + (high - low) * number // count for number in range(count)})
    query = "SELECT id, html FROM pages WHERE id >= ? AND html IS NOT NULL ORDER BY id LIMIT 1"
    found = dict(row for place in places for row in database.rows(query, (place,)))
    return [database.bodies.unpack(html) for html in found.values()]


def _require_room(database: CrawlDatabase) -> None:
    """Refuse to begin what a full disk would end: the file is written twice, aside and into its log."""
    size, pages, free = _pages_of(database)
    needed, there = 2 * size * (pages - free), shutil.disk_usage(database.path.parent).free
    if there < needed:
        raise StoreError(
            f"{database.path}: to be written anew it takes {needed / 1e6:,.0f} MB for a while, and the disk has "
            f"{there / 1e6:,.0f} MB; free some space and run again, nothing was lost"
        )


@contextmanager
def _interruptible(connection: sqlite3.Connection) -> Iterator[None]:
    connection.set_progress_handler(lambda: 0, _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname == "SQLITE_INTERRUPT":
            raise KeyboardInterrupt from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _bytes_of(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.is_file())
