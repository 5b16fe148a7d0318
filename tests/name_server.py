"""A name server of the tests' own, which misbehaves on request: what it says to a question is a function of the test's.

`with NameServer({"a.test": addresses("192.0.2.1")}) as server:` serves UDP and TCP at `server.text` ("127.0.0.1:PORT").
What has no entry does not exist. `server.asked` counts questions, by name and family: {"a.test A": 1}.
"""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

Says = Callable[[dns.message.Message, bool], bytes | None]
"""Question, and whether it came by TCP → the answer's bytes; None: silence."""

SOA = "ns.test. root.test. 1 3600 600 86400"


def _name(query: dns.message.Message) -> str:
    return query.question[0].name.to_text()


def _with(query: dns.message.Message, ttl: int, kind: str, *values: str, name: str = "") -> dns.message.Message:
    answer = dns.message.make_response(query)
    answer.answer.append(dns.rrset.from_text(name or _name(query), ttl, "IN", kind, *values))
    return answer


def addresses(*found: str, ttl: int = 60) -> Says:
    """Give these addresses, of the family that is asked for."""

    def say(query: dns.message.Message, tcp: bool) -> bytes:
        kind = dns.rdatatype.to_text(query.question[0].rdtype)
        own = [one for one in found if (":" in one) == (kind == "AAAA")]
        answer = _with(query, ttl, kind, *own) if own else dns.message.make_response(query)
        return answer.to_wire() if tcp else _cut(answer)

    return say


def _cut(answer: dns.message.Message) -> bytes:
    """What does not fit into a datagram is left out, and said to be."""
    wire = answer.to_wire()
    if len(wire) > 512:
        answer.answer.clear()
        answer.flags |= dns.flags.TC
        wire = answer.to_wire()
    return wire


def alias(target: str, ttl: int = 60) -> Says:
    """Stand for another name, of which no more is said."""
    return lambda query, _: _with(query, ttl, "CNAME", f"{target}.").to_wire()


def chain(*targets: str, address: str, ttl: int = 60, last_ttl: int = 60) -> Says:
    """Stand for another name, and that for another one, and say where the last one is."""

    def say(query: dns.message.Message, _: bool) -> bytes:
        answer = dns.message.make_response(query)
        names = [_name(query), *(f"{one}." for one in targets)]
        for name, target in pairwise(names):
            answer.answer.append(dns.rrset.from_text(name, ttl, "IN", "CNAME", target))
        if query.question[0].rdtype == dns.rdatatype.A:
            answer.answer.append(dns.rrset.from_text(names[-1], last_ttl, "IN", "A", address))
        return answer.to_wire()

    return say


def circle(other: str) -> Says:
    """Stand for another name that stands for this one."""

    def say(query: dns.message.Message, _: bool) -> bytes:
        answer = _with(query, 60, "CNAME", f"{other}.")
        answer.answer.append(dns.rrset.from_text(f"{other}.", 60, "IN", "CNAME", _name(query)))
        return answer.to_wire()

    return say


def none(rcode: str = "NXDOMAIN", minimum: int | None = 30, ttl: int = 3600) -> Says:
    """Say that there is no such name (NOERROR: no address); *minimum*: as the zone's SOA has it, None: without."""

    def say(query: dns.message.Message, _: bool) -> bytes:
        answer = dns.message.make_response(query)
        answer.set_rcode(dns.rcode.from_text(rcode))
        if minimum is not None:
            answer.authority.append(dns.rrset.from_text("test.", ttl, "IN", "SOA", f"{SOA} {minimum}"))
        return answer.to_wire()

    return say


def fails(rcode: str) -> Says:
    """Answer with SERVFAIL, REFUSED …"""
    return none(rcode, None)


def lame() -> Says:
    """Know nothing, and send elsewhere."""

    def say(query: dns.message.Message, _: bool) -> bytes:
        answer = dns.message.make_response(query)
        answer.authority.append(dns.rrset.from_text("test.", 60, "IN", "NS", "elsewhere.test."))
        return answer.to_wire()

    return say


def silent() -> Says:
    """Never answer."""
    return lambda *_: None


def raw(bytes_of: Callable[[dns.message.Message], bytes]) -> Says:
    """Answer with any bytes."""
    return lambda query, _: bytes_of(query)


def slow(seconds: float, says: Says) -> Says:
    """Take one's time."""

    def say(query: dns.message.Message, tcp: bool) -> bytes | None:
        time.sleep(seconds)
        return says(query, tcp)

    return say


class NameServer:
    """Serves until it is left. `answers`: name → what is said of it, may be changed meanwhile."""

    def __init__(self, answers: Mapping[str, Says] | None = None, otherwise: Says | None = None) -> None:
        self.answers = dict(answers or {})
        self.otherwise = otherwise or none()
        self.asked: Counter[str] = Counter()
        self.by_tcp: Counter[str] = Counter()
        self._servers: list[socketserver.BaseServer] = []
        self.port = 0

    @property
    def text(self) -> str:
        """Where it is, as GWC_DNS_SERVERS wants it."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> NameServer:
        double = self

        class Udp(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                data, sock = self.request
                if (said := double.say(data, tcp=False)) is not None:
                    sock.sendto(said, self.client_address)

        class Tcp(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while len(size := self.rfile.read(2)) == 2:
                    said = double.say(self.rfile.read(int.from_bytes(size, "big")), tcp=True)
                    if said is None:
                        return
                    self.wfile.write(len(said).to_bytes(2, "big") + said)

        class UdpServer(socketserver.ThreadingUDPServer):
            daemon_threads = True
            max_packet_size = 4096

            def server_bind(self) -> None:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
                super().server_bind()

        class TcpServer(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._servers = _on_one_port(
            lambda port: UdpServer(("127.0.0.1", port), Udp), lambda port: TcpServer(("127.0.0.1", port), Tcp)
        )
        self.port = self._servers[0].server_address[1]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def say(self, data: bytes, *, tcp: bool) -> bytes | None:
        """Answer a question."""
        query = dns.message.from_wire(data)
        name = query.question[0].name.to_text(omit_final_dot=True).lower()
        key = f"{name} {dns.rdatatype.to_text(query.question[0].rdtype)}"
        (self.by_tcp if tcp else self.asked)[key] += 1
        return self.answers.get(name, self.otherwise)(query, tcp)


def _on_one_port(
    udp: Callable[[int], socketserver.BaseServer], tcp: Callable[[int], socketserver.BaseServer]
) -> list[socketserver.BaseServer]:
    """Open both; a port that is free for the one may be taken for the other, then another one is tried."""
    for attempt in range(20):
        first = udp(0)
        try:
            return [first, tcp(first.server_address[1])]
        except OSError:
            first.server_close()
            if attempt == 19:
                raise
    raise AssertionError("not reached")
