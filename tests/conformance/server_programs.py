"""Servers in Python, in one process on one port, each at an address of its own: http.server, aiohttp, Twisted.

`python -m tests.conformance.server_programs ROOT PORT` serves until it is killed; `PROGRAMS` says what is where.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.conformance.answer_parts import AGAIN, HALF, NO_PAGE, PAGE, PAGE_COMES
from tests.conformance.server_cases import ALL, MANY, Site
from tests.conformance.table import Case


def program(name: str, expected: str, path: str | tuple[str, ...] = "/page.html", **more: Any) -> Case:
    entry = (path,) if isinstance(path, str) else path
    return Case(name, expected, Site(entry=entry, **more))


FILES, KEEPING, AIOHTTP, TWISTED, NODE = (f"127.0.3.{number}" for number in range(1, 6))
PROGRAMS = {
    FILES: [
        program("http.server: a file over HTTP/1.0", PAGE_COMES),
        program("http.server: a directory without its slash", PAGE_COMES, "/dir"),
        program("http.server: a list of files", ALL, "/p/", pages=12),
        program("http.server: a picture", NO_PAGE, "/dot.png", reason="image/png"),
    ],
    KEEPING: [program("http.server: files over HTTP/1.1", ALL, MANY)],
    AIOHTTP: [
        program("aiohttp: a page", PAGE_COMES, "/"),
        program("aiohttp: chunks", PAGE_COMES, "/chunks"),
        program("aiohttp: gzip", PAGE_COMES, "/gzip"),
        program("aiohttp: deflate", PAGE_COMES, "/deflate"),
        program("aiohttp: closed in the chunks", AGAIN, "/cut", reason="before its announced end"),
        program("aiohttp: an error in the middle", AGAIN, "/raise", reason="HTTP 500"),
    ],
    TWISTED: [
        program("Twisted: a file", PAGE_COMES),
        program("Twisted: a page in pieces", PAGE_COMES, "/pieces"),
        program("Twisted: gzip", PAGE_COMES, "/packed"),
        program("Twisted: closed in the middle", AGAIN, "/cut", reason="before its announced end"),
    ],
    NODE: [
        program("node: a page in pieces", PAGE_COMES, "/"),
        program("node: br", PAGE_COMES, "/br"),
        program("node: deflate without its frame", PAGE_COMES, "/raw"),
        program("node: early hints, then a page", PAGE_COMES, "/hints"),
        program("node: trailers", PAGE_COMES, "/trailers"),
        program("node: destroyed in the middle", AGAIN, "/cut", reason="before its announced end"),
        program("node: br that is destroyed in the middle", AGAIN, "/cut-br"),
    ],
}

NODE_PROGRAM = """
const http = require('http'), zlib = require('zlib'), fs = require('fs');
const [root, port, host] = process.argv.slice(1);
const page = fs.readFileSync(root + '/page.html'), half = page.subarray(0, page.length / 2);
const packed = (answer, coding, body) => { answer.setHeader('Content-Encoding', coding); answer.end(body); };
const half_of = (answer, body) => { answer.write(body); setTimeout(() => answer.destroy(), 100); };
const ways = {
    '/': (_, answer) => { answer.write(half); setTimeout(() => answer.end(page.subarray(half.length)), 50); },
    '/br': (_, answer) => packed(answer, 'br', zlib.brotliCompressSync(page)),
    '/raw': (_, answer) => packed(answer, 'deflate', zlib.deflateRawSync(page)),
    '/hints': (_, answer) => { answer.writeProcessing(); answer.end(page); },
    '/trailers': (_, answer) => {
        answer.writeHead(200, {'Content-Type': 'text/html', 'Trailer': 'X-End'});
        answer.write(page); answer.addTrailers({'X-End': '1'}); answer.end();
    },
    '/cut': (_, answer) => half_of(answer, half),
    '/cut-br': (_, answer) => {
        const body = zlib.brotliCompressSync(page);
        answer.setHeader('Content-Encoding', 'br'); half_of(answer, body.subarray(0, body.length / 2));
    },
};
http.createServer((request, answer) => {
    if (!ways[request.url]) { answer.statusCode = 404; return answer.end(); }
    answer.setHeader('Content-Type', 'text/html; charset=utf-8');
    ways[request.url](request, answer);
}).listen(+port, host);
"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


class Keeping(Quiet):
    """Keeps connections."""

    protocol_version = "HTTP/1.1"


def serve_files(root: str, port: int) -> None:
    for address, handler in ((FILES, Quiet), (KEEPING, Keeping)):
        server = ThreadingHTTPServer((address, port), partial(handler, directory=root))
        threading.Thread(target=server.serve_forever, daemon=True).start()


async def serve_aiohttp(port: int) -> None:
    from aiohttp import web

    async def page(request: Any) -> Any:
        response = web.Response(body=PAGE, content_type="text/html", charset="utf-8")
        if request.path != "/":
            response.enable_compression(web.ContentCoding(request.path[1:]))
        return response

    async def pieces(request: Any) -> Any:
        response = web.StreamResponse(headers={"Content-Type": "text/html; charset=utf-8"})
        await response.prepare(request)
        await response.write(HALF)
        await asyncio.sleep(0.05)
        if request.path == "/cut":
            request.transport.close()
            return response
        await response.write(PAGE[len(HALF) :])
        return response

    async def fail(request: Any) -> Any:
        raise RuntimeError("on purpose")

    app = web.Application()
    app.add_routes([web.get(path, page) for path in ("/", "/gzip", "/deflate")])
    app.add_routes([web.get(path, pieces) for path in ("/chunks", "/cut")] + [web.get("/raise", fail)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, AIOHTTP, port).start()


def serve_twisted(root: str, port: int, reactor: Any) -> None:
    from twisted.web.resource import EncodingResourceWrapper, Resource
    from twisted.web.server import NOT_DONE_YET, GzipEncoderFactory, Site
    from twisted.web.static import Data, File

    class Pieces(Resource):
        isLeaf = True

        def render_GET(self, request: Any) -> int:
            request.setHeader(b"Content-Type", b"text/html; charset=utf-8")
            request.write(HALF)
            reactor.callLater(0.05, self.go_on, request)
            return NOT_DONE_YET  # type: ignore[no-any-return]

        def go_on(self, request: Any) -> None:
            if request.path == b"/cut":
                request.loseConnection()
                return
            request.write(PAGE[len(HALF) :])
            request.finish()

    files = File(root)
    packed = EncodingResourceWrapper(Data(PAGE, "text/html; charset=utf-8"), [GzipEncoderFactory()])
    for name, resource in ((b"pieces", Pieces()), (b"cut", Pieces()), (b"packed", packed)):
        files.putChild(name, resource)
    reactor.listenTCP(port, Site(files), interface=TWISTED)


def main(root: str, port: int) -> None:
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    serve_files(root, port)
    loop.create_task(serve_aiohttp(port))  # noqa: RUF006  # it ends at once
    serve_twisted(root, port, reactor)
    reactor.run()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(str(Path(sys.argv[1])), int(sys.argv[2]))
