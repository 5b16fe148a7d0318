"""HTTP/1.1 as it stands on the wire: a request becomes bytes, the bytes of an answer become head and body. No sockets.

As forgiving as browsers are, but anything that would leave the length of a body in doubt is an error."""

from __future__ import annotations

import gzip
import re
import socket
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from errno import ECONNREFUSED
from io import BytesIO
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

from isal import isal_zlib

from gwc_crawler.errors import ProxyError, TooLargeError, WireError

HEAD_END = re.compile(rb"\n\r?\n")
HTTP2_SETTINGS = b"\4\0\0\0\0\0"
"""Bytes 4 to 9 of a server of HTTP/2: type, flags and stream of its first frame (RFC 9113, §3.4)."""

MAX_HEAD_BYTES = 262_144
MAX_CHUNK_LINE_BYTES = 4_096
MAX_EXTRAS = 100  # trailers of a body, and interim answers (1xx) before the answer

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
    """Return the bytes of a request; ValueError where a line break or space would make another one of it."""
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
    """Read status line and headers; WireError: no answer of HTTP/1, or the length of the body is in doubt."""
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
    length = None if chunked else _length(lengths)
    return Head(int(code), protocol, kept, length, chunked, protocol == "HTTP/1.1" and b"close" not in connection)


def _is_chunked(codings: bytes) -> bool:
    """Tell whether all the Transfer-Encoding headers together mean chunks; a proxy may have repeated the header."""
    if not codings:
        return False
    said = {part.strip() for part in codings.split(b",")} - {b"", b"identity"}
    if not said <= {b"chunked"}:
        raise WireError(f"unknown transfer encoding {codings[1:81]!r}")
    return bool(said)


def _length(values: list[bytes]) -> int | None:
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
        """Take the bytes of the body; returns the bytes behind its end."""
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
        """The bytes received so far."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    @property
    def ending(self) -> Ending:
        """The ending that it is if the other end sends no more."""
        if self.is_complete:
            return Ending.COMPLETE
        return Ending.OPEN if self.length is None else Ending.CUT


class ChunkedBody(Body):
    """A body in chunks, each with its size on the line before; trailers are passed over."""

    def __init__(self) -> None:
        super().__init__(None)
        self._unread = b""
        self._missing = 0  # bytes of the present chunk that are still to come
        self._wants_line_end = False  # the one behind a chunk
        self._in_trailers = False
        self._trailers = 0

    def take(self, data: bytes) -> bytes:
        """Take the body's part of *data*; return the rest. WireError: a chunk has no size, or trailers don't end."""
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
            if self._trailers > MAX_EXTRAS:
                raise WireError(f"more than {MAX_EXTRAS} trailers behind the chunks")
        elif self._wants_line_end and not line.strip():
            self._wants_line_end = False
        elif not self._wants_line_end and (size := _SIZE.fullmatch(line)):
            self._missing = int(size[1], 16)
            self._in_trailers = not self._missing
        else:
            raise WireError(f"not the size of a chunk: {line[:80]!r}")

    @property
    def ending(self) -> Ending:
        return Ending.COMPLETE if self.is_complete or self._in_trailers else Ending.CUT


def body_of(head: Head, *, bodiless: bool) -> Body:
    """Return the empty body that fits a head; *bodiless*: the request was one that gets none (HEAD)."""
    if bodiless or head.status in WITHOUT_BODY:
        return Body(0)
    return ChunkedBody() if head.chunked else Body(head.length)


# --- The destination of a request, and its answer ---------------------------------------------------------------------
class Origin(NamedTuple):
    """The server that a connection leads to, and the proxy on the way."""

    host: str
    port: int
    tls: bool = False
    proxy: Proxy | None = None


@dataclass(slots=True)
class Answer:
    """A server's answer. `latency_seconds`: from the request to the end of the head."""

    status: int
    protocol: str
    headers: list[tuple[bytes, bytes]]
    body: bytes
    ending: Ending
    latency_seconds: float
    address: IPv4Address | IPv6Address | None
    certificate: bytes | None  # the server's, DER
    received: tuple[bytes, bytes] | None = None
    """Head and body as they came over the wire, where connections record them."""


# --- Content-Encoding: the bytes of a body as they came → as they were meant, and whether that is all of them ---------

