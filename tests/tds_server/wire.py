"""TDS 7.4 as bytes: packets, logins, results and bulk copies, from the server's side ([MS-TDS], version 37).

Only what a client needs that signs in by name and sends batches and bulk copies: no TLS, no integrated security, no
remote procedure calls.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

BATCH, RPC, RESPONSE, ATTENTION, BULK, LOGIN, PRELOGIN = 0x01, 0x03, 0x04, 0x06, 0x07, 0x10, 0x12
INTN, BITN, DECIMALN, FLTN, DATETIME2N = 0x26, 0x68, 0x6A, 0x6D, 0x2A
VARBINARY, VARCHAR, BINARY, CHAR, NVARCHAR, NCHAR = 0xA5, 0xA7, 0xAD, 0xAF, 0xE7, 0xEF
MAX = 0xFFFF
"""The length of a MAX type; of a shorter one's value: NULL."""
UNKNOWN, NULL_LONG = 2**64 - 2, 2**64 - 1
COLLATION = bytes.fromhex("0904d00034")  # Latin1_General, ignoring case
PACKET_BYTES = 4096
DONE_MORE, DONE_ERROR, DONE_COUNT, DONE_ATTENTION = 0x01, 0x02, 0x10, 0x20


class Gone(Exception):
    """The client has closed the connection."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result or of a bulk copy: its type's token, and length in bytes (`MAX`: without bound)."""

    name: str
    token: int
    length: int = MAX


# --- packets ----------------------------------------------------------------------------------------------------------


def receive(client: socket.socket) -> tuple[int, bytes]:
    """Return the next message: its kind and its bytes, put together from its packets."""
    parts = []
    while True:
        kind, status, length = struct.unpack(">BBH4x", _exactly(client, 8))
        parts.append(_exactly(client, length - 8))
        if status & 1:
            return kind, b"".join(parts)


def _exactly(client: socket.socket, count: int) -> bytes:
    parts = []
    while count:
        part = client.recv(min(count, 65_536))
        if not part:
            raise Gone
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def send(client: socket.socket, body: bytes, kind: int = RESPONSE) -> None:
    """Send a message in packets."""
    size = PACKET_BYTES - 8
    chunks = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
    packets = [
        struct.pack(">BBHHBB", kind, int(chunk is chunks[-1]), len(chunk) + 8, 0, number & 0xFF, 0) + chunk
        for number, chunk in enumerate(chunks, 1)
    ]
    client.sendall(b"".join(packets))


def batch_text(body: bytes) -> str:
    """Return the SQL of a batch."""
    (headers,) = struct.unpack_from("<I", body)
    return body[headers:].decode("utf-16-le")


# --- signing in -------------------------------------------------------------------------------------------------------


def prelogin() -> bytes:
    """Return the answer to a prelogin: this server's version, and that it has no encryption."""
    options = [(0, bytes((14, 0, 0, 0, 0, 0))), (1, b"\x02"), (2, b"\0"), (3, b""), (4, b"\0")]
    at, heads, data = 5 * len(options) + 1, b"", b""
    for token, value in options:
        heads += struct.pack(">BHH", token, at + len(data), len(value))
        data += value
    return heads + b"\xff" + data


def login(body: bytes) -> dict[str, str]:
    """Return `user`, `password`, `database` and `host` of a login."""

    def text(at: int) -> bytes:
        offset, length = struct.unpack_from("<HH", body, at)
        return body[offset : offset + 2 * length]

    secret = bytes(((byte ^ 0xA5) << 4 | (byte ^ 0xA5) >> 4) & 0xFF for byte in text(44))
    parts = {"host": text(36), "user": text(40), "password": secret, "database": text(68)}
    return {name: part.decode("utf-16-le") for name, part in parts.items()}


def signed_in(database: str) -> bytes:
    """Return the tokens that a login was accepted."""
    named = _change(1, _short(database) + _short("master"))
    collation = _change(7, bytes((5,)) + COLLATION + b"\0")
    packet = _change(4, _short(str(PACKET_BYTES)) + _short(str(PACKET_BYTES)))
    server = b"\x01" + struct.pack(">I", 0x74000004) + _short("Microsoft SQL Server") + bytes((14, 0, 0, 0))
    return named + collation + b"\xad" + struct.pack("<H", len(server)) + server + packet


def _change(kind: int, values: bytes) -> bytes:
    return b"\xe3" + struct.pack("<HB", len(values) + 1, kind) + values


def _short(text: str) -> bytes:
    return bytes((len(text),)) + text.encode("utf-16-le")


# --- answers ----------------------------------------------------------------------------------------------------------


def done(count: int | None = None, status: int = 0) -> bytes:
    """Return the token that ends a statement, with the number of rows it touched."""
    return struct.pack("<BHHQ", 0xFD, status | (0 if count is None else DONE_COUNT), 0, count or 0)


