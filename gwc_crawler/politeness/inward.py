"""Whether a redirect leads from a public host into a private network: hosts in, the private address out.

A server out there must not be able to have a crawler ask what only the crawler's own network can reach (SSRF).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

AddressesOf = Callable[[str], Awaitable[Sequence[str]]]
"""Host name or address → its addresses; raises where there are none."""


ENDS_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
"""IPv4-compatible (RFC 4291, §2.5.5.1) and NAT64 (RFC 6052): the last 32 bits are the address in IPv4."""


def is_public(address: str) -> bool:
    """Say whether anybody on the Internet may be at an address; one in IPv6 that stands for one in IPv4 is that.

    >>> [is_public(one) for one in ("93.184.215.14", "127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:10.1.2.3")]
    [True, False, False, False, False]
    >>> [is_public(one) for one in ("2606:4700::1", "::1", "fd00::1", "fe80::1%eth0", "64:ff9b::10.1.2.3")]
    [True, False, False, False, False]
    """
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        parsed = _embedded(parsed) or parsed
    return parsed.is_global and not parsed.is_multicast


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if any(address in network for network in ENDS_IN_IPV4):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


async def inward_address(source: str, target: str, addresses_of: AddressesOf) -> str | None:
    """Return the private address that a redirect from host *source* to host *target* leads to; None: it leads to none,
    or *source* is private itself.

    Raises:
        Exception: what *addresses_of* raises for a host without address.
    """
    if source == target:
        return None
    inward = [address for address in await addresses_of(target) if not is_public(address)]
    if not inward:
        return None
    sources = await addresses_of(source)
    return None if sources and not any(map(is_public, sources)) else inward[0]


async def literal_address(host: str) -> Sequence[str]:
    """Return *host* where it is an address itself; behind a proxy names say nothing of what they lead to."""
    try:
        ip_address(host)
    except ValueError:
        return []
    return [host]
