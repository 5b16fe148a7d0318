"""Kept connections over real sockets: when one is used again, when a request goes out twice, when all is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from gwc_crawler.errors import NoAddressError, NotAnsweredError, TooLargeError, WireError
from gwc_crawler.network.connections import Connections
from gwc_crawler.network.dns_cache import CrawlNames, DnsCache
from gwc_crawler.network.dns_servers import DnsAnswer
from gwc_crawler.network.wire import Answer, Origin, request_message
from tests.raw_server import RawServer, Script, Then

T = TypeVar("T")

OK = b"HTTP/1.1 200 OK\r\n"
PAGE: Script = [OK + b"Content-Length: 4\r\n\r\npage"]


def local() -> CrawlNames:
    """Hosts of this machine: one.test, two.test with a first address where nobody listens, none.test without one."""

    async def ask(_: str) -> DnsAnswer:
        return DnsAnswer((), 60.0)

    overrides = {"one.test": ("127.0.0.1",), "two.test": ("127.0.0.2", "127.0.0.1")}
    return CrawlNames(DnsCache(ask, hosts_file=dict), overrides=overrides)


def run(server: RawServer, work: Callable[[Callable[..., Awaitable[Answer]]], Awaitable[T]], **options: Any) -> T:
    """Run *work*, which is given `ask(path, …)`, and close all connections."""

    async def whole() -> T:
        connections = Connections(local(), **options)

        def ask(path: str, *, method: str = "GET", host: str = "one.test", **more: Any) -> Awaitable[Answer]:
            message = request_message(method, path, [(b"Host", host.encode())])
            return connections.ask(Origin(host, server.port), message, **more)

        try:
            return await work(ask)
        finally:
            await connections.close()

    return asyncio.run(whole())


def test_one_connection_serves_one_request_after_the_other() -> None:
    async def work(ask: Any) -> list[bytes]:
        return [(await ask("/")).body for _ in range(3)]

    with RawServer({"/": PAGE}) as server:
        assert run(server, work) == [b"page"] * 3
        assert server.connections == 1


@pytest.mark.parametrize(
    ("headers", "read"),
    [
        (b"Content-Type: video/mp4\r\nContent-Length: 9999999\r\n\r\n", 0),
        (b"content-type: VIDEO/mp4; x=y\r\n\r\n", 0),
        (b"Content-Type: video/mp4\r\nContent-Length: 4\r\n\r\n", 4),
        (b"Content-Type: text/html\r\nContent-Length: 4\r\n\r\n", 4),
        (b"Content-Length: 4\r\n\r\n", 4),
    ],
    ids=["long", "of no length", "short", "of another type", "of no type"],
)
def test_a_long_body_of_a_type_that_is_not_read_ends_with_its_headers(headers: bytes, read: int) -> None:
    async def work(ask: Any) -> Any:
        return [await ask("/a", unread_types=(b"video/",), max_body_bytes=5_000_000), await ask("/b")]

    stalls: Script = [OK + headers, b"film", *([] if read else [Then.STALL])]
    with RawServer({"/a": stalls, "/b": PAGE}) as server:
        first, second = run(server, work)
        assert (first.status, len(first.body), second.body) == (200, read, b"page")
        assert server.connections == (1 if read else 2), "what is kept has nothing unread on it"


def test_requests_at_the_same_time_have_a_connection_each_and_the_surplus_is_closed() -> None:
    async def work(ask: Any) -> None:
        for _ in range(2):
            await asyncio.gather(*(ask("/") for _ in range(4)))

    with RawServer({"/": PAGE}) as server:
        run(server, work, idle_per_origin=1)
        assert server.connections == 4 + 3


@pytest.mark.parametrize(
    "script",
    [
        [OK + b"Connection: close\r\nContent-Length: 1\r\n\r\nx"],
        [b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"],
        [OK + b"Content-Length: 1\r\n\r\nxSTRAY"],
        [OK + b"Content-Length: 1\r\n\r\nx", b"STRAY"],
        [b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\npage"],
        [OK + b"Transfer-Encoding: chunked\r\n\r\nx\r\n"],
    ],
)
def test_a_connection_that_may_be_out_of_step_is_not_used_again(script: Script) -> None:
    async def work(ask: Any) -> bytes:
        await ask("/odd")
        await asyncio.sleep(0.05)
        return (await ask("/")).body  # type: ignore[no-any-return]

    with RawServer({"/": PAGE, "/odd": script}) as server:
        assert run(server, work) == b"page"
        assert server.connections == 2


def test_a_connection_closed_while_idle_is_noticed() -> None:
    async def work(ask: Any) -> bytes:
        await ask("/last")
        await asyncio.to_thread(server.closed.wait, 5)
        await asyncio.sleep(0.05)
        return (await ask("/")).body  # type: ignore[no-any-return]

    with RawServer({"/": PAGE, "/last": [*PAGE, Then.CLOSE]}) as server:
        assert run(server, work) == b"page"
        assert len(server.requests) == 2


@pytest.mark.parametrize("then", [Then.CLOSE, Then.RESET])
def test_a_request_that_met_a_dying_connection_goes_out_again(then: Then) -> None:
    async def work(ask: Any) -> bytes:
        await ask("/")
        return (await ask("/again")).body  # type: ignore[no-any-return]

    with RawServer({"/": PAGE, "/again": PAGE}) as server:
        server.once["/again"] = [then]
        assert run(server, work) == b"page"
        assert (server.connections, len(server.requests)) == (2, 3)


def test_a_request_that_may_not_be_repeated_is_not() -> None:
    async def work(ask: Any) -> None:
        await ask("/")
        with pytest.raises(NotAnsweredError):
            await ask("/last", method="POST", repeatable=False)

    with RawServer({"/": PAGE, "/last": [Then.CLOSE]}) as server:
        run(server, work)
        assert len(server.requests) == 2


@pytest.mark.parametrize("then", [Then.CLOSE, Then.RESET])
def test_a_request_that_may_not_be_repeated_is_not_sent_on_a_connection_that_has_just_been_closed(then: Then) -> None:
    async def work(ask: Any) -> list[bytes]:
        bodies = [(await ask("/last")).body]
        assert server.closed.wait(5), "the loop stands still meanwhile: nobody has read that it is closed"
        bodies += [(await ask("/", method="POST", repeatable=False)).body for _ in range(2)]
        return bodies

    with RawServer({"/": PAGE, "/last": [*PAGE, then]}) as server:
        assert run(server, work) == [b"page"] * 3
        assert (server.connections, len(server.requests)) == (2, 3)


def test_a_fresh_connection_without_an_answer_is_an_error() -> None:
    async def work(ask: Any) -> None:
        with pytest.raises(NotAnsweredError):
            await ask("/")

    with RawServer({"/": [Then.CLOSE]}) as server:
        run(server, work)
        assert len(server.requests) == 1


def test_who_stops_waiting_leaves_no_connection_behind() -> None:
    async def work(ask: Any) -> bytes:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await ask("/never")
        return (await ask("/")).body  # type: ignore[no-any-return]

    with RawServer({"/": PAGE, "/never": [Then.STALL]}) as server:
        assert run(server, work) == b"page"
        assert server.connections == 2
        assert server.closed.wait(5)


def test_the_answer_to_head_has_no_body() -> None:
    async def work(ask: Any) -> tuple[bytes, bytes]:
        return (await ask("/head", method="HEAD", bodiless=True)).body, (await ask("/")).body

    with RawServer({"/head": [OK + b"Content-Length: 400\r\n\r\n"], "/": PAGE}) as server:
        assert run(server, work) == (b"", b"page")
        assert server.connections == 1


@pytest.mark.parametrize(
    ("start", "expected"),
    [(b"Content-Length: 101\r\n\r\n", True), (b"Transfer-Encoding: chunked\r\n\r\n65\r\n", False)],
)
def test_a_body_beyond_the_limit_is_not_waited_for(start: bytes, expected: bool) -> None:
    async def work(ask: Any) -> None:
        with pytest.raises(TooLargeError) as caught:
            await ask("/", max_body_bytes=100)
        assert (caught.value.size, caught.value.expected) == (101, expected)

    with RawServer({"/": [OK + start + b"x" * (0 if expected else 101), Then.STALL]}) as server:
        run(server, work)


def test_endless_headers_are_not_waited_for() -> None:
    async def work(ask: Any) -> None:
        with pytest.raises(WireError, match="headers"):
            await ask("/")

    with RawServer({"/": [OK, *([b"X: " + b"x" * 5_000 + b"\r\n"] * 60), Then.STALL]}) as server:
        run(server, work)


def test_endless_interim_answers_are_not_waited_for() -> None:
    async def work(ask: Any) -> None:
        with pytest.raises(WireError, match="interim"):
            await ask("/")

    with RawServer({"/": [b"HTTP/1.1 103 Early Hints\r\n\r\n" * 200, Then.STALL]}) as server:
        run(server, work)


def test_who_waits_while_all_is_closed_is_told() -> None:
    async def whole(port: int) -> None:
        connections = Connections(local())
        message = request_message("GET", "/", [(b"Host", b"one.test")])
        waiting = asyncio.create_task(connections.ask(Origin("one.test", port), message))
        while not (server.requests or waiting.done()):
            await asyncio.sleep(0.01)
        await connections.close()
        with pytest.raises(WireError, match="closed"):
            await waiting

    with RawServer({"/": [Then.STALL]}) as server:
        asyncio.run(whole(server.port))


def test_an_address_where_nobody_listens_is_followed_by_the_next() -> None:
    async def work(ask: Any) -> bytes:
        return (await ask("/", host="two.test")).body  # type: ignore[no-any-return]

    with RawServer({"/": PAGE}) as server:
        assert run(server, work) == b"page"


def test_a_host_without_an_address() -> None:
    async def work(ask: Any) -> None:
        with pytest.raises(NoAddressError, match=r"none\.test"):
            await ask("/", host="none.test")

    with RawServer({}) as server:
        run(server, work)


def test_no_kept_connection_goes_on_to_where_a_host_was() -> None:
    now, places = 1_000_000.0, ["127.0.0.1"]

    async def answer(_: str) -> DnsAnswer:
        return DnsAnswer((places[0],), 60.0)

    async def whole(port: int) -> None:
        nonlocal now
        names = CrawlNames(DnsCache(answer, clock=lambda: now, hosts_file=dict))
        connections = Connections(names)
        message = request_message("GET", "/", [(b"Host", b"moves.test")])
        for _ in range(2):
            assert (await connections.ask(Origin("moves.test", port), message)).body == b"page"
        places[0], now = "127.0.0.2", now + 61
        await names.addresses_of("moves.test")  # as is done for each Request
        with pytest.raises(ConnectionRefusedError):
            await connections.ask(Origin("moves.test", port), message)
        await connections.close()

    with RawServer({"/": PAGE}) as server:
        asyncio.run(whole(server.port))
        assert server.connections == 1