DATALOSS = "dataloss"  # the flag of a response with a body that is not all there: Scrapy's

OVERLONG = "overlong"
"""The flag of a response that had more bytes behind its body than announced: the length may be wrong."""

UNENCODED = frozenset({b"", b"identity", b"none"})

ZSTD_WINDOW_LOG = 23  # a stream that needs more than 2²³ bytes at hand to be read is refused (RFC 9659), as browsers do

MAX_RUBBISH_BYTES = 1_024
"""Bytes that may follow a brotli stream; its decoder gives nothing if these come in one piece with it."""

MAX_STREAMS = 256  # compressed streams that a body may consist of, one after the other; each costs a copy of the rest

_Refused: Any = isal_zlib.error
_GZIP_START = b"\x1f\x8b"
_ZSTD_START = b"\x28\xb5\x2f\xfd"

_GZIP, _ZLIB, _RAW = 31, 15, -15  # the decoder's names (`wbits`) for the formats around a deflated stream


@dataclass(slots=True)
class Decoded:
    """A decoded body. `cut`: the stream breaks off, and `body` is the part before that; or the stream is damaged."""

    body: bytes
    cut: bool = False


def codings_of(headers: Iterable[bytes]) -> list[bytes]:
    """Return the names in Content-Encoding headers, in the order in which they were applied.

    >>> codings_of([b"GZIP, identity", b"br"])
    [b'gzip', b'br']
    """
    names = (name.strip().lower() for header in headers for name in header.split(b","))
    return [name for name in names if name not in UNENCODED]


def decode(body: bytes, codings: list[bytes], max_bytes: int) -> Decoded:
    """Undo *codings*, the last one first; each may give *max_bytes* (0: no limit), TooLargeError: one gives more.

    Raises WireError: the body has another or an unknown coding, and is no text either.
    """
    result = Decoded(body)
    for coding in reversed(codings):
        if not result.body:
            break
        if (decoder := _DECODERS.get(coding)) is None:
            problem = f"{coding[:40].decode('latin-1')!r} is no coding of bodies that is known here"
        else:
            try:
                part = decoder(result.body, max_bytes + 1 if max_bytes else sys.maxsize)
            except _Undecodable as error:
                problem = f"it is not {coding.decode()}: {error}"
            else:
                if max_bytes and len(part.body) > max_bytes:
                    raise TooLargeError(len(part.body), expected=False)
                result = Decoded(part.body, result.cut or part.cut)
                continue
        if result.body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            break
        raise WireError(f"the body can't be read: {problem}")
    return result


class _Undecodable(Exception):
    """The bytes can't be decoded."""


def _gunzip(data: bytes, most: int) -> Decoded:
    if not data.startswith(_GZIP_START):
        raise _Undecodable("it begins otherwise")
    try:
        return _streams(lambda: isal_zlib.decompressobj(_GZIP), data, most, _GZIP_START)
    except _Refused:
        return _slowly_gunzipped(data, most)


def _streams(new_decoder: Callable[[], Any], data: bytes, most: int, start: bytes) -> Decoded:
    """Unpack streams that stand one after the other, each with the same *start*."""
    body = b""
    for _ in range(MAX_STREAMS):
        decoder = new_decoder()
        body += decoder.decompress(data, most - len(body))
        data = decoder.unused_data
        if not decoder.eof or not data.startswith(start):
            return Decoded(body, cut=not decoder.eof)
        if len(body) >= most:  # to a decoder 0 is no limit
            break
    return Decoded(body, cut=True)


def _slowly_gunzipped(data: bytes, most: int) -> Decoded:
    """Unpack as much as possible of data that a decoder refuses as a whole."""
    reader = gzip.GzipFile(fileobj=BytesIO(data))
    parts: list[bytes] = []
    size = 0
    try:
        while size < most and (part := reader.read1(65_536)):
            parts.append(part)
            size += len(part)
    except (OSError, EOFError, zlib.error):
        pass
    return Decoded(b"".join(parts), cut=True)


