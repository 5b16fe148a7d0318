"""Bytes → media type. The bytes decide; where they say little, the server's word does."""

from __future__ import annotations

import re
from mimetypes import MimeTypes

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
    """Return media type → confidence, the likeliest first."""
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


def extension_of(kind: str) -> str:
    """Return the usual extension of a media type, with its dot; "" where none is known."""
    return _NAMES.guess_extension(kind, strict=False) or ""
