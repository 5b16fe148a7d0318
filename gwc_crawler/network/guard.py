"""Which addresses a crawl may connect to: a host and an address of it in, the reason of a refusal out.

A stranger's page must not be able to have the crawler ask what only its own machine or network can reach (server-side
request forgery). It is asked for every address that is about to be connected to, whichever way the URL came.

Source:
    OWASP, Server-Side Request Forgery Prevention Cheat Sheet, case 2. What we do differently: there are no lists of
    names, and nothing is looked up for the check alone. The address judged is the one connected to.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from unicodedata import normalize
from urllib.parse import unquote

from gwc_crawler.errors import AddressRefusedError, InputError

# --- Hosts that are addresses already, in every spelling in which a browser or a C library takes them for one ---------

_NUMBER = r"(?:0[xX][0-9a-fA-F]*|[0-9]+)"
_C_ADDRESS = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}")
_NAME = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_DOTS = str.maketrans("。．｡", "...")


@lru_cache(maxsize=4096)
def plain_host(host: str) -> str:
    """Return a host in the form for comparison: lower case, in ASCII if possible, no brackets, no dot at the end.

    >>> plain_host("Shop.Example."), plain_host("１２７.0.0.1"), plain_host("[::1]"), plain_host("%31%30.0.0.1")
    ('shop.example', '127.0.0.1', '::1', '10.0.0.1')
    """
    text = normalize("NFKC", unquote(host.strip())).translate(_DOTS).lower()
    return text.removeprefix("[").removesuffix("]").removesuffix(".")


@lru_cache(maxsize=4096)
def literal_of(host: str) -> str | None:
    """Return the address that *host* is, in any form of `inet_aton` (WHATWG URL, *IPv4 parser*); None: it is a name.

    >>> [literal_of(one) for one in ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "fe80::1%25eth0")]
    ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', 'fe80::1%eth0']
    >>> literal_of("a.example"), literal_of("1.2.3.example"), literal_of("1.2.3.4.5")
    (None, None, None)
    """
    text = plain_host(host)
    try:
        if _C_ADDRESS.fullmatch(text):
            return socket.inet_ntoa(socket.inet_aton(text))
        return str(ip_address(text.replace("%25", "%")))
    except (ValueError, OSError):
        return None


def is_name(host: str) -> bool:
    """Say whether *host*, a `plain_host`, can be asked for; its last part is no number (WHATWG URL).

    >>> [is_name(one) for one in ("a.example", "a_b.example", "a..example", "", "1.2.3.4.5", "x" * 64)]
    [True, True, False, False, False, False]
    """
    return _NAME.fullmatch(host) is not None and not host.rpartition(".")[2].isdigit()


EVERYTHING = "all"  # the word that permits any address, in place of a host or network

ENDS_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
"""IPv4-compatible (RFC 4291, §2.5.5.1) and NAT64 (RFC 6052): the last 32 bits are the address in IPv4."""

ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # bits before the IPv4 address in the lower half (RFC 5214, §6.1)
UNICAST = IPv6Network("2000::/3")  # all IPv6 addresses that are assigned for the Internet (RFC 4291, §2.4)

NOT_GIVEN_OUT = (
    *map(IPv4Network, ("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4")),
)
"""Ranges that different versions of Python judge differently: the network itself, carriers' own, assignments of
protocols, 6to4's old relays (RFC 7526), benchmarks, reserved."""

METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "fd00:ec2::254", "192.0.0.192")))
"""Addresses at which clouds tell a machine its secrets."""


def is_public(address: str) -> bool:
    """Say whether anybody on the Internet may be at an address; one in IPv6 that stands for one in IPv4 is that.

    >>> [is_public(one) for one in ("93.184.215.14", "127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:10.1.2.3")]
    [True, False, False, False, False]
    >>> [is_public(one) for one in ("2606:4700::1", "::1", "fd00::1", "fe80::1%eth0", "64:ff9b::10.1.2.3")]
    [True, False, False, False, False]
    """
    return kind_of_address(address) == ""


@lru_cache(maxsize=8192)
def kind_of_address(address: str) -> str:
    """Say in a word or two why an address is not one on the Internet; "" if it is one."""
    parsed = _parsed(address)
    if parsed in METADATA:
        return "a metadata service's"
    for kind, applies in (
        ("loopback", parsed.is_loopback),
        ("multicast", parsed.is_multicast),
        ("link-local", parsed.is_link_local),
        ("unspecified", parsed.is_unspecified),
        ("private", parsed.is_private and not parsed.is_reserved),
        ("reserved", parsed.is_reserved or not parsed.is_global or any(parsed in one for one in NOT_GIVEN_OUT)),
        ("reserved", isinstance(parsed, IPv6Address) and parsed not in UNICAST),
    ):
        if applies:
            return kind
    return ""


