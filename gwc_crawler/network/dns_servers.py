"""Ask name servers for the addresses of a name, in the event loop, by dnspython, which is loaded at the first question.

The servers are asked in turn until one answers; one that fails is asked last from then on.

Source:
    RFC 1035; RFC 2308, *Negative Caching of DNS Queries*, §5 (validity of "there is none"); RFC 8305, §3 (the wait
    for the second family). Search domains are not used: a host of a URL is a whole name.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from gwc_crawler.errors import InputError, NameServerError
from gwc_crawler.network.guard import is_name, literal_of

if TYPE_CHECKING:
    import dns.message

RESOLV_CONF = Path("/etc/resolv.conf")
DNS_PORT = 53
DOT_PORT = 853
TLS_SCHEME = "tls://"

TRY_SECONDS = (1.5, 3.0, 5.0)  # seconds that a server may take, the first time and when it is asked again
SECOND_FAMILY_SECONDS = 0.05  # seconds to wait for the other family's addresses when one's are there (RFC 8305, §3)

MOST_OF_A_NAME = 16
"""Addresses of each family that are kept, of hundreds; aliases that are followed where no server does so itself."""

LOOKED_SECONDS = 5.0  # how often `/etc/resolv.conf`, `/etc/hosts`, and whether this machine has IPv6, is looked at
NOTHING_SECONDS = 30.0  # how long a name counts as without addresses if no server says for how long

RecordType: TypeAlias = Literal["A", "AAAA"]


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name, IPv4 and IPv6, and for how many seconds they hold. No address: the name has none."""

    addresses: tuple[str, ...]
    ttl_seconds: float
    alias: str = ""  # the name is an alias of this one, of which the server has not said more


Ask = Callable[[str], Awaitable[DnsAnswer]]  # name → answer, or NameServerError: `NameServers`, or a stand-in


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a name server. `tls`: it is asked by DNS over TLS (RFC 7858), with a certificate for `name`."""

    address: str
    port: int
    tls: bool = False
    name: str = ""

    def __str__(self) -> str:
        place = f"[{self.address}]" if ":" in self.address else self.address
        return f"{'tls://' if self.tls else ''}{place}:{self.port}{'#' if self.name else ''}{self.name}"


class UnusableError(Exception):
    """A server's answer, or its silence, is of no use: another server may do better."""


class NameServers:
    """Asks for the addresses of a name: *servers*, else the system's; IPv6 where *has_ipv6*, or IPv4 has none."""

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
        """Return the servers' answer; NameServerError: none gives one that can be used, or not in time."""
        self._look()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                if self._with_ipv6:
                    return await self._both(name)
                four = await self._records(name, "A")
                if four.addresses:
                    return four
                six = DnsAnswer((), NOTHING_SECONDS)
                with suppress(NameServerError):  # servers that fail at that are not rare
                    six = await self._records(name, "AAAA")
                return _joined(four, six)
        except TimeoutError as error:
            text = f"no name server answered for {name} within {self._timeout_seconds:g} seconds (DNS_TIMEOUT)"
            raise NameServerError(text) from error

    async def _both(self, name: str) -> DnsAnswer:
        """Return both families' addresses, or those of one if the other fails or takes its time."""
        tasks = [asyncio.create_task(self._records(name, "AAAA")), asyncio.create_task(self._records(name, "A"))]
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

    async def _records(self, name: str, family: RecordType) -> DnsAnswer:
        """Ask for one family, along a chain of aliases."""
        seconds, target = float("inf"), name
        for _ in range(MOST_OF_A_NAME):
            reply = await self._ask(target, family)
            seconds, target = min(seconds, reply.ttl_seconds), reply.alias.lower()
            if not target:
                return DnsAnswer(reply.addresses[:MOST_OF_A_NAME], seconds)
        raise NameServerError(f"the aliases of {name} lead in a circle, or on and on; its own servers are wrong")

    async def _ask(self, name: str, family: RecordType) -> DnsAnswer:
        """Return the first usable answer; only silent servers are asked again."""
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
                if server in self._servers:
                    self._servers.remove(server)
                    self._servers.append(server)
        raise NameServerError(f"no name server gives the address of {name} ({problem})")

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


