"""GWC_HTTP2: pages of servers that speak HTTP/2 alone, nginx and, where it is installed, node."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import write_certificate
from tests.conftest import Project
from tests.downloader.test_handler import OURS, PAGE, fetch
from tests.downloader.test_proxies import BODIES, words
from tests.nginx_server import Nginx
from tests.processes import free_port, kill, wait_until
from tests.proxy_servers import HttpProxy, SocksProxy

HTTP2: dict[str, Any] = {
    "GWC_HTTP2": True,
    "HTTPX_HTTP2_ENABLED": True,
    "DOWNLOAD_VERIFY_CERTIFICATES": False,
    "DOWNLOAD_TIMEOUT": 60,
}
SERVER = """
server {{
    listen 127.0.0.1:{port} ssl http2; listen [::1]:{port} ssl http2;
    ssl_certificate {certificate}; ssl_certificate_key {certificate};
    if ($server_protocol != "HTTP/2.0") {{ return 444; }}
    location /slow {{ limit_rate 100; alias {root}/slow; }}
    location = /bomb {{ add_header Content-Encoding gzip; }}
    location = /gone {{ return 404; }}
}}
"""
NODE_PROGRAM = """
const [file, port] = process.argv.slice(1), pem = require('fs').readFileSync(file);
const http2 = require('http2').createSecureServer({key: pem, cert: pem});
http2.on('stream', (stream, headers) => {
  if (headers[':path'] === '/cut') { stream.respond({'content-length': 999}); stream.write('half', () => stream.close(2)); }
  else { stream.respond({'content-type': 'text/html'}); stream.end('<p>node</p>'); }
});
http2.listen(port, '127.0.0.1');
"""  # noqa: E501


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """One that closes the connection of who speaks HTTP/1.1."""
    directory = tmp_path_factory.mktemp("http2")
    root, port = directory / "root", free_port()
    root.mkdir()
    for name, body in {
        "index.html": PAGE + b'<a href="/a.html">a</a>',
        "a.html": PAGE,
        "bomb": gzip.compress(bytes(1_000_000)),
        "big": b"x" * 100_001,
        "slow": b"x" * 5_000,
    }.items():
        (root / name).write_bytes(body)
    certificate = write_certificate(directory, "127.0.0.1")
    block = SERVER.format(port=port, certificate=certificate, root=root)
    with Nginx(directory / "nginx", root, block, ("127.0.0.1", port)) as nginx:
        yield nginx


def at(nginx: Nginx, *paths: str, **more: Any) -> list[dict[str, Any]]:
    return [{"url": f"https://{nginx.address[0]}:{nginx.address[1]}{path}", **more} for path in paths]


def test_a_server_of_http2_alone(nginx: Nginx) -> None:
    assert words(fetch(OURS, at(nginx, "/a.html"), DOWNLOAD_VERIFY_CERTIFICATES=False)) == ["DownloadFailedError"]
    [page, gone] = fetch(OURS, at(nginx, "/a.html", "/gone"), **HTTP2)
    assert (page["body"], page["protocol"], gone["status"]) == (PAGE.decode(), "HTTP/2", 404)


def test_certificates_are_verified(nginx: Nginx) -> None:
    [refused] = fetch(OURS, at(nginx, "/a.html"), **{**HTTP2, "DOWNLOAD_VERIFY_CERTIFICATES": True})
    assert "error" in refused


def test_the_bounds_are_those_of_other_requests(nginx: Nginx) -> None:
    requests = [*at(nginx, "/bomb", "/big"), *at(nginx, "/slow", meta={"download_timeout": 1})]
    results = fetch(OURS, requests, **HTTP2, **BODIES)
    assert words(results) == ["IgnoreRequest", "DownloadCancelledError", "DownloadTimeoutError"]


def test_a_server_of_ipv6_alone(nginx: Nginx) -> None:
    [page] = fetch(OURS, [{"url": f"https://[::1]:{nginx.address[1]}/a.html"}], **HTTP2)
    assert (page["body"], page["address"]) == (PAGE.decode(), "::1")


def test_hosts_are_looked_up_in_the_names_of_the_crawl(nginx: Nginx) -> None:
    request = {"url": f"https://shop.test:{nginx.address[1]}/a.html"}
    nowhere = {**HTTP2, "GWC_DNS_SERVERS": "127.0.0.1:9"}
    assert words(fetch(OURS, [request], **nowhere)) == ["CannotResolveHostError"]
    [page] = fetch(OURS, [request], **nowhere, GWC_DNS_HOSTS={"shop.test": ["127.0.0.9", nginx.address[0]]})
    assert (page["body"], page["address"]) == (PAGE.decode(), nginx.address[0])


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
def test_through_a_proxy(nginx: Nginx, kind: type[HttpProxy] | type[SocksProxy]) -> None:
    with kind({"shop.test": nginx.address}, "reader:secret") as proxy:
        request = {"url": "https://shop.test/a.html", "meta": {"proxy": proxy.url}}
        [page] = fetch(OURS, [request], **HTTP2)
        assert (page["body"], proxy.asked) == (PAGE.decode(), [("shop.test", 443)])


def test_a_crawl(nginx: Nginx, project: Project) -> None:
    [entry] = at(nginx, "/")
    project.write_graph_site(
        entry["url"].removesuffix("/"),
        more="[settings]\nGWC_HTTP2 = true\nDOWNLOAD_VERIFY_CERTIFICATES = false\nROBOTSTXT_OBEY = false\n",
    )
    project.write_knowledge()
    done = project.scrapy("crawl", "graph")
    assert done.code == 0, done.err
    pages = [url for (url,) in project.rows("SELECT url FROM pages ORDER BY url")]
    assert pages == [entry["url"], entry["url"] + "a.html"]
    assert "HTTP Request:" not in done.err


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_node(tmp_path: Path) -> None:
    port, certificate = free_port(), write_certificate(tmp_path, "127.0.0.1")
    process = subprocess.Popen(["node", "-e", NODE_PROGRAM, str(certificate), str(port)])
    try:
        requests = [{"url": f"https://127.0.0.1:{port}{path}"} for path in ("/", "/cut")]
        wait_until(lambda: "error" not in fetch(OURS, requests[:1], **HTTP2)[0], 60)
        [page, cut] = fetch(OURS, requests, **HTTP2)
        assert page["body"] == "<p>node</p>"
        assert "error" in cut
        assert fetch(OURS, requests[:1], DOWNLOAD_VERIFY_CERTIFICATES=False)[0].get("status") != 200
    finally:
        kill(process)
