"""How a host serves its robots.txt: the pieces that cases of robots.txt are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.raw_server import Then

RULES = "User-agent: *\nDisallow: /no/\n"
BOTH = "allows /yes; forbids /no/1"
ALL = "allows /yes, /no/1"


@dataclass(frozen=True)
class Robots:
    """A host: `answers` to /robots.txt, one after the other, the last one stays; `others`: scripts of other paths.

    `paths` are linked. `public`: at an address that counts as out on the Internet. `refuses`: nobody listens.
    """

    answers: Sequence[Any]
    paths: tuple[str, ...] = ("/yes", "/no/1")
    others: Mapping[str, Any] = field(default_factory=dict)
    tls: bool = False
    public: bool = False
    refuses: bool = False


def page(body: str | bytes, kind: str = "text/plain", status: str = "200 OK", **headers: str) -> list[bytes]:
    """Return the script of a whole answer."""
    data = body.encode() if isinstance(body, str) else body
    named = {"Content-Type": kind, "Content-Length": str(len(data))}
    named |= {name.replace("_", "-").title(): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return [f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + data]


def to(target: str, status: str = "302 Found") -> list[bytes]:
    """Return a redirect."""
    return page("", status=status, location=target)


def chain(length: int) -> Robots:
    """Return a host whose robots.txt is so many redirects away."""
    others = {f"/r{number}": to(f"/r{number + 1}") for number in range(1, length)} | {f"/r{length}": page(RULES)}
    return Robots([to("/r1")], others=others)


def lines(*text: str, paths: Sequence[str]) -> Robots:
    """Return a host whose robots.txt has these lines."""
    return Robots([page("\n".join(text) + "\n")], tuple(paths))


class Endless:
    """A body that does not end."""

    def __init__(self, first: bytes, then: bytes) -> None:
        self.first, self.then = first, then

    def __iter__(self) -> Any:
        yield self.first
        while True:
            yield self.then


CLOSED = [Then.CLOSE]
RESET = [Then.RESET]
STALLED = [Then.STALL]