@lru_cache(maxsize=8192)
def _parsed(address: str) -> IPv4Address | IPv6Address:
    parsed = ip_address(address.partition("%")[0])
    return (_embedded(parsed) or parsed) if isinstance(parsed, IPv6Address) else parsed


def _embedded(address: IPv6Address) -> IPv4Address | None:
    number = int(address)
    if number > 1 and any(address in network for network in ENDS_IN_IPV4):
        return IPv4Address(number & 0xFFFF_FFFF)
    if (number >> 32) & 0xFFFF_FFFF in ISATAP:
        return IPv4Address(number & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


NAMED_MAY_BE = frozenset({"loopback", "private"})
"""Kinds of addresses that the name of a host that a person wrote may have; a written address may be of any kind."""


@dataclass(slots=True)
class Guard:
    """The permissions of one crawl for addresses that are not on the Internet. `hosts`: names and addresses that a
    person has written. Such a name may be in a private network, unless it has been on the Internet before: then it has
    turned inwards (DNS rebinding).
    """

    hosts: frozenset[str] = frozenset()
    domains: tuple[str, ...] = ()  # the same for all names below these
    networks: tuple[IPv4Network | IPv6Network, ...] = ()  # permitted to any name
    everything: bool = False
    _were_public: set[str] = field(default_factory=set)

    def permitted(self, host: str, addresses: Iterable[str]) -> tuple[str, ...]:
        """Return those *addresses* of *host* that may be connected to; AddressRefusedError: none of them may."""
        all_of_them = tuple(addresses)
        named = host in self.hosts or any(host.endswith(f".{domain}") for domain in self.domains)
        if named and any(map(is_public, all_of_them)):
            self._were_public.add(host)
        allowed = tuple(one for one in all_of_them if not self._refusal(host, one, named=named))
        if all_of_them and not allowed:
            raise AddressRefusedError(host, all_of_them[0], self._refusal(host, all_of_them[0], named=named))
        return allowed

    def check_unresolved(self, host: str) -> None:
        """Look at a host that a proxy looks up; AddressRefusedError: a forbidden address, or this machine's name."""
        if (address := literal_of(host)) is not None:
            self.permitted(plain_host(host), (address,))
        elif is_local_name(host):
            self.permitted(plain_host(host), ("127.0.0.1",))

    def _refusal(self, host: str, address: str, *, named: bool) -> str:
        """Say why *address* is refused; "": it is not."""
        if self.everything or not (kind := kind_of_address(address)):
            return ""
        parsed = _parsed(address)
        if any(parsed in network for network in self.networks if network.version == parsed.version):
            return ""
        if named and literal_of(host) is not None:
            return ""
        if named and kind in NAMED_MAY_BE and host not in self._were_public:
            return ""
        return f"{kind}, and {host} was on the Internet before" if named and host in self._were_public else kind


def is_local_name(host: str) -> bool:
    """Say whether a name is of this very machine, whatever a name server says (RFC 6761, §6.3).

    >>> is_local_name("LOCALHOST."), is_local_name("a.localhost"), is_local_name("localhost.example")
    (True, True, False)
    """
    name = plain_host(host)
    return name == "localhost" or name.endswith(".localhost")


def read_permissions(texts: Iterable[str]) -> Guard:
    """Read GWC_ALLOW_PRIVATE: hosts, networks, or "all". Raises InputError: a text is none of these.

    >>> read_permissions(["10.0.0.0/8", "wiki.example"]).permitted("x.example", ["10.1.1.1"])
    ('10.1.1.1',)
    """
    hosts, networks, everything = set(), [], False
    for text in filter(None, (one.strip() for one in texts)):
        if text.lower() in (EVERYTHING, "true", "1"):
            everything = True
            continue
        try:
            networks.append(ip_network(literal_of(text) or text, strict=False))
            continue
        except ValueError:
            pass
        if not is_name(plain_host(text)):
            raise InputError(
                f"setting GWC_ALLOW_PRIVATE has {text!r}; write hosts, addresses or networks, such as "
                f"wiki.example.com, 10.0.0.0/8, or {EVERYTHING}"
            )
        hosts.add(plain_host(text))
    return Guard(frozenset(hosts), networks=tuple(networks), everything=everything)
