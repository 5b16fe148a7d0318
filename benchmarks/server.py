"""Serves a catalogue from a process of its own, at once or after a delay, and counts what was asked for."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType

from benchmarks.catalogue import Catalogue

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class CatalogueServer:
    """Context manager: `.url` while it runs; `.take_hits()` gives what was asked for since the last time.

    Args:
        hosts: addresses of this machine at which the same pages stand; `.url` is that of the first.
    """

    def __init__(self, pages: int, hosts: Sequence[str] = ("127.0.0.1",)) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, far_end = context.Pipe()
        self._hosts = hosts
        self._process = context.Process(target=_serve, args=(pages, hosts, far_end), daemon=True)

    def __enter__(self) -> CatalogueServer:
        self._process.start()
        if not self._pipe.poll(60):
            raise RuntimeError("the catalogue's server did not start within 60 s")
        port = self._pipe.recv()
        self.urls = [f"http://{host}:{port}" for host in self._hosts]
        self.url = self.urls[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join(5)

    def take_hits(self) -> Counter[str]:
        """Requests by path since the last call; path "/missing/" counts those for pages that don't exist."""
        return self.take()[0]

    def take(self) -> tuple[Counter[str], list[float]]:
        """The same, and when each page was answered, in seconds of one clock."""
        self._pipe.send(None)
        taken: tuple[Counter[str], list[float]] = self._pipe.recv()
        return taken

    def wait_before_answers(self, seconds: float) -> None:
        """From now on a request is answered after so long."""
        self._pipe.send(seconds)
        self._pipe.recv()


def _serve(pages: int, hosts: Sequence[str], pipe: Connection) -> None:
    asyncio.run(_serve_until_terminated(_Site(Catalogue(pages)), hosts, pipe))


class _Site:
    """What the connections share."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.delay_seconds = 0.0
        self.hits: Counter[str] = Counter()
        self.times: list[float] = []


async def _serve_until_terminated(site: _Site, hosts: Sequence[str], pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Http(site), hosts[0], 0, backlog=4096)
    port = server.sockets[0].getsockname()[1]
    others = [await loop.create_server(lambda: _Http(site), host, port, backlog=4096) for host in hosts[1:]]

    def hand_over() -> None:
        try:
            delay_seconds = pipe.recv()
        except EOFError:  # killed, the benchmark could not end its server
            for one in (server, *others):
                one.close()
            loop.remove_reader(pipe.fileno())
            return
        if delay_seconds is not None:
            site.delay_seconds = delay_seconds
        pipe.send((site.hits, site.times) if delay_seconds is None else None)
        if delay_seconds is None:
            site.hits.clear()
            site.times.clear()

    loop.add_reader(pipe.fileno(), hand_over)
    pipe.send(port)
    with suppress(asyncio.CancelledError):
        await server.serve_forever()


class _Http(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, GET only: all that a crawler of this site needs."""

    def __init__(self, site: _Site) -> None:
        self.site = site
        self.unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self.unread = (self.unread + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1].decode("latin-1")
            if self.site.delay_seconds:
                asyncio.get_running_loop().call_later(self.site.delay_seconds, self._answer, path)
            else:
                self._answer(path)

    def _answer(self, path: str) -> None:
        if path == "/robots.txt":
            self.site.hits[path] += 1
            self.transport.write(_response("200 OK", "text/plain", ROBOTS))
            return
        body = self.site.catalogue.render(path)
        if body is None:
            self.site.hits["/missing/"] += 1
            self.transport.write(_response("404 Not Found", "text/plain", b"no such page"))
            return
        self.site.hits[path] += 1
        self.site.times.append(time.monotonic())
        self.transport.write(_response("200 OK", "text/html; charset=utf-8", body))


def _response(status: str, content_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
