"""Content-Encoding: the bytes of a body as they came → as they were meant, and whether that is all of them.

As forgiving as browsers are: what stands behind the end of a compressed stream is ignored, and a body that is not
compressed at all, whatever the header says, is taken as it is. A stream that breaks off, or whose checksum is wrong, is
*cut*: half a page looks like a whole one to everybody who comes later. Called by `bodies`.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from isal import isal_zlib

from gwc_crawler.errors import TooLargeError, WireError

DATALOSS = "dataloss"
"""The flag of a response with a body that is not all there: Scrapy's."""

OVERLONG = "overlong"
"""The flag of a response behind whose body, as long as announced, more came: the length may be wrong."""

UNENCODED = frozenset({b"", b"identity", b"none"})

ZSTD_WINDOW_LOG = 23
"""A stream that needs more than 2²³ bytes at hand to be read is refused (RFC 9659), as browsers do."""

MAX_RUBBISH_BYTES = 1_024
"""So much may stand behind the end of a brotli stream, whose decoder gives nothing where that follows in one piece."""

MAX_STREAMS = 256
"""A body may be written in so many compressed streams, one after the other; each costs a copy of what follows it."""

_Refused: Any = isal_zlib.error
_GZIP_START = b"\x1f\x8b"
_ZSTD_START = b"\x28\xb5\x2f\xfd"

_GZIP, _ZLIB, _RAW = 31, 15, -15
"""The decoder's names for what may stand around a deflated stream: `wbits`."""


@dataclass(slots=True)
class Decoded:
    """`cut`: the stream breaks off, and `body` is what there was before that; or it is damaged."""

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
    """Undo *codings*, the last one first.

    Args:
        max_bytes: so many may come out of each; 0: no limit.

    Raises:
        TooLargeError: more come out.
        WireError: the body is of another or of an unknown coding, and no text either.
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
        if _is_markup(result.body):
            break
        raise WireError(f"the body can't be read: {problem}")
    return result


class _Undecodable(Exception):
    """Nothing could be made of the bytes."""


def _gunzip(data: bytes, most: int) -> Decoded:
    if not data.startswith(_GZIP_START):
        raise _Undecodable("it begins otherwise")
    body = b""
    for _ in range(MAX_STREAMS):
        decoder = isal_zlib.decompressobj(_GZIP)
        try:
            body += decoder.decompress(data, most - len(body))
        except _Refused:
            rest = _slowly_gunzipped(data, most - len(body))
            return Decoded(body + rest.body, rest.cut)
        data = decoder.unused_data
        if not decoder.eof or not data.startswith(_GZIP_START):
            return Decoded(body, cut=not decoder.eof)
    return Decoded(body, cut=True)


def _slowly_gunzipped(data: bytes, most: int) -> Decoded:
    """Unpack as much as there is of what a decoder refuses as a whole."""
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
    body = b""
    try:
        for _ in range(MAX_STREAMS):
            decoder = zstd.ZstdDecompressor(options=limits)
            body += decoder.decompress(data, most - len(body))
            data = decoder.unused_data
            if not decoder.eof or not data.startswith(_ZSTD_START):
                return Decoded(body, cut=not decoder.eof)
    except zstd.ZstdError as error:
        raise _Undecodable(str(error)) from error
    return Decoded(body, cut=True)


def _is_markup(body: bytes) -> bool:
    """Say whether a body begins as no compressed one does."""
    return body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


_DECODERS = {b"gzip": _gunzip, b"x-gzip": _gunzip, b"deflate": _inflated, b"br": _unbrotli, b"zstd": _unzstd}
