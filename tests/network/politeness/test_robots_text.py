"""Whatever a robots.txt is written in, its lines are read as they were meant; and where a redirect may not lead."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence

import pytest

from gwc_crawler.middlewares.robots import inward_address, literal_address
from gwc_crawler.network.guard import is_public
from gwc_crawler.network.politeness.robots import MAX_ROBOTS_BYTES, robots_text

PLAIN = b"User-agent: *\nDisallow: /no/\n"

WRITTEN = {
    "as it should be": PLAIN,
    "CR alone": PLAIN.replace(b"\n", b"\r"),
    "CR LF": PLAIN.replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + PLAIN,
    "two byte order marks": b"\xef\xbb\xbf" * 2 + PLAIN,
    "a byte order mark before a later group": PLAIN.replace(b"Dis", b"\xef\xbb\xbfDis"),
    "NULs": PLAIN.replace(b"\n", b"\0\n"),
    "UTF-16": PLAIN.decode().encode("utf-16"),
    "UTF-16, big end first": b"\xfe\xff" + PLAIN.decode().encode("utf-16-be"),
    "UTF-16 without a mark": PLAIN.decode().encode("utf-16-le"),
    "packed": gzip.compress(PLAIN),
    "vertical tabs and form feeds": PLAIN.replace(b"*", b"*\x0b\x0c"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_lines_are_the_same_however_they_are_written(name: str) -> None:
    assert robots_text(WRITTEN[name]) == PLAIN


def test_bytes_that_are_no_utf8_are_escaped_as_in_a_url() -> None:
    assert robots_text(b"Disallow: /caf\xe9\n") == b"Disallow: /caf%E9\n"
    assert robots_text("Disallow: /café\n".encode()) == "Disallow: /café\n".encode()
    assert robots_text("Disallow: /a\u2028b\x85c\n".encode()) == b"Disallow: /a%E2%80%A8b%C2%85c\n"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_of_a_long_one_whole_lines_are_read(end: bytes) -> None:
    lines = [b"Disallow: /%06d" % number for number in range(60_000)]
    read = robots_text(end.join(lines)).split(b"\n")
    assert read[-1] == b""
    assert read[:-1] == lines[: len(read) - 1]
    assert MAX_ROBOTS_BYTES - 20 < sum(len(line) + len(end) for line in read[:-1]) <= MAX_ROBOTS_BYTES


def test_a_packed_one_is_not_unpacked_beyond_what_is_read() -> None:
    bomb = gzip.compress(PLAIN + bytes(50_000_000))
    assert robots_text(bomb) == PLAIN
    assert robots_text(b"\x1f\x8bno gzip at all") != b"", "what only looks packed is text"


PRIVATE = (
    "127.0.0.1 127.8.9.1 10.0.0.1 172.16.3.4 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 "
    "::1 :: fe80::1 fe80::1%eth0 fc00::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 2002:7f00:1::1 2002:c0a8:101:: ff02::1"
)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private_addresses(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8", "2002:808:808::1"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


NAMES = {
    "shop.example": ["93.184.215.14"],
    "www.shop.example": ["93.184.215.15", "2606:4700::1"],
    "intranet.example": ["10.0.0.7"],
    "wiki.intranet.example": ["10.0.0.8"],
    "both.example": ["93.184.215.16", "10.0.0.9"],
    "inside-by-ipv6.example": ["93.184.215.14", "2606:4700::1", "fd00::7"],
    "2130706433": ["127.0.0.1"],
}


async def lookup(host: str) -> Sequence[str]:
    return NAMES[host]


@pytest.mark.parametrize(
    ("source", "target", "inward"),
    [
        ("shop.example", "www.shop.example", None),
        ("shop.example", "intranet.example", "10.0.0.7"),
        ("shop.example", "2130706433", "127.0.0.1"),
        ("shop.example", "both.example", "10.0.0.9"),
        ("both.example", "intranet.example", "10.0.0.7"),
        ("shop.example", "inside-by-ipv6.example", "fd00::7"),
        ("intranet.example", "wiki.intranet.example", None),
        ("intranet.example", "intranet.example", None),
        ("intranet.example", "shop.example", None),
    ],
)
def test_a_redirect_from_outside_does_not_lead_inside(source: str, target: str, inward: str | None) -> None:
    assert asyncio.run(inward_address(source, target, lookup)) == inward


def test_behind_a_proxy_only_addresses_are_judged() -> None:
    async def ask(source: str, target: str) -> str | None:
        return await inward_address(source, target, literal_address)

    assert asyncio.run(ask("93.184.215.14", "10.0.0.1")) == "10.0.0.1"
    assert asyncio.run(ask("93.184.215.14", "intranet.example")) is None
    assert asyncio.run(ask("shop.example", "10.0.0.1")) == "10.0.0.1"
