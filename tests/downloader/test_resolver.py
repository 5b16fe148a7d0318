"""The crawl's resolver: names of both families, through our handler and through Scrapy's, and names nobody answers."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from gwc_crawler.downloader.resolver import CachedResolver
from tests.downloader.test_handler import OURS, SCRAPYS, fetch, sized
from tests.name_server import NameServer, silent
from tests.name_server import addresses as says
from tests.raw_server import RawServer

NAMES = {
    "six.test": says("::1"),
    "four.test": says("127.0.0.1"),
    "both.test": says("::1", "127.0.0.1"),
    "silent.test": silent(),
}
HANDLERS = pytest.mark.parametrize("handler", [OURS, SCRAPYS])


def addresses(handler: str, port: int, *hosts: str, **settings: Any) -> list[str]:
    """Return the address each host's page came from, or the error."""
    requests = [{"url": f"http://{host}:{port}/", "meta": {"download_timeout": 60}} for host in hosts]
    with NameServer(NAMES) as server:
        found = fetch(handler, requests, GWC_DNS_SERVERS=[server.text], **settings)
    return [one.get("error") or one["address"] for one in found]


def test_every_profile_names_it() -> None:
    for profile in ("local", "polite", "fast", "cluster"):
        settings = Settings()
        settings.setmodule(f"gwc_crawler.profiles.{profile}", "project")
        assert load_object(settings["TWISTED_DNS_RESOLVER"]) is CachedResolver


@HANDLERS
def test_a_server_of_ipv6_alone(handler: str) -> None:
    with RawServer({"/": [sized(b"page")]}, family=socket.AF_INET6) as server, socket.socket() as nobody:
        nobody.bind(("127.0.0.1", server.port))  # no other test's server comes to stand there
        found = addresses(handler, server.port, "six.test", "both.test", "six.test", "four.test")
    assert found == ["::1", "::1", "::1", "DownloadConnectionRefusedError"]


@HANDLERS
def test_a_server_of_ipv4_alone(handler: str) -> None:
    with RawServer({"/": [sized(b"page")]}) as server:
        found = addresses(handler, server.port, "four.test", "both.test")
    assert found == ["127.0.0.1", "127.0.0.1"]


@HANDLERS
def test_a_name_without_address_and_one_without_answer(handler: str) -> None:
    found = addresses(handler, 80, "none.test", "silent.test", "a..test", DNS_TIMEOUT=0.5)
    assert found == ["CannotResolveHostError"] * 3


def test_without_a_cache_names_are_asked_for_again() -> None:
    with RawServer({"/": [sized(b"page")]}) as server:
        found = addresses(OURS, server.port, "four.test", "four.test", DNSCACHE_ENABLED=False)
    assert found == ["127.0.0.1", "127.0.0.1"]
