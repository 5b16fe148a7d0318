"""What one crawl sees of the names: the cache, with the hosts that its site file gives addresses, within its guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gwc_crawler.dns.cache import DnsCache
from gwc_crawler.dns.guard import Guard, plain_host


class CrawlNames:
    """Looks up hosts for one crawl; of what it returns, all may be connected to.

    Args:
        cache: what all crawls of the process share.
        guard: None: nothing is refused.
        overrides: host → addresses that the site file gives it.
    """

    def __init__(
        self, cache: DnsCache, guard: Guard | None = None, overrides: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._cache = cache
        self._guard = guard
        self._overrides = overrides or {}

    async def addresses_of(self, host: str) -> Sequence[str]:
        """Return the addresses of a host that may be connected to.

        Raises:
            NoAddressError: it has none.
            NameServerError: nobody can say.
            AddressRefusedError: it has none that may be connected to.
        """
        found = self.known(host)
        return self._permitted(host, await self._cache.addresses_of(host)) if found is None else found

    async def addresses_of_proxy(self, host: str) -> Sequence[str]:
        """Return the addresses of a host that a person has named as a proxy: wherever they are."""
        given = self._overrides.get(plain_host(host))
        return await self._cache.addresses_of(host) if given is None else given

    def known(self, host: str) -> Sequence[str] | None:
        """Return the same without waiting; None: it has to be waited for."""
        if self._overrides and (given := self._overrides.get(plain_host(host))) is not None:
            return given
        found = self._cache.known(host)
        return None if found is None else self._permitted(host, found)

    def peek(self, host: str) -> Sequence[str] | None:
        """Return what is known of a host, old or not, permitted or not; see `DnsCache.peek`."""
        return self._overrides.get(plain_host(host)) or self._cache.peek(host)

    def want(self, host: str) -> None:
        """Have a host asked for that is not known, or not any more."""
        if plain_host(host) not in self._overrides:
            self._cache.want(host)

    def check(self, host: str, address: str) -> None:
        """Look at an address in the moment of connecting.

        Raises:
            AddressRefusedError: it may not be connected to.
        """
        if self._guard is not None and address not in self._overrides.get(plain_host(host), ()):
            self._guard.check(plain_host(host), address)

    def check_unresolved(self, host: str) -> None:
        """Look at a host that a proxy will look up.

        Raises:
            AddressRefusedError: it is known to lead where it may not.
        """
        if self._guard is not None and plain_host(host) not in self._overrides:
            self._guard.check_unresolved(host)

    def has_moved(self, host: str, address: str) -> bool:
        """Say whether a host is known to be elsewhere by now; what is open to the old address is not gone on with."""
        return self._cache.has_moved(host, address) and plain_host(host) not in self._overrides

    def failed(self, host: str, address: str) -> None:
        """Note that there was no connection to an address."""
        self._cache.failed(host, address)

    def _permitted(self, host: str, addresses: Sequence[str]) -> Sequence[str]:
        return addresses if self._guard is None else self._guard.permitted(plain_host(host), addresses)
