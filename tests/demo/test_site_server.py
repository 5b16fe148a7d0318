"""The test suite's own site server does what its tests rely on."""

from __future__ import annotations

import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.site_server import SiteServer


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_pages_are_made_from_links_and_counted() -> None:
    with SiteServer({"/": ["/p/1", "/q?a=1&b=2"], "/q?a=1&b=2": []}) as site:
        status, text = _get(site.url + "/")
        assert (status, 'href="/p/1"' in text, "/q?a=1&amp;b=2" in text) == (200, True, True)
        assert _get(site.url + "/q?a=1&b=2")[0] == 200
        assert _get(site.url + "/p/1")[0] == 404
        assert _get(site.url + "/robots.txt")[1].startswith("User-agent")
        assert site.hits == {"/": 1, "/q?a=1&b=2": 1, "/p/1": 1, "/robots.txt": 1}
        assert site.page_hits() == {"/": 1, "/q?a=1&b=2": 1, "/p/1": 1}


def test_bodies_statuses_headers_and_delays_are_sent_as_set() -> None:
    with SiteServer() as site:
        site.bodies["/x"] = (b"\xd6\xd0", "text/html; charset=gbk")
        site.statuses["/busy"] = [503, 200]
        site.headers["/busy"] = {"Retry-After": "1"}
        with urllib.request.urlopen(site.url + "/x", timeout=10) as response:
            assert (response.headers["Content-Type"], response.read()) == ("text/html; charset=gbk", b"\xd6\xd0")
        assert [_get(site.url + "/busy")[0] for _ in range(3)] == [503, 200, 200]
        site.links["/"] = []
        site.delays["*"] = 0.15
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(_get, [site.url + "/"] * 3))
        assert site.max_concurrent == 3


def test_connections_are_cut_and_reset_as_set() -> None:
    with SiteServer({"/": [], "/gone": []}) as site:
        site.cut.add("/")
        site.reset.add("/gone")
        with pytest.raises(Exception, match="IncompleteRead"):
            _get(site.url + "/")
        with pytest.raises(OSError, match="reset"):
            _get(site.url + "/gone")


def test_a_server_may_be_stopped_while_it_begins() -> None:
    for _ in range(100):
        with SiteServer() as server:
            pass
        assert server.hits == {}
