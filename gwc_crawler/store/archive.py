"""What a crawl tells its archive: each exchange when it has come, and when all of them have to be safe.

An exchange whose payload is in the archive already, from any URL, becomes a revisit record, as does a 304.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import socket
from base64 import b32encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha1
from io import FileIO
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from isal import isal_zlib

from gwc_crawler.errors import StoreError

logger = logging.getLogger(__name__)


# --- One request and its answer, as bytes; what of it must not be written down is blotted out here --------------------


SECRET_HEADERS = re.compile(rb"(?im)^((?:proxy-)?authorization|cookie)(:[ \t]*)([^\r\n]*)")
"""What lets its owner in has no place in files that are handed on."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and what came.

    Attributes:
        at: when the answer came, epoch seconds.
        head: of the answer, with the empty line at its end.
        body: as it came behind the head, in its chunks where it had any.
        payload: the body without its chunks; compressed, if it was.
        address: the server's, "" where it is not known.
    """

    url: str
    at: float
    status: int
    request: bytes = field(repr=False)
    head: bytes = field(repr=False)
    body: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    address: str = ""

    @property
    def shown_request(self) -> bytes:
        """The bytes sent, but for credentials: of these as many asterisks."""
        head, end, body = self.request.partition(b"\r\n\r\n")
        return SECRET_HEADERS.sub(lambda found: found[1] + found[2] + b"*" * len(found[3]), head) + end + body


def message_head(first_line: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the head of a message as HTTP/1.1 writes it, for one that came another way (HTTP/2, another client)."""
    lines = [first_line.encode("latin-1", "replace"), *[name + b": " + value for name, value in headers]]
    return b"\r\n".join(lines) + b"\r\n\r\n"


# --- Exchange → records of WARC 1.1 (ISO 28500:2017), each a gzip member of its own (annex D) -------------------------


GZIP = 16 + isal_zlib.MAX_WBITS
"""zlib's word for a member with gzip's header."""

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_MESSAGE = "application/http; msgtype="


@dataclass(frozen=True, slots=True)
class Known:
    """What was archived last of a URL: its payload's digest, and the record that holds it, with its URL and date."""

    url: str
    digest: str
    record: str
    record_url: str
    record_date: str


def new_id() -> str:
    """Return the id of a new record."""
    return f"<urn:uuid:{uuid4()}>"


def warc_date(at: float) -> str:
    """Return epoch seconds as WARC 1.1 writes them.

    >>> warc_date(1.5)
    '1970-01-01T00:00:01.500000Z'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def digest_of(data: bytes) -> str:
    """Return the digest of a block or payload, in the form that archives compare.

    >>> digest_of(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return "sha1:" + b32encode(sha1(data, usedforsecurity=False).digest()).decode()


def info_record(name: str, at: float, fields: Iterable[tuple[str, str]]) -> tuple[str, bytes]:
    """Return the record that a file begins with, behind its id; *fields*: what made it."""
    number = new_id()
    block = "".join(f"{key}: {value}\r\n" for key, value in fields).encode()
    head = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", number),
        ("WARC-Date", warc_date(at)),
        ("WARC-Filename", name),
    ]
    return number, _record([*head, ("Content-Type", "application/warc-fields")], block)


def exchange_records(exchange: Exchange, info: str, digest: str, original: Known | None) -> tuple[Known, bytes]:
    """Return the records of an exchange, the answer first.

    Args:
        info: the id of the file's warcinfo.
        digest: the payload's, which is the body "with any transfer-encoding removed" (§6.3.2).
        original: where that is already, or after a 304 what is still true.
    Returns:
        Where the payload is now, and the bytes.
    """
    number, date = new_id(), warc_date(exchange.at)
    common = [("WARC-Date", date), ("WARC-Target-URI", exchange.url), ("WARC-Warcinfo-ID", info)]
    if exchange.address:
        common.append(("WARC-IP-Address", exchange.address))
    payload = ("WARC-Payload-Digest", digest)
    answer = [("WARC-Record-ID", number), *common, ("Content-Type", f"{_MESSAGE}response")]
    request = [("WARC-Record-ID", new_id()), *common, ("WARC-Concurrent-To", number)]
    asked = _record(
        [("WARC-Type", "request"), *request, ("Content-Type", f"{_MESSAGE}request")], exchange.shown_request
    )
    if original is None:
        known = Known(exchange.url, digest, number, exchange.url, date)
        return known, _record([("WARC-Type", "response"), payload, *answer], exchange.head + exchange.body) + asked
    is_same = exchange.status != 304
    revisit = [
        ("WARC-Type", "revisit"),
        ("WARC-Profile", SAME_PAYLOAD if is_same else NOT_MODIFIED),
        ("WARC-Refers-To", original.record),
        ("WARC-Refers-To-Target-URI", original.record_url),
        ("WARC-Refers-To-Date", original.record_date),
        *([payload] if is_same else []),
    ]
    return replace(original, url=exchange.url, digest=digest), _record([*revisit, *answer], exchange.head) + asked


