"""A server that sends exactly the bytes a test wrote, piece by piece, and can stop in the middle.

with RawServer({"/": [b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n", b"ok"]}) as server: ...
"""

from __future__ import annotations

import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import Self, TypeAlias

RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with 0 seconds
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
PIECE_SECONDS = 0.01
"""Between two pieces, so that they arrive one by one."""


class Then(Enum):
    """What to do instead of sending."""

    CLOSE = "close"
    GOODBYE = "close, and say so inside TLS before"
    RESET = "reset"
    STALL = "stall"


Script: TypeAlias = Sequence[bytes | Then]
"""Pieces to send one after the other; then the connection's next request is read. A piece `b"%s"` is the request."""

NOTHING: Script = [Then.CLOSE]


class RawServer:
    """Answers each path by its script, others not at all; one thread for each connection.

    *host* "0.0.0.0": at all of 127.0.0.0/8.

    Attributes:
        once: path → script for its next request alone.
        requests: what came, head and body, in order of arrival.
        connections: how many were made.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        tls: ssl.SSLContext | None = None,
        family: int = socket.AF_INET,
        host: str = "",
    ) -> None:
        self.scripts = dict(scripts)
        self.once: dict[str, Script] = {}
        self.requests: list[bytes] = []
        self.connections = 0
        self.closed = threading.Event()
        """Set when a connection was ended by `Then.CLOSE`."""
        self._tls = tls
        host = host or ("::1" if family == socket.AF_INET6 else "127.0.0.1")
        self._listener = socket.create_server((host, 0), family=family, backlog=256)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{'[::1]' if family == socket.AF_INET6 else '127.0.0.1'}:{self.port}"
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._open.append(connection)
            with connection:
                while (request := self._read(connection)) is not None:
                    self.requests.append(request)
                    path = request.split(b" ", 2)[1].decode()
                    script = self.once.pop(path, None) or self._script(path)
                    if not self._play(script, request, connection):
                        break
        except OSError:
            pass
        self.closed.set()

    def _script(self, path: str) -> Script:
        try:
            return self.scripts[path]  # a test's own kind of dict may make it up
        except KeyError:
            return NOTHING

    def _play(self, script: Script, request: bytes, connection: socket.socket) -> bool:
        for piece in script:
            if isinstance(piece, bytes):
                connection.sendall(request if piece == b"%s" else piece)
                time.sleep(PIECE_SECONDS)
            elif piece is Then.STALL:
                connection.recv(1)  # until the other end closes
                return False
            else:
                if piece is Then.GOODBYE and isinstance(connection, ssl.SSLSocket):
                    connection.unwrap()
                if piece is Then.RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                return False
        return True

    def _read(self, connection: socket.socket) -> bytes | None:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65_536)
            if not piece:
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        while length and len(body) < int(length[1]):
            body += connection.recv(65_536)
        return head + b"\r\n\r\n" + body
