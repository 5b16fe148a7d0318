"""Who links to a page: an index of the links by their ends, made when somebody asks, dropped by the next crawl.

A crawl that had to keep it would pay .1 to .3 ms a page at a million links and 1 ms at five (a whole page costs 3 ms);
without it, a question costs a scan of all links: .05 s of CPU a million. Making it takes .8 s a million, dropping .02.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress

from gwc_crawler.errors import StoreError
from gwc_crawler.store.sqlite.database import CrawlDatabase

LEAST_LINKS = 1_000_000
"""With fewer links a scan is as fast as the rest of a command."""

_INTERRUPTIBLE_STEPS = 100_000
"""Of SQLite's machine, between two looks whether Ctrl-C was pressed."""


def index_links(database: CrawlDatabase, note: Callable[[str], None]) -> None:
    """Make the index in the file of *database*, which may be open for reading only.

    Nothing happens where it is there already, where a scan is fast, and where a crawl writes to the file or nobody can:
    then questions are answered by a scan.

    Args:
        note: told what takes a while, before it does.
    """
    if has_link_index(database) or not _has_many_links(database):
        return
    with suppress(StoreError), CrawlDatabase(database.path) as own:
        own.lock(f"process {os.getpid()}, which indexes its links")
        note(f"{database.path}: indexing who links to whom, once until the next crawl …")
        with own.transaction():
            own.connection.set_progress_handler(lambda: 0, _INTERRUPTIBLE_STEPS)
            try:
                own.connection.execute("CREATE INDEX IF NOT EXISTS links_by_end ON link_ids (dst)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname == "SQLITE_INTERRUPT":
                    raise KeyboardInterrupt from error
                raise
            finally:
                own.connection.set_progress_handler(None, 0)


def drop_link_index(database: CrawlDatabase) -> None:
    """Let a crawl begin without it."""
    if has_link_index(database):
        with database.transaction():
            database.connection.execute("DROP INDEX IF EXISTS links_by_end")


def has_link_index(database: CrawlDatabase) -> bool:
    """Say whether the index is there."""
    with database.errors():
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'links_by_end'"
        return database.connection.execute(query).fetchone() is not None


def _has_many_links(database: CrawlDatabase) -> bool:
    with database.errors():
        query = "SELECT count(*) FROM (SELECT 1 FROM link_ids LIMIT ?)"
        return bool(database.connection.execute(query, (LEAST_LINKS,)).fetchone()[0] >= LEAST_LINKS)
