"""Who crawls into a database: a lock beside the file, held until its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

LOCK_TRIES = 4
LOCK_PAUSE_SECONDS = 0.02


def take_lock(path: Path, who: str = "") -> IO[str] | None:
    """Lock the database at *path* for this process until what is returned is closed; None: another process has it.

    Args:
        who: named to those that are kept off; "" for the number of this process.
    Raises:
        OSError: the lock's file can't be written.
    """
    file = path.with_suffix(".lock").open("a+")
    if not _is_taken(file):
        file.close()
        return None
    file.truncate(0)
    file.write(f"{who or f'process {os.getpid()}'}\n")
    file.flush()
    return file


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


def _is_taken(file: IO[str]) -> bool:
    """Lock *file* for one process; waits a moment, because who only looks (`crawl_holder`) holds it for an instant."""
    for turn in range(LOCK_TRIES):
        if turn:
            time.sleep(LOCK_PAUSE_SECONDS)
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False
