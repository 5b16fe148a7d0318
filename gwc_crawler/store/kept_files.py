"""Which bodies that are no pages are kept (GWC_KEEP_FILES), which links to such are followed, and what fields name."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from hashlib import sha256
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.urls import url_key

# --- Bytes → media type. The bytes decide; where they say little, the server's word does ------------------------------


UNKNOWN = "application/octet-stream"

SURE = 0.3
"""puremagic's confidence from which bytes outweigh what the server says: three telling bytes or more."""

HEAD_BYTES = 65_536
"""So much of a body is looked at."""

_TYPE = re.compile(r"[a-z]+/[a-z0-9.+_-]{1,100}")
_SAYS_NOTHING = frozenset({UNKNOWN, "binary/octet-stream", "application/force-download", "application/download"})
_NAMES = MimeTypes()  # Python's own table: the same on every machine


def kind_of(body: bytes, declared: str) -> str:
    """Return the media type of a body, which *declared* (a Content-Type) is believed about only where it can be true.

    >>> kind_of(b"%PDF-1.7 ...", "text/plain"), kind_of(b"a;b", "text/csv; charset=utf-8"), kind_of(b"?", "")
    ('application/pdf', 'text/csv', 'application/octet-stream')
    """
    said = declared.partition(";")[0].strip().lower()
    said = said if _TYPE.fullmatch(said) and said not in _SAYS_NOTHING else ""
    possible = _by_magic(body[:HEAD_BYTES])
    if said in possible or (said and max(possible.values(), default=0.0) < SURE):
        return said
    return max(possible, key=lambda kind: possible[kind], default=said or UNKNOWN)


def _by_magic(head: bytes) -> dict[str, float]:
    from puremagic import PureError, magic_string  # its tables take a moment: only where there is a file

    try:
        found = magic_string(head) if head else []
    except (PureError, ValueError):  # what is cut off is no archive any more
        return {}
    kinds: dict[str, float] = {}
    for match in found:
        if _TYPE.fullmatch(match.mime_type):
            kinds[match.mime_type] = max(match.confidence, kinds.get(match.mime_type, 0.0))
    return kinds


def kind_by_name(name: str) -> str:
    """Return the media type that the end of a name or URL stands for."""
    return _NAMES.guess_type(name, strict=False)[0] or UNKNOWN


class KeepFiles(StrEnum):
    """The words that GWC_KEEP_FILES can be, beside types."""

    NONE = "none"
    TARGETS = "targets"
    """Bodies of target URLs."""
    ALL = "all"
    """Every body that is no page; links to files are followed."""


_TYPES_TAKEN = re.compile(r"[a-z*]+/[a-z0-9.+*_-]+")


@dataclass(frozen=True, slots=True)
class FileChoice:
    """What is kept. `types` are patterns of media types (`image/*`); `of_fields`: the site has fields of type file."""

    targets: bool = False
    types: tuple[str, ...] = ()
    of_fields: bool = False

    @property
    def keeps_any(self) -> bool:
        """Whether anything can be kept at all."""
        return self.targets or bool(self.types) or self.of_fields

    def keeps(self, kind: str, *, is_target: bool) -> bool:
        """Say whether a body of a media type is kept.

        Where fields name files, every file is: nothing but filters and fields leads a crawl to one.
        """
        return self.of_fields or (self.targets and is_target) or self._is_of_type(kind)

    def follows(self, url: str) -> bool:
        """Say whether a link to what seems to be a file by its URL is followed, though no filter takes it."""
        return bool(self.types) and self._is_of_type(kind_by_name(url.partition("?")[0]))

    def _is_of_type(self, kind: str) -> bool:
        return any(fnmatchcase(kind, pattern) for pattern in self.types)


def file_choice(text: str, *, of_fields: bool = False) -> FileChoice:
    """Read GWC_KEEP_FILES: a word of `KeepFiles`, or media types with spaces or commas between.

    Raises:
        ValueError: it is neither.

    >>> file_choice("application/pdf, image/*").types
    ('application/pdf', 'image/*')
    """
    parts = re.split(r"[\s,]+", text.strip().lower())
    if parts[1:] or parts[0] not in tuple(KeepFiles):
        if not all(_TYPES_TAKEN.fullmatch(part) for part in parts):
            raise ValueError(text)
        return FileChoice(types=tuple(dict.fromkeys(parts)), of_fields=of_fields)
    return FileChoice(parts[0] != KeepFiles.NONE, ("*",) if parts[0] == KeepFiles.ALL else (), of_fields)


