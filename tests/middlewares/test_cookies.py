"""Cookies that a site sets: which are kept, and that no list is fetched to tell."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares import cookies as scrapys
from scrapy.http import Response

from gwc_crawler.middlewares.cookies import SiteCookies


@pytest.mark.parametrize(
    ("host", "domain", "sent_to"),
    [
        ("www.shop.co.uk", "", ["www.shop.co.uk"]),
        ("www.shop.co.uk", "; Domain=shop.co.uk", ["shop.co.uk", "a.shop.co.uk", "www.shop.co.uk"]),
        ("www.shop.co.uk", "; Domain=.co.uk", []),
        ("me.github.io", "; Domain=github.io", []),
        ("127.0.0.1", "; Domain=127.0.0.1", ["127.0.0.1"]),
        ("shop.test", "; Domain=other.test", []),
    ],
)
def test_a_cookie_goes_to_whom_it_is_for_and_no_list_is_fetched(
    monkeypatch: pytest.MonkeyPatch, host: str, domain: str, sent_to: list[str]
) -> None:
    def fetches(name: str) -> None:
        pytest.fail(f"a list would be fetched for {name}")

    monkeypatch.setattr(scrapys, "_split_domain", fetches)
    middleware = SiteCookies()
    first = Request(f"http://{host}/")
    middleware.process_response(first, Response(first.url, headers={"Set-Cookie": f"a=1{domain}; Path=/"}))
    asked = ["shop.co.uk", "a.shop.co.uk", "www.shop.co.uk", "b.co.uk", "you.github.io", "127.0.0.1", "other.test"]
    found = []
    for name in asked:
        request = Request(f"http://{name}/x")
        middleware.process_request(request)
        found += [name] if b"Cookie" in request.headers else []
    assert found == sent_to
