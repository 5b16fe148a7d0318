"""Where Requests of a crawl may lead, whatever made them: looked at after all middlewares."""

from __future__ import annotations

import pytest
from scrapy import Request

from gwc_crawler.downloader.resolver import LOOKING, AddressRefused, Destinations
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.guard import Guard

NAMES = CrawlNames(DnsCache(hosts_file=dict), Guard(frozenset({"shop.example"})))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.example/x", "data:text/plain,x", "s3://bucket/x"])
def test_only_http_and_https_are_fetched(url: str) -> None:
    with pytest.raises(AddressRefused, match="only http and https"):
        Destinations(NAMES, guarded=True).enter(Request(url))


@pytest.mark.parametrize("host", ["10.0.0.1", "2130706433", "[::1]", "localhost", "a.localhost"])
@pytest.mark.parametrize("proxy", ["http://proxy.example:3128", "socks5://proxy.example"])
def test_through_a_proxy_no_private_address_is_asked_for(host: str, proxy: str) -> None:
    with pytest.raises(AddressRefused, match="private address"):
        Destinations(NAMES, guarded=True).enter(Request(f"http://{host}/", meta={"proxy": proxy}))


def test_a_proxy_is_wherever_a_person_has_said() -> None:
    LOOKING.set(None)
    request = Request("http://shop.example/", meta={"proxy": "http://127.0.0.1:3128"})
    assert Destinations(NAMES, guarded=True).enter(request) is None
    assert LOOKING.get() is None


def test_resolvers_know_for_whom_they_are_asked() -> None:
    looking = Destinations(NAMES, guarded=True).enter(Request("http://shop.example/"))
    assert looking is not None
    assert LOOKING.get() is looking
    LOOKING.set(None)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "file:///etc/hosts", "http://localhost/"])
def test_a_spider_of_the_users_own_goes_where_it_likes(url: str) -> None:
    assert Destinations(NAMES, guarded=False).enter(Request(url)) is None