def file_urls(fields: Mapping[str, Any], named: Collection[str]) -> list[str]:
    """Return the URLs that a record's fields of type file hold; *named*: "field", or "field.part" of records in it.

    >>> file_urls({"cover": "http://x/1", "more": [{"photo": "http://x/2"}, {"photo": None}]}, ["cover", "more.photo"])
    ['http://x/1', 'http://x/2']
    """
    return list(dict.fromkeys(url for name in named for url in _urls_of(fields, name)))


def _urls_of(fields: Mapping[str, Any], name: str) -> Iterator[str]:
    owner, _, part = name.partition(".")
    value = fields.get(owner)
    for one in value if isinstance(value, list) else [value]:
        found = one.get(part) if part and isinstance(one, dict) else one
        yield from (url for url in (found if isinstance(found, list) else [found]) if isinstance(url, str))


# --- Where a body is kept, and what it was called ---------------------------------------------------------------------


MAX_NAME = 120
"""Characters of a name that is noted."""

_EXTENSION = re.compile(r"\.[a-z0-9]{1,8}")
_UNSAFE = re.compile(r'[<>:"|?*\\/]')


def path_of_content(body: bytes, kind: str, name: str) -> tuple[str, str]:
    """Return a file's path in the store, by what is in it, and its SHA-256 in hex.

    The extension is the media type's own; only where it has none, that of *name*.
    """
    digest = sha256(body).hexdigest()
    own = "." + name.rpartition(".")[2].lower()
    usual = _NAMES.guess_extension(kind, strict=False)
    extension = usual or (own if kind != UNKNOWN and _EXTENSION.fullmatch(own) else ".bin")
    return f"files/{digest[:2]}/{digest}{extension}", digest


def path_of_page(url: str) -> str:
    """Return where the HTML of a page is kept: by the 64 bits of its URL's MD5 that name it everywhere in a crawl.

    The digits are directories on disk (MD5-tree, the form for small crawls); two levels of 256 hold millions of pages.
    """
    digits = f"{url_key(url) & (1 << 64) - 1:016x}"
    return f"html/{digits[:2]}/{digits[2:4]}/{digits}.html"


def given_name(url: str, disposition: str) -> str:
    """Return what a file is called: by its server (Content-Disposition), else by its URL; safe on any file system.

    >>> given_name("http://x/a/b%20c.pdf?d", ""), given_name("http://x/", 'attachment; filename="../../etc/passwd"')
    ('b c.pdf', 'passwd')
    """
    from email.message import Message  # a writer of a server's starts without it

    message = Message()
    message["Content-Disposition"] = re.sub(r"[\r\n\0]", "", disposition)
    name = message.get_filename() or unquote(urlsplit(url).path.rpartition("/")[2])
    name = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(one for one in unicodedata.normalize("NFC", name) if unicodedata.category(one)[0] != "C")
    return _shortened(_UNSAFE.sub("_", shown).strip(" ."))


def _shortened(name: str) -> str:
    if len(name) <= MAX_NAME:
        return name
    extension = Path(name).suffix
    if len(name) <= MAX_NAME or len(extension) > 9:
        return name[:MAX_NAME]
    return name[: MAX_NAME - len(extension)] + extension


# --- A folder on disk whose files are there whole or not at all -------------------------------------------------------


class WholeFolder:
    """Writes files beside their places and moves them there when they are safe. Several may write at once.

    What was left behind by processes that were killed while they wrote is removed by the next that opens the folder.
    *syncs_names*: whether a file is there after the power failed, too, which costs half as much again.
    """

    def __init__(self, root: Path, *, syncs_names: bool = False) -> None:
        self._root, self._syncs_names = root, syncs_names
        self._parts = root / ".parts"
        if self._parts.is_dir():
            for part in self._parts.iterdir():
                with suppress(OSError), part.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody writes it any more
                    part.unlink()

    def write(self, path: str, body: bytes) -> None:
        """Write the file at *path*, in the place of what is there; when this returns, it is on disk (OSError: it is
        not).
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
        if self._syncs_names:
            handle = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
