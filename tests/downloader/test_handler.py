"""Our download handler does what Scrapy's does: the same requests over real sockets, through both."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import started
from tests.certificates import server_context
from tests.raw_server import RawServer, Script, Then

ROOT = Path(__file__).parents[2]
OURS = "gwc_crawler.downloader.handler.KeptConnectionsHandler"
SCRAPYS = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<html><p>page</p></html>"
GZIP = gzip.compress(PAGE)


def sized(body: bytes, more: bytes = b"") -> bytes:
    return OK + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


SAME: dict[str, Script] = {
    "/plain": [sized(PAGE)],
    "/in-pieces": [piece.to_bytes() for piece in sized(PAGE)[:40]] + [sized(PAGE)[40:]],
    "/empty": [sized(b"")],
    "/repeated": [sized(PAGE, b"x-one: 1\r\nX-ONE: 2\r\nset-cookie: a=1\r\nX-Empty:\r\nSet-Cookie: b=2\r\n")],
    "/kind-said-twice": [sized(PAGE, b"Content-Type: text/plain\r\n")],
    "/attached": [b'HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename="a.html"\r\n\r\n', Then.CLOSE],
    "/gzip": [sized(GZIP, b"Content-Encoding: gzip\r\n")],
    "/chunked": [
        OK + b"Transfer-Encoding: chunked\r\n\r\n",
        b"4\r\n<htm\r\n1",
        b"0\r\nl>0123456789abcd\r\n",
        b"0\r\n\r\n",
    ],
    "/trailers": [OK + b"Transfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nDigest: x\r\n\r\n"],
    "/open": [OK + b"\r\n" + PAGE, PAGE, Then.CLOSE],
    "/open-empty": [OK + b"\r\n", Then.CLOSE],
    "/cut": [OK + b"Content-Length: 100\r\n\r\nhalf", Then.CLOSE],
    "/cut-chunks": [OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", Then.CLOSE],
    "/broken-chunks": [OK + b"Transfer-Encoding: chunked\r\n\r\nfive\r\nabcde\r\n0\r\n\r\n", Then.CLOSE],
    "/cut-head": [b"HTTP/1.1 200 OK\r\nContent-", Then.CLOSE],
    "/nothing": [Then.CLOSE],
    "/reset": [Then.RESET],
    "/reset-body": [OK + b"Content-Length: 100\r\n\r\nhalf", Then.RESET],
    "/garbage": [b"SSH-2.0-OpenSSH_9\r\n\r\n", Then.CLOSE],
    "/big": [OK + b"Content-Length: 100001\r\n\r\n", b"x" * 100_001],
    "/big-open": [OK + b"\r\n" + b"x" * 60_000, b"x" * 60_000, Then.CLOSE],
    "/late": [Then.STALL],
    "/late-body": [OK + b"Content-Length: 100\r\n\r\nhalf", Then.STALL],
    "/redirect": [b"HTTP/1.1 302 Found\r\nLocation: /plain\r\nContent-Length: 0\r\n\r\n"],
    "/missing": [b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"],
    "/not-modified": [b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"],
    "/no-reason": [b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx"],
    "/odd-status": [b"HTTP/1.1 999 Request denied\r\nContent-Length: 1\r\n\r\nx"],
    "/bad-line": [b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 1\r\n\r\nx"],
    "/line-feeds": [b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 1\n\nx"],
    "/early": [b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" + sized(PAGE)],
    "/http10": [b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", Then.CLOSE],
    "/cookies": [sized(b"x", b"Set-Cookie: a=1\r\nX-Odd: \xc3\xa9\r\nset-cookie: b=2\r\n")],
    "/lengths": [OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy", Then.CLOSE],
    "/binary": [b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n\x89PNG"],
    "/untyped": [b"HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\n" + PAGE],
    "/path;a=b?c=d&e": [sized(PAGE)],
    "/?q": [sized(PAGE)],
}
"""What both handlers answer alike, in the order of asking; GET."""

REQUESTS: list[dict[str, Any]] = [
    *({"url": path} for path in SAME),
    {"url": "/plain", "meta": {"download_maxsize": 3}},
    {"url": "/cut", "meta": {"download_fail_on_dataloss": False}},
    {"url": "/late", "meta": {"download_timeout": 0.2}},
    {"url": "/plain", "method": "HEAD"},
    {"url": "/echo", "method": "POST", "body": "a=1", "headers": {"X-Two": ["1", "2"]}},
    {"url": "/echo", "method": "PUT"},
    {"url": "/echo", "headers": {"X-Evil": "1\r\nX-Smuggled: 2"}},
    {"url": "/plain#place"},
    {"url": "/echo", "headers": {"Host": "other.example", "Connection": "close"}},
]
SCRIPTS: dict[str, Script] = {**SAME, "/echo": [OK + b"Connection: close\r\n\r\n", b"%s", Then.CLOSE]}


def fetch(
    handler: str,
    requests: list[dict[str, Any]],
    *,
    listen: bool = False,
    **settings: Any,
) -> list[Any]:
    """Fetch in a process of its own; see `fetching`."""
    task = {
        "settings": {"DOWNLOAD_HANDLERS": {"http": handler, "https": handler}, **settings},
        "requests": requests,
        "listen": listen,
    }
    done = started.run("tests.downloader.fetching", json.dumps(task), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    result: list[Any] = json.loads(done.stdout)
    return result


def at(server: RawServer, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**request, "url": server.url + request["url"]} for request in requests]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[list[Any], list[Any]]]:
    """What Scrapy's handler and ours make of `REQUESTS`, one after the other at one server."""
    with RawServer(SCRIPTS) as server:
        yield tuple(fetch(handler, at(server, REQUESTS)) for handler in (SCRAPYS, OURS))  # type: ignore[misc]


