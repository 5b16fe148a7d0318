"""A file that a person has named → its text. Called for lists of cookies and of proxies."""

from __future__ import annotations

from errno import ENODEV
from pathlib import Path
from stat import S_ISDIR, S_ISREG


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, without its byte order mark.

    Raises:
        OSError: as `Path.read_text`; also for a pipe or a device, which may never end.
        UnicodeDecodeError: it is no UTF-8.
    """
    mode = path.stat().st_mode
    if not S_ISREG(mode) and not S_ISDIR(mode):
        raise OSError(ENODEV, "it is a pipe or a device, no file", str(path))
    return path.read_text(encoding="utf-8-sig")
