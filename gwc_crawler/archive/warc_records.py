"""Exchange → records of WARC 1.1 (ISO 28500:2017), each a gzip member of its own (annex D).

Ours because the blocks are the very bytes of the wire: warcio, the library for it, reads heads and writes them anew,
and compresses at its slowest level. The tests read what is written with warcio and with FastWARC.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from typing import TYPE_CHECKING
from uuid import uuid4

from isal import isal_zlib

if TYPE_CHECKING:
    from gwc_crawler.archive.exchange import Exchange

GZIP = 31
"""zlib's word for a member with gzip's header."""

LEVEL = 2
"""Of ISA-L: a tenth larger than gzip's own default, in a tenth of the time."""

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_MESSAGE = "application/http; msgtype="


@dataclass(frozen=True, slots=True)
class Original:
    """The record that holds a payload: its id, the URL it was fetched from, and when (as a WARC-Date)."""

    record: str
    url: str
    date: str


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
    """Return the record that a file begins with, and its id; *fields*: what made it."""
    number = new_id()
    block = "".join(f"{key}: {value}\r\n" for key, value in fields).encode()
    head = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", number),
        ("WARC-Date", warc_date(at)),
        ("WARC-Filename", name),
    ]
    return number, _record([*head, ("Content-Type", "application/warc-fields")], block)


def exchange_records(exchange: Exchange, info: str, original: Original | None) -> tuple[Original, bytes]:
    """Return the records of an exchange, the answer first.

    Args:
        info: the id of the file's warcinfo.
        original: where the answer's payload is already, or after a 304 what is still true.
    Returns:
        Where the payload is now, and the bytes.
    """
    number, date = new_id(), warc_date(exchange.at)
    common = [("WARC-Date", date), ("WARC-Target-URI", exchange.url), ("WARC-Warcinfo-ID", info)]
    if exchange.address:
        common.append(("WARC-IP-Address", exchange.address))
    answer = [("WARC-Record-ID", number), *common, ("Content-Type", f"{_MESSAGE}response")]
    request = [("WARC-Record-ID", new_id()), *common, ("WARC-Concurrent-To", number)]
    asked = _record(
        [("WARC-Type", "request"), *request, ("Content-Type", f"{_MESSAGE}request")], exchange.shown_request
    )
    if original is None:
        kind, block = [("WARC-Type", "response"), *_payload_digest(exchange)], exchange.head + exchange.body
    else:
        kind, block = _revisit(exchange, original), exchange.head
    return original or Original(number, exchange.url, date), _record([*kind, *answer], block) + asked


def _revisit(exchange: Exchange, original: Original) -> list[tuple[str, str]]:
    same = exchange.status != 304
    return [
        ("WARC-Type", "revisit"),
        ("WARC-Profile", SAME_PAYLOAD if same else NOT_MODIFIED),
        ("WARC-Refers-To", original.record),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", original.date),
        *(_payload_digest(exchange) if same else []),
    ]


def _payload_digest(exchange: Exchange) -> list[tuple[str, str]]:
    """The payload is the body "with any transfer-encoding removed" (§6.3.2)."""
    return [("WARC-Payload-Digest", digest_of(exchange.payload))]


def _record(fields: Iterable[tuple[str, str]], block: bytes) -> bytes:
    lines = ["WARC/1.1", *[f"{name}: {value}" for name, value in fields]]
    lines += [f"WARC-Block-Digest: {digest_of(block)}", f"Content-Length: {len(block)}", "", ""]
    return isal_zlib.compress("\r\n".join(lines).encode() + block + b"\r\n\r\n", LEVEL, GZIP)
