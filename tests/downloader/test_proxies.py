"""Requests through real proxies, of HTTP and of SOCKS, named as Scrapy's users do it; they alone know the hosts."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import server_context
from tests.conftest import Project
from tests.downloader.test_handler import OK, OURS, PAGE, SCRAPYS, fetch, sized
from tests.proxy_servers import HttpProxy, Proxy, SocksProxy
from tests.raw_server import RawServer, Script, Then
from tests.site_server import SiteServer

SCRIPTS: Mapping[str, Script] = {
    "/": [sized(PAGE)],
    "/gzip": [sized(gzip.compress(PAGE), b"Content-Encoding: gzip\r\n")],
    "/bomb": [sized(gzip.compress(bytes(1_000_000)), b"Content-Encoding: gzip\r\n")],
    "/big": [OK + b"Content-Length: 100001\r\n\r\n", b"x" * 100_001],
    "/big-open": [OK + b"\r\n" + b"x" * 60_000, b"x" * 60_000, Then.CLOSE],
    "/cut": [OK + b"Content-Length: 100\r\n\r\nhalf", Then.CLOSE],
    "/late": [Then.STALL],
    "/drip": [OK + b"Content-Length: 1000\r\n\r\n", *([b"x"] * 1000)],
    "/echo": [OK + b"Connection: close\r\n\r\n", b"%s", Then.CLOSE],
}
ENDLESS = ("/late", "/drip")
BOUNDED = ["/gzip", "/bomb", "/big", "/big-open", "/cut", "/late", "/drip"]
ENDINGS = [
    200,
    "IgnoreRequest",
    "DownloadCancelledError",
    "DownloadCancelledError",
    "ResponseDataLossError",
    "DownloadTimeoutError",
    "DownloadTimeoutError",
]
BODIES = {"DOWNLOADER_MIDDLEWARES": {"gwc_crawler.middlewares.bodies.WholeBodies": 590,
          "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None}}  # fmt: skip
KINDS = pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])


def known(server: RawServer | SiteServer) -> dict[str, tuple[str, int]]:
    return {"shop.test": ("127.0.0.1", server.port)}


def asked(proxy: str, path: str = "/", scheme: str = "http", **meta: Any) -> dict[str, Any]:
    """A Request that names the proxy; what won't come is waited for a second."""
    meta |= {"proxy": proxy, "download_timeout": 1 if path in ENDLESS else 60}
    return {"url": f"{scheme}://shop.test{path}", "meta": meta}


def through(proxy: str, *paths: str, scheme: str = "http", **settings: Any) -> list[Any]:
    return fetch(OURS, [asked(proxy, path, scheme) for path in paths], **settings)


def words(results: list[Any]) -> list[Any]:
    return [one.get("error", one.get("status")) for one in results]


@pytest.mark.parametrize("credentials", ["", "reader:secret"])
@KINDS
def test_a_page(kind: type[Proxy], credentials: str) -> None:
    with RawServer(SCRIPTS) as server, kind(known(server), credentials) as proxy:
        [page, echo] = through(proxy.url, "/", "/echo")
    assert page["body"] == PAGE.decode()
    assert "proxy-authorization" not in echo["body"].lower(), "credentials are the proxy's alone"
    assert set(proxy.asked) == {("shop.test", 80)}, "the proxy looks the name up"


def test_the_kinds_of_socks() -> None:
    with RawServer(SCRIPTS) as server, SocksProxy(known(server)) as proxy:
        proxies = [f"{scheme}://{proxy.address}" for scheme in ("socks4", "socks4a", "socks5", "socks5h", "SOCKS5")]
        pages = fetch(OURS, [asked(url) for url in proxies])
    assert [page["body"] for page in pages] == [PAGE.decode()] * 5


@KINDS
def test_tls_is_with_the_server_itself(kind: type[Proxy], tmp_path: Path) -> None:
    with RawServer(SCRIPTS, tls=server_context(tmp_path)) as server, kind(known(server), "reader:secret") as proxy:
        pages = through(proxy.url, "/", "/", scheme="https", DOWNLOAD_VERIFY_CERTIFICATES=False)
        assert words(pages) == [200, 200]
        assert set(proxy.asked) == {("shop.test", 443)}
        [refused] = through(proxy.url, "/", scheme="https", DOWNLOAD_VERIFY_CERTIFICATES=True)
        assert refused == {"error": "DownloadFailedError"}


def test_an_http_proxy_behind_tls_leads_to_pages_of_http_alone(tmp_path: Path) -> None:
    with RawServer(SCRIPTS) as server, HttpProxy(known(server), tls=server_context(tmp_path)) as proxy:
        assert proxy.url.startswith("https://")
        requests = [asked(proxy.url, scheme=scheme) for scheme in ("http", "https")]
        results = fetch(OURS, requests, DOWNLOAD_VERIFY_CERTIFICATES=False)
        assert words(results) == [200, "NotImplementedError"]
        assert proxy.asked == [("shop.test", 80)]


