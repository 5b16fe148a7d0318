"""The file a command writes: whole or not at all, and never over something that it did not write itself.

What is written goes to a file of its own beside the target, which takes the target's name when it is complete. Killed
before, it leaves that file, hidden (`.NAME.part`); the next run of the command writes it anew.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gwc_crawler.errors import InputError, StoreError

BOOK = "outputs.json"
"""In a site's directory: path → size and time of what was written there."""

_SQLITE = b"SQLite format 3\0"
_OURS = b"GWC"
"""How the mark of our databases begins: bytes 68 to 71 of an SQLite file (its format, section 1.3.10)."""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to be written.

    Attributes:
        path: where.
        overwrites: also over what somebody else has written there (`-O`).
        book: where it is noted what was written (`BOOK`); a file that stands there as noted is replaced by `-o`, too.
    """

    path: Path
    overwrites: bool
    book: Path

    def check(self) -> None:
        """Look whether it may be written, before any work is done.

        Raises:
            InputError: it is a directory, a file of somebody else's, or one that a crawl lives by, which no option
                overwrites.
            StoreError: its directory is not there, or can't be written.
        """
        if self.path.is_dir():
            raise InputError(f"{self.path} is a directory; name a file")
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"{self.path} is a device or a pipe; write to standard output (`-o -`) and lead it there")
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.path}: there is no directory {self.path.parent}; make it first")
        if not os.access(self.path.parent, os.W_OK):
            raise StoreError(f"{self.path.parent} can't be written (Permission denied); name another directory")
        if not self.path.exists() or self._noted().get(self._key) == _state(self.path):
            return
        if self._is_of_a_crawl():
            raise InputError(f"{self.path} is what a crawl keeps its state in; name another file")
        if not self.overwrites:
            raise InputError(
                f"{self.path} is there already, and was not written by this command, or has been changed since; "
                "-O overwrites it"
            )

    def _is_of_a_crawl(self) -> bool:
        """Say whether the present file is one of a crawl's own: what stands in the site's directory, or a database
        with our mark anywhere."""
        real = self.path.resolve()
        with self._errors(), real.open("rb") as file:
            head = file.read(72)
        return real.parent == self.book.parent.resolve() or (head.startswith(_SQLITE) and head[68:71] == _OURS)

    @contextmanager
    def opened(self) -> Iterator[tuple[Path, IO[bytes]]]:
        """Give the path and file that become the target if the block ends well.

        Raises:
            StoreError: it can't be written, or another process is writing it.
        """
        real = self.path.resolve()  # a link stays one
        part = real.with_name(f".{real.name}.part")
        with self._errors(), part.open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self.path} is being written by another process; wait for it") from None
            try:
                with part.open("wb") as file:
                    yield part, file
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(real)
            except BaseException:
                with suppress(OSError):
                    part.unlink()
                raise
        self._note()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StoreError(
                f"{self.path} can't be written: {error.strerror or error}; what was there before is unchanged"
            ) from error

    @property
    def _key(self) -> str:
        return str(self.path.resolve())

    def _noted(self) -> dict[str, list[int]]:
        try:
            noted = json.loads(self.book.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _note(self) -> None:
        """Note what was written; where that fails, the next run asks for -O."""
        noted = {path: state for path, state in self._noted().items() if Path(path).exists()}
        noted[self._key] = _state(self.path)
        with suppress(OSError):
            part = self.book.with_name(f".{self.book.name}.{os.getpid()}")
            part.write_text(json.dumps(noted, indent=1), encoding="utf-8")
            part.replace(self.book)


def _state(path: Path) -> list[int]:
    """Size and time of a file's content."""
    found = path.stat()
    return [found.st_size, found.st_mtime_ns]
