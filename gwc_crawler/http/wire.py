"""HTTP/1.1 as it stands on the wire: a request becomes bytes, the bytes of an answer become head and body. No sockets.

As forgiving as browsers are: lines may end without CR, a reason phrase may be missing, a header line without a colon
is passed over. What would leave the length of a body in doubt is an error. Called by `connections`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from gwc_crawler.errors import WireError

HEAD_END = re.compile(rb"\n\r?\n")
HTTP2_SETTINGS = b"\4\0\0\0\0\0"
"""Bytes 4 to 9 of all that a server of HTTP/2 says: type, flags and stream of its first frame (RFC 9113, §3.4)."""

MAX_HEAD_BYTES = 262_144
MAX_CHUNK_LINE_BYTES = 4_096
MAX_TRAILERS = 1_000

OF_THE_CONNECTION = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailers", b"transfer-encoding", b"upgrade"}
)
"""Headers that speak of the connection, not of the page: an answer's `headers` leave them out."""

WITHOUT_BODY = frozenset({204, 304})

_STATUS_LINE = re.compile(rb"HTTP/(\d+)(?:\.(\d+))?[ \t]+([1-9]\d\d)(?:[ \t].*)?\r?", re.DOTALL | re.IGNORECASE)
_LENGTH = re.compile(rb"[0-9]{1,18}")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?", re.DOTALL)


class Ending(Enum):
    """How a body ended."""

    COMPLETE = "at its announced end"
    OPEN = "with the connection, and how long it would be was not announced"
    """Nobody can tell whether that is all; most servers of HTTP/1.0 say the end of a page that way."""
    CUT = "before its announced end"
    OVERLONG = "where it was announced to, and more came"
    BROKEN = "by a reset, or by an end that TLS knows nothing of, and how long it would be was not announced"


@dataclass(slots=True)
class Head:
    """The status line and headers of an answer; `length` None: not announced."""

    status: int
    protocol: str
    headers: list[tuple[bytes, bytes]]
    length: int | None
    chunked: bool
    keeps_alive: bool


def request_message(method: str, target: str, headers: Iterable[tuple[bytes, bytes]], body: bytes = b"") -> bytes:
    """Return the bytes of a request; *headers* have to name the Host.

    Raises:
        ValueError: a line break or a space in the wrong place would make another request of it.
    """
    if not target.isascii() or not target.isprintable() or " " in target:
        raise ValueError(f"no target of a request: {target!r}")
    lines = [f"{method} {target} HTTP/1.1".encode("ascii"), *[name + b": " + value for name, value in headers]]
    if body or method in ("POST", "PUT", "PATCH"):
        lines.append(b"Content-Length: %d" % len(body))
    head = b"\r\n".join(lines)
    if head.count(b"\n") != len(lines) - 1 or head.count(b"\r") != len(lines) - 1 or b"\0" in head:
        raise ValueError("a header of the request has a line break in it")
    return head + b"\r\n\r\n" + body


def read_head(block: bytes) -> Head:
    """Read what stands before the empty line.

    Raises:
        WireError: it is no answer of HTTP/1, or leaves the length of the body in doubt.
    """
    first, *lines = block.split(b"\n")
    status = _STATUS_LINE.fullmatch(first)
    if status is None:
        raise WireError(f"not an answer of HTTP/1: {first[:80]!r}")
    major, minor, code = status.groups()
    headers: list[tuple[bytes, bytes]] = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if line[:1] in (b" ", b"\t"):
            if headers:  # the line before goes on
                name, before = headers[-1]
                headers[-1] = name, b" ".join((before, line.strip())).strip()
        elif colon:
            headers.append((name.strip(), value.strip()))
    connection, codings, lengths = b"", b"", []
    kept = []
    for pair in headers:
        name = pair[0].lower()
        if name not in OF_THE_CONNECTION:
            kept.append(pair)
            if name == b"content-length":
                lengths.append(pair[1])
        elif name == b"connection":
            connection += b"," + pair[1].lower()
        elif name == b"transfer-encoding":
            codings += b"," + pair[1].lower()
    protocol = f"HTTP/{major.decode()}.{(minor or b'0').decode()}"
    chunked = _is_chunked(codings)
    return Head(
        int(code),
        protocol,
        kept,
        None if chunked else _length(lengths),
        chunked,
        keeps_alive=protocol == "HTTP/1.1" and b"close" not in connection,
    )


