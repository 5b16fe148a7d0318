"""Visits and items → units: what one page, or one item, leaves on the server, in the plain values of JSON.

A unit is what is written or refused as a whole. Here it is only made, quickly, in the crawl's process; `batches` packs
its long contents, keys and columns are the writer's work.
"""

from __future__ import annotations

import json
import re
import struct
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Any

from isal import igzip, isal_zlib

from gwc_crawler.items import Lease, Record, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.history import parts_of
from gwc_crawler.store.sink import (
    PRUNED_KINDS,
    Revision,
    Standing,
    exceptions_of,
    page_values,
    sites_of_links,
    stored_record,
)
from gwc_crawler.urls import host_of, site_of


def page_unit(visit: Visit, keep_html: KeepHtml, paged: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return what one page leaves; *paged*: the lists that go over several pages."""
    page, lease, record, file = visit.page, visit.lease, stored_record(visit), visit.file
    return {
        **page_values(visit, keep_html),
        "attempts": lease.attempt,
        "fetched_at": iso_time(visit.fetched_at),
        "pruned": int(page.kind in PRUNED_KINDS),
        "links": page.links,
        "own": [site_of(host_of(page.url)), len(page.links), host_of(page.url), page.url],
        "outside": sites_of_links(page.outside),
        "record": None if record is None else dict(record.fields),
        "exceptions": exceptions_of(visit),
        "file": file and [file.path, file.kind, file.size, file.sha256, file.name],
        "of": visit.record and (visit.record.parent or visit.record.url),
        "parts": _parts(visit.record, paged),
    }


def revised_unit(revision: Revision, paged: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return what a stored page leaves that was read again: of the page itself its kind alone counts."""
    page = revision.page
    lease = Lease(page.url, 0, 0, 0, 0, "", 0, 0.0)
    visit = Visit(lease, page, revision.record, 0, revision.fetched_at)
    unit = page_unit(visit, KeepHtml.NONE, paged)
    return {**unit, "body": "", "links": (), "outside": ()}


def state_units(standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield what a run leaves: the states of its URLs, each with that of the site."""
    host = host_of(standing.entry)
    own = [site_of(host), 0, host, standing.entry]
    for url, state, reason, attempts, weight, depth in standing.urls():
        told = {"state": state, "reason": reason, "attempts": attempts, "weight": weight, "depth": depth}
        yield {"url": url, **told, "own": own, "site_state": standing.state, "fetched_at": iso_time(standing.at)}


def _parts(record: Record | None, paged: Mapping[str, Sequence[str]] | None) -> list[Any] | None:
    return None if record is None or record.rejected or not paged else [record.number, parts_of(record, paged)]


def item_unit(key: str, fields: Mapping[str, Any], moment: float) -> dict[str, Any]:
    """Return what one item of a foreign spider leaves, under a key of its own."""
    record = {str(name): plain(value) for name, value in fields.items()}
    return {"url": key, "fetched_at": iso_time(moment), "record": record}


def plain(value: Any) -> Any:
    """Return a value as JSON has it: what is no number, text, list or dict becomes its text; bytes are UTF-8."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, Iterable):
        return [plain(part) for part in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def iso_time(seconds: float) -> str:
    """Return a moment as DATETIME2 reads it, in UTC.

    >>> iso_time(1.5)
    '1970-01-01T00:00:01.500000'
    """
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="microseconds")


# --- Batches as bytes -------------------------------------------------------------------------------------------------


LEVEL = isal_zlib.ISAL_BEST_SPEED
"""The contents of a page shrink to a third in some hundredths of a millisecond."""

UNITS_A_TURN = 4
"""So many are packed between two turns of the event loop: about a millisecond."""

FRAME = struct.Struct(">8sQ16s")
"""What the file is, length of the body, its checksum: ISA-L's CRC costs a hundredth of a hash."""
LENGTH = struct.Struct(">I")

UTF_16 = "utf-16-le"
"""As a SQL Server unpacks texts."""
ASCII = "ascii"
"""As it unpacks, too, whatever its collation, what has no other characters: half the bytes, in half the time."""

TEXTS = ("body", "stripped_html")
CONTENTS = (*TEXTS, "html")

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_NOT_KEPT = re.compile("[\0\ud800-\udfff]")
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""As JSON writes it: what stands behind an odd number of backslashes is a text of six characters."""


class Damaged(Exception):
    """A batch that is not as it was written."""


def encode(head: Mapping[str, Any], units: Iterable[Mapping[str, Any]]) -> tuple[bytes, int]:
    """Return the file of a batch, and how many characters were replaced that no server keeps: NUL and lone surrogates.

    Long texts are packed in the `encoding` that its head names, or in that of their unit.
    """
    lines, contents, replaced = [json.dumps(head, ensure_ascii=False).encode()], [], 0
    for number, unit in enumerate(units):
        if number % UNITS_A_TURN == 0:
            time.sleep(0)  # lets the event loop have its turn: a batch takes some hundredths of a second
        unit, count = packed(unit, head.get("encoding", UTF_16))
        for name in CONTENTS:
            if (content := unit.get(name)) is not None:
                contents.append(content)
                unit[name] = len(content)
        line, nuls = json.dumps(unit, ensure_ascii=False), 0
        if "\\u0000" in line:
            line, nuls = _NUL.subn(rf"\1{REPLACEMENT}", line)
        data, others = _encoded(line, "utf-8")
        lines.append(data)
        replaced += count + nuls + others
    packed_lines = isal_zlib.compress(b"\n".join(lines), LEVEL)
    body = b"".join((LENGTH.pack(len(packed_lines)), packed_lines, *contents))
    return _frame(body) + body, replaced


def _frame(body: bytes) -> bytes:
    return FRAME.pack(b"GWCBATC2", len(body), isal_zlib.crc32(body).to_bytes(16, "big"))


def _encoded(text: str, encoding: str) -> tuple[bytes, int]:
    replaced = 0
    try:
        if "\0" not in text:
            return text.encode(encoding), 0
    except UnicodeEncodeError:
        pass
    text, replaced = _NOT_KEPT.subn(REPLACEMENT, text)
    return text.encode(encoding), replaced


def decode(content: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return head and units of a batch that `encode` made; the units are `packed`.

    Raises:
        Damaged: its checksum does not hold.
    """
    body = content[FRAME.size :]
    if content[: FRAME.size] != _frame(body):
        raise Damaged("its checksum does not hold")
    end = LENGTH.size + LENGTH.unpack_from(body)[0]
    head, *units = map(json.loads, isal_zlib.decompress(body[LENGTH.size : end]).split(b"\n"))
    places = [(unit, name) for unit in units for name in CONTENTS if unit.get(name) is not None]
    bounds = pairwise(accumulate((unit[name] for unit, name in places), initial=end))
    for (unit, name), (start, end) in zip(places, bounds, strict=True):
        unit[name] = body[start:end]
    return head, units


def packed(unit: Mapping[str, Any], encoding: str = UTF_16) -> tuple[dict[str, Any], int]:
    """Return a unit with its long contents packed, None for ''; and how many of their characters were replaced."""
    unit, replaced = dict(unit), 0
    texts = {name: text for name in TEXTS if isinstance(text := unit.get(name), str)}
    if texts and encoding == UTF_16 and all(text.isascii() and "\0" not in text for text in texts.values()):
        unit["encoding"] = encoding = ASCII
    for name, text in texts.items():
        data, count = _encoded(text, encoding)
        unit[name] = igzip.compress(data, LEVEL, mtime=0) if data else None
        replaced += count
    html = unit.get("html")
    if isinstance(html, str):
        unit["html"] = b64decode(html)
    elif html is not None:
        unit["html"] = igzip.compress(html, LEVEL, mtime=0)
    return unit, replaced


def readable(unit: Mapping[str, Any], encoding: str = UTF_16) -> dict[str, Any]:
    """Return a packed unit as JSON, and people, have it; `packed` takes it, too."""
    unit = dict(unit)
    encoding = unit.pop("encoding", encoding)
    for name in TEXTS:
        if name in unit:
            unit[name] = (unpacked(unit[name]) or b"").decode(encoding)
    if unit.get("html") is not None:
        unit["html"] = b64encode(unit["html"]).decode()
    return unit


def in_encoding(units: Sequence[Mapping[str, Any]], given: str, wanted: str) -> Sequence[Mapping[str, Any]]:
    """Return packed units with their texts in the *wanted* encoding: older batches have UTF-16 for every server."""
    return units if given == wanted else [packed(readable(one, given), wanted)[0] for one in units]


def unpacked(content: bytes | None) -> bytes | None:
    """Return what `packed` has packed."""
    return None if content is None else isal_zlib.decompress(content, wbits=16 + isal_zlib.MAX_WBITS)
