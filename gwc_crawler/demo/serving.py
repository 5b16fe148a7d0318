"""A small HTTP/1.1 server on real sockets: one thread, one asyncio loop, keep-alive, counted and logged.

`PageServer` asks a function for a `ServedReply` per request and sends it, or misbehaves as the reply says: late, cut
off in the middle, or with a connection reset. The mall and the test suite's site server stand on it.
"""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, Self

from gwc_crawler.errors import InputError

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with 0 seconds: close sends RST instead of FIN


class Request(NamedTuple):
    """One request as it arrived; `target` is the path with its query, `arrived` is `time.monotonic()`."""

    arrived: float
    target: str
    method: str
    headers: dict[str, str]

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True)
class ServedReply:
    """A reply to send. `cut` announces the whole body and sends half; `reset` sends nothing and resets the link."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    delay_seconds: float = 0.0
    cut: bool = False
    reset: bool = False


def with_etag(request: Request, reply: ServedReply) -> ServedReply:
    """Give a page an ETag made of its body; a request that names it already gets a 304 (RFC 9110 §13.1.2)."""
    if reply.status != 200 or reply.cut or reply.reset:
        return reply
    etag = f'"{blake2b(reply.body, digest_size=8).hexdigest()}"'
    headers = (*reply.headers, ("ETag", etag))
    if etag in request.headers.get("if-none-match", ""):
        return replace(reply, body=b"", status=304, headers=headers)
    return replace(reply, headers=headers)


class PageServer:
    """Serves what `answer` says until it is left; a context manager.

    Args:
        answer: called in the server's thread, once per request; must be quick.
        port: 0 takes a free one. A taken port raises OSError in the caller's thread, on `start`.

    Attributes:
        hits: requests per target (path with its query, as sent).
        max_concurrent: the most requests that were ever unanswered at the same time.
    """

    def __init__(self, answer: Callable[[Request], ServedReply], port: int = 0, host: str = "127.0.0.1") -> None:
        self.answer = answer
        self.host = host
        self.port = port
        self.hits: Counter[str] = Counter()
        self.log: list[Request] = []
        self.open_requests = 0
        self.max_concurrent = 0
        self.connections: set[_Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """`http://host:port`, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    def start(self) -> Self:
        """Bind and serve in a thread of its own."""
        # The protocol is named because asyncio sets TCP_NODELAY only then; without it each answer waits 40 ms.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
        except OSError:
            listener.close()
            self._loop.close()
            raise
        self.port = listener.getsockname()[1]
        listener.listen(512)
        self._serving = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="page-server", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close the listener and every connection; may be called twice."""
        if self._thread is not None:
            self._serving.wait(timeout=10)  # a loop that is stopped while it begins leaves its sockets open
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=10)
            self._thread = None

    def send_delayed(self) -> None:
        """Answer at once whatever is delayed."""
        for connection in list(self.connections):
            self._loop.call_soon_threadsafe(connection.send_delayed)

    def clear(self) -> None:
        """Forget hits, log and high-water mark."""
        self.hits.clear()
        self.log.clear()
        self.max_concurrent = 0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self, listener: socket.socket) -> None:
        loop = self._loop
        server = loop.run_until_complete(loop.create_server(lambda: _Connection(self, loop), sock=listener))
        self._serving.set()
        try:
            loop.run_forever()
        finally:
            server.close()
            for connection in list(self.connections):
                connection.abort()
            loop.run_until_complete(asyncio.sleep(0))
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()


class _Connection(asyncio.Protocol):
    """One client connection: requests are answered one after the other."""

    def __init__(self, server: PageServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop
        self._buffer = b""
        self._waiting = False
        self._transport: asyncio.Transport | None = None
        self._delayed: tuple[Request, ServedReply] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.connections.discard(self)
        if self._waiting:
            self._waiting = False
            self._server.open_requests -= 1
        self._transport = None

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._buffer.startswith(b"\x16"):  # somebody greets by TLS, and would wait for an answer to it
            self.abort()
        else:
            self._next_request()

    def _next_request(self) -> None:
        while not self._waiting and self._transport is not None:
            head, blank, rest = self._buffer.partition(b"\r\n\r\n")
            if not blank:
                return
            request = _parse_head(head)
            body_length = int(request.headers.get("content-length", "0"))
            if len(rest) < body_length:
                return
            self._buffer = rest[body_length:]
            self._take(request)

    def _take(self, request: Request) -> None:
        server = self._server
        server.hits[request.target] += 1
        server.log.append(request)
        server.open_requests += 1
        server.max_concurrent = max(server.max_concurrent, server.open_requests)
        self._waiting = True
        reply = server.answer(request)
        if reply.delay_seconds > 0:
            self._delayed = request, reply
            self._loop.call_later(reply.delay_seconds, self.send_delayed, request)
        else:
            self._send(request, reply)

    def send_delayed(self, request: Request | None = None) -> None:
        """Send the delayed answer, if it is the one to *request* (None: any)."""
        if self._delayed is not None and (request is None or request is self._delayed[0]):
            (request, reply), self._delayed = self._delayed, None
            self._send(request, reply)
            self._next_request()

    def _send(self, request: Request, reply: ServedReply) -> None:
        if not self._waiting or self._transport is None:  # the client went away meanwhile
            return
        self._waiting = False
        self._server.open_requests -= 1
        if reply.reset:
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self._transport.abort()
            return
        close = reply.cut or request.headers.get("connection", "").lower() == "close"
        body = reply.body[: len(reply.body) // 2] if reply.cut else reply.body
        self._transport.write(_render_head(reply, close) + (b"" if request.method == "HEAD" else body))
        if close:
            self._transport.close()


def _parse_head(head: bytes) -> Request:
    first, _, rest = head.decode("latin-1").partition("\r\n")
    method, _, target = first.rpartition(" ")[0].partition(" ")
    headers = {}
    for line in rest.split("\r\n"):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(time.monotonic(), target, method, headers)


def _render_head(reply: ServedReply, close: bool) -> bytes:
    reason = http.client.responses.get(reply.status, "Unknown")
    lines = [f"HTTP/1.1 {reply.status} {reason}", f"Content-Length: {len(reply.body)}"]
    if reply.content_type:
        lines.append(f"Content-Type: {reply.content_type}")
    lines.extend(f"{name}: {value}" for name, value in reply.headers)
    if close:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


# --- How the mall misbehaves on request, and the text form of it: "slow=0.2,cut=7,429=1,loop,only=/item/" -------------


FAULTS_HELP = """what --misbehave takes, separated by commas:
  slow=SECONDS      delay every answer
  cut=K             every K-th body ends in the middle
  charset=K         every K-th answer names a wrong charset
  429=N             429 with Retry-After for the first N requests of each path
  429every=K        the same for every K-th request
  503=SECONDS       503 for so long after the start;  503first=N: for the first N requests of each path
  retry_after=S     the Retry-After of 429 and 503 (default 1)
  reset=K           every K-th connection is reset
  loop, bomb        the home page leads to a redirect loop, a gzip bomb (/loop/a and /bomb are always there)
  only=REGEX        only paths in which the regex is found misbehave"""

BOMB_MEGABYTES = 300
_KEYS = {
    "slow": "slow_seconds",
    "cut": "cut_every",
    "charset": "wrong_charset_every",
    "429": "too_many_first",
    "429every": "too_many_every",
    "retry_after": "retry_after_seconds",
    "503": "unavailable_seconds",
    "503first": "unavailable_first",
    "reset": "reset_every",
    "loop": "loop",
    "bomb": "bomb",
    "only": "only",
}


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of a server, as `FAULTS_HELP` tells them."""

    slow_seconds: float = 0.0
    cut_every: int = 0
    wrong_charset_every: int = 0
    too_many_first: int = 0
    too_many_every: int = 0
    retry_after_seconds: int = 1
    unavailable_seconds: float = 0.0
    unavailable_first: int = 0
    reset_every: int = 0
    loop: bool = False
    bomb: bool = False
    only: str = ""

    def covers(self, path: str) -> bool:
        """Say whether *path* misbehaves."""
        return re.search(self.only, path) is not None if self.only else path != "/robots.txt"


