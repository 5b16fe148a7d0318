"""Ways in: what a page, a redirect, a name server or a person's mistake could lead a crawl to, and what refuses it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gwc_crawler.errors import AddressRefusedError, InputError
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.dns_servers import DnsAnswer
from gwc_crawler.network.guard import Guard, is_public, literal_of, read_permissions

PUBLIC = "93.184.215.14"

LITERALS = """
    127.0.0.1 127.1 127.255.255.254 0.0.0.0 0 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 10.0.0.1
    172.16.5.5 192.168.1.1 169.254.169.254 169.254.1.1 100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1
    192.88.99.1 224.0.0.1 240.0.0.1 255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:a00:1] [::127.0.0.1] [fd00::1]
    [fd00:ec2::254] [fe80::1] [fe80::1%25eth0] [fec0::1] [ff02::1] [2002:7f00:1::] [2002:a00:1::1] [64:ff9b::7f00:1]
    [64:ff9b:1::1] [2001:0:4136:e378:8000:63bf:f5ff:fffe] [2001:db8::5efe:a00:1] [2001:db8::1] [100::1]
    １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 ①②⑦.⓪.⓪.①
"""


def permitted(guard: Guard, host: str, *addresses: str) -> tuple[str, ...]:
    """Return what of them may be connected to."""
    try:
        return guard.permitted(host, addresses)
    except AddressRefusedError:
        return ()


@pytest.mark.parametrize("host", LITERALS.split())
def test_no_address_of_a_private_network_is_connected_to_however_it_is_written(host: str) -> None:
    async def look() -> None:
        await CrawlNames(DnsCache(hosts_file=dict), Guard()).addresses_of(host)

    address = literal_of(host)
    assert address is not None
    assert not is_public(address)
    with pytest.raises(AddressRefusedError, match="private address"):
        asyncio.run(look())
    with pytest.raises(AddressRefusedError):
        CrawlNames(DnsCache(hosts_file=dict), Guard()).check_unresolved(host)


@pytest.mark.parametrize(
    "host",
    ["93.184.215.14", "1572329230", "0x5db8d70e", "[2606:4700::1]", "[::ffff:93.184.215.14]", "[2002:5db8:d70e::1]"],
)
def test_addresses_on_the_internet_are_connected_to(host: str) -> None:
    address = literal_of(host)
    assert address is not None
    assert permitted(Guard(), host, address) == (address,)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "fe80::1", "0.0.0.0"]
)
def test_a_name_that_leads_inwards_is_refused(address: str) -> None:
    with pytest.raises(AddressRefusedError) as refused:
        Guard().permitted("evil.example", [address])
    assert (refused.value.host, refused.value.address) == ("evil.example", address)
    assert permitted(Guard(), "evil.example", address, PUBLIC) == (PUBLIC,), "of two, the one that may"


def test_a_name_that_the_site_file_names_may_be_in_a_private_network() -> None:
    guard = Guard(frozenset({"wiki.corp", "127.0.0.1", "169.254.7.7"}), ("shop.corp",))
    assert permitted(guard, "wiki.corp", "10.0.0.1") == ("10.0.0.1",)
    assert permitted(guard, "a.shop.corp", "127.0.0.1") == ("127.0.0.1",)
    assert permitted(guard, "127.0.0.1", "127.0.0.1") == ("127.0.0.1",)
    assert permitted(guard, "169.254.7.7", "169.254.7.7") == ("169.254.7.7",), "a person has written it"
    assert permitted(guard, "other.corp", "10.0.0.1") == ()
    assert permitted(guard, "evilshop.corp", "10.0.0.1") == ()


@pytest.mark.parametrize("address", ["169.254.169.254", "169.254.1.1", "224.0.0.1", "0.0.0.0", "fd00:ec2::254"])
def test_but_not_at_a_metadata_service_or_on_the_link(address: str) -> None:
    assert permitted(Guard(frozenset({"wiki.corp"})), "wiki.corp", address) == ()


def test_a_name_that_turns_inwards_is_refused_though_the_site_file_names_it() -> None:
    guard = Guard(frozenset({"shop.example"}))
    assert permitted(guard, "shop.example", PUBLIC) == (PUBLIC,)
    with pytest.raises(AddressRefusedError, match="was on the Internet before"):
        guard.permitted("shop.example", ["10.0.0.1"])
    assert permitted(guard, "shop.example", "10.0.0.1", PUBLIC) == (PUBLIC,)


def test_a_name_that_turns_between_two_lookups_is_seen_at_the_connection() -> None:
    guard = Guard()
    answers = iter([PUBLIC, "127.0.0.1"])

    async def ask(name: str) -> DnsAnswer:
        return DnsAnswer((next(answers),), 0.0)

    async def twice() -> None:
        now = iter(range(0, 10_000, 60))
        names = CrawlNames(DnsCache(ask, clock=lambda: float(next(now)), hosts_file=dict), guard)
        assert await names.addresses_of("evil.example") == (PUBLIC,)
        with pytest.raises(AddressRefusedError):
            await names.addresses_of("evil.example")
        with pytest.raises(AddressRefusedError):
            names.check("evil.example", "127.0.0.1")

    asyncio.run(twice())


def test_behind_a_proxy_what_is_known_without_asking_is_refused() -> None:
    names = CrawlNames(DnsCache(hosts_file=dict), Guard(frozenset({"127.0.0.9"})))
    for host in ("10.0.0.1", "2130706433", "localhost", "a.localhost.", "[::1]"):
        with pytest.raises(AddressRefusedError):
            names.check_unresolved(host)
    for host in ("shop.example", PUBLIC, "127.0.0.9"):
        names.check_unresolved(host)


def test_what_a_person_permits() -> None:
    guard = read_permissions(["10.1.0.0/16", "192.168.7.7", " Wiki.Corp ", "fd00::/8", ""])
    assert permitted(guard, "x.example", "10.1.2.3", "10.2.2.3", "192.168.7.7", "fd12::1") == (
        "10.1.2.3",
        "192.168.7.7",
        "fd12::1",
    )
    assert permitted(guard, "wiki.corp", "172.16.0.1") == ("172.16.0.1",)
    assert permitted(read_permissions(["all"]), "x.example", "169.254.169.254") == ("169.254.169.254",)
    assert not replace(guard, everything=False).everything


@pytest.mark.parametrize("text", ["10.0.0.0/99", "a b", "http://x.example/"])
def test_what_permits_nothing_is_told(text: str) -> None:
    with pytest.raises(InputError, match="GWC_ALLOW_PRIVATE"):
        read_permissions([text])
