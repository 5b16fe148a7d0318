"""Addresses of both families over real sockets: one answers, others refuse, or say nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from gwc_crawler.network.connections import Connections, alternating
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.wire import Origin, request_message
from tests.raw_server import RawServer, Script

PAGE: Script = [b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"]


def ask(port: int, *addresses: str) -> str:
    """Ask a host with these addresses; return the one that answered."""

    async def whole() -> str:
        names = CrawlNames(DnsCache(hosts_file=dict), overrides={"a.test": addresses})
        connections = Connections(names)
        try:
            answer = await connections.ask(Origin("a.test", port), request_message("GET", "/", [(b"Host", b"a.test")]))
            assert answer.body == b"page"
            return str(answer.address)
        finally:
            await connections.close()

    return asyncio.run(whole())


@contextmanager
def silent(address: str, port: int) -> Iterator[None]:
    """Listen there and answer nobody: the one place in the queue is taken, further attempts to connect get no word."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with closing(socket.socket(family)) as listener, closing(socket.socket(family)) as first:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(0)
        first.connect((address, port))
        yield


@pytest.mark.parametrize(
    ("addresses", "order"),
    [
        (["::1"], ["::1"]),
        (["::1", "::2", "::3", "1.1.1.1"], ["::1", "1.1.1.1", "::2", "::3"]),
        (["1.1.1.1", "1.1.1.2", "::1", "::2", "::3"], ["1.1.1.1", "::1", "1.1.1.2", "::2", "::3"]),
        (["::1", "1.1.1.1", "1.1.1.2"], ["::1", "1.1.1.1", "1.1.1.2"]),
    ],
)
def test_the_families_take_turns(addresses: list[str], order: list[str]) -> None:
    assert alternating(addresses) == order


@contextmanager
def alone(family: int) -> Iterator[RawServer]:
    """A server whose port nobody has in the other family, nor gets: who connects there is refused."""
    other, address = (socket.AF_INET, "127.0.0.1") if family == socket.AF_INET6 else (socket.AF_INET6, "::1")
    while True:
        with RawServer({"/": PAGE}, family=family) as server, closing(socket.socket(other)) as held:
            try:
                held.bind((address, server.port))
            except OSError:  # another test has it
                continue
            yield server
            return


@pytest.mark.parametrize("addresses", [["::1"], ["::1", "127.0.0.1"], ["127.0.0.1", "::1"], ["::2", "::3", "::1"]])
def test_a_server_of_ipv6_alone(addresses: list[str]) -> None:
    with alone(socket.AF_INET6) as server:
        assert ask(server.port, *addresses) == "::1"


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["::1", "127.0.0.1"], ["127.0.0.1", "::1"]])
def test_a_server_of_ipv4_alone(addresses: list[str]) -> None:
    with alone(socket.AF_INET) as server:
        assert ask(server.port, *addresses) == "127.0.0.1"


@pytest.mark.parametrize("addresses", [["::1", "127.0.0.1"], ["::1", "::1", "127.0.0.1"], ["127.0.0.1", "::1"]])
def test_silence_in_ipv6_is_not_waited_for(addresses: list[str]) -> None:
    with RawServer({"/": PAGE}) as server, silent("::1", server.port):
        assert ask(server.port, *addresses) == "127.0.0.1"


def test_silence_in_ipv4_is_not_waited_for() -> None:
    with RawServer({"/": PAGE}, family=socket.AF_INET6) as server, silent("127.0.0.1", server.port):
        assert ask(server.port, "127.0.0.1", "::1") == "::1"


def test_what_the_first_address_says_is_told_when_none_answers() -> None:
    with RawServer({}) as server:
        gone = server.port
    with pytest.raises(ConnectionRefusedError, match=r"127\.0\.0\.1"):
        ask(gone, "127.0.0.1", "::1")
