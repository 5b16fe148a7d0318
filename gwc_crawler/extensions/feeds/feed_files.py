"""The ways in which a feed of an earlier run continues, and the file in which it can continue in place.

`ContinuedFeeds` asks which of three ways a feed's format and storage allow, and has Scrapy's exporters write into a
`GrowingFile`, which knows how long it is.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import zlib
from collections.abc import Mapping
from enum import Enum
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlparse

from scrapy import Spider
from scrapy.extensions.feedexport import FileFeedStorage, FTPFeedStorage, StdoutFeedStorage
from scrapy.settings import BaseSettings
from scrapy.utils.python import global_object_name
from w3lib.url import file_uri_to_path

from gwc_crawler.errors import StoreError
from gwc_crawler.store.sqlite.state import FeedState

BUFFER_BYTES = 1 << 20


class Way(Enum):
    """How a feed of an earlier run goes on."""

    GROW = "goes on where it ended"
    """A local file in one of Scrapy's own formats: the part behind its last noted row is cut off."""
    ANEW = "is written anew, with the rows of the earlier runs out of the store"
    """A file that can only be written as a whole: compressed, uploaded, in a format of the project's own."""
    MORE = "gets the rows that it does not have yet"
    """Output that can't be taken back: standard output, batches, files that others append to."""


def way_of(storage: Any, exporter: type, options: Mapping[str, Any]) -> Way:
    """Say how a feed goes on."""
    if options["batch_item_count"] or isinstance(storage, StdoutFeedStorage):
        return Way.MORE
    if regular_path(storage) is not None and exporter.__module__ == "scrapy.exporters" and not postprocessed(options):
        return Way.GROW
    if isinstance(storage, FileFeedStorage):
        overwrites = storage.write_mode == "wb"
    elif isinstance(storage, FTPFeedStorage):
        overwrites = storage.overwrite
    else:
        overwrites = bool(options.get("overwrite", True))
    return Way.ANEW if overwrites else Way.MORE


def postprocessed(options: Mapping[str, Any]) -> bool:
    """Say whether the rows go through a compressor or the like before they reach the file."""
    return bool(options.get("postprocessing"))


def regular_path(storage: Any) -> Path | None:
    """Return the local file of a storage; None for a device, a pipe, or anything elsewhere."""
    if type(storage) is not FileFeedStorage:
        return None
    path = Path(storage.path)
    return path if not path.exists() or path.is_file() else None


def is_stream(storage: Any) -> bool:
    """Tell whether written data are gone at once: standard output, a pipe, a device."""
    is_file = type(storage) is FileFeedStorage
    return isinstance(storage, StdoutFeedStorage) or (is_file and regular_path(storage) is None)


def feed_key(template: str) -> str:
    """Return the name under which a feed is known: its address; for a local one, seen from the root.

    >>> feed_key("ftp://h/a.csv"), feed_key("stdout:"), feed_key("/tmp/%(time)s.csv")
    ('ftp://h/a.csv', 'stdout:', '/tmp/%(time)s.csv')
    """
    scheme = urlparse(template).scheme
    if scheme in ("", "file"):
        return str(Path(file_uri_to_path(template) if scheme else template).absolute())
    return template


def options_text(options: Mapping[str, Any]) -> str:
    """Return all options that decide how a feed's rows look; a feed with other options is another feed."""
    looks = {key: options[key] for key in sorted(options) if key != "store_empty"}
    return json.dumps(looks, default=lambda value: global_object_name(value) if callable(value) else str(value))


def size_of(path: Path) -> int:
    """Return the size of a file; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def is_untouched(path: Path, state: FeedState) -> bool:
    """Tell whether our part of the file is still as noted; the rest of the file does not matter."""
    if size_of(path) < state.length:
        return False
    crc, left = 0, state.length - state.start
    if left:
        with path.open("rb") as file:
            file.seek(state.start)
            while left and (block := file.read(min(BUFFER_BYTES, left))):
                crc, left = zlib.crc32(block, crc), left - len(block)
    return crc == state.crc


def check_feeds(settings: BaseSettings) -> None:
    """Look, before a crawl that may take hours, whether the local feeds can be written.

    Raises StoreError: the first one that can't.
    """
    for uri in map(str, settings.getdict("FEEDS")):
        if urlparse(uri).scheme not in ("", "file") or "%(" in uri:
            continue
        path = Path(feed_key(uri))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.is_file():
                is_new = not path.exists()
                path.open("ab").close()
                if is_new:
                    path.unlink()
            elif path.is_dir():
                raise IsADirectoryError(21, "it is a directory")
        except OSError as error:
            raise unwritable(uri, error) from error


def unwritable(uri: str, error: BaseException) -> StoreError:
    """Return the error that ends a crawl whose feed can't be written."""
    what = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if isinstance(error, BlockingIOError):
        what = "another process is writing it: give each its own file"
    return StoreError(
        f"feed {uri}: can't be written ({what}); mend that, or name another file, and run again: what was crawled is "
        "in the store, and the next run writes the rows that are missing"
    )


class GrowingFile(BufferedIOBase):
    """A local file that continues from a place, and knows its length and checksum; exporters write into it.

    While it is `muted` nothing is written: an exporter is brought to its state at the beginning of the file.

    Raises BlockingIOError: another process is writing it.
    """

    def __init__(self, path: Path, state: FeedState) -> None:
        super().__init__()
        self.length = state.length
        self.crc = state.crc
        self.muted = False
        self._pending = bytearray()
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                os.ftruncate(self._descriptor, self.length)
                os.lseek(self._descriptor, self.length, os.SEEK_SET)
        except BaseException:
            os.close(self._descriptor)
            self._descriptor = -1
            raise

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Take bytes; they are in the file after `flush`."""
        if not self.muted:
            self._pending += data
            self.length += len(data)
            self.crc = zlib.crc32(data, self.crc)
            if len(self._pending) >= BUFFER_BYTES:
                self.flush()
        return len(data)

    def flush(self) -> None:
        while self._pending and self._descriptor >= 0:
            del self._pending[: os.write(self._descriptor, self._pending)]

    def go_back(self, length: int, crc: int) -> None:
        """Undo all writes since the file had this length and checksum."""
        self.flush()
        if self._descriptor >= 0 and stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            os.ftruncate(self._descriptor, length)
            os.lseek(self._descriptor, length, os.SEEK_SET)
            self.length, self.crc = length, crc

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._pending.clear()
        super().close()


class GrowingStorage:
    """Scrapy's storage of local files, for feeds that go on in place."""

    is_muted = False
    """Whether a file is opened muted."""

    def __init__(self, path: Path, state: FeedState) -> None:
        self.path = path
        self.state = state

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file where the feed goes on."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = GrowingFile(self.path, self.state)
        file.muted = self.is_muted
        return cast("IO[bytes]", file)

    def store(self, file: IO[bytes]) -> None:
        """Write the rest."""
        file.flush()
        file.close()
