"""The files of an archive: written one after the other, each up to a size; what a killed process has left is mended.

A file that is being written is called `….warc.gz.open` and locked; when it is whole it loses that tail. Whoever opens
the archive cuts off the half record at the end of those that nobody writes any more.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from isal import isal_zlib

from gwc_crawler.archive.warc_records import GZIP

logger = logging.getLogger(__name__)

OPEN = ".open"
READ_BYTES = 1 << 20


class Segments:
    """Where records are appended.

    Args:
        prefix: folder and beginning of the names.
        max_bytes: a file that has so many is closed, and another one begun; one exchange is never torn in two.
        begin: name of a new file → its first record.

    Raises:
        OSError: the folder can't be made or read; also from the methods.
    """

    def __init__(self, prefix: Path, max_bytes: int, begin: Callable[[str], bytes]) -> None:
        self._prefix = prefix
        self._max_bytes = max_bytes
        self._begin = begin
        self._serial = 0
        self._file: FileIO | None = None
        self._path = prefix
        self._buffer = bytearray()
        self._safe_bytes = 0
        prefix.parent.mkdir(parents=True, exist_ok=True)
        for left in sorted(prefix.parent.glob(f"{prefix.name}-*.warc.gz{OPEN}")):
            mend(left)

    def append(self, records: bytes) -> None:
        """Put whole records behind the others; they are in memory until `flush`, or until they are many."""
        if self._file is None:
            self._open()
        self._buffer += records
        if len(self._buffer) >= READ_BYTES:
            self._write()

    def flush(self) -> None:
        """Have all that was appended on disk; then begin another file if this one is large enough."""
        if self._file is None:
            return
        self._write()
        os.fsync(self._file.fileno())
        if self._safe_bytes >= self._max_bytes:
            self._finish()

    def close(self) -> None:
        """Have all on disk, and give the last file its name."""
        try:
            self.flush()
            if self._file is not None:
                self._finish()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave the file to whoever opens the archive next."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> None:
        self._path, name = self._free_name()
        self._file = file = FileIO(f"{self._path}{OPEN}", "xb")
        fcntl.flock(file, fcntl.LOCK_EX)
        self._safe_bytes = 0
        self._buffer += self._begin(name)

    def _free_name(self) -> tuple[Path, str]:
        """Return a name that no file has: Heritrix's, prefix-time-serial-process-host."""
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")[:17]
        while True:
            self._serial += 1
            name = f"{self._prefix.name}-{stamp}-{self._serial:05d}-{os.getpid()}-{socket.gethostname()}.warc.gz"
            path = self._prefix.parent / name
            if not path.exists() and not Path(f"{path}{OPEN}").exists():
                return path, name

    def _write(self) -> None:
        """Write what is in memory, or nothing of it."""
        assert self._file is not None
        try:
            rest = memoryview(bytes(self._buffer))
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), self._safe_bytes)
                self._file.seek(self._safe_bytes)
            raise
        self._safe_bytes += len(self._buffer)
        self._buffer.clear()

    def _finish(self) -> None:
        assert self._file is not None
        Path(f"{self._path}{OPEN}").rename(self._path)
        self._file.close()
        self._file = None


def mend(path: Path) -> None:
    """Cut off what is no whole record at the end of a file that nobody writes any more, and give it its name.

    Cost: it is unpacked once, some hundred MB a second.
    """
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another worker is at it
            return
        size, whole = path.stat().st_size, _whole_bytes(file)
        if whole < size:
            logger.info("half a record is cut off file=%s bytes=%d", path.name, size - whole)
            file.truncate(whole)
            os.fsync(file.fileno())
        if whole:
            path.rename(str(path).removesuffix(OPEN))
        else:
            path.unlink()


def _whole_bytes(file: object) -> int:
    """Return how many bytes the whole gzip members at the beginning of a file take."""
    whole = read = 0
    member = isal_zlib.decompressobj(GZIP)
    while data := file.read(READ_BYTES):  # type: ignore[attr-defined]
        while data:
            try:
                member.decompress(data)
            except isal_zlib.error:  # type: ignore[misc]  # it is one
                return whole
            read += len(data) - len(member.unused_data)
            data = member.unused_data
            if not member.eof:
                break
            whole = read
            member = isal_zlib.decompressobj(GZIP)
    return whole
