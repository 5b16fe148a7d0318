"""Host → address without waiting, and limits by address: hosts on one machine share its limits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from gwc_crawler.errors import GwcError
from gwc_crawler.network.dns_cache import CrawlNames
from gwc_crawler.network.guard import literal_of
from gwc_crawler.network.politeness.limiter import TICK_SECONDS, Limiter
from gwc_crawler.urls import host_of


class AddressBook:
    """Names the one address that a host is counted under."""

    def __init__(self, names: CrawlNames) -> None:
        self._names = names

    def known(self, host: str) -> str | None:
        """Return the address of "host" or "host:port", IPv4 preferred; None: it is being asked for."""
        name = _name_of(host)
        if (address := _literal(name)) is not None:
            return address
        self._names.want(name)
        addresses = self._names.peek(name)
        if addresses is None:
            return None
        return min(addresses, key=lambda address: ":" in address, default=name)

    def address_of(self, host: str) -> str:
        """Return the address of *host*, or *host* itself until its address is known."""
        return self.known(host) or host


def literal_address_of(host: str) -> str:
    """Return the address of "host:port" if the host is one, else the whole text: no look-up is needed."""
    return _literal(_name_of(host)) or host


def _literal(name: str) -> str | None:
    """Return the address that a name is, in its one spelling; of IPv6 as it is written, in brackets."""
    address = literal_of(name)
    return name if address is not None and ":" in address else address


class AddressLimiter(Limiter):
    """A `Limiter` of hosts over one of addresses; a host whose address is not known yet may start nothing."""

    def __init__(self, limiter: Limiter, book: AddressBook) -> None:
        self.clock = limiter.clock
        self.when_free: Callable[[str], None] | None = None
        self._limiter = limiter
        self._book = book
        self._address_of: dict[str, str] = {}  # the address that each host with requests under way is counted under
        self._active: Counter[str] = Counter()
        self._refused: dict[str, dict[str, None]] = {}
        """Address → hosts that were not let start anything since its state changed last, the first one first."""
        limiter.when_free = self._address_changed

    @property
    def refusal(self) -> GwcError | None:
        return self._limiter.refusal

    def key_of(self, url: str) -> str:
        """Return the key that *url* falls under. The host; its address is asked for ahead."""
        host = host_of(url)
        self._book.known(host)
        return host

    def may_start(self, key: str) -> bool:
        address = self._address(key)
        if address is None:
            return False
        may_start = self._limiter.may_start(address)
        if not may_start:
            self._refused.setdefault(address, {})[key] = None
        return may_start

    def next_at(self, key: str) -> float:
        address = self._address(key)
        if address is None:
            return self.clock() + TICK_SECONDS
        at = self._limiter.next_at(address)
        if at == math.inf:  # it may have been resolved, or another one, since it was refused
            self._refused.setdefault(address, {})[key] = None
        return at

    def room(self, key: str, seconds: float) -> float:
        return self._limiter.room(self._address(key) or key, seconds)

    def started(self, key: str) -> None:
        self._address_of[key] = address = self._address(key) or key
        self._active[key] += 1
        self._limiter.started(address)

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        return self._limiter.seconds_to_turn(self._address(key) or key, started=started)

    def answered(self, key: str, status: int | None, sent_at: float, latency: float, wish: float | None = None) -> None:
        self._limiter.answered(self._address(key) or key, status, sent_at, latency, wish)

    def ended(self, key: str, *, sent: bool = True) -> None:
        address = self._address_of[key]
        self._active[key] -= 1
        if not self._active[key]:
            del self._active[key], self._address_of[key]
        self._limiter.ended(address, sent=sent)

    def ask_slowly(self, key: str, seconds: float) -> None:
        self._limiter.ask_slowly(self._address(key) or key, seconds)

    def forget(self, key: str) -> None:
        """Forget a name without address; at an address another host may be one to be left alone."""
        address = self._address(key) or key
        if literal_of(address) is None:
            self._limiter.forget(address)

    def tick(self) -> None:
        self._limiter.tick()

    def close(self) -> None:
        self._limiter.close()

    def _address(self, host: str) -> str | None:
        """Return the address that *host* is counted under; it stays while requests are under way."""
        return self._address_of.get(host) or self._book.known(host)

    def _address_changed(self, address: str) -> None:
        refused = self._refused.pop(address, ())
        if self.when_free is not None:
            for host in refused:
                self.when_free(host)


def _name_of(host: str) -> str:
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