def _is_chunked(codings: bytes) -> bool:
    """Say whether all the Transfer-Encoding headers come to chunks; a proxy may have said it once more."""
    if not codings:
        return False
    said = {part.strip() for part in codings.split(b",")} - {b"", b"identity"}
    if not said <= {b"chunked"}:
        raise WireError(f"unknown transfer encoding {codings[1:81]!r}")
    return bool(said)


def _length(values: list[bytes]) -> int | None:
    """Return what all the Content-Length headers agree on."""
    said = {part.strip() for value in values for part in value.split(b",")}
    if not said:
        return None
    if not all(_LENGTH.fullmatch(part) for part in said) or len({int(part) for part in said}) > 1:
        raise WireError(f"Content-Length says {b', '.join(sorted(said))[:80]!r}")
    return int(said.pop())


class Body:
    """A body as it arrives: all of `length` bytes, or with None all there is until the connection ends."""

    def __init__(self, length: int | None) -> None:
        self.length = length
        self.size = 0
        self.is_complete = length == 0
        self._parts: list[bytes] = []

    def take(self, data: bytes) -> bytes:
        """Take what belongs to the body; returns what stands behind its end."""
        rest = b""
        if self.length is not None:
            missing = self.length - self.size
            if len(data) >= missing:
                data, rest = data[:missing], data[missing:]
                self.is_complete = True
        self._add(data)
        return rest

    def _add(self, data: bytes) -> None:
        if data:
            self._parts.append(data)
            self.size += len(data)

    @property
    def content(self) -> bytes:
        """What has come so far."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    @property
    def ending(self) -> Ending:
        """What it means when the other end says that nothing more comes."""
        if self.is_complete:
            return Ending.COMPLETE
        return Ending.OPEN if self.length is None else Ending.CUT


class ChunkedBody(Body):
    """A body in chunks, each with its size on the line before; trailers are passed over."""

    def __init__(self) -> None:
        super().__init__(None)
        self._unread = b""
        self._missing = 0
        """Of the chunk."""
        self._wants_line_end = False
        """The one behind a chunk."""
        self._in_trailers = False
        self._trailers = 0

    def take(self, data: bytes) -> bytes:
        """Take what belongs to the body; returns what stands behind its end.

        Raises:
            WireError: where a size should be, there is none; or the trailers don't end.
        """
        data = self._unread + data
        parts: list[bytes] = []
        try:
            place = self._read(data, parts)
        finally:
            self._add(b"".join(parts))  # a body in tiny chunks takes no more memory than another
        self._unread = b"" if self.is_complete else data[place:]
        if len(self._unread) > MAX_CHUNK_LINE_BYTES:
            raise WireError("a chunk's size is longer than any number")
        return data[place:] if self.is_complete else b""

    def _read(self, data: bytes, parts: list[bytes]) -> int:
        """Add what belongs to the body to *parts*; returns how far *data* was read."""
        place = 0
        while not self.is_complete and place < len(data):
            if self._missing:
                part = data[place : place + self._missing]
                parts.append(part)
                self._missing -= len(part)
                place += len(part)
                self._wants_line_end = not self._missing
                continue
            end = data.find(b"\n", place)
            if end < 0:
                break
            self._read_line(data[place:end])
            place = end + 1
        return place

    def _read_line(self, line: bytes) -> None:
        if self._in_trailers:
            self.is_complete = not line.strip()
            self._trailers += 1
            if self._trailers > MAX_TRAILERS:
                raise WireError(f"more than {MAX_TRAILERS} trailers behind the chunks")
        elif self._wants_line_end and not line.strip():
            self._wants_line_end = False
        elif not self._wants_line_end and (size := _SIZE.fullmatch(line)):
            self._missing = int(size[1], 16)
            self._in_trailers = not self._missing
        else:
            raise WireError(f"not the size of a chunk: {line[:80]!r}")

    @property
    def ending(self) -> Ending:
        """What it means when the other end says that nothing more comes."""
        return Ending.COMPLETE if self.is_complete or self._in_trailers else Ending.CUT


def body_of(head: Head, *, bodiless: bool) -> Body:
    """Return the empty body that fits a head; *bodiless*: the request was one that gets none (HEAD)."""
    if bodiless or head.status in WITHOUT_BODY:
        return Body(0)
    return ChunkedBody() if head.chunked else Body(head.length)
