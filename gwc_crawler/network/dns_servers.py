"""Ask name servers for the addresses of a name, in the event loop. Used by `dns_cache`.

The servers are those of `/etc/resolv.conf`, read again when it changes, or those a person names. They are asked in turn
until one answers; one that fails is asked last from then on.

Source:
    RFC 1035; RFC 2308, *Negative Caching of DNS Queries*, §5 (validity of "there is none"); RFC 8305, §3 (the wait
    for the second family). Search domains are not used: a host of a URL is a whole name.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from gwc_crawler.errors import InputError, NameServerError
from gwc_crawler.network.dns_answer import (
    NOTHING_SECONDS,
    AddressFamily,
    DnsAnswer,
    Reply,
    ServerAddress,
    UnusableError,
)
from gwc_crawler.network.guard import is_name, literal_of

RESOLV_CONF = Path("/etc/resolv.conf")
DNS_PORT = 53
DOT_PORT = 853
TLS_SCHEME = "tls://"

TRY_SECONDS = (1.5, 3.0, 5.0)
"""Seconds that a server may take, the first time and when it is asked again."""

SECOND_FAMILY_SECONDS = 0.05
"""Seconds to wait for the other family's addresses when one's are there (RFC 8305, §3)."""

MOST_OF_A_NAME = 16
"""Addresses of each family that are kept, of hundreds; aliases that are followed where no server does so itself."""

LOOKED_SECONDS = 5.0
"""How often `/etc/resolv.conf`, `/etc/hosts`, and whether this machine has IPv6, is looked at."""


class NameServers:
    """Asks for the addresses of a name.

    Args:
        servers: the servers to ask; none: the system's.
        timeout_seconds: the limit for all questions about one name.
        has_ipv6: tells whether this machine reaches the Internet by IPv6; if not, such addresses are asked for only
            if a name has no others.
    """

    def __init__(
        self,
        servers: Iterable[ServerAddress] = (),
        timeout_seconds: float = 60.0,
        has_ipv6: Callable[[], bool] | None = None,
    ) -> None:
        self._servers = list(servers)
        self._are_named = bool(self._servers)
        self._timeout_seconds = timeout_seconds
        self._has_ipv6 = has_ipv6 or reaches_ipv6
        self._read_mark: object = None
        self._look_at = float("-inf")
        self._with_ipv6 = False

    async def __call__(self, name: str) -> DnsAnswer:
        """Return the servers' answer.

        Raises:
            NameServerError: none of them gives an answer that can be used, or not in time.
        """
        self._look()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                if self._with_ipv6:
                    return await self._both(name)
                four = await self._records(name, AddressFamily.IPV4)
                return four if four.addresses else _joined(four, await self._quietly(name))
        except TimeoutError as error:
            text = f"no name server answered for {name} within {self._timeout_seconds:g} seconds (DNS_TIMEOUT)"
            raise NameServerError(text) from error

    async def _both(self, name: str) -> DnsAnswer:
        """Return both families' addresses, or those of one if the other fails or takes its time."""
        tasks = [
            asyncio.create_task(self._records(name, family)) for family in (AddressFamily.IPV6, AddressFamily.IPV4)
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            there = any(task.done() and not task.exception() and task.result().addresses for task in tasks)
            await asyncio.wait(tasks, timeout=SECOND_FAMILY_SECONDS if there else None)
            answers = [task.result() for task in tasks if task.done() and not task.exception()]
            if not any(one.addresses for one in answers):
                answers.append(await tasks[1])  # that there is none is believed only after asking for IPv4
            return _joined(*answers)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _quietly(self, name: str) -> DnsAnswer:
        """Ask for IPv6 where there is no IPv4: servers that fail at that are not rare."""
        with suppress(NameServerError):
            return await self._records(name, AddressFamily.IPV6)
        return DnsAnswer((), NOTHING_SECONDS)

    async def _records(self, name: str, family: AddressFamily) -> DnsAnswer:
        """Ask for one family, along a chain of aliases."""
        seconds, target = float("inf"), name
        for _ in range(MOST_OF_A_NAME):
            reply = await self._ask(target, family)
            seconds, target = min(seconds, reply.ttl_seconds), reply.alias.lower()
            if not target:
                return DnsAnswer(reply.addresses[:MOST_OF_A_NAME], seconds)
        raise NameServerError(f"the aliases of {name} lead in a circle, or on and on; its own servers are wrong")

    async def _ask(self, name: str, family: AddressFamily) -> Reply:
        """Return the first usable answer; only silent servers are asked again.

        Raises:
            NameServerError: there is none.
        """
        from gwc_crawler.network.dns_exchange import ask_server  # loads dnspython

        servers, problem = list(self._servers), f"none is known: name some in {RESOLV_CONF} or GWC_DNS_SERVERS"
        for seconds in TRY_SECONDS:
            for server in list(servers):
                try:
                    return await ask_server(server, name, family, seconds)
                except TimeoutError as error:
                    problem = f"{server}: {error}"
                except UnusableError as error:
                    problem = f"{server}: {error}"
                    servers.remove(server)
                self._put_last(server)
        raise NameServerError(f"no name server gives the address of {name} ({problem})")

    def _put_last(self, server: ServerAddress) -> None:
        if server in self._servers:
            self._servers.remove(server)
            self._servers.append(server)

    def _look(self) -> None:
        """Look, now and then, which servers the system names, and which families it has."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOKED_SECONDS
        self._with_ipv6 = self._has_ipv6()
        if self._are_named:
            return
        try:
            mark = RESOLV_CONF.stat().st_mtime_ns
        except OSError:
            mark = None
        if mark != self._read_mark:
            self._read_mark = mark
            self._servers = system_servers()


def read_server(text: str) -> ServerAddress:
    """Read a name server: "ADDRESS", "ADDRESS:PORT", "[ADDRESS]:PORT", or with TLS "tls://ADDRESS:PORT#NAME".

    Raises:
        InputError: it can't be read.

    >>> [str(read_server(one)) for one in ("192.0.2.1:5353", "2001:db8::1", "tls://9.9.9.9#dns.quad9.net")]
    ['192.0.2.1:5353', '[2001:db8::1]:53', 'tls://9.9.9.9:853#dns.quad9.net']
    """
    tls = text.strip().startswith(TLS_SCHEME)
    place, _, name = text.strip().removeprefix(TLS_SCHEME).partition("#")
    host, port = _host_and_port(place)
    address = literal_of(host)
    number = _port(port, DOT_PORT if tls else DNS_PORT)
    if address is None or not 0 < number < 65_536 or (name and not (tls and is_name(name))):
        raise InputError(
            f"setting GWC_DNS_SERVERS has {text!r}; write an address, with a port where it is not {DNS_PORT}: "
            f"192.0.2.1, [2001:db8::1]:5353, or {TLS_SCHEME}192.0.2.1#dns.example"
        )
    return ServerAddress(address, number, tls, name)


def _host_and_port(place: str) -> tuple[str, str]:
    if place.startswith("["):
        host, _, port = place[1:].partition("]")
        return host, port.removeprefix(":")
    if place.count(":") > 1:
        return place, ""
    host, _, port = place.partition(":")
    return host, port


def _port(text: str, default: int) -> int:
    """Return a port's number; 0: the text is none."""
    if not text:
        return default
    return int(text) if text.isascii() and text.isdigit() else 0


def system_servers(path: Path = RESOLV_CONF) -> list[ServerAddress]:
    """Return the servers that resolv.conf(5) names; if it names none, this machine's own, as the system does."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    words = [line.split() for line in lines]
    named = [one[1] for one in words if len(one) > 1 and one[0] == "nameserver"]
    literals = [address for one in named if (address := literal_of(one)) is not None]
    return [ServerAddress(address, DNS_PORT) for address in literals or ["127.0.0.1"]]


def reaches_ipv6() -> bool:
    """Say whether this machine has a way to the Internet by IPv6; nothing is sent for it."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.connect(("2001:4860:4860::8888", DNS_PORT))
            return True
    except OSError:
        return False


def _joined(*answers: DnsAnswer) -> DnsAnswer:
    """Join the answers of two families; the one with addresses decides how long they are valid."""
    full: Sequence[DnsAnswer] = [one for one in answers if one.addresses] or answers
    addresses = tuple(address for one in full for address in one.addresses)
    return DnsAnswer(addresses, min(one.ttl_seconds for one in full))
