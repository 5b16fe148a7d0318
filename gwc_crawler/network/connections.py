"""Kept connections that are reused: a request's bytes and an origin go in, the `Answer` comes out. Plain asyncio.

Ours because Twisted's client took 17 % of a crawl's CPU time, and this takes 7 %; and because the fast parser available
there (llhttp) refuses answers that browsers accept."""

from __future__ import annotations

import asyncio
import errno
import logging
import select
import ssl
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import cache
from ipaddress import ip_address
from itertools import chain, zip_longest
from typing import Any, TypeVar

from gwc_crawler.errors import NotAnsweredError, TooLargeError, WireError
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.network.wire import (
    HEAD_END,
    HTTP2_SETTINGS,
    MAX_EXTRAS,
    MAX_HEAD_BYTES,
    Answer,
    Body,
    Ending,
    Head,
    Origin,
    body_of,
    read_head,
    tunnelled,
)

logger = logging.getLogger(__name__)

SHORT_BYTES = 65_536  # a body up to this size is read to its end, wanted or not

T = TypeVar("T")

FULL = frozenset({errno.EMFILE, errno.ENFILE})
"""System errors for no descriptor left: for this process, for the machine."""

PAUSE_SECONDS = 0.5


async def connected_when_room(connect: Callable[[], Awaitable[T]], make_room: Callable[[], bool]) -> T:
    """Connect, again while no file descriptor is left; *make_room* closes an unused connection, if there is one."""
    hint = "raise the limit (ulimit -n, LimitNOFILE=) or lower CONCURRENT_REQUESTS"
    told = False
    while True:
        try:
            return await connect()
        except OSError as error:
            if error.errno not in FULL:
                raise
            if not told:
                logger.warning("%s: waiting for one to be free; %s", error.strerror, hint)
            told = True
        # a connection that is ended frees its descriptor in the event loop's next rounds
        await asyncio.sleep(0.01 if make_room() else PAUSE_SECONDS)


NEXT_ADDRESS_SECONDS = 0.3
"""How long an address of a host may take before the next one is tried beside it (RFC 8305, §5)."""


def alternating(addresses: Sequence[str]) -> list[str]:
    """Return addresses of IPv4 and IPv6 in turns, beginning with the family of the first, else in their order.

    >>> alternating(["2001:db8::1", "2001:db8::2", "192.0.2.1"])
    ['2001:db8::1', '192.0.2.1', '2001:db8::2']
    """
    first = [one for one in addresses if (":" in one) == (":" in addresses[0])]
    other = [one for one in addresses if (":" in one) != (":" in addresses[0])]
    return [one for one in chain.from_iterable(zip_longest(first, other)) if one is not None]


