"""Host → address without waiting, and limits that belong to addresses: hosts on one machine share what it may be asked.

Names are resolved in threads, ahead of their use; nobody waits for an answer here.
"""

from __future__ import annotations

import math
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from ipaddress import ip_address
from queue import SimpleQueue

from gwc_crawler.politeness.limiter import Limiter
from gwc_crawler.urls import host_of

KNOWN_SECONDS = 300.0
"""So long an address holds before the name is asked for anew; meanwhile the old one goes on holding."""

UNKNOWN_SECONDS = 30.0
"""So long a name that has no address stands for itself."""

KNOWN_NAMES = 65_536
RESOLVING_THREADS = 4
LOOK_SECONDS = 0.05
"""How soon a host whose address is not known yet is looked at again."""


def first_address(name: str) -> str:
    """Ask the system for an address of *name*: one in IPv4 where there is one, which names of one machine share more
    often than those in IPv6.

    Raises:
        OSError: it has none.
        ValueError: it is no name.
    """
    found = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)
    *_, place = min(found, key=lambda one: one[0] != socket.AF_INET)
    return str(place[0])


class AddressBook:
    """Remembers the addresses of hosts, and asks for those it does not know.

    Args:
        resolve: name → address, may raise OSError and take its time; called in threads.
        clock: seconds that never run backwards.
    """

    def __init__(
        self, resolve: Callable[[str], str] = first_address, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._resolve = resolve
        self._clock = clock
        self._addresses: dict[str, tuple[str, float]] = {}
        self._asked: set[str] = set()
        self._names: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0

    def known(self, host: str) -> str | None:
        """Return the address of "host" or "host:port"; None: it is asked for. A name without address is its own."""
        name = _name_of(host)
        address, until = self._addresses.get(name, (None, 0.0))
        if self._clock() >= until and name not in self._asked:
            if _is_address(name):
                return name
            self._ask(name)
        return address

    def address_of(self, host: str) -> str:
        """Return the address of *host*, or *host* itself until its address is known."""
        return self.known(host) or host

    def _ask(self, name: str) -> None:
        self._asked.add(name)
        self._names.put(name)
        if self._threads < min(RESOLVING_THREADS, len(self._asked)):
            self._threads += 1
            threading.Thread(target=self._answer, name="resolver", daemon=True).start()

    def _answer(self) -> None:
        while True:
            name = self._names.get()
            seconds = KNOWN_SECONDS
            try:
                address = self._resolve(name)
            except (OSError, ValueError):  # no such name; no name at all
                address, seconds = name, UNKNOWN_SECONDS
            with self._lock:
                if len(self._addresses) >= KNOWN_NAMES and name not in self._addresses:
                    del self._addresses[next(iter(self._addresses))]
                self._addresses[name] = (address, self._clock() + seconds)
            self._asked.discard(name)


class AddressLimiter:
    """A `Limiter` of hosts over one of addresses: what is known of an address holds for all its hosts.

    A host whose address is not known yet may start nothing. A host is kept in mind only while requests of it are under
    way, or while it waits for its address.
    """

    def __init__(self, limiter: Limiter, book: AddressBook) -> None:
        self.clock = limiter.clock
        self.when_free: Callable[[str], None] | None = None
        self._limiter = limiter
        self._book = book
        self._address_of: dict[str, str] = {}
        """The address that each host with requests under way is counted under."""
        self._active: Counter[str] = Counter()
        self._refused: dict[str, dict[str, None]] = {}
        """Address → hosts that were not let start anything since its state changed last, the first one first."""
        limiter.when_free = self._address_changed

    def key_of(self, url: str) -> str:
        """The key that *url* falls under. The host; its address is asked for ahead."""
        host = host_of(url)
        self._book.known(host)
        return host

    def may_start(self, key: str) -> bool:
        """Whether a request may be handed out now."""
        address = self._address(key)
        if address is None:
            return False
        may_start = self._limiter.may_start(address)
        if not may_start:
            self._refused.setdefault(address, {})[key] = None
        return may_start

    def next_at(self, key: str) -> float:
        """When one may (on the limiter's clock); infinity when another has to be sent or to end first."""
        address = self._address(key)
        if address is None:
            return self.clock() + LOOK_SECONDS
        at = self._limiter.next_at(address)
        if at == math.inf:  # it may have been resolved, or another one, since it was refused
            self._refused.setdefault(address, {})[key] = None
        return at

    def room(self, key: str, seconds: float) -> float:
        """How many may start within *seconds* at most; infinity where only answers decide."""
        return self._limiter.room(self._address(key) or key, seconds)

    def started(self, key: str) -> None:
        """A request was handed out; it will be sent, and it will end."""
        self._address_of[key] = address = self._address(key) or key
        self._active[key] += 1
        self._limiter.started(address)

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        """0: send it now, it is counted."""
        return self._limiter.seconds_to_turn(self._address(key) or key, started=started)

    def answered(
        self, key: str, status: int | None, sent_at: float, latency: float, retry_after: float | None = None
    ) -> None:
        """A request was answered, *latency* seconds after it went out; status None: not in time, or not at all."""
        self._limiter.answered(self._address(key) or key, status, sent_at, latency, retry_after)

    def ended(self, key: str, *, sent: bool = True) -> None:
        """A started request is over, or was not sent after all."""
        address = self._address_of[key]
        self._active[key] -= 1
        if not self._active[key]:
            del self._active[key], self._address_of[key]
        self._limiter.ended(address, sent=sent)

    def ask_slowly(self, key: str, seconds: float) -> None:
        """robots.txt asks for so many seconds between requests."""
        self._limiter.ask_slowly(self._address(key) or key, seconds)

    def forget(self, key: str) -> None:
        """Nobody is there after all: neither this crawl nor the next has to wait for anybody.

        Not where there is an address: another host there may be one to be left alone.
        """
        address = self._address(key) or key
        if not _is_address(address):
            self._limiter.forget(address)

    def tick(self) -> None:
        """Do what is due without an event; called every `TICK_SECONDS`."""
        self._limiter.tick()

    def close(self) -> None:
        """Nothing more will be asked."""
        self._limiter.close()

    def _address(self, host: str) -> str | None:
        """The address that *host* is counted under; it stays while requests are under way."""
        return self._address_of.get(host) or self._book.known(host)

    def _address_changed(self, address: str) -> None:
        refused = self._refused.pop(address, ())
        if self.when_free is not None:
            for host in refused:
                self.when_free(host)


def _name_of(host: str) -> str:
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
