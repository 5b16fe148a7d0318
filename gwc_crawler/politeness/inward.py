"""Whether a redirect leads from a public host into a private network: hosts in, the private address out.

A server out there must not be able to have a crawler ask what only the crawler's own network can reach (SSRF).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from gwc_crawler.dns import is_public

AddressesOf = Callable[[str], Awaitable[Sequence[str]]]
"""Host name or address → its addresses; raises where there are none."""


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
