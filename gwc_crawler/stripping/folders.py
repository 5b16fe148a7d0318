"""HTML files in a folder as a source, and as a target: a file for each page, and an index of those that are done."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.files import WholeFolder, path_of_page
from gwc_crawler.page import is_html
from gwc_crawler.store.tables import PageKey, SqliteTarget, StopWatch, StrippedPage, WaitingPage

SUFFIXES = frozenset({"", ".html", ".htm", ".xhtml", ".shtml", ".asp", ".aspx", ".php", ".jsp"})

INDEX = "stripped.db"
"""In a target folder: which pages are there, in which version."""


class FolderSource:
    """The HTML files below a folder, by their paths in it; the version is when a file was changed.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, root: Path, watch: StopWatch) -> None:
        if not root.is_dir():
            raise InputError(f"{root}: there is no such folder")
        self._root = root
        self._watch = watch
        self._files = self._walk()

    def count(self) -> int:
        """Return how many files there are. Cost: a walk over them."""
        return sum(1 for _ in self._walk())

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        """Return the next files, in the order of their paths."""
        with self._watch.inside():
            files = list(islice(self._files, limit))
        return [PageKey(file, file.relative_to(self._root).as_posix(), version) for file, version in files]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Read files; those that are gone, empty or no HTML are left out.

        Raises:
            StoreError: one can't be read.
        """
        bodies = ((key, self._body(key.place)) for key in keys)
        return [WaitingPage(key.url, key.version, body) for key, body in bodies if body and is_html(body, "")]

    def close(self) -> None:
        """Nothing is open."""

    def _walk(self) -> Iterator[tuple[Path, str]]:
        for folder, folders, names in os.walk(self._root):
            folders.sort()
            for name in sorted(names):
                file = Path(folder, name)
                if file.suffix.lower() in SUFFIXES and file.is_file():
                    yield file, f"{file.stat().st_mtime_ns:020d}"

    def _body(self, file: Path) -> bytes | None:
        try:
            with self._watch.inside():
                return file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{file} can't be read: {error.strerror or error}") from error


class FolderTarget:
    """A file for each page, by its path where the source has one, else by the digits of its URL; and their index.

    A file is on disk before the index names it, so after a kill it is written again at worst.
    """

    def __init__(self, root: Path, watch: StopWatch) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{root}: {error.strerror or error}; name another folder") from error
        self._root = root
        self._watch = watch
        self._folder = WholeFolder(root)
        self._index = SqliteTarget(root / INDEX, watch, keeps_content=False)

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        """Return the URLs of pages that are here."""
        return self._index.done(keys)

    def write(self, pages: Sequence[StrippedPage]) -> None:
        """Write files, then their rows."""
        try:
            with self._watch.inside():
                for page in pages:
                    if not page.problem:
                        self._folder.write(file_of(page.url), page.content.encode("utf-8", "replace"))
        except OSError as error:
            raise StoreError(f"{self._root}: {error.strerror or error}; free some space, and run again") from error
        self._index.write(pages)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def file_of(url: str) -> str:
    """Return the path of a page's file in a target folder.

    >>> file_of("a/b.htm"), file_of("http://shop.example/")
    ('a/b.htm', 'html/05/21/0521421cd293d3dc.html')
    """
    path = PurePosixPath(url)
    is_own = url and path.suffix.lower() in SUFFIXES and "://" not in url and not path.is_absolute() and "\0" not in url
    if is_own and ".." not in path.parts and path.parts[0] != ".parts" and all(len(part) < 200 for part in path.parts):
        return url
    return path_of_page(url)