def _record(fields: Iterable[tuple[str, str]], block: bytes) -> bytes:
    lines = ["WARC/1.1", *[f"{name}: {value}" for name, value in fields]]
    lines += [f"WARC-Block-Digest: {digest_of(block)}", f"Content-Length: {len(block)}", "", ""]
    return isal_zlib.compress("\r\n".join(lines).encode() + block + b"\r\n\r\n", wbits=GZIP)


# --- The files of an archive ------------------------------------------------------------------------------------------


OPEN = ".open"
READ_BYTES = 1 << 20


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


class KnownPayloads(Protocol):
    """What is kept of all that was archived, over all runs; what `add` has taken is safe."""

    def of_url(self, url: str) -> Known | None: ...

    def of_digest(self, digest: str) -> Known | None: ...

    def add(self, known: Sequence[Known]) -> None: ...


class Archive:
    """The archive of one crawl: files of whole records, of which one exchange is never torn in two.

    Args:
        prefix: folder and beginning of the files' names.
        max_bytes: a file that has so many is closed, and another one begun.
        known: the payloads it has, over all runs.
        made_by: what its files say of themselves.
    Raises:
        OSError: the folder can't be made or read.
    """

    def __init__(self, prefix: Path, max_bytes: int, known: KnownPayloads, made_by: Sequence[tuple[str, str]]) -> None:
        self._prefix, self._max_bytes, self._known, self._made_by = prefix, max_bytes, known, made_by
        self._file: FileIO | None = None
        self._path, self._info, self._serial = prefix, "", 0
        self._buffer, self._safe_bytes = bytearray(), 0
        self._fresh: dict[str, Known] = {}
        """By URL: what is in the files, and not among the known yet."""
        self._by_digest: dict[str, Known] = {}
        self._failure: OSError | None = None
        prefix.parent.mkdir(parents=True, exist_ok=True)
        for left in sorted(prefix.parent.glob(f"{prefix.name}-*.warc.gz{OPEN}")):
            mend(left)

    def record(self, exchange: Exchange) -> None:
        """Take an exchange. What goes wrong is told by `flush`, and nothing is taken any more."""
        if self._failure is not None:
            return
        digest = digest_of(exchange.payload)
        try:
            file = self._file = self._file or self._opened(exchange.at)
            known, records = exchange_records(exchange, self._info, digest, self._same(exchange, digest))
            self._buffer += records
            if len(self._buffer) >= READ_BYTES:
                self._write(file)
        except OSError as error:
            self._failure = error
            return
        if exchange.status != 304:
            self._fresh[exchange.url] = self._by_digest[digest] = known

    def flush(self) -> None:
        """Have all that was recorded on disk; then begin another file if this one is large enough.

        Raises:
            StoreError: it is not; what was fetched since the last time has to be fetched again.
        """
        self._try(self._sync)
        if self._fresh:
            self._known.add(list(self._fresh.values()))
            self._fresh, self._by_digest = {}, {}

    def close(self) -> None:
        """Have all on disk, and give the last file its name; raises as `flush`."""
        try:
            self.flush()
            self._try(self._finish)
        finally:
            if self._file is not None:  # whoever opens the archive next mends it
                self._file.close()
                self._file = None

    def _try(self, work: Callable[[], None]) -> None:
        try:
            if self._failure is None:
                work()
        except OSError as error:
            self._failure = error
        if self._failure is not None:
            raise StoreError(
                f"the WARC file could not be written ({self._failure}); mend it, and run again: nothing is lost"
            ) from self._failure

    def _same(self, exchange: Exchange, digest: str) -> Known | None:
        if exchange.status == 304:
            return self._fresh.get(exchange.url) or self._known.of_url(exchange.url)
        return (self._by_digest.get(digest) or self._known.of_digest(digest)) if exchange.payload else None

    def _free_name(self) -> str:
        """Return a name that no file has, like Heritrix's: prefix-time-serial-process-host."""
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")[:17]
        while True:
            self._serial += 1
            name = f"{self._prefix.name}-{stamp}-{self._serial:05d}-{os.getpid()}-{socket.gethostname()}.warc.gz"
            path = self._prefix.parent / name
            if not path.exists() and not Path(f"{path}{OPEN}").exists():
                return name

    def _opened(self, at: float) -> FileIO:
        name = self._free_name()
        self._path = self._prefix.parent / name
        self._safe_bytes = 0
        file = FileIO(f"{self._path}{OPEN}", "xb")
        fcntl.flock(file, fcntl.LOCK_EX)
        self._info, record = info_record(name, at, self._made_by)
        self._buffer += record
        return file

    def _sync(self) -> None:
        if self._file is not None:
            self._write(self._file)
            os.fsync(self._file.fileno())
            if self._safe_bytes >= self._max_bytes:
                self._finish()

    def _write(self, file: FileIO) -> None:
        """Write what is in memory, or nothing of it."""
        try:
            rest = memoryview(bytes(self._buffer))
            while rest:
                rest = rest[file.write(rest) or 0 :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(file.fileno(), self._safe_bytes)
                file.seek(self._safe_bytes)
            raise
        self._safe_bytes += len(self._buffer)
        self._buffer.clear()

    def _finish(self) -> None:
        if self._file is not None:
            Path(f"{self._path}{OPEN}").rename(self._path)
            self._file.close()
            self._file = None
