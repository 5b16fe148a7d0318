"""Serves a catalogue from a process of its own, as fast as asyncio can, and counts the requests for each path."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import Counter
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType

from benchmarks.catalogue import Catalogue

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class CatalogueServer:
    """Context manager: `.url` while it runs; `.take_hits()` gives what was asked for since the last time."""

    def __init__(self, pages: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, far_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(pages, far_end), daemon=True)

    def __enter__(self) -> CatalogueServer:
        self._process.start()
        if not self._pipe.poll(60):
            raise RuntimeError("the catalogue's server did not start within 60 s")
        self.url = f"http://127.0.0.1:{self._pipe.recv()}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join(5)

    def take_hits(self) -> Counter[str]:
        """Requests by path since the last call; path "/missing/" counts those for pages that don't exist."""
        self._pipe.send("hits")
        hits: Counter[str] = self._pipe.recv()
        return hits


def _serve(pages: int, pipe: Connection) -> None:
    asyncio.run(_serve_until_terminated(Catalogue(pages), pipe))


async def _serve_until_terminated(catalogue: Catalogue, pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    hits: Counter[str] = Counter()
    server = await loop.create_server(lambda: _Http(catalogue, hits), "127.0.0.1", 0, backlog=1024)

    def hand_over() -> None:
        try:
            pipe.recv()
        except EOFError:  # killed, the benchmark could not end its server
            server.close()
            loop.remove_reader(pipe.fileno())
            return
        pipe.send(hits)
        hits.clear()

    loop.add_reader(pipe.fileno(), hand_over)
    pipe.send(server.sockets[0].getsockname()[1])
    with suppress(asyncio.CancelledError):
        await server.serve_forever()


class _Http(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, GET only: all that a crawler of this site needs."""

    def __init__(self, catalogue: Catalogue, hits: Counter[str]) -> None:
        self.catalogue = catalogue
        self.hits = hits
        self.unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self.unread = (self.unread + data).split(b"\r\n\r\n")
        for request in requests:
            self.transport.write(self._answer(request.split(b" ", 2)[1].decode("latin-1")))

    def _answer(self, path: str) -> bytes:
        if path == "/robots.txt":
            self.hits[path] += 1
            return _response("200 OK", "text/plain", ROBOTS)
        body = self.catalogue.render(path)
        if body is None:
            self.hits["/missing/"] += 1
            return _response("404 Not Found", "text/plain", b"no such page")
        self.hits[path] += 1
        return _response("200 OK", "text/html; charset=utf-8", body)


def _response(status: str, content_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
