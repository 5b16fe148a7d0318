"""Web archives as a source: the HTML answers in WARC files, plain or packed, of ours or of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.page import is_html
from gwc_crawler.store.tables import PageKey, StopWatch, WaitingPage

PATTERNS = ("*.warc", "*.warc.gz", "*.warc.zst", "*.warc.open", "*.warc.gz.open")


class WarcSource:
    """The answers with status 200 that are HTML, in the order of files and records; read forwards, once.

    The version is the record's date: of several answers from one URL the newest stays. Revisit records are left out:
    what they stand for is a record of its own.

    Args:
        path: a file, or a folder with some.
    Raises:
        InputError: there is none.
    """

    def __init__(self, path: Path, watch: StopWatch) -> None:
        self._files = sorted(file for pattern in PATTERNS for file in path.glob(pattern)) if path.is_dir() else [path]
        if not self._files or not all(file.is_file() for file in self._files):
            raise InputError(f"{path}: there is no WARC file ({', '.join(PATTERNS[:3])})")
        self._watch = watch
        self._pages = self._read()
        self._held: dict[Any, WaitingPage] = {}

    def count(self) -> None:
        """Nobody knows before the end."""

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        """Read the next pages; they are kept until the next call."""
        self._held.clear()
        keys = []
        for place, page in self._pages:
            self._held[place] = page
            keys.append(PageKey(place, page.url, page.version))
            if len(keys) == limit:
                break
        return keys

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Hand pages over."""
        return [self._held.pop(key.place) for key in keys]

    def close(self) -> None:
        """Let go of the files."""
        self._pages = iter(())

    def _read(self) -> Iterator[tuple[tuple[int, int], WaitingPage]]:
        for number, file in enumerate(self._files):
            try:
                yield from (((number, place), page) for place, page in self._pages_of(file))
            except OSError as error:
                raise StoreError(f"{file} can't be read: {error.strerror or error}") from error

    def _pages_of(self, file: Path) -> Iterator[tuple[int, WaitingPage]]:
        from fastwarc import warc  # only here: others need no archives

        with file.open("rb") as stream:
            records = iter(warc.ArchiveIterator(stream, record_types=warc.WarcRecordType.response, auto_decode="all"))
            place = 0
            while True:
                with self._watch.inside():
                    record = next(records, None)
                    page = None if record is None else self._page_of(record)
                if record is None:
                    return
                if page is not None:
                    place += 1
                    yield place, page

    def _page_of(self, record: Any) -> WaitingPage | None:
        headers = record.http_headers
        if headers is None or headers.status_code != 200:
            return None
        content_type = headers.get("Content-Type", "")
        body = record.reader.read()
        if not body or not is_html(body, content_type):
            return None
        date = record.headers.get("WARC-Date", "")
        return WaitingPage(record.headers.get("WARC-Target-URI", "").strip("<>"), date, body, content_type)
