"""An export from beginning to end: settle the columns, write the rows, put the file in place and describe it."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.export.columns import Column, ColumnKind, ColumnPlan, LateValue, plan_columns, read_rows
from gwc_crawler.export.filters import Filter
from gwc_crawler.export.formats import Format, Style
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.reading import Exportable

# --- The file a command writes: whole or not at all, and never over something that it did not write itself ------------


BOOK = "outputs.json"
"""In a site's directory: path → size and time of a written file."""

_SQLITE = b"SQLite format 3\0"
_OURS = b"GWC"
"""How the mark of our databases begins: bytes 68 to 71 of an SQLite file (its format, section 1.3.10)."""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to be written.

    Attributes:
        overwrites: also overwrite files of others (`-O`).
        book: the record of written files (`BOOK`); a file that is still as recorded is replaced by `-o`, too.
    """

    path: Path
    overwrites: bool
    book: Path

    def check(self) -> None:
        """Look whether it may be written, before any work is done.

        Raises InputError: it is a directory, a file of somebody else's, or one that a crawl lives by, which no option
        overwrites; StoreError: its directory is not there, or can't be written.
        """
        folder = self.path.parent
        if self.path.is_dir():
            raise InputError(f"{self.path} is a directory; name a file")
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"{self.path} is a device or a pipe; write to standard output (`-o -`) and lead it there")
        if not folder.is_dir():
            raise StoreError(f"{self.path}: there is no directory {folder}; make it first")
        if not os.access(folder, os.W_OK):
            raise StoreError(f"{folder} can't be written (Permission denied); name another directory")
        if not self.path.exists() or self._noted().get(self._key) == _state(self.path):
            return
        if self._is_of_a_crawl():
            raise InputError(f"{self.path} is what a crawl keeps its state in; name another file")
        if not self.overwrites:
            told = "is there already, and was not written by this command, or has been changed since"
            raise InputError(f"{self.path} {told}; -O overwrites it")

    def _is_of_a_crawl(self) -> bool:
        real = self.path.resolve()
        with self._errors(), real.open("rb") as file:
            head = file.read(72)
        return real.parent == self.book.parent.resolve() or (head.startswith(_SQLITE) and head[68:71] == _OURS)

    @contextmanager
    def opened(self) -> Iterator[tuple[Path, IO[bytes]]]:
        """Give what becomes the target if the block ends well. Raises StoreError: also if another writes it."""
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
            reason = error.strerror or error
            raise StoreError(f"{self.path} can't be written: {reason}; what was there before is unchanged") from error

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
        noted = {path: state for path, state in self._noted().items() if Path(path).exists()}
        noted[self._key] = _state(self.path)
        with suppress(OSError):  # then the next run asks for -O
            part = self.book.with_name(f".{self.book.name}.{os.getpid()}")
            part.write_text(json.dumps(noted, indent=1), encoding="utf-8")
            part.replace(self.book)


def _state(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_size, found.st_mtime_ns]


# --- `datapackage.json` beside an export ------------------------------------------------------------------------------


NAME = "datapackage.json"
MAKER = "gwc-crawler"
"""Stands under `created_by`: such a file may be written anew."""

UNCHECKED = ("json", "sqlite")
"""Formats whose size and rows the reference implementation (frictionless 5) can't check, and calls wrong."""

_TYPES: dict[ColumnKind, dict[str, Any]] = {
    ColumnKind.TEXT: {"type": "string"},
    ColumnKind.INTEGER: {"type": "integer"},
    ColumnKind.NUMBER: {"type": "number"},
    ColumnKind.DAY: {"type": "date"},
    ColumnKind.MOMENT: {"type": "datetime", "format": "any"},
    ColumnKind.LIST: {"type": "array"},
    ColumnKind.MIXED: {"type": "any"},
}


def _describe(path: Path, choice: Selection, written: Written, site: Site, created: str) -> dict[str, Any]:
    kind, plan = choice.format, written.plan
    schema: dict[str, Any] = {"fields": [_field(column, site.types) for column in plan.columns]}
    if plan.key:
        schema["primaryKey"] = list(plan.key)
    if kind.name in ("csv", "tsv"):
        schema["missingValues"] = [""]
    resource: dict[str, Any] = {
        "name": _slug(path.name),
        "path": path.name,
        "format": kind.name,
        "mediatype": kind.media_type,
        "schema": schema,
        "created": created,
        "sources": [{"title": site.name, "path": url} for url in site.entry],
    }
    if kind.name not in UNCHECKED:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        resource |= {"rows": written.rows, "bytes": path.stat().st_size, "hash": f"sha256:{digest}"}
    if kind.is_text:
        resource |= {"encoding": "utf-8", "profile": "tabular-data-resource"}
    if choice.is_compressed:
        resource["compression"] = "gz"
    if kind.name == "tsv":
        resource["dialect"] = {"delimiter": "\t"}
    return resource