def parse_faults(text: str) -> Faults:
    """Read "key=value,key,…" (the command's `--help` lists the keys); InputError names the wrong part."""
    chosen: dict[str, object] = {}
    types = {spec.name: spec.type for spec in fields(Faults)}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = part.partition("=")
        name = _KEYS.get(key)
        if name is None:
            raise InputError(f"--misbehave: unknown fault {key!r}; known are {', '.join(_KEYS)}")
        try:
            chosen[name] = _read_value(str(types[name]), value)
        except re.error as error:
            raise InputError(f"--misbehave: {part!r}: not a regex: {error}") from error
        except ValueError as error:
            raise InputError(f"--misbehave: {part!r}: {key} needs a number, e.g. {key}=2") from error
    return Faults(**chosen)  # type: ignore[arg-type]


def _read_value(type_name: str, value: str) -> object:
    if type_name == "bool":
        return True
    if type_name == "str":
        re.compile(value)
        return value
    number = float(value) if type_name == "float" else int(value)
    if number < 0:
        raise ValueError(value)
    return number


@lru_cache(maxsize=1)
def gzip_bomb(megabytes: int = BOMB_MEGABYTES) -> bytes:
    """Return a gzip body of about 1 KB per megabyte of zeros; made in a stream, never held inflated."""
    packer, megabyte = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20)
    head = packer.compress(b"<html><body>")
    return head + b"".join(packer.compress(megabyte) for _ in range(megabytes)) + packer.flush()
