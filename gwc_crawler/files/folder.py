"""A folder on disk whose files are there whole or not at all."""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path


class WholeFolder:
    """Writes files beside their places and moves them there when they are safe.

    What processes have left behind that were killed while they wrote is removed by the next that opens the folder.
    Several may write at once.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts = root / ".parts"
        if self._parts.is_dir():
            for part in self._parts.iterdir():
                _remove_abandoned(part)

    def write(self, path: str, body: bytes) -> None:
        """Write the file at *path*, in the place of what is there. When this returns, it is on disk.

        Raises:
            OSError: it can't be written.
        """
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        self._parts.mkdir(exist_ok=True)
        try:
            self._write(place, body)
        except FileNotFoundError:  # another process has opened the folder before this one could lock its part
            self._write(place, body)

    def _write(self, place: Path, body: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self._parts)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
                part.chmod(0o644)
                part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _remove_abandoned(part: Path) -> None:
    """Remove a part that nobody writes any more."""
    with suppress(OSError), part.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink()