@pytest.mark.parametrize("number", range(len(REQUESTS)), ids=lambda number: f"{number}-{REQUESTS[number]['url']}")
def test_it_answers_as_scrapys_own(both: tuple[list[Any], list[Any]], number: int) -> None:
    theirs, ours = (comparable(results[number]) for results in both)
    assert ours == theirs


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """Without the order of a request's headers, and the length that Scrapy's handler gives to no body at all."""
    if result.get("body", "").endswith("\r\n\r\n") or "\r\n\r\na=1" in result.get("body", ""):
        result = {**result, "body": sorted(result["body"].splitlines())}
    if result.get("status") == 304:
        result["headers"].pop("Content-Length", None)
    return result


def test_a_header_cannot_smuggle_another_one_in() -> None:
    with RawServer(SCRIPTS) as server:
        fetch(OURS, at(server, [{"url": "/echo", "headers": {"X-Evil": "1\r\nX-Smuggled: 2"}}]))
        assert b"\r\nX-Smuggled" not in server.requests[0]


def test_connections_are_kept() -> None:
    with RawServer(SCRIPTS) as server:
        fetch(OURS, at(server, [{"url": path} for path in ("/plain", "/chunked", "/gzip", "/not-modified", "/plain")]))
        assert server.connections == 1


def test_a_request_through_a_proxy_reaches_it() -> None:
    with RawServer({"http://elsewhere.invalid/": [sized(PAGE)]}) as proxy:
        [result] = fetch(OURS, [{"url": "http://elsewhere.invalid/", "meta": {"proxy": proxy.url}}])
        assert result["body"] == PAGE.decode()


def test_who_listens_to_pieces_hears_them() -> None:
    with RawServer(SCRIPTS) as server:
        [result] = fetch(OURS, at(server, [{"url": "/plain"}]), listen=True)
        assert result["received"] == len(PAGE)


def test_a_host_is_looked_up_with_the_crawls_resolver() -> None:
    with RawServer(SCRIPTS) as server:
        urls = [f"http://{host}:{server.port}/plain" for host in ("localhost", "no-such-host.invalid", "2130706433")]
        results = fetch(OURS, [{"url": url} for url in urls])
    assert [result.get("error", result.get("status")) for result in results] == [200, "CannotResolveHostError", 200]


def test_nobody_there() -> None:
    with RawServer({}) as server:
        gone = server.url
    assert fetch(OURS, [{"url": gone + "/"}]) == [{"error": "DownloadConnectionRefusedError"}]


def test_an_ipv6_address() -> None:
    with RawServer(SCRIPTS, family=socket.AF_INET6) as server:
        [result] = fetch(OURS, at(server, [{"url": "/plain"}]))
        assert (result["status"], result["address"]) == (200, "::1")
        assert f"Host: [::1]:{server.port}\r\n".encode() in server.requests[0]


def test_tls(tmp_path: Path) -> None:
    with RawServer(SCRIPTS, tls=server_context(tmp_path)) as server:
        requests = at(server, [{"url": "/plain"}, {"url": "/chunked"}, {"url": "/cut"}])
        results = fetch(OURS, requests, DOWNLOAD_VERIFY_CERTIFICATES=False)
        assert results == fetch(SCRAPYS, requests, DOWNLOAD_VERIFY_CERTIFICATES=False)
        assert [result.get("certificate", result.get("error")) for result in results] == [
            "Certificate",
            "Certificate",
            "ResponseDataLossError",
        ]
        assert server.connections == 1 + 1
        assert fetch(OURS, requests[:1], DOWNLOAD_VERIFY_CERTIFICATES=True) == [{"error": "DownloadFailedError"}]
