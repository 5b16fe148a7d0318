"""The bytes of a robots.txt as they come → UTF-8 lines that a parser reads as their writer meant them. Pure."""

from __future__ import annotations

import re
import zlib
from urllib.parse import quote

MAX_ROBOTS_BYTES = 512_000
"""What stands beyond that in a robots.txt is not read (RFC 9309, §2.5)."""

GZIP = b"\x1f\x8b"
WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}

_LINE_END = re.compile(r"\r\n?")
_WHITE = re.compile("[\x0b\x0c\x1c-\x1e\ufeff\0]")
_NO_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_UNDECODED = re.compile("[\udc80-\udcff]")


def robots_text(body: bytes) -> bytes:
    """Return the lines of *body* that are read, each ended by "\\n" alone.

    A file that is packed though nothing says so is unpacked, one in UTF-16 read; byte order marks and NULs are left
    out. Bytes that are no UTF-8 are escaped as they are in URLs, and so is what Python alone takes for a line's end.

    >>> robots_text(b"\\xef\\xbb\\xbfUser-agent: *\\rDisallow: /caf\\xe9\\0\\r")
    b'User-agent: *\\nDisallow: /caf%E9\\n'
    """
    if body.startswith(GZIP):
        body = _unpacked(body)
    if (encoding := WIDE.get(body[:2])) is not None:
        text = body[: 2 * MAX_ROBOTS_BYTES].decode(encoding, errors="ignore")
    else:
        text = _cut(body).decode("utf-8", errors="surrogateescape")
    text = _WHITE.sub("", _LINE_END.sub("\n", text))
    text = _UNDECODED.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", text)
    text = _NO_LINE_ENDS.sub(lambda found: quote(found[0]), text)
    return _cut(text.encode("utf-8", errors="ignore"))


def _cut(robots: bytes) -> bytes:
    """Return the first lines; one that is cut in the middle would say something else."""
    if len(robots) <= MAX_ROBOTS_BYTES:
        return robots
    end = max(robots.rfind(end, 0, MAX_ROBOTS_BYTES) for end in (b"\n", b"\r"))
    return robots[: end + 1]


def _unpacked(packed: bytes) -> bytes:
    """Return what can be unpacked, as much as is read; *packed* itself where nothing can."""
    try:
        return zlib.decompressobj(wbits=31).decompress(packed, MAX_ROBOTS_BYTES + 1)
    except zlib.error:
        return packed
