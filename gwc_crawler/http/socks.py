"""SOCKS: a proxy and where it shall lead → a socket whose other end is there. By python-socks. Called by `connections`.

Names are looked up by the proxy, whatever the URL of it says ("socks5" as well as "socks5h"): a crawl that goes through
one does not ask the name servers of its own network.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from errno import ECONNREFUSED

from gwc_crawler.errors import ProxyError

SOCKS_PORT = 1080
SOCKS_SCHEMES = {"socks4": "SOCKS4", "socks4a": "SOCKS4", "socks5": "SOCKS5", "socks5h": "SOCKS5"}
"""Scheme of a proxy's URL → what python-socks calls its protocol."""

SERVER_AWAY = frozenset({3, 4, 5, 6})
"""Replies of SOCKS 5 that say something of the server: out of reach, or refusing (RFC 1928, §6)."""

NO_LIMIT_SECONDS = 86_400.0
"""Whoever asks has a limit of its own, for all that a request takes."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """Whom connections go through. `username` "": none is told; SOCKS4 has no passwords."""

    scheme: str
    host: str
    port: int = SOCKS_PORT
    username: str = ""
    password: str = field(default="", repr=False)


async def tunnelled(
    proxy: Proxy, address: str, host: str, port: int, local_address: tuple[str, int] | None = None
) -> socket.socket:
    """Return a socket that leads through *proxy*, which is at *address*, to *host*.

    Raises:
        ProxyError: the proxy does not lead there: it refuses, or speaks otherwise.
        OSError: the proxy can't be reached.
    """
    import python_socks
    from python_socks.async_.asyncio import Proxy as Client

    kind = python_socks.ProxyType[SOCKS_SCHEMES[proxy.scheme]]
    client = Client(kind, address, proxy.port, proxy.username or None, proxy.password or None, rdns=True)
    try:
        return await client.connect(host, port, timeout=NO_LIMIT_SECONDS, local_addr=local_address)
    except (python_socks.ProxyError, ValueError) as error:  # ValueError: a name or password it can't put into bytes
        text = f"the {proxy.scheme} proxy {proxy.host}:{proxy.port} does not lead to {host}:{port}: {error}"
        failed = ProxyError(text)
        failed.is_own_fault = getattr(error, "error_code", None) not in SERVER_AWAY
        raise failed from error
    except python_socks.ProxyConnectionError as error:
        text = f"the {proxy.scheme} proxy {proxy.host}:{proxy.port} can't be reached: {error.strerror}"
        raise (ConnectionRefusedError if error.errno == ECONNREFUSED else ProxyError)(text) from error
