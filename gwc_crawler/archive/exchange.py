"""One request and its answer, as bytes; what of it must not be written down is blotted out here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

SECRET_HEADERS = re.compile(rb"(?im)^((?:proxy-)?authorization|cookie)(:[ \t]*)([^\r\n]*)")
"""What lets its owner in has no place in files that are handed on."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and what came.

    Attributes:
        url: the one asked for, whole.
        at: when the answer came, epoch seconds.
        request: the bytes sent.
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
