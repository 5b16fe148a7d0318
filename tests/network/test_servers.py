"""Questions to name servers: one of Debian's (knot), and one of our own that misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import ssl
from collections.abc import Iterator
from pathlib import Path

import dns.message
import dns.rdatatype
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.errors import InputError, NameServerError
from gwc_crawler.network import dns_servers as asking
from gwc_crawler.network.dns_servers import DnsAnswer, NameServers, read_server
from tests.certificates import authority, write_certificate
from tests.knot_server import KnotServer
from tests.name_server import NameServer, Says, addresses, alias, chain, circle, fails, lame, none, raw, silent

HUNDREDS = [f"192.0.2.{number}" for number in range(1, 201)]


def ask(name: str, *servers: str, ipv6: bool = False, seconds: float = 30.0) -> DnsAnswer:
    """Ask once."""
    return asyncio.run(NameServers(map(read_server, servers), seconds, lambda: ipv6)(name))


SILENT_SECONDS = (0.1,)
"""Enough to see that a server keeps silent."""

BUSY_SECONDS = (0.3, 8.0)
"""A silent one costs little, another one on a busy machine has its time."""


# --- a real server ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def knot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnotServer]:
    zone = """
$ORIGIN test.
$TTL 300
@       3600 SOA ns root 1 3600 600 86400 77
@       NS   ns
ns      A    127.0.0.1
one     A    192.0.2.1
both    A    192.0.2.2
both    AAAA 2001:db8::2
six     AAAA 2001:db8::6
www     60   CNAME one
far     CNAME www
other   TXT  "no address"
*.wild  A    192.0.2.9
""" + "\n".join(f"many A {one}" for one in HUNDREDS)
    with KnotServer(tmp_path_factory.mktemp("knot"), zone) as server:
        yield server


@pytest.mark.parametrize(
    ("name", "found", "ttl"),
    [
        ("one.test", ["192.0.2.1"], 300),
        ("ONE.test", ["192.0.2.1"], 300),
        ("six.test", ["2001:db8::6"], 300),
        ("www.test", ["192.0.2.1"], 60),
        ("far.test", ["192.0.2.1"], 60),
        ("any.wild.test", ["192.0.2.9"], 300),
        ("other.test", [], 77),
        ("nobody.test", [], 77),
    ],
)
def test_a_server_of_debians(knot: KnotServer, name: str, found: list[str], ttl: float) -> None:
    answer = ask(name, knot.text)
    assert (list(answer.addresses), answer.ttl_seconds) == (found, ttl)


def test_both_families_where_this_machine_has_both(knot: KnotServer) -> None:
    assert ask("both.test", knot.text).addresses == ("192.0.2.2",)
    assert set(ask("both.test", knot.text, ipv6=True).addresses) == {"192.0.2.2", "2001:db8::2"}


def test_what_does_not_fit_comes_by_tcp_and_hundreds_are_cut_off(knot: KnotServer) -> None:
    found = ask("many.test", knot.text).addresses
    assert len(found) == asking.MOST_OF_A_NAME
    assert set(found) <= set(HUNDREDS)


def test_a_server_that_is_not_in_charge_refuses(knot: KnotServer) -> None:
    with pytest.raises(NameServerError, match="REFUSED"):
        ask("one.elsewhere", knot.text)


def test_by_tls(knot: KnotServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "TRY_SECONDS", SILENT_SECONDS)
    with pytest.raises(NameServerError):  # it has no TLS there
        ask("one.test", f"tls://{knot.text}")


@pytest.mark.parametrize("name", ["dns.test", "127.0.0.1", "x.test"])
def test_by_tls_from_who_is_vouched_for_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority(tmp_path)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(write_certificate(tmp_path, name, vouched=True))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            query = dns.message.from_wire(await reader.readexactly(int.from_bytes(await reader.readexactly(2))))
            answer = addresses("192.0.2.1")(query, True) or b""
            writer.write(len(answer).to_bytes(2) + answer)
        writer.close()

    async def asked() -> DnsAnswer:
        async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            place = f"tls://127.0.0.1:{port}#dns.test"
            return await NameServers([read_server(place)], 30.0, lambda: False)("one.test")

    if name == "dns.test":
        assert asyncio.run(asked()).addresses == ("192.0.2.1",)
    else:
        with pytest.raises(NameServerError, match="certificate"):
            asyncio.run(asked())


# --- a server that misbehaves -----------------------------------------------------------------------------------------


def wrong_id(query: dns.message.Message) -> bytes:
    found = addresses("192.0.2.66")(query, True)
    assert found is not None
    return bytes([found[0] ^ 0xFF]) + found[1:]


def other_question(query: dns.message.Message) -> bytes:
    other = dns.message.make_query("other.test", dns.rdatatype.A)
    other.id = query.id
    found = addresses("192.0.2.66")(other, True)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("says", "problem"),
    [
        (fails("SERVFAIL"), "SERVFAIL"),
        (fails("REFUSED"), "REFUSED"),
        (fails("NOTIMP"), "NOTIMP"),
        (lame(), "sends elsewhere"),
        (silent(), "no answer in time"),
        (raw(wrong_id), "no answer in time"),
        (raw(other_question), "no answer in time"),
        (raw(lambda query: query.to_wire()), "no answer in time"),
        (raw(lambda query: b""), "no answer in time"),
        (raw(lambda query: query.to_wire()[:7]), "no answer in time"),
        (circle("b.test"), "no name server"),
    ],
)
def test_what_is_of_no_use_is_an_error_and_the_next_server_is_asked(
    says: Says, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = SILENT_SECONDS if problem == "no answer in time" else BUSY_SECONDS
    monkeypatch.setattr(asking, "TRY_SECONDS", patience)
    with NameServer({"a.test": says}) as bad, NameServer({"a.test": addresses("192.0.2.1")}) as good:
        with pytest.raises(NameServerError, match=problem):
            ask("a.test", bad.text)
        monkeypatch.setattr(asking, "TRY_SECONDS", BUSY_SECONDS)
        assert ask("a.test", bad.text, good.text).addresses == ("192.0.2.1",)


def test_aliases_that_lead_in_a_circle_over_several_questions() -> None:
    with NameServer({"a.test": alias("b.test"), "b.test": alias("a.test")}) as server:
        with pytest.raises(NameServerError, match="in a circle"):
            ask("a.test", server.text)
        assert server.asked.total() == asking.MOST_OF_A_NAME


@pytest.mark.dear
def test_who_failed_is_asked_last() -> None:
    async def twice() -> None:
        servers = NameServers([read_server(bad.text), read_server(good.text)], 30.0, lambda: False)
        for name in ("a.test", "b.test", "c.test"):
            assert (await servers(name)).addresses == ("192.0.2.1",)

    with NameServer(otherwise=silent()) as bad, NameServer(otherwise=addresses("192.0.2.1")) as good:
        asyncio.run(twice())
        assert bad.asked.total() == 1


def test_a_silent_server_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "TRY_SECONDS", BUSY_SECONDS)
    says = iter([silent(), addresses("192.0.2.1")])
    with NameServer({"a.test": lambda query, tcp: next(says)(query, tcp)}) as server:
        assert ask("a.test", server.text).addresses == ("192.0.2.1",)


def test_aliases_that_no_server_follows_are_followed() -> None:
    names = {f"{number}.test": alias(f"{number + 1}.test", ttl=50) for number in range(5)}
    with NameServer({**names, "5.test": addresses("192.0.2.1")}) as server:
        assert ask("0.test", server.text) == DnsAnswer(("192.0.2.1",), 50.0)


def test_a_chain_holds_as_long_as_its_shortest_part() -> None:
    with NameServer({"a.test": chain("b.test", "c.test", address="192.0.2.1", ttl=7, last_ttl=900)}) as server:
        assert ask("a.test", server.text) == DnsAnswer(("192.0.2.1",), 7.0)


@pytest.mark.parametrize(
    ("says", "seconds"),
    [
        (none(minimum=17), 17),
        (none(minimum=900, ttl=20), 20),
        (none("NOERROR", minimum=17), 17),
        (none(minimum=None), 30),
        (none("NOERROR", minimum=None), 30),
    ],
)
def test_how_long_there_is_none(says: Says, seconds: float) -> None:
    with NameServer({"a.test": says}) as server:
        assert ask("a.test", server.text) == DnsAnswer((), seconds)


def test_a_server_that_fails_at_ipv6_gives_ipv4() -> None:
    def says(query: dns.message.Message, tcp: bool) -> bytes | None:
        six = query.question[0].rdtype == dns.rdatatype.AAAA
        return (fails("SERVFAIL") if six else addresses("192.0.2.1"))(query, tcp)

    with NameServer({"a.test": says}) as server:
        assert ask("a.test", server.text, ipv6=True).addresses == ("192.0.2.1",)


def test_time_is_limited() -> None:
    with NameServer(otherwise=silent()) as server, pytest.raises(NameServerError, match=r"within 0[.]05 seconds"):
        ask("a.test", server.text, seconds=0.05)


def test_the_systems_servers_are_read_again_when_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LOOKED_SECONDS", 0.0)
    path = tmp_path / "resolv.conf"
    path.write_text("# nothing yet\n")
    assert [str(one) for one in asking.system_servers(path)] == ["127.0.0.1:53"]
    path.write_text("search corp.test\nnameserver 127.0.0.1\nnameserver 2001:db8::53\noptions rotate\nnameserver x\n")
    assert [str(one) for one in asking.system_servers(path)] == ["127.0.0.1:53", "[2001:db8::53]:53"]
    assert [str(one) for one in asking.system_servers(tmp_path / "none")] == ["127.0.0.1:53"]


@pytest.mark.parametrize("text", ["", "x.test", "1.2.3.4:0", "1.2.3.4:99999", "1.2.3.4#name", "tls://", "1.2.3.4:x"])
def test_what_is_no_name_server(text: str) -> None:
    with pytest.raises(InputError, match="GWC_DNS_SERVERS"):
        read_server(text)


# --- whatever a server sends ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def odd() -> Iterator[NameServer]:
    with NameServer() as server:
        yield server


@pytest.mark.dear
@settings(max_examples=int(os.environ.get("GWC_TEST_FUZZ_EXAMPLES") or 60), deadline=None)
@given(
    noise=st.binary(max_size=80),
    keep=st.integers(0, 60),
    flips=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 255)), max_size=6),
)
def test_no_exception_but_ours_leaves_whatever_is_sent(
    odd: NameServer, noise: bytes, keep: int, flips: list[tuple[int, int]]
) -> None:
    def says(query: dns.message.Message, tcp: bool) -> bytes:
        wire = bytearray(chain("b.test", address="192.0.2.1")(query, tcp) or b"")
        for place, bits in flips:
            wire[place % len(wire)] ^= bits
        return bytes(wire[: len(wire) - keep]) + noise

    odd.otherwise = says
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.suppress(NameServerError):
            answer = asyncio.run(NameServers([read_server(odd.text)], 0.05, lambda: False)("a.test"))
            assert all(isinstance(one, str) for one in answer.addresses)
    finally:
        logging.disable(logging.NOTSET)