async def ask_server(server: ServerAddress, name: str, family: RecordType, seconds: float) -> DnsAnswer:
    """Ask one server, by TCP what is too long for a datagram; TimeoutError; UnusableError: it says nothing of use."""
    import dns.asyncquery
    import dns.exception

    try:
        request = dns.message.make_query(dns.name.from_text(name), family)
        if server.tls:
            hostname = server.name or None
            message = await dns.asyncquery.tls(request, server.address, seconds, server.port, server_hostname=hostname)
        else:
            message, _ = await dns.asyncquery.udp_with_fallback(
                request, server.address, seconds, server.port, ignore_unexpected=True, ignore_errors=True
            )
        return _read(message)
    except (dns.exception.Timeout, TimeoutError) as error:
        raise TimeoutError("no answer in time") from error
    except UnusableError:
        raise
    except Exception as error:  # what a stranger has sent may upset any part of the parser
        raise UnusableError(str(error) or type(error).__name__) from error


def _read(message: dns.message.Message) -> DnsAnswer:
    from dns import message as messages
    from dns import rcode, rdatatype

    if not isinstance(message, messages.QueryMessage):
        raise UnusableError("it answers another question")
    said = message.rcode()
    if said not in (rcode.NOERROR, rcode.NXDOMAIN):
        raise UnusableError(rcode.to_text(said))
    chain = message.resolve_chaining()
    authority = {one.rdtype for one in message.authority}
    if chain.answer is not None:
        addresses = dict.fromkeys(str(one.address) for one in chain.answer)
        return DnsAnswer(tuple(addresses), float(chain.minimum_ttl))
    if rdatatype.SOA in authority:
        return DnsAnswer((), float(chain.minimum_ttl))
    if said == rcode.NXDOMAIN:
        return DnsAnswer((), NOTHING_SECONDS)
    if chain.cnames:
        return DnsAnswer((), float(chain.minimum_ttl), alias=chain.canonical_name.to_text(omit_final_dot=True))
    if rdatatype.NS in authority:  # RFC 2308, §2.2.1: a referral, so it is not in charge of the name
        raise UnusableError("it knows nothing of the name, and sends elsewhere")
    return DnsAnswer((), NOTHING_SECONDS)


def read_server(text: str) -> ServerAddress:
    """Read a name server: "ADDRESS", "ADDRESS:PORT", "[ADDRESS]:PORT", or with TLS "tls://ADDRESS:PORT#NAME".

    >>> [str(read_server(one)) for one in ("192.0.2.1:5353", "2001:db8::1", "tls://9.9.9.9#dns.quad9.net")]
    ['192.0.2.1:5353', '[2001:db8::1]:53', 'tls://9.9.9.9:853#dns.quad9.net']
    """
    tls = text.strip().startswith(TLS_SCHEME)
    place, _, name = text.strip().removeprefix(TLS_SCHEME).partition("#")
    if place.startswith("["):
        host, _, port = place[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = (place, "", "") if place.count(":") > 1 else place.partition(":")
    address = literal_of(host)
    default = DOT_PORT if tls else DNS_PORT
    number = default if not port else int(port) if port.isascii() and port.isdigit() else 0
    if address is None or not 0 < number < 65_536 or (name and not (tls and is_name(name))):
        raise InputError(
            f"setting GWC_DNS_SERVERS has {text!r}; write an address, with a port where it is not {DNS_PORT}: "
            f"192.0.2.1, [2001:db8::1]:5353, or {TLS_SCHEME}192.0.2.1#dns.example"
        )
    return ServerAddress(address, number, tls, name)


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