async def first_connected(
    addresses: Sequence[str], connect: Callable[[str], Coroutine[Any, Any, T]], give_up: Callable[[T], None]
) -> T:
    """Connect to the first address that answers; a slow one gets company, a failed one is followed at once.

    *give_up* closes a connection that another one was faster than. When all have failed, the first OSError is raised.

    Source:
        RFC 8305, Happy Eyeballs Version 2: §4 the order, §5 the attempts. What we do differently: an attempt is won
        when TLS stands, too, because a server may have it on one of its addresses alone.
    """
    attempts: set[asyncio.Task[T]] = set()
    failure: OSError | None = None
    waiting = alternating(addresses)
    try:
        while waiting or attempts:
            if waiting:
                attempts.add(asyncio.create_task(connect(waiting.pop(0))))
            done, attempts = await asyncio.wait(
                attempts, timeout=NEXT_ADDRESS_SECONDS if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                error = attempt.exception()
                if not isinstance(error, OSError):
                    attempts |= done - {attempt}
                    return attempt.result()
                failure = failure or error
    finally:
        for attempt in attempts:
            if not attempt.done():
                attempt.cancel()
            elif attempt.exception() is None:
                give_up(attempt.result())
    assert failure is not None
    raise failure


IDLE_SECONDS = 240.0  # how long an idle connection is kept
MAX_IDLE = 256  # maximum number of idle connections that are kept; those idle for longest are closed first


class Connection(asyncio.Protocol):
    """One connection. `when_lost` is called when it is no more."""

    def __init__(self, when_lost: Callable[[Connection], None], *, records: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._when_lost = when_lost
        self._keeps_alive = True
        self._is_lost = False
        self._said_goodbye = False
        self._answer: asyncio.Future[Answer] | None = None
        self._unread = b""
        self._head: Head | None = None
        self._body = Body(0)
        self._wire: list[bytes] | None = [] if records else None  # head and pieces of the body, as they came
        self.idle_since = 0.0

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport
        peer = transport.get_extra_info("peername")
        self.peer: str = peer[0] if peer else ""
        self._address = ip_address(self.peer) if peer else None
        self._tls = transport.get_extra_info("ssl_object")
        self._certificate = self._tls.getpeercert(binary_form=True) if self._tls else None

    def eof_received(self) -> None:
        """Note that the other end has closed its side, by which a body of no announced length ends."""
        self._said_goodbye = self._tls is None or _has_close_notify(self._tls)

    def connection_lost(self, error: Exception | None) -> None:
        self._is_lost = True
        self._keeps_alive = False
        self._when_lost(self)
        if self._answer is None:
            return
        if self._head is not None:
            ending = self._body.ending
            self._finish(Ending.BROKEN if ending is Ending.OPEN and not self._said_goodbye else ending)
        elif self._unread:
            self._fail(WireError("the connection ended in the middle of the headers"))
        else:
            self._fail(NotAnsweredError(f"the connection ended without an answer{f': {error}' if error else ''}"))

    @property
    def is_reusable(self) -> bool:
        """Whether it may be asked again."""
        return self._keeps_alive and self._answer is None and not self._transport.is_closing()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing unread has come since the last answer, such as the end. Cost: a system call."""
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return not poll.poll(0)

    def ask(
        self, message: bytes, bodiless: bool, max_body_bytes: int, enough_bytes: int, unread_types: tuple[bytes, ...]
    ) -> asyncio.Future[Answer]:
        """Send a request; the future gives its answer, or the error."""
        self._answer = answer = self._loop.create_future()
        self._bodiless = bodiless
        self._max_body_bytes = 0 if enough_bytes else max_body_bytes
        self._enough_bytes = enough_bytes
        self._unread_types = unread_types
        self._asked_at = self._loop.time()
        self._head = None
        self._interim = 0
        if self._is_lost:
            self._fail(NotAnsweredError("the connection has ended already"))
        else:
            self._transport.write(message)
        return answer

    def close(self) -> None:
        """Close it at once; the future of a pending answer gets an error."""
        if self._answer is not None:
            self._fail(WireError("the connection was closed while its answer was awaited"))
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._answer is None:  # said something unasked: nobody knows what the next answer would begin with
            self.close()
            return
        try:
            if self._head is None:
                self._read_head(data)
            else:
                self._read_body(data)
        except WireError as error:
            if self._head is not None and not isinstance(error, TooLargeError):
                self._keeps_alive = False
                self._finish(Ending.CUT)
            else:
                self._fail(error)

    def _read_head(self, data: bytes) -> None:
        self._unread += data if self._unread else data.lstrip(b"\r\n")  # some send a line too many between two answers
        while (end := HEAD_END.search(self._unread)) is not None and end.start() <= MAX_HEAD_BYTES:
            head = read_head(self._unread[: end.start()])
            if self._wire is not None:
                self._wire = [self._unread[: end.end()]]
            self._unread = self._unread[end.end() :]
            if head.status >= 200:
                self._latency = self._loop.time() - self._asked_at
                self._body = body_of(head, bodiless=self._bodiless)
                if self._unread_types and self._is_not_read(head):
                    self._head, self._keeps_alive = head, False
                    self._finish(Ending.OPEN)
                    return
                if self._max_body_bytes and (self._body.length or 0) > self._max_body_bytes:
                    raise TooLargeError(self._body.length or 0, expected=True)
                self._head = head
                data, self._unread = self._unread, b""
                self._read_body(data)
                return
            if head.status == 101:
                raise WireError("HTTP 101: the server goes on in another protocol, unasked")
            self._interim += 1
            if self._interim > MAX_EXTRAS:
                raise WireError(f"more than {MAX_EXTRAS} interim answers")
        if self._unread[3:9] == HTTP2_SETTINGS:
            raise WireError("the server speaks HTTP/2 alone")
        if len(self._unread) > MAX_HEAD_BYTES:
            raise WireError(f"the headers are longer than {MAX_HEAD_BYTES} bytes")

    def _is_not_read(self, head: Head) -> bool:
        """Say whether the headers are enough; a short body is read, which costs less than another connection."""
        kind = next((value for name, value in head.headers if name.lower() == b"content-type"), b"")
        length = SHORT_BYTES + 1 if self._body.length is None else self._body.length
        return length > SHORT_BYTES and kind.lower().startswith(self._unread_types)

    def _read_body(self, data: bytes) -> None:
        assert self._head is not None
        if self._wire is not None:
            self._wire.append(data)
        rest = self._body.take(data)
        if self._wire is not None and rest:
            self._wire[-1] = data[: -len(rest)]
        if self._max_body_bytes and self._body.size > self._max_body_bytes:
            raise TooLargeError(self._body.size, expected=False)
        if self._body.is_complete:
            self._keeps_alive = self._head.keeps_alive and not rest
            goes_on = self._body.length and rest and not rest.isspace() and not rest.lstrip().startswith(b"HTTP/")
            self._finish(Ending.OVERLONG if goes_on else Ending.COMPLETE)
        elif 0 < self._enough_bytes <= self._body.size:
            self._keeps_alive = False
            self._finish(Ending.OPEN)

    def _finish(self, ending: Ending) -> None:
        head, future = self._head, self._answer
        assert head is not None
        assert future is not None
        self._answer = None
        if not future.done():
            answer = Answer(
                head.status,
                head.protocol,
                head.headers,
                self._body.content,
                ending,
                self._latency,
                self._address,
                self._certificate,
                None if self._wire is None else (self._wire[0], b"".join(self._wire[1:])),
            )
            future.set_result(answer)
        self._body = Body(0)

    def _fail(self, error: WireError) -> None:
        future, self._answer = self._answer, None
        self._keeps_alive = False
        if future is not None and not future.done():
            future.set_exception(error)


class Connections:
    """All connections of one crawl. *tls* makes the context for origins with TLS, once; *records*: have answers keep
    the bytes `received`.
    """

    def __init__(
        self,
        names: CrawlNames,
        *,
        idle_per_origin: int = 8,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        local_address: tuple[str, int] | None = None,
        records: bool = False,
    ) -> None:
        self._names = names
        self._idle_per_origin = idle_per_origin
        self._tls = cache(tls)
        self._local_address = local_address
        self._records = records
        self._idle: dict[Origin, list[Connection]] = {}
        self._origins: dict[Connection, Origin] = {}  # idle connections, those idle for longest first
        self._open: set[Connection] = set()

    async def ask(
        self,
        origin: Origin,
        message: bytes,
        *,
        bodiless: bool = False,
        repeatable: bool = True,
        max_body_bytes: int = 0,
        enough_bytes: int = 0,
        unread_types: tuple[bytes, ...] = (),
    ) -> Answer:
        """Send a request and wait for the answer.

        Args:
            bodiless: the answer to this request has no body (HEAD).
            repeatable: the request may be sent twice, when a kept connection has ended without an answer (RFC 9110,
                §9.2.2: if it is idempotent). Another one is sent on a kept connection only if that looks alive.
            max_body_bytes, enough_bytes: more is an error; more is not waited for; 0: no limit.
            unread_types: beginnings of media types whose bodies, unless they are short, are not waited for.
        Raises:
            WireError, OSError: no answer, or one that can't be read or is too large; there is no connection.
        """
        wanted = bodiless, max_body_bytes, enough_bytes, unread_types
        if (kept := self._take_idle(origin, looked_at=not repeatable)) is not None:
            try:
                return await self._ask(origin, kept, message, *wanted)
            except NotAnsweredError:
                if not repeatable:
                    raise
        new = await connected_when_room(lambda: self._connect(origin), self._end_oldest)
        return await self._ask(origin, new, message, *wanted)

    async def _ask(self, origin: Origin, connection: Connection, message: bytes, *wanted: Any) -> Answer:
        try:
            answer = await connection.ask(message, *wanted)
        except BaseException:  # also a time-out: a later answer on it would belong to no request
            connection.close()
            raise
        if connection.is_reusable:
            self._keep(origin, connection)
        else:
            connection.close()
        return answer

    async def close(self) -> None:
        """End all connections."""
        for connection in list(self._open):
            connection.close()
        await asyncio.sleep(0)  # the transports close their sockets in the loop's next round

    def _take_idle(self, origin: Origin, *, looked_at: bool) -> Connection | None:
        while idle := self._idle.get(origin):
            connection = idle[-1]
            self._forget(connection)
            is_good = connection.is_reusable and (not looked_at or connection.is_quiet)
            if is_good and (origin.proxy is not None or not self._names.has_moved(origin.host, connection.peer)):
                return connection
            connection.close()
        return None

    def _keep(self, origin: Origin, connection: Connection) -> None:
        now = asyncio.get_running_loop().time()
        idle = self._idle.setdefault(origin, [])
        if len(idle) >= self._idle_per_origin:
            connection.close()
            return
        connection.idle_since = now
        idle.append(connection)
        self._origins[connection] = origin
        while next(iter(self._origins)).idle_since < now - IDLE_SECONDS or len(self._origins) > MAX_IDLE:
            self._end_oldest()

    def _end_oldest(self) -> bool:
        oldest = next(iter(self._origins), None)
        if oldest is None:
            return False
        self._forget(oldest)
        oldest.close()
        return True

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._forget(connection)

    def _forget(self, connection: Connection) -> None:
        if (origin := self._origins.pop(connection, None)) is not None:
            idle = self._idle[origin]
            idle.remove(connection)
            if not idle:
                del self._idle[origin]

    async def _connect(self, origin: Origin) -> Connection:
        names, proxy = self._names, origin.proxy
        addresses = await (names.addresses_of(origin.host) if proxy is None else names.addresses_of_proxy(proxy.host))
        return await first_connected(addresses, lambda address: self._connect_to(address, origin), Connection.close)

    async def _connect_to(self, address: str, origin: Origin) -> Connection:
        host, port, proxy = origin.host, origin.port, origin.proxy
        place: dict[str, Any]
        if proxy is None:
            self._names.check(host, address)
            place = {"host": address, "port": port, "local_addr": self._local_address}
        else:
            place = {"sock": await tunnelled(proxy, address, host, port, self._local_address)}
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(self._lost, records=self._records),
                ssl=self._tls() if origin.tls else None,
                server_hostname=host if origin.tls else None,
                **place,
            )
        except OSError as error:
            if error.errno not in FULL:
                self._names.failed(host, address)
            raise
        self._open.add(connection)
        return connection


def _has_close_notify(tls: ssl.SSLObject) -> bool:
    """Say whether an end was said inside TLS, too; anybody on the way can end the connection below it."""
    try:
        return not tls.read(1)
    except ssl.SSLZeroReturnError:
        return True
    except ssl.SSLError:
        return False
