"""Proxies for tests, on loopback: of HTTP (requests and CONNECT) and of SOCKS 4a and 5. They alone know some names.

with SocksProxy({"shop.test": ("127.0.0.1", 8080)}, "user:password") as proxy: … proxy.url …
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, ClassVar, Self, cast
from urllib.parse import urlsplit

Place = tuple[str, int]


class Proxy(ThreadingTCPServer):
    """Leads to wherever it is asked to.

    Args:
        names: host → where that is; of other names it asks the system.
        credentials: "NAME:PASSWORD" that it wants to be told; "": none.
        tls: with it, it is asked inside TLS.

    Attributes:
        asked: whom it was asked to lead to, as it was told, in order.
    """

    daemon_threads = True
    scheme: ClassVar[str]
    handler: ClassVar[type[StreamRequestHandler]]

    def __init__(self, names: Mapping[str, Place], credentials: str = "", *, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.tls = tls
        self.names = names
        self.credentials = credentials
        self.asked: list[Place] = []
        self.address = f"127.0.0.1:{self.server_address[1]}"
        scheme = f"{self.scheme}s" if tls else self.scheme
        self.url = f"{scheme}://{credentials + '@' if credentials else ''}{self.address}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Take the next connection."""
        connection, address = super().get_request()
        return (self.tls.wrap_socket(connection, server_side=True) if self.tls else connection), address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is nobody's business."""

    def connect(self, host: str, port: int) -> socket.socket:
        """Connect to where it was asked to lead."""
        self.asked.append((host, port))
        return socket.create_connection(self.names.get(host, (host, port)), 10)


class _Handler(StreamRequestHandler):
    wbufsize = 0

    @property
    def proxy(self) -> Proxy:
        return cast("Proxy", self.server)

    def _pump(self, there: socket.socket) -> None:
        """Carry both ways until one side ends."""
        back = threading.Thread(target=_carry, args=(there, self.connection), daemon=True)
        back.start()
        try:
            while data := self.rfile.read1(65_536):
                there.sendall(data)
        except OSError:
            pass
        _shut(there)
        back.join()


def _carry(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            target.sendall(data)
    except OSError:
        pass
    _shut(target)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


class _Http(_Handler):
    def handle(self) -> None:
        method, target, _ = self.rfile.readline().decode("ascii").split()
        lines = []
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            lines.append(line)
        wanted = b"Basic " + b64encode(self.proxy.credentials.encode())
        told = [line.partition(b":")[2].strip() for line in lines if line.lower().startswith(b"proxy-authorization:")]
        if self.proxy.credentials and told != [wanted]:
            self.wfile.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        elif method == "CONNECT":
            host, _, port = target.rpartition(":")
            with self.proxy.connect(host, int(port)) as there:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\nVia: test\r\n")
                self.wfile.write(b"\r\n")
                self._pump(there)
        else:
            url = urlsplit(target)
            kept = [line for line in lines if not line.lower().startswith((b"proxy-", b"connection:"))]
            path = url._replace(scheme="", netloc="").geturl() or "/"
            head = f"{method} {path} HTTP/1.1\r\n".encode() + b"".join(kept) + b"\r\n"
            with self.proxy.connect(url.hostname or "", url.port or 80) as there, there.makefile("rb") as answer:
                there.sendall(head)
                if first := answer.readline():
                    self.wfile.write(first + b"Connection: close\r\n")
                while data := answer.read1(65_536):
                    self.wfile.write(data)


class HttpProxy(Proxy):
    """One of HTTP; after the answer to a request that is no CONNECT it closes the connection."""

    scheme = "http"
    handler = _Http


class _Socks(_Handler):
    def handle(self) -> None:
        (version,) = self.rfile.read(1)
        there = self._fifth() if version == 5 else self._fourth()
        if there is not None:
            with there:
                self._pump(there)

    def _fourth(self) -> socket.socket | None:
        _, port, address = struct.unpack("!BH4s", self.rfile.read(7))
        name = self._text()
        host = self._text() if address.startswith(b"\0\0\0") else str(ip_address(address))
        if name != self.proxy.credentials:
            self.wfile.write(b"\0\x5d" + bytes(6))
            return None
        there = self.proxy.connect(host, port)
        self.wfile.write(b"\0\x5a" + bytes(6))
        return there

    def _fifth(self) -> socket.socket | None:
        offered = self.rfile.read(self.rfile.read(1)[0])
        method = 2 if self.proxy.credentials else 0
        if method not in offered:
            self.wfile.write(b"\5\xff")
            return None
        self.wfile.write(bytes((5, method)))
        if method:
            told = [self.rfile.read(self.rfile.read(1)[0]) for _ in self.rfile.read(1) + b"2"]
            good = b":".join(told).decode() == self.proxy.credentials
            self.wfile.write(bytes((1, not good)))
            if not good:
                return None
        kind = self.rfile.read(4)[3]
        size = {1: 4, 4: 16}.get(kind) or self.rfile.read(1)[0]
        place = self.rfile.read(size)
        (port,) = struct.unpack("!H", self.rfile.read(2))
        try:
            there = self.proxy.connect(place.decode() if kind == 3 else str(ip_address(place)), port)
        except OSError:
            self.wfile.write(b"\5\5\0\1" + bytes(6))
            return None
        self.wfile.write(b"\5\0\0\1" + bytes(6))
        return there

    def _text(self) -> str:
        return b"".join(iter(lambda: self.rfile.read(1), b"\0")).decode()


class SocksProxy(Proxy):
    """One of SOCKS 5, and of SOCKS 4a, to which the credentials are a name alone."""

    scheme = "socks5"
    handler = _Socks
