"""One SQLite file that survives `kill -9`: how it is opened, checked and made; its transactions; who may crawl into it.

`CrawlDatabase` turns every SQLite error into a `StoreError` that names the file and what helps; one serves one thread
at a time. The frontier and the store add their own tables.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

from gwc_crawler.errors import StoreError, room_or
from gwc_crawler.store.sqlite.bodies import Bodies
from gwc_crawler.urls import host_of, url_key

# --- What SQLite's errors mean for a person, and what helps -----------------------------------------------------------


_HELP = {
    "SQLITE_FULL": "the disk is full; free some space and run again, what was committed is safe",
    "SQLITE_READONLY": "the file or its directory can't be written; mend its permissions or set GWC_DATA_DIR",
    "SQLITE_PERM": "the file can't be read or written; mend its permissions or set GWC_DATA_DIR",
    "SQLITE_CANTOPEN": "it can't be opened; check that its directory can be written, or set GWC_DATA_DIR",
    "SQLITE_BUSY": "another process keeps the file locked; wait for it or stop it, then run again",
    "SQLITE_LOCKED": "another process keeps the file locked; wait for it or stop it, then run again",
    "SQLITE_NOTADB": "it is none of ours, or was overwritten; move it away and crawl again, or set GWC_DATA_DIR",
    "SQLITE_CORRUPT": "the file is damaged; move it away (`sqlite3 FILE .recover` may save its rows) and crawl again",
    "SQLITE_IOERR": "the disk failed or is full; check it and run again, what was committed is safe",
}


def explain(path: Path, error: sqlite3.Error) -> str:
    """One line for a person: what SQLite said of which file, and what helps."""
    if path.is_dir():
        return f"{path}: this is a directory, not a database; move it away or set GWC_DATA_DIR"
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, help_text in _HELP.items():
        if name.startswith(prefix):
            return f"{path}: {error}: {help_text}"
    return f"{path}: {error}"


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn `sqlite3.Error` and `OSError` into a `StoreError` that names the file and what helps."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(explain(path, error)) from error
    except OSError as error:
        helps = room_or("check its directory", error)
        raise StoreError(f"{path} can't be used: {error.strerror or error}; {helps}") from error


# --- The table `urls`, which frontier and store share, and the number that each URL has in it -------------------------


class UrlTable:
    """URL → number, for all who write into one database.

    A URL that was seen lately costs one dict lookup: the cache is emptied when it holds *known_urls*. Two URLs with
    equal
    64-bit MD5 count as one (expect the first such pair near five billion URLs).
    """

    def __init__(self, database: CrawlDatabase, known_urls: int) -> None:
        self._database, self._most = database, known_urls
        self._known: dict[str, int] = {}

    def ids(self, urls: Sequence[str]) -> list[int]:
        """The number of each URL, in order; unknown ones are entered (state NULL), so a transaction must be open."""
        found = list(map(self._known.get, urls))
        if None not in found:
            return found  # type: ignore[return-value]  # no None is left in it
        if len(self._known) > self._most:
            self._known.clear()
        keys = {url: url_key(url) for url in dict.fromkeys(urls) if url not in self._known}
        known = "SELECT md5, id FROM urls WHERE md5 IN (SELECT value FROM json_each(?))"
        numbers = dict(self._database.rows(known, (json.dumps(list(keys.values())),)))
        if len(numbers) < len(keys):
            self._insert(keys, numbers)
        self._known.update((url, numbers[key]) for url, key in keys.items())
        return [self._known[url] for url in urls]

    def find(self, url: str) -> int | None:
        """Return the number of *url*, or None if it was never seen."""
        rows = self._database.rows("SELECT id FROM urls WHERE md5 = ?", (url_key(url),))
        return rows[0][0] if rows else None

    def forget(self) -> None:
        """Empty the cache."""
        self._known.clear()

    def _insert(self, keys: Mapping[str, int], numbers: dict[int, int]) -> None:
        ((last,),) = self._database.rows("SELECT coalesce(max(id), 0) FROM urls")
        rows: list[tuple[int, str, int, str]] = []
        for url, key in keys.items():
            if key not in numbers:
                numbers[key] = last + len(rows) + 1
                rows.append((numbers[key], url, key, host_of(url)))
        self._database.connection.executemany("INSERT INTO urls (id, url, md5, host) VALUES (?, ?, ?, ?)", rows)


# --- Who crawls into a database: a lock beside the file, held until its process ends, however it ends -----------------


LOCK_TRIES = 4
PAUSE_SECONDS = 0.02
"""Between two looks whether another process is done."""


def take_lock(path: Path, who: str = "") -> IO[str] | None:
    """Lock the database at *path* for this process until what is returned is closed; None: another process has it.

    *who* is named to those that are kept off; "" for the number of this process. OSError: the lock can't be written.
    """
    file = path.with_suffix(".lock").open("a+")
    for turn in range(LOCK_TRIES):  # who only looks (`crawl_holder`) holds it for an instant
        if turn:
            time.sleep(PAUSE_SECONDS)
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            file.write(f"{who or f'process {os.getpid()}'}\n")
            file.flush()
            return file
    file.close()
    return None


def crawl_holder(path: Path) -> str | None:
    """Who holds the crawl lock of the database at *path* ("process 4711"), or None if nobody does; for looking."""
    try:
        file = path.with_suffix(".lock").open()
    except OSError:
        return None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read().strip() or "another process"
    return None


APPLICATION_ID = 0x47574331
"""Marks a file as ours ("GWC1" in ASCII), for `file` and for `PRAGMA application_id`; of what kind, its name says."""

KINDS = {"crawl.db": (0x47574343, "a crawl's database"), "samples.db": (0x47574353, "a pre-crawl's database")}
"""File name → the mark of a file that was made under it ("GWCC", "GWCS"), and what such a file is."""

SCHEMA_VERSION = 4
"""`PRAGMA user_version` of the files this version writes; one with another number is refused."""

PAGE_BYTES = 16_384
"""A page's texts fill some of them: SQLite's own 4,096 make a commit cost two to three times as much CPU."""

CACHE_KB = 4_096
"""A batch fits. What more of these large pages lies about between the parser's trees costs four times its size in
memory, and brings nothing.
"""

BUSY_SECONDS = 10.0
"""So long a writer waits for another process that is writing to the same file, unless told otherwise."""

MAKING_SECONDS = 5.0
"""So long a reader waits for the tables of a file that was just made."""


class CrawlDatabase:
    """A SQLite file with the state of a crawl, which is always there: `data/<site>/crawl.db` or `samples.db`.

    Pages and records may be in it, too: that is `SqliteSink`, one of the `RecordSink`s.

    Args:
        path: the file; it and its directory are made when missing.
        read_only: for looking while a crawl runs: nothing is made, changed or locked.
        known_urls: how many URLs the in-process cache of `urls` holds (about 250 bytes each).
        busy_seconds: how long a writer waits for another process that is writing.

    Raises:
        StoreError: the file can't be opened, is not ours, or was written by another version.
    """

    def __init__(
        self, path: Path | str, *, read_only: bool = False, known_urls: int = 300_000, busy_seconds: float | None = None
    ) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._busy_seconds = BUSY_SECONDS if busy_seconds is None else busy_seconds
        self._in_transaction = False
        self._lock: IO[str] | None = None
        self._rollback_hooks: list[Callable[[], None]] = []
        self.connection = self._open()
        try:
            self._check_or_create()
        except BaseException:
            self.connection.close()
            raise
        self.urls = UrlTable(self, known_urls)
        self.bodies = Bodies(self.connection)
        self.on_rollback(self.urls.forget)
        self.on_rollback(self.bodies.forget)

    def _open(self) -> sqlite3.Connection:
        with self.errors():
            if self.read_only and not self.path.exists():
                raise StoreError(f"there is no database {self.path}; crawl or learn the site first")
            if not self.read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            return sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={'ro' if self.read_only else 'rwc'}",
                uri=True,
                timeout=self._busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )

    def _check_or_create(self) -> None:
        with self.errors():
            self.connection.execute("PRAGMA temp_store = MEMORY")
            self.connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
            self.connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file; another one keeps its own
            tables = self._count_tables()
            if tables or self.read_only:
                self._check_version()
            if self.read_only:
                return
            self._write_ahead()
            self.connection.execute("PRAGMA synchronous = NORMAL")
            if not tables:  # another process may make them at the same time
                mark, _ = KINDS.get(self.path.name, (APPLICATION_ID, ""))
                marks = f"PRAGMA application_id = {mark}; PRAGMA user_version = {SCHEMA_VERSION};"
                made = files(__package__).joinpath("tables.sql").read_text("utf-8")
                self.connection.executescript(f"BEGIN IMMEDIATE; {marks} {made} COMMIT")

    def _count_tables(self) -> int:
        """Return how many tables there are; who only reads gives a process that is just making them a moment."""
        deadline = time.monotonic() + MAKING_SECONDS
        while True:
            (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables or not self.read_only or time.monotonic() > deadline:
                return int(tables)
            time.sleep(PAUSE_SECONDS)

    def _write_ahead(self) -> None:
        """Turn the write-ahead log on; SQLite's own timeout does not hold where several processes do so at once."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE_SECONDS)

    def _check_version(self) -> None:
        application = self.connection.execute("PRAGMA application_id").fetchone()[0]
        kinds = dict(KINDS.values())
        if application != APPLICATION_ID and application not in kinds:
            raise StoreError(f"{self.path} belongs to another program; name another data directory (GWC_DATA_DIR)")
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA_VERSION:
            helps = "update gwc-crawler, or" if version > SCHEMA_VERSION else "move it away, or"
            raise StoreError(
                f"{self.path} has schema version {version}, this program knows {SCHEMA_VERSION}; "
                f"{helps} name another data directory (GWC_DATA_DIR)"
            )
        wanted, what = KINDS.get(self.path.name, (application, ""))
        if application != wanted:
            found = kinds.get(application, "a file of another name")
            raise StoreError(
                f"{self.path} is {found}, not {what}: it was moved or copied there; put the right file in its place, "
                "or move it away and run again"
            )

    def rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        """Return what a query gives, all of it in memory; for reads outside a transaction, too."""
        with self.errors():
            return self.connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. An inner transaction joins the outer one; any exception rolls the whole back."""
        with self.errors():
            if self._in_transaction:
                yield self.connection
                return
            self.connection.execute("BEGIN IMMEDIATE")
            self._in_transaction = True
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has rolled it back already
                    with suppress(sqlite3.Error):
                        self.connection.execute("ROLLBACK")
                for forget in self._rollback_hooks:
                    forget()
                raise
            finally:
                self._in_transaction = False

    def on_rollback(self, forget: Callable[[], None]) -> None:
        """Have *forget* called after each rollback: what memory knew of the transaction is no longer true."""
        self._rollback_hooks.append(forget)

    def look_for_damage(self, seconds: float) -> bool:
        """Read the file as SQLite checks it (`PRAGMA quick_check`); whether all of it was read within *seconds*.

        Raises:
            StoreError: it is damaged.
        """
        deadline = time.monotonic() + seconds
        timer = threading.Timer(seconds, self.connection.interrupt)  # ends what reads the file without a step between
        timer.daemon = True
        timer.start()
        self.connection.set_progress_handler(lambda: time.monotonic() >= deadline, 1000)
        try:
            with self.errors():
                found = str(self.connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        except StoreError as error:
            if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                return False
            raise
        finally:
            timer.cancel()
            self.connection.set_progress_handler(None, 0)
        if found != "ok":
            raise StoreError(f"{self.path}: {' '.join(found.split())}: {_HELP['SQLITE_CORRUPT']}")
        return True

    def errors(self) -> AbstractContextManager[None]:
        """Turn errors into `StoreError`; for reads outside a transaction."""
        return sqlite_errors(self.path)

    def lock(self, who: str = "") -> None:
        """Keep other crawls off this file until `close`, or the end of the process; StoreError: another crawl holds it.

        *who* is named to those that are kept off; "" for the number of this process.
        """
        if self._lock is not None:
            raise StoreError(f"{self.path} is already being crawled by this process; close that frontier first")
        with self.errors():
            self._lock = take_lock(self.path, who)
        if self._lock is None:
            holder = crawl_holder(self.path) or "another process"
            raise StoreError(f"{self.path} is being crawled by {holder}; wait for it or stop it, then run again")

    def unlock(self) -> None:
        """Give the crawl lock back; nothing happens without one."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def close(self) -> None:
        """Close the file; open transactions are rolled back."""
        self.unlock()
        with self.errors():
            self.connection.close()

    def __enter__(self) -> CrawlDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def has_tables(path: Path) -> bool:
    """Say whether there is a database at *path*, or one is just being made; a file without tables is none.

    Of a file that can't be looked at it is said what is wrong when it is opened.
    """
    if not path.exists() or crawl_holder(path):
        return path.exists()
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    except sqlite3.Error:
        return True


def is_crawl_database(path: Path) -> bool:
    """Say whether the file at *path* is one of ours, by its first bytes."""
    with path.open("rb") as file:
        head = file.read(72)
    mark = int.from_bytes(head[68:72], "big")
    return head.startswith(b"SQLite format 3") and mark in (APPLICATION_ID, *dict(KINDS.values()))


def quote_name(name: str) -> str:
    """Return an SQL identifier in double quotes, which may be any text.

    >>> print(quote_name('2" pipe'))
    "2"" pipe"
    """
    return '"' + name.replace('"', '""').replace("\0", "") + '"'


def literal(value: object) -> str:
    """Return a number, a text or bytes as SQL has it.

    >>> print(literal(7), literal(b"\\x01"), literal("it's"))
    7 x'01' CAST(x'69742773' AS TEXT)
    """
    if isinstance(value, int):
        return str(value)
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    return f"x'{data.hex()}'" if data is value else f"CAST(x'{data.hex()}' AS TEXT)"
