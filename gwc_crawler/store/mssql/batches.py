"""Batches as bytes: a first line that says what it is, then a unit a line; behind the lines the long contents.

A content is packed once, in the crawl, as the server unpacks it (DECOMPRESS): gzip, of texts their UTF-16. So a writer
hands it on as it is. The writers read batches: what is imported here counts for every start of one.
"""

from __future__ import annotations

import json
import struct
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise
from typing import Any

from isal import igzip, isal_zlib

LEVEL = 0
"""ISA-L's fastest: the contents of a page shrink to a third in some hundredths of a millisecond."""

UNITS_A_TURN = 4
"""So many, about a millisecond, are packed between two turns of the event loop."""

MAGIC = b"GWC2"
"""Batches of before, whose lines hold the contents, too, begin with zlib's own mark."""
GZIP = 31
"""zlib's word for its window within a gzip header."""
LENGTH = struct.Struct(">I")

TEXTS = ("body", "stripped_html")
CONTENTS = (*TEXTS, "html")

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def encode(head: Mapping[str, Any], units: Iterable[Mapping[str, Any]]) -> tuple[bytes, int]:
    """Return a batch as bytes, and how many characters were replaced that no server keeps: NUL and lone surrogates."""
    lines, contents, replaced = [json.dumps(head, ensure_ascii=False).encode()], [], 0
    for number, unit in enumerate(units):
        if number % UNITS_A_TURN == 0:
            time.sleep(0)  # lets the event loop have its turn: a batch takes some hundredths of a second
        unit, count = packed(unit)
        for name in CONTENTS:
            if (content := unit.get(name)) is not None:
                contents.append(content)
                unit[name] = len(content)
        line, more = _line(unit)
        lines.append(line)
        replaced += count + more
    packed_lines = isal_zlib.compress(b"\n".join(lines), LEVEL)
    return b"".join((MAGIC, LENGTH.pack(len(packed_lines)), packed_lines, *contents)), replaced


def _line(unit: Mapping[str, Any]) -> tuple[bytes, int]:
    line = json.dumps(unit, ensure_ascii=False)
    if "\\u0000" not in line:
        try:
            return line.encode(), 0
        except UnicodeEncodeError:
            pass
    unit, count = cleaned(unit)
    return json.dumps(unit, ensure_ascii=False).encode(), count


def decode(body: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return head and units of a batch; the units are `packed`.

    Raises:
        ValueError: it is none.
    """
    if not body.startswith(MAGIC):
        head, *units = map(json.loads, isal_zlib.decompress(body).split(b"\n"))
        return head, [packed(unit)[0] for unit in units]
    start = len(MAGIC) + LENGTH.size
    end = start + LENGTH.unpack_from(body, len(MAGIC))[0]
    head, *units = map(json.loads, isal_zlib.decompress(body[start:end]).split(b"\n"))
    places = [(unit, name) for unit in units for name in CONTENTS if unit.get(name) is not None]
    bounds = pairwise(accumulate((unit[name] for unit, name in places), initial=end))
    for (unit, name), (start, end) in zip(places, bounds, strict=True):
        unit[name] = body[start:end]
    return head, units


def packed(unit: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return a unit with its long contents packed, None for ''; and how many of their characters were replaced."""
    unit, replaced = dict(unit), 0
    for name in TEXTS:
        if isinstance(text := unit.get(name), str):
            unit[name], count = _packed_text(text)
            replaced += count
    html = unit.get("html")
    if isinstance(html, str):
        unit["html"] = b64decode(html)
    elif html is not None:
        unit["html"] = igzip.compress(html, LEVEL, mtime=0)
    return unit, replaced


def _packed_text(text: str) -> tuple[bytes | None, int]:
    replaced = 0
    try:
        data = b"" if "\0" in text else text.encode("utf-16-le")
    except UnicodeEncodeError:
        data = b""
    if text and not data:
        text, replaced = cleaned(text)
        data = text.encode("utf-16-le")
    return (igzip.compress(data, LEVEL, mtime=0) if data else None), replaced


def readable(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Return a packed unit as JSON, and people, have it; `packed` takes it, too."""
    unit = dict(unit)
    for name in TEXTS:
        if name in unit:
            unit[name] = isal_zlib.decompress(unit[name], wbits=GZIP).decode("utf-16-le") if unit[name] else ""
    if unit.get("html") is not None:
        unit["html"] = b64encode(unit["html"]).decode()
    return unit


def cleaned(value: Any) -> tuple[Any, int]:
    """Return a value of JSON with U+FFFD for each character that no server keeps, and how many these were.

    >>> cleaned({"a": ["x\\0y", 1]})
    ({'a': ['x\ufffdy', 1]}, 1)
    """
    if isinstance(value, str):
        kept = "".join(REPLACEMENT if sign == "\0" or "\ud800" <= sign <= "\udfff" else sign for sign in value)
        return kept, sum(1 for old, new in zip(value, kept, strict=True) if old != new)
    if isinstance(value, Mapping):
        pairs = [(cleaned(key), cleaned(part)) for key, part in value.items()]
        return {key[0]: part[0] for key, part in pairs}, sum(key[1] + part[1] for key, part in pairs)
    if isinstance(value, list | tuple):
        parts = [cleaned(part) for part in value]
        return [part[0] for part in parts], sum(part[1] for part in parts)
    return value, 0
