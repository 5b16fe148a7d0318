"""Where `--from` and `--to` lead: `sqlite:PATH`, `mssql:[DATABASE]`, `postgres:[DATABASE]`, `dir:DIR`, `warc:PATH`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from gwc_crawler.errors import InputError, StoreError, unwritten
from gwc_crawler.page.reader import is_html
from gwc_crawler.store.kept_files import WholeFolder, path_of_page
from gwc_crawler.store.server.config import OutletConfig, ServerConfig
from gwc_crawler.store.server.reading import ServerTables
from gwc_crawler.store.stripping.engine import PageKey, PageSource, PageTarget, StopWatch, StrippedPage, WaitingPage
from gwc_crawler.store.stripping.tables import PAGES_TABLE, ServerTarget, SqliteTarget, TableSource, open_sqlite_source

# --- HTML files in a folder as a source, and as a target --------------------------------------------------------------


SUFFIXES = frozenset({"", ".html", ".htm", ".xhtml", ".shtml", ".asp", ".aspx", ".php", ".jsp"})

INDEX = "stripped.db"
"""In a target folder: which pages are there, in which version."""


class FolderSource(PageSource):
    """The HTML files below a folder, by their paths in it; the version is when a file was changed."""

    def __init__(self, root: Path, watch: StopWatch) -> None:
        if not root.is_dir():
            raise InputError(f"{root}: there is no such folder")
        self._root = root
        self._watch = watch
        self._files = self._walk()

    def count(self) -> int:
        return sum(1 for _ in self._walk())

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        with self._watch.inside():
            files = list(islice(self._files, limit))
        return [PageKey(file, file.relative_to(self._root).as_posix(), version) for file, version in files]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        """Read files; those that are gone, empty or no HTML are left out."""
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


class FolderTarget(PageTarget):
    """A file for each page, by its path where the source has one, else by the digits of its URL; and their index.

    A file is on disk before the index names it, so after a kill it is written again at worst.
    """

    def __init__(self, root: Path, watch: StopWatch) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(root, error, "name another folder") from error
        self._root = root
        self._watch = watch
        self._folder = WholeFolder(root)
        self._index = SqliteTarget(root / INDEX, watch, keeps_content=False)

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        return self._index.done(keys)

    def write(self, pages: Sequence[StrippedPage]) -> None:
        try:
            with self._watch.inside():
                for page in pages:
                    if not page.problem:
                        self._folder.write(file_of(page.url), page.content.encode("utf-8", "replace"))
        except OSError as error:
            raise unwritten(self._root, error, "mend its rights, and run again") from error
        self._index.write(pages)

    def close(self) -> None:
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


# --- Web archives as a source: the HTML answers in WARC files, plain or packed, of ours or of others ------------------


PATTERNS = ("*.warc", "*.warc.gz", "*.warc.zst", "*.warc.open", "*.warc.gz.open")


class WarcSource(PageSource):
    """The answers with status 200 that are HTML, in the order of files and records; read forwards, once.

    The version is the record's date: of several answers from one URL the newest stays. Revisit records are left out:
    what they stand for is a record of its own.
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
        with self._watch.inside():
            self._held = dict(islice(self._pages, limit))
        return [PageKey(place, page.url, page.version) for place, page in self._held.items()]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        return [self._held.pop(key.place) for key in keys]

    def close(self) -> None:
        """Let go of the files."""
        self._pages = iter(())

    def _read(self) -> Iterator[tuple[Any, WaitingPage]]:
        from fastwarc import warc  # only here: others need no archives

        answers = warc.WarcRecordType.response
        for number, file in enumerate(self._files):
            try:
                with file.open("rb") as stream:
                    for place, record in enumerate(warc.ArchiveIterator(stream, answers, auto_decode="all")):
                        if (page := self._page_of(record)) is not None:
                            yield (number, place), page
            except OSError as error:
                raise StoreError(f"{file} can't be read: {error.strerror or error}") from error

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


class PlaceKind(StrEnum):
    """Where pages can be."""

    SQLITE = "sqlite"
    MSSQL = "mssql"
    POSTGRES = "postgres"
    WARC = "warc"
    FOLDER = "dir"


SOURCES = tuple(PlaceKind)
SERVERS = (PlaceKind.MSSQL, PlaceKind.POSTGRES)
TARGETS = (PlaceKind.SQLITE, *SERVERS, PlaceKind.FOLDER)

NO_SETTINGS: Mapping[str, Any] = {}


def open_source(
    where: str, table: str | None, watch: StopWatch, settings: Mapping[str, Any] = NO_SETTINGS
) -> PageSource:
    """Open where waiting pages are.

    Args:
        where: "sqlite:data/shop/crawl.db" and the like.
        table: of a database; None: its pages.
        settings: how a server is reached (GWC_MSSQL_*, GWC_POSTGRES_*).
    Raises:
        InputError: it names nothing that can be read.
        StoreError: it can't be read.
    """
    kind, path = _split(where, SOURCES, "--from")
    if kind is PlaceKind.SQLITE:
        return open_sqlite_source(path, table, watch)
    if kind in SERVERS:
        return TableSource(ServerTables(_server(where, settings), inside=watch.inside), table or PAGES_TABLE)
    if table is not None:
        raise InputError(f"--table names a table of a database; {where} has none")
    return WarcSource(path, watch) if kind is PlaceKind.WARC else FolderSource(path, watch)


def open_target(
    where: str, table: str | None, watch: StopWatch, settings: Mapping[str, Any] = NO_SETTINGS
) -> PageTarget:
    """Open where stripped pages go; what is missing is made. Raises as `open_source`."""
    kind, path = _split(where, TARGETS, "--to")
    if kind in SERVERS:
        return ServerTarget(_server(where, settings), watch, *([table] if table else []))
    if kind is PlaceKind.SQLITE:
        return SqliteTarget(path, watch, *([table] if table else []))
    if table is not None:
        raise InputError(f"--to-table names a table of a database; {where} has none")
    return FolderTarget(path, watch)


def check_apart(source: str, source_table: str | None, target: str, target_table: str | None) -> None:
    """Refuse (InputError) to write pages over those that are read."""
    (kind, path), (kind_to, path_to) = _split(source, SOURCES, "--from"), _split(target, TARGETS, "--to")
    if kind is kind_to is PlaceKind.FOLDER and (path.resolve() in (path_to.resolve(), *path_to.resolve().parents)):
        raise InputError(f"{target} lies in {source}, and would be read again; name a folder outside")
    if (
        kind is kind_to is PlaceKind.SQLITE
        and path.resolve() == path_to.resolve()
        and source_table
        and source_table == target_table
    ):
        raise InputError(f"table {source_table!r} of {path} can't be both; name another one with --to-table")


def _server(where: str, settings: Mapping[str, Any]) -> ServerConfig:
    engine, _, database = where.partition(":")
    if database:
        settings = {**settings, "GWC_MSSQL_DATABASE": database}
    server = OutletConfig.from_settings(settings, engine).server
    return replace(server, database=database) if database else server


def _split(where: str, kinds: tuple[PlaceKind, ...], option: str) -> tuple[PlaceKind, Path]:
    kind, colon, rest = where.partition(":")
    if not colon or kind not in kinds or not (rest or kind in SERVERS):
        forms = ", ".join(f"{one}:{'' if one in SERVERS else 'PATH'}" for one in kinds)
        near = get_close_matches(kind, kinds, 1) if colon else []
        meant = f"; did you mean {near[0]}:{rest}?" if near and near[0] != kind else ""
        raise InputError(f"{option} {where}: takes {forms}{meant}")
    return PlaceKind(kind), Path(rest).expanduser()
