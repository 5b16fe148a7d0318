"""The resolver of the crawl: a host's name comes in, its addresses in IPv4 and IPv6 go out, the best first.

TWISTED_DNS_RESOLVER names it in `gwc_crawler.settings`, Scrapy installs it on the reactor: so Scrapy's own handlers ask
it, too. Names are looked up by the system, in the reactor's threads. Beside it stands `addresses_of`, the way to
whatever resolver is installed there.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any, Literal

from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import HostResolution
from scrapy.utils.datatypes import LocalCache
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool


class DualStackResolver:
    """Knows both families and keeps to DNS_TIMEOUT (`IHostnameResolver`); Scrapy's two resolvers do one of these each.

    Args:
        reactor: has the threads, and the clock.
        cache_size: so many names are kept for as long as the process runs; 0: none.
        timeout_seconds: a name that is not found within this time has no address.
    """

    def __init__(self, reactor: Any, cache_size: int, timeout_seconds: float) -> None:
        self._reactor = reactor
        self._timeout_seconds = timeout_seconds
        self._known: LocalCache[str, list[str]] | None = LocalCache(cache_size) if cache_size else None

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> DualStackResolver:
        """Make the one that Scrapy's settings describe."""
        settings = crawler.settings
        size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, size, settings.getfloat("DNS_TIMEOUT"))

    def install_on_reactor(self) -> None:
        """Have all who look up names in this process ask here."""
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type] | None = None,
        transportSemantics: Literal["TCP", "UDP"] = "TCP",
    ) -> HostResolution:
        """Tell the receiver the name's addresses; none, where it has none or they are not found in time."""
        resolution = HostResolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)

        def tell(addresses: list[str]) -> None:
            for address in addresses:
                kind = IPv6Address if ":" in address else IPv4Address
                if addressTypes is None or kind in addressTypes:
                    resolutionReceiver.addressResolved(kind(transportSemantics, address, portNumber))
            resolutionReceiver.resolutionComplete()

        self._look_up(hostName).addCallback(tell)
        return resolution

    def _look_up(self, name: str) -> Deferred[list[str]]:
        if self._known is not None and name in self._known:
            return succeed(self._known[name])
        reactor = self._reactor
        found = deferToThreadPool(reactor, reactor.getThreadPool(), _addresses, name)
        found.addTimeout(self._timeout_seconds, reactor)
        found.addCallbacks(self._note, lambda failure: [], callbackArgs=(name,))
        return found

    def _note(self, addresses: list[str], name: str) -> list[str]:
        if self._known is not None and addresses:
            self._known[name] = addresses
        return addresses


def _addresses(name: str) -> list[str]:
    """Ask the system; it puts those first that this machine can reach best (RFC 6724). Takes its time."""
    try:
        found = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)
    except (OSError, ValueError):  # no such name; no name at all
        return []
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


async def addresses_of(host: str) -> Sequence[str]:
    """Look a host up with the resolver of the crawl (TWISTED_DNS_RESOLVER).

    Raises:
        CannotResolveHostError: it has no address.
    """
    if ":" in host:  # an IPv6 address, which a resolver of the user's own may not know
        return [host]
    from twisted.internet import reactor

    answer = _Resolution()
    reactor.nameResolver.resolveHostName(answer, host)
    if not (addresses := await answer.complete):
        raise CannotResolveHostError(f"no address is known of {host}")
    return addresses


class _Resolution:
    """Collects what a resolver of Twisted's finds (`IResolutionReceiver`)."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.complete: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    def resolutionBegan(self, resolution: Any) -> None:
        """Nothing to prepare."""

    def addressResolved(self, address: Any) -> None:
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.complete.done():
            self.complete.set_result(self.addresses)