def _inflated(data: bytes, most: int) -> Decoded:
    """Unpack "deflate": by the standard zlib's format; some servers leave its frame out."""
    for frame, stream, is_sound in ((_ZLIB, data, True), (_RAW, data, True), (_RAW, data[2:], False)):
        decoder = isal_zlib.decompressobj(frame)
        try:
            body = decoder.decompress(stream, most)
        except _Refused as error:
            problem = error
        else:
            return Decoded(body, cut=not (is_sound and decoder.eof))
    raise _Undecodable(str(problem)) from problem


def _unbrotli(data: bytes, most: int) -> Decoded:
    import brotli

    decoder = brotli.Decompressor()
    try:
        body = decoder.process(data, output_buffer_limit=most)
    except brotli.error:
        return _slowly_unbrotlied(data, most)
    return Decoded(body, cut=not decoder.is_finished())


def _slowly_unbrotlied(data: bytes, most: int) -> Decoded:
    import brotli

    decoder = brotli.Decompressor()
    sure = max(0, len(data) - MAX_RUBBISH_BYTES)
    parts: list[bytes] = []
    size = 0
    try:
        for piece in (data[:sure], *(data[place : place + 1] for place in range(sure, len(data)))):
            parts.append(decoder.process(piece, output_buffer_limit=most - size))
            size += len(parts[-1])
            if decoder.is_finished() or size >= most:
                break
    except brotli.error as error:
        raise _Undecodable(str(error)) from error
    return Decoded(b"".join(parts), cut=not decoder.is_finished())


def _unzstd(data: bytes, most: int) -> Decoded:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    limits = {int(zstd.DecompressionParameter.window_log_max): ZSTD_WINDOW_LOG}
    try:
        return _streams(lambda: zstd.ZstdDecompressor(options=limits), data, most, _ZSTD_START)
    except zstd.ZstdError as error:
        raise _Undecodable(str(error)) from error


_DECODERS = {b"gzip": _gunzip, b"x-gzip": _gunzip, b"deflate": _inflated, b"br": _unbrotli, b"zstd": _unzstd}


# --- The handshake with a SOCKS proxy ---------------------------------------------------------------------------------
# Names are looked up by the proxy, whatever the URL of it says ("socks5" as well as "socks5h"): a crawl that goes
# through one does not ask the name servers of its own network.

SOCKS_PORT = 1080
SOCKS_SCHEMES = {"socks4": "SOCKS4", "socks4a": "SOCKS4", "socks5": "SOCKS5", "socks5h": "SOCKS5"}
"""Scheme of a proxy's URL → what python-socks calls its protocol."""

SERVER_AWAY = frozenset({3, 4, 5, 6})
"""Replies of SOCKS 5 that say something of the server: out of reach, or refusing (RFC 1928, §6)."""

NO_LIMIT_SECONDS = 86_400.0  # whoever asks has a limit of its own, for all that a request takes


@dataclass(frozen=True, slots=True)
class Proxy:
    """Whom connections go through. `username` "": none is told; SOCKS4 has no passwords."""

    scheme: str
    host: str
    port: int = SOCKS_PORT
    username: str = ""
    password: str = field(default="", repr=False)


async def tunnelled(
    proxy: Proxy, address: str, host: str, port: int, local_address: tuple[str, int] | None = None
) -> socket.socket:
    """Return a socket that leads through *proxy*, at *address*, to *host*; ProxyError: it refuses."""
    import python_socks
    from python_socks.async_.asyncio import Proxy as Client

    kind = python_socks.ProxyType[SOCKS_SCHEMES[proxy.scheme]]
    client = Client(kind, address, proxy.port, proxy.username or None, proxy.password or None, rdns=True)
    try:
        return await client.connect(host, port, timeout=NO_LIMIT_SECONDS, local_addr=local_address)
    except (python_socks.ProxyError, ValueError) as error:  # ValueError: a name or password it can't put into bytes
        text = f"the {proxy.scheme} proxy {proxy.host}:{proxy.port} does not lead to {host}:{port}: {error}"
        failed = ProxyError(text)
        failed.is_own_fault = getattr(error, "error_code", None) not in SERVER_AWAY
        raise failed from error
    except python_socks.ProxyConnectionError as error:
        text = f"the {proxy.scheme} proxy {proxy.host}:{proxy.port} can't be reached: {error.strerror}"
        raise (ConnectionRefusedError if error.errno == ECONNREFUSED else ProxyError)(text) from error
