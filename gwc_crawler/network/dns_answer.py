"""The answers of name servers, as a cache gets them and as one server gives them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

NOTHING_SECONDS = 30.0
"""How long a name counts as without addresses if no server says for how long."""


class AddressFamily(Enum):
    """Which addresses are asked for."""

    IPV4 = "A"
    IPV6 = "AAAA"


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name, IPv4 and IPv6, and for how many seconds they hold. No address: the name has none."""

    addresses: tuple[str, ...]
    ttl_seconds: float


Ask = Callable[[str], Awaitable[DnsAnswer]]
"""Name → answer, or NameServerError: `NameServers`, or a stand-in."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a name server. `tls`: it is asked by DNS over TLS (RFC 7858), with a certificate for `name`."""

    address: str
    port: int
    tls: bool = False
    name: str = ""

    def __str__(self) -> str:
        place = f"[{self.address}]" if ":" in self.address else self.address
        return f"{'tls://' if self.tls else ''}{place}:{self.port}{'#' if self.name else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class Reply:
    """One server's answer. `alias`: the name is an alias of that one, of which the server has not said more."""

    addresses: tuple[str, ...]
    ttl_seconds: float
    alias: str = ""


class UnusableError(Exception):
    """A server's answer, or its silence, is of no use: another server may do better."""