@KINDS
def test_the_bounds_are_those_of_other_requests(kind: type[Proxy]) -> None:
    with RawServer(SCRIPTS) as server, kind(known(server)) as proxy:
        assert words(through(proxy.url, *BOUNDED, **BODIES)) == ENDINGS


def test_connections_through_socks_are_kept_for_each_host_and_proxy() -> None:
    with RawServer(SCRIPTS) as server, SocksProxy(known(server)) as one, SocksProxy(known(server)) as other:
        assert words(fetch(OURS, [asked(proxy.url) for proxy in (one, one, other, one)])) == [200] * 4
        assert (len(one.asked), len(other.asked), server.connections) == (1, 1, 2)


@pytest.mark.parametrize(
    ("kind", "told"), [(SocksProxy, "DownloadFailedError"), (HttpProxy, 407)], ids=["socks", "http"]
)
def test_wrong_credentials(kind: type[Proxy], told: Any) -> None:
    with RawServer(SCRIPTS) as server, kind(known(server), "reader:secret") as proxy:
        url = f"{proxy.scheme}://reader:wrong@{proxy.address}"
        assert words(through(url, "/")) == [told]
        assert words(through(f"{proxy.scheme}://{proxy.address}", "/")) == [told]
        assert server.requests == []


def test_a_proxy_that_is_gone_or_leads_nowhere_or_is_none() -> None:
    with RawServer(SCRIPTS) as server, SocksProxy({"shop.test": ("127.0.0.1", 1)}) as lost:
        with SocksProxy({}) as gone:
            pass
        requests = [asked(proxy) for proxy in (lost.url, gone.url, "socks6://127.0.0.1:1", "socks5://")]
        results = fetch(OURS, [*requests, asked(f"socks5://127.0.0.1:{server.port}", "/late")])
    assert words(results) == [
        "DownloadFailedError",
        "DownloadConnectionRefusedError",
        *["NotSupported"] * 2,
        "DownloadTimeoutError",
    ]


def test_what_socks_cannot_do_is_refused_and_nothing_goes_direct() -> None:
    with RawServer(SCRIPTS) as server, SocksProxy(known(server)) as proxy:
        bound = asked(proxy.url, bindaddress=["127.0.0.1", 0])
        assert words(fetch(OURS, [bound])) == ["NotSupported"]
        assert words(fetch(OURS, [asked(proxy.url)], listen=True)) == ["NotSupported"]
        assert (server.requests, proxy.asked) == ([], [])


@KINDS
def test_a_crawl_through_the_proxy_of_the_environment(
    kind: type[Proxy], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer() as site, kind(known(site), "reader:secret") as proxy:
        site.links = {"/": ["/a", "/b"], "/a": ["/b"], "/b": []}
        project.write_graph_site("http://shop.test")
        project.write_knowledge()
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        done = project.scrapy("crawl", "graph")
    assert done.code == 0, done.err
    assert [url for (url,) in project.rows("SELECT url FROM pages ORDER BY url")] == [
        "http://shop.test/",
        "http://shop.test/a",
        "http://shop.test/b",
    ]
    assert "secret" not in done.err + done.out


@pytest.mark.parametrize(
    ("scheme", "told"),
    [
        ("http", "the proxy http://{} refuses the connection"),
        ("socks5", "the proxy socks5://{} refuses the connection"),
    ],
)
def test_a_dead_proxy_is_told_of_not_the_site(
    project: Project, monkeypatch: pytest.MonkeyPatch, scheme: str, told: str
) -> None:
    with HttpProxy({}) as gone:
        pass
    project.write_graph_site("http://shop.test")
    project.write_knowledge()
    monkeypatch.setenv("HTTP_PROXY", f"{scheme}://reader:secret@{gone.address}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    done = project.scrapy("crawl", "graph", settings={"GWC_RETRY_BASE_SECONDS": 0.01})
    assert done.code == 3, done.err
    assert told.format(gone.address) in done.err.splitlines()[-1]
    assert done.err.endswith("; check the proxy and the address, or try later\n")
    assert "secret" not in done.err + done.out


def test_scrapys_handler_and_ours_agree_on_http_proxies() -> None:
    with RawServer(SCRIPTS) as server, HttpProxy(known(server)) as proxy:
        requests = [asked(proxy.url, path) for path in ("/", "/cut")]
        assert words(fetch(OURS, requests)) == words(fetch(SCRAPYS, requests)) == [200, "ResponseDataLossError"]
