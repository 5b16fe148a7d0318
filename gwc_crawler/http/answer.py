"""Whom a request goes to, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from gwc_crawler.http.socks import Proxy
from gwc_crawler.http.wire import Ending


class Origin(NamedTuple):
    """Whom a connection leads to, and through whom."""

    host: str
    port: int
    tls: bool = False
    proxy: Proxy | None = None


@dataclass(slots=True)
class Answer:
    """What a server sent. `latency_seconds`: from the request to the end of the head."""

    status: int
    protocol: str
    headers: list[tuple[bytes, bytes]]
    body: bytes
    ending: Ending
    latency_seconds: float
    address: IPv4Address | IPv6Address | None
    certificate: bytes | None
    """The server's, DER."""
    received: tuple[bytes, bytes] | None = None
    """Head and body as they came over the wire, where connections record them."""
