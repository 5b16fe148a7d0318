"""What SQLite's errors mean for a person, and what helps."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_HELP = {
    "SQLITE_FULL": "the disk is full; free some space and run again, what was committed is safe",
    "SQLITE_READONLY": "the file or its directory can't be written; mend its permissions or set GWC_DATA_DIR",
    "SQLITE_PERM": "the file can't be read or written; mend its permissions or set GWC_DATA_DIR",
    "SQLITE_CANTOPEN": "it can't be opened; check that its directory can be written, or set GWC_DATA_DIR",
    "SQLITE_BUSY": "another process keeps the file locked; wait for it or stop it, then run again",
    "SQLITE_LOCKED": "another process keeps the file locked; wait for it or stop it, then run again",
    "SQLITE_NOTADB": "this is not a database; move it away or set GWC_DATA_DIR",
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


def explain_damage(path: Path, found: str) -> str:
    """One line for a person: what SQLite's check *found* wrong in which file, and what helps."""
    return f"{path}: {found}: {_HELP['SQLITE_CORRUPT']}"