def in_a_row(answers: Sequence[bytes]) -> bytes:
    """Return several answers, each of which ends with `done`, as that to one batch: all but the last say so."""
    length = len(done())
    parts = []
    for answer in answers[:-1]:
        token, status, *rest = struct.unpack("<BHHQ", answer[-length:])
        parts.append(answer[:-length] + struct.pack("<BHHQ", token, status | DONE_MORE, *rest))
    return b"".join((*parts, answers[-1]))


def error(number: int, text: str, severity: int = 16) -> bytes:
    """Return an error's token."""
    body = struct.pack("<iBBH", number, 1, severity, len(text)) + text.encode("utf-16-le")
    body += _short("responder") + _short("") + struct.pack("<I", 1)
    return b"\xaa" + struct.pack("<H", len(body)) + body


def columns(described: Sequence[Column]) -> bytes:
    """Return the token that describes a result."""
    parts = [struct.pack("<BH", 0x81, len(described))]
    for column in described:
        parts.append(struct.pack("<IH", 0, 9) + _type(column) + _short(column.name))
    return b"".join(parts)


def _type(column: Column) -> bytes:
    if column.token in (INTN, BITN, FLTN):
        return bytes((column.token, column.length))
    if column.token in (VARBINARY, BINARY):
        return struct.pack("<BH", column.token, column.length)
    return struct.pack("<BH", column.token, column.length) + COLLATION


def rows(names: Sequence[str], found: Sequence[Sequence[Any]]) -> bytes:
    """Return a result; each column is of the type of its values: numbers, bytes, or else text."""
    described = [_column_of(name, [row[at] for row in found]) for at, name in enumerate(names)]
    body = [columns(described)]
    for row in found:
        body.append(b"\xd1" + b"".join(_value(column, value) for column, value in zip(described, row, strict=True)))
    return b"".join(body)


def _column_of(name: str, values: Sequence[Any]) -> Column:
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int}:
        return Column(name, INTN, 8)
    if kinds and kinds <= {int, float}:
        return Column(name, FLTN, 8)
    return Column(name, VARBINARY if kinds == {bytes} else NVARCHAR)


def _value(column: Column, value: Any) -> bytes:
    if column.token in (INTN, FLTN):
        form = "<q" if column.token == INTN else "<d"
        return b"\0" if value is None else b"\x08" + struct.pack(form, value)
    if value is None:
        return struct.pack("<Q", NULL_LONG)
    data = value if isinstance(value, bytes) else str(value).encode("utf-16-le")
    return struct.pack("<Q", len(data)) + (struct.pack("<I", len(data)) + data if data else b"") + bytes(4)


# --- bulk copies ------------------------------------------------------------------------------------------------------


def bulk_rows(body: bytes) -> Iterator[list[Any]]:
    """Yield the rows of a bulk copy: texts, bytes and numbers."""
    reader = _Reader(body)
    described: list[Column] = []
    while reader.more:
        token = reader.number("<B")
        if token == 0x81:
            described = [reader.column() for _ in range(reader.number("<H"))]
        elif token == 0xD1:
            yield [reader.value(column) for column in described]
        else:  # DONE: not every client sends it
            return


class _Reader:
    """Reads tokens one after the other."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    @property
    def more(self) -> bool:
        return self._at < len(self._body)

    def number(self, form: str) -> int:
        (number,) = struct.unpack_from(form, self._body, self._at)
        self._at += struct.calcsize(form)
        return int(number)

    def take(self, count: int) -> bytes:
        self._at += count
        return self._body[self._at - count : self._at]

    def column(self) -> Column:
        self.take(6)  # user type and flags
        token = self.number("<B")
        if token in (INTN, BITN, FLTN):
            length = self.number("<B")
        else:
            length = self.number("<H")
            if token not in (VARBINARY, BINARY):
                self.take(5)
        return Column(self.take(2 * self.number("<B")).decode("utf-16-le"), token, length)

    def value(self, column: Column) -> Any:
        if column.token in (INTN, BITN, FLTN):
            return self._fixed(column)
        data = self._long() if column.length == MAX else self._short()
        return data if data is None else DECODERS[column.token](data)

    def _fixed(self, column: Column) -> Any:
        data = self.take(self.number("<B"))
        if not data:
            return None
        if column.token == FLTN:
            return struct.unpack("<d" if len(data) == 8 else "<f", data)[0]
        return int.from_bytes(data, "little", signed=len(data) > 1)

    def _short(self) -> bytes | None:
        length = self.number("<H")
        return None if length == MAX else self.take(length)

    def _long(self) -> bytes | None:
        if self.number("<Q") == NULL_LONG:
            return None
        parts = []
        while count := self.number("<I"):
            parts.append(self.take(count))
        return b"".join(parts)


def _wide(data: bytes) -> str:
    return data.decode("utf-16-le")


def _narrow(data: bytes) -> str:
    return data.decode("cp1252")


DECODERS: dict[int, Callable[[bytes], Any]] = {
    NVARCHAR: _wide,
    NCHAR: _wide,
    VARCHAR: _narrow,
    CHAR: _narrow,
    VARBINARY: bytes,
    BINARY: bytes,
}
"""Types of text and bytes → how their values are read."""