def with_resource(present: bytes | None, resource: dict[str, Any], site: str) -> bytes | None:
    """Return the present data package with the resource in place of the one with its path; None: it is another's."""
    package: Any = {"name": _slug(site), "created_by": MAKER}
    if present is not None:
        try:
            package = json.loads(present)
        except ValueError:
            return None
        if not isinstance(package, dict) or package.get("created_by") != MAKER:
            return None
    others = [one for one in package.get("resources", []) if one.get("path") != resource["path"]]
    package |= {"created": resource["created"], "resources": [*others, resource]}
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-") or "records"


def _field(column: Column, types: Mapping[str, str]) -> dict[str, Any]:
    described = {"name": column.name, **_TYPES[column.kind]}
    said = types.get(column.name) or types.get(column.source)
    if column.name == "url" or (said == "url" and column.kind is ColumnKind.TEXT):
        described["format"] = "uri"
    if said and column.part is None:
        described["description"] = f"read as {said}"
    return described


TRIES = 5
"""Times that the columns are settled again if a crawl stores other kinds of values meanwhile."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The records of an export, and its form.

    Attributes:
        fields, known, texts, explode: see `plan_columns`.
        since: only records that are new or have changed since (seconds since 1970).
        filters: conditions that all have to hold.
    """

    format: Format
    is_compressed: bool = False
    fields: tuple[str, ...] | None = None
    known: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    explode: str | None = None
    since: float | None = None
    filters: tuple[Filter, ...] = ()
    style: Style = field(default_factory=Style)

    def plan(self, table: Exportable) -> ColumnPlan:
        """Settle the columns."""
        for test in self.filters:
            plan_columns(table, fields=(test.field,))
        return plan_columns(table, fields=self.fields, known=self.known, texts=self.texts, explode=self.explode)


@dataclass(frozen=True, slots=True)
class Written:
    """The result of an export. `notes` are sentences for a person."""

    rows: int
    plan: ColumnPlan
    notes: tuple[str, ...] = ()


def export_file(
    table: Exportable, choice: Selection, target: ExportFile, *, advance: Callable[[int], object] = lambda rows: None
) -> Written:
    """Write a file; *advance* hears after each batch how many rows it had.

    Raises InputError: there is no such field, or a package is missing; StoreError: the database can't be read, or the
    file not be written; the target is as it was.
    """
    for _ in range(TRIES):
        plan = choice.plan(table)
        try:
            with target.opened() as (path, file), _compressed(file, choice) as stream:
                return _write(table, plan, choice, path, stream, advance)
        except LateValue:
            continue  # the new values stand in the table now, so the next plan has room for them
    raise StoreError("the records change faster than they can be read; run it again when the crawl has ended")


def export_stream(table: Exportable, choice: Selection, file: IO[bytes]) -> Written:
    """Write to a pipe or terminal; raises as `export_file`, also StoreError where a value came that no column takes."""
    plan = choice.plan(table)
    try:
        with _compressed(file, choice) as stream:
            written = _write(table, plan, choice, None, stream, lambda rows: None)
        file.flush()
        return written
    except LateValue as error:
        raise StoreError(
            f"while it was read, the crawl stored a value of another kind in {error.column}: run it again"
        ) from error


def _write(
    table: Exportable,
    plan: ColumnPlan,
    choice: Selection,
    path: Path | None,
    stream: IO[bytes],
    advance: Callable[[int], object],
) -> Written:
    writer = choice.format.writer(path, stream, plan, choice.style)
    count, notes = 0, list[str]()
    try:
        for rows in read_rows(table, plan, since=choice.since, filters=choice.filters, tell=notes.append):
            writer.write(rows)
            count += len(rows)
            advance(len(rows))
    except BaseException:
        with suppress(Exception):  # it releases its memory and files now
            writer.close()
        raise
    return Written(count, plan, (*notes, *writer.close()))


@contextmanager
def _compressed(file: IO[bytes], choice: Selection) -> Iterator[IO[bytes]]:
    if not choice.is_compressed:
        yield file
        return
    with gzip.GzipFile(
        filename="", mode="wb", compresslevel=zlib.Z_DEFAULT_COMPRESSION, fileobj=file, mtime=0
    ) as packed:
        yield packed  # type: ignore[misc]  # writes bytes, as it should


def describe_file(
    target: ExportFile, choice: Selection, written: Written, site: Site, created: str
) -> tuple[Path, Sequence[str]]:
    """Write `datapackage.json` beside an export; return its path, and notes for a person. Raises StoreError."""
    path, notes = target.path.with_name(NAME), []
    resource = _describe(target.path, choice, written, site, created)
    made = with_resource(path.read_bytes() if path.exists() else None, resource, site.name)
    if made is None:
        other = target.path.with_name(f"{target.path.name}.{NAME}")
        notes.append(f"{path} is not ours: the columns are described in {other.name}")
        path, made = other, with_resource(None, resource, site.name)
    assert made is not None
    with ExportFile(path, overwrites=True, book=target.book).opened() as (_, file):
        file.write(made)
    return path, notes
