"""The resolver of the process: a host's name comes in, its addresses in IPv4 and IPv6 go out, the best first.

TWISTED_DNS_RESOLVER names it: so all connections by Twisted look names up in the `DnsCache`, within the crawl's guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.resolver import HostResolution
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.reactor import is_asyncio_reactor_installed
from twisted.internet.address import IPv4Address, IPv6Address

from gwc_crawler.errors import AddressRefusedError, NameServerError, NoAddressError, WireError
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.wiring.options import crawl_names

SCHEMES = frozenset({"http", "https"})


class AddressRefused(IgnoreRequest):
    """The Request leads where this crawl may not go: an error of the page, not of its host."""


NO_WAY = (AddressRefusedError, NoAddressError, NameServerError)
"""Errors of a host that can't be found, or may not be asked."""


def scrapys_error(error: Exception) -> Exception:
    """Return Scrapy's exception for one of `NO_WAY`."""
    return AddressRefused(str(error)) if isinstance(error, AddressRefusedError) else CannotResolveHostError(str(error))


@dataclass(slots=True)
class Looking:
    """The crawl that a resolver works for; `refused` is afterwards the address that it refused."""

    names: CrawlNames
    refused: AddressRefusedError | None = None


LOOKING: ContextVar[Looking | None] = ContextVar("LOOKING", default=None)
"""Set while a handler is at work, in its task and in all tasks that it starts."""


class Destinations:
    """Checks the destinations of a crawl's Requests; *guarded*: it is one of ours, others may go anywhere."""

    def __init__(self, names: CrawlNames, *, guarded: bool) -> None:
        self.names = names
        self._guarded = guarded

    def enter(self, request: Request) -> Looking | None:
        """Check a Request, and tell resolvers which crawl they work for; None if none is needed.

        Raises AddressRefused: the destination is forbidden.
        """
        if not self._guarded:
            return None
        url = urlparse_cached(request)
        if url.scheme not in SCHEMES:
            raise AddressRefused(f"{url.scheme}: is not fetched, only http and https are")
        if request.meta.get("proxy"):
            try:
                self.names.check_unresolved(url.hostname or "")
            except AddressRefusedError as error:
                raise AddressRefused(str(error)) from error
            LOOKING.set(None)  # the proxy is where a person has said it is
            return None
        looking = Looking(self.names)
        LOOKING.set(looking)
        return looking


def names_of(crawler: Crawler) -> CrawlNames:
    """Return the names of a crawler whose engine is made."""
    downloader = getattr(getattr(crawler, "engine", None), "downloader", None)
    destinations: Destinations | None = getattr(downloader, "destinations", None)
    return crawl_names(crawler.settings) if destinations is None else destinations.names


class CachedResolver:
    """Looks names up in the cache (`IHostnameResolver`)."""

    def __init__(self, reactor: Any, names: CrawlNames) -> None:
        self._reactor = reactor
        self._names = names
        self._telling: set[asyncio.Future[None]] = set()
        """Those under way; the loop itself does not keep them from being collected."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> CachedResolver:
        return cls(reactor, crawl_names(crawler.settings))

    def install_on_reactor(self) -> None:
        """Send all look-ups of names in this process here; a reactor without asyncio keeps its own resolver."""
        if is_asyncio_reactor_installed():
            self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type] | None = None,
        transportSemantics: Literal["TCP", "UDP"] = "TCP",
    ) -> HostResolution:
        """Tell the receiver the name's addresses; none if it has none or they are not found in time."""
        resolution = HostResolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)

        async def tell() -> None:
            for address in await self._addresses(hostName):
                kind = IPv6Address if ":" in address else IPv4Address
                if addressTypes is None or kind in addressTypes:
                    resolutionReceiver.addressResolved(kind(transportSemantics, address, portNumber))
            resolutionReceiver.resolutionComplete()

        task = asyncio.ensure_future(tell())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        return resolution

    async def _addresses(self, host: str) -> Sequence[str]:
        looking = LOOKING.get()
        try:
            return await (self._names if looking is None else looking.names).addresses_of(host)
        except AddressRefusedError as error:
            if looking is not None:
                looking.refused = error
        except WireError:
            pass
        return ()
