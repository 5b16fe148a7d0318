"""What the cases of `answers` are put together from: a page, heads, bodies, and what a case is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.conformance.table import Case
from tests.raw_server import Script, Then

PAGE = (
    "<!doctype html><html><head><title>An answer</title></head><body><p>begin</p>"
    + "".join(f"<p>line {number} of what stands between</p>" for number in range(40))
    + "<p>café</p><p>end</p></body></html>"
).encode()
HALF = PAGE[: len(PAGE) // 2]

HTML = b"Content-Type: text/html; charset=utf-8\r\n"
OK = b"HTTP/1.1 200 OK\r\n" + HTML
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

PAGE_COMES = "page"
AGAIN = "error, tried again"
ERROR = "error"
NO_PAGE = "no page, an exception says why"
REDIRECT = "noted as a redirect"


@dataclass(frozen=True)
class Answer:
    """What the raw server sends, and what else is looked at.

    Attributes:
        pieces: the script of the case's own path. In it `@@` stands for that path, `<n>` for its last segment,
            `<host>` for the host with its port.
        more: other paths (with the same marks) → script.
        tls: whether the page is asked for by https.
        reason: part of what the error or exception has to say.
        half: whether the crawl is one that takes half pages (DOWNLOAD_FAIL_ON_DATALOSS = False).
    """

    pieces: Script
    more: Mapping[str, Script] = field(default_factory=dict)
    tls: bool = False
    reason: str = ""
    half: bool = False


def case(name: str, expected: str, *pieces: bytes | Then, decision: str = "", **more: object) -> Case:
    return Case(name, expected, Answer(pieces, **more), decision)  # type: ignore[arg-type]


def sized(body: bytes = PAGE, more: bytes = b"", first: bytes = OK) -> bytes:
    """An answer of announced length."""
    return first + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def status(line: bytes, body: bytes = PAGE, more: bytes = b"") -> bytes:
    """An answer of another status."""
    return sized(body, more, b"HTTP/1.1 " + line + b"\r\n" + HTML)


def typed(kind: bytes, body: bytes = PAGE) -> bytes:
    """A 200 of another content type."""
    return sized(body, b"", b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n")


def coded(coding: bytes, body: bytes) -> bytes:
    """A body with a Content-Encoding."""
    return sized(body, b"Content-Encoding: " + coding + b"\r\n")


def chunks(body: bytes = PAGE, size: int = 500, last: bytes = b"0\r\n\r\n") -> bytes:
    """A body in chunks."""
    pieces = (body[place : place + size] for place in range(0, len(body), size))
    return b"".join(b"%X\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + last


def to(location: bytes, line: bytes = b"302 Found") -> bytes:
    """A redirect."""
    return status(line, b"moved", b"Location: " + location + b"\r\n")
