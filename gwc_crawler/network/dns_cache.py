"""A cache of names → addresses, in one event loop: many look-ups of a crawl become one question to a name server.

A name in use is asked for again shortly before it expires, so nobody waits for it. While the name servers are out of
order, the old addresses are used.

Source:
    MD5-tree, *DNS cache* (see `NameTable`). RFC 2308, negative answers; RFC 8767, *Serving Stale Data*: §5 the timers;
    RFC 9520, §3.2, failures are remembered, too.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gwc_crawler.errors import NameServerError, NoAddressError
from gwc_crawler.network.dns_servers import LOOKED_SECONDS, Ask, DnsAnswer, NameServers
from gwc_crawler.network.guard import Guard, is_local_name, is_name, literal_of, plain_host


# --- Addresses that need no name server -------------------------------------------------------------------------------
def read_hosts_file(path: Path = Path("/etc/hosts")) -> dict[str, tuple[str, ...]]:
    """Return names → addresses as hosts(5) has them; {} where there is no such file; what can't be read is left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        literal = literal_of(address)
        for name in map(plain_host, names):
            if literal is not None and literal not in found.get(name, ()):
                found[name] = (*found.get(name, ()), literal)
    return found


def read_overrides(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return names → addresses of a person's table; ValueError: names the name or address that is invalid.

    >>> read_overrides({"X.example": "10.0.0.1", "y.example": ["::1", "127.0.0.1"]})
    {'x.example': ('10.0.0.1',), 'y.example': ('::1', '127.0.0.1')}
    """
    read = {}
    for name, value in table.items():
        written = [value] if isinstance(value, str) else value
        if not is_name(plain_host(name)):
            raise ValueError(f"{name!r} is no host name")
        if not isinstance(written, Iterable) or not (texts := list(written)):
            raise ValueError(f"{name} has {value!r}, which is no address; write one like '10.0.0.1'")
        for text in texts:
            if not isinstance(text, str) or literal_of(text) is None:
                raise ValueError(f"{name} has {text!r}, which is no address; write one like '10.0.0.1'")
        read[plain_host(name)] = tuple(literal_of(text) or "" for text in texts)
    return read


# --- The names a cache keeps ------------------------------------------------------------------------------------------
# Source:
# MD5-tree, *DNS cache*: a hash table whose collision chains hold name, address and weight, sorted by weight, so that
# popular names are found first. What we do differently: Python's dict has no chains to sort, so the weight only
# decides which names stay when the table is full. How (a generalised clock): A. J. Smith,
# *Sequentiality and Prefetching in Database Systems*, ACM TODS 3 (3), 1978.

MOST_WEIGHT = 15  # more hits than these count for nothing: fame of long ago is forgotten after four rounds
LOOKS = 64  # maximum number of names looked at to find one to drop; after that the lightest of them is dropped


class NameTable:
    """A table of at most *size* names, with an entry for each, in the clock's order: the name that is longest in its
    place is looked at first; one with weight loses half of it and goes to the end, one without is dropped.
    """

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._entries: OrderedDict[str, _Entry] = OrderedDict()  # the first of a plain dict is found ever more slowly

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, name: str) -> _Entry | None:
        """Return the entry of *name*, and count this as a use."""
        entry = self._entries.get(name)
        if entry is not None and entry.weight < MOST_WEIGHT:
            entry.weight += 1
        return entry

    def peek(self, name: str) -> _Entry | None:
        """Return the entry of *name*, without counting this as a use."""
        return self._entries.get(name)

    def put(self, name: str, entry: _Entry) -> None:
        """Keep *entry* of *name*; the name's weight is kept."""
        if (old := self._entries.get(name)) is not None:
            entry.weight = old.weight
        elif len(self._entries) >= self._size:
            self._drop_one()
        self._entries[name] = entry

    def _drop_one(self) -> None:
        entries = self._entries
        lightest, least = "", MOST_WEIGHT + 1
        for _ in range(min(LOOKS, len(entries))):
            name, entry = entries.popitem(last=False)
            if not entry.weight:
                return
            entry.weight //= 2
            entries[name] = entry
            if entry.weight < least:
                lightest, least = name, entry.weight
        del entries[lightest]


STALE_ANSWER_SECONDS = 1.8
"""Seconds to wait for a new answer if there is an old one (RFC 8767, §5, client response timer)."""

STALE_HOLDS_SECONDS = 30.0
"""Seconds for which an old answer is used after a new one failed to come (§5, failure recheck timer)."""

FAILURE_HOLDS_SECONDS = 1.0  # seconds before a name is asked for again that could not be looked up (RFC 9520, §3.2)
AHEAD = 0.1  # last part of an answer's time in which a look-up starts the next question, without waiting for it
ADDRESS_REST_SECONDS = 60.0  # seconds for which an address that could not be connected to comes last
KEEP_AFTER_SECONDS = 1.0  # how soon news are written down for the next run and the neighbours


@dataclass(frozen=True, slots=True)
class DnsOptions:
    """How long answers hold, in seconds; how many names are kept, how many questions are under way at most."""

    size: int = 10_000
    min_seconds: float = 10.0
    max_seconds: float = 86_400.0
    negative_seconds: float = 300.0
    stale_seconds: float = 86_400.0
    at_once: int = 32


@dataclass(slots=True)
class DnsCounts:
    """Counts: look-ups, look-ups answered without waiting, questions, failed questions, old answers used."""

    lookups: int = 0
    hits: int = 0
    queries: int = 0
    failures: int = 0
    stale: int = 0


@dataclass(frozen=True, slots=True)
class KeptName:
    """A name as it outlives the process; times: seconds since 1970."""

    name: str
    addresses: tuple[str, ...]
    asked_at: float
    expires_at: float


class NameMemory(Protocol):
    """Stores names beyond the process, for it and its neighbours on the machine."""

    def recall(self, name: str) -> KeptName | None:
        """Return the stored entry of a name, old or not."""

    def keep(self, names: Iterable[KeptName], counts: DnsCounts) -> None:
        """Store names, and the counts since the last time."""


@dataclass(slots=True)
class _Entry:
    """The entry of a name. `failure`: the servers could not say; without it or addresses, the name has none."""

    addresses: tuple[str, ...]
    expires_at: float
    ask_ahead_at: float
    stale_until: float = 0.0
    failure: str = ""
    weight: int = 0
    resting: dict[str, float] = field(default_factory=dict)  # address → until when it comes last


class DnsCache:
    """The names of a crawl, or of several in one process; *memory* outlives it; *clock*: seconds since 1970."""

    def __init__(
        self,
        ask: Ask | None = None,
        options: DnsOptions | None = None,
        memory: NameMemory | None = None,
        clock: Callable[[], float] = time.time,
        hosts_file: Callable[[], dict[str, tuple[str, ...]]] = read_hosts_file,
    ) -> None:
        self.counts = DnsCounts()
        self._ask = ask or NameServers()
        self._options = options or DnsOptions()
        self._memory = memory
        self._clock = clock
        self._read_hosts = hosts_file
        self._hosts: dict[str, tuple[str, ...]] = {}
        self._hosts_until = float("-inf")
        self._names = NameTable(self._options.size)
        self._asking: dict[str, asyncio.Task[_Entry]] = {}
        self._room: asyncio.Semaphore | None = None
        self._failing_until = float("-inf")  # time until which old answers are used: no server has answered lately
        self._news: dict[str, KeptName] = {}
        self._kept = DnsCounts()
        self._is_waiting_to_keep = False

    def __len__(self) -> int:
        return len(self._names)

    async def addresses_of(self, host: str) -> Sequence[str]:
        """Return a host's addresses, the best first; NoAddressError: it has none; NameServerError: nobody can say."""
        found = self.known(host)
        return await self._wait(plain_host(host)) if found is None else found

    def known(self, host: str) -> Sequence[str] | None:
        """Return the addresses of a known host, None: it has to be waited for; raises as `addresses_of`."""
        counts = self.counts
        counts.lookups += 1
        entry, now = self._names.get(host), self._clock()
        if entry is None or now >= entry.expires_at:
            return self._without_asking(host, now)
        counts.hits += 1
        if now >= entry.ask_ahead_at:
            entry.ask_ahead_at = entry.expires_at
            self._start(host)
        return self._result(host, entry, now)

    def peek(self, host: str) -> Sequence[str] | None:
        """Return a host's known addresses, old ones too, without asking; None: unknown; (): nobody can say any."""
        name = plain_host(host)
        if (fixed := self._fixed(name)) is not None:
            return fixed
        entry = self._names.peek(name)
        return None if entry is None else entry.addresses

    def has_moved(self, host: str, address: str) -> bool:
        """Say whether other addresses are known of a host than this one. Cost: two lookups in memory."""
        entry = self._names.peek(host)
        return entry is not None and bool(entry.addresses) and address not in entry.addresses

    def want(self, host: str) -> None:
        """Have a host asked for that is not known, or not any more; outside of an event loop nothing happens."""
        name, now = plain_host(host), self._clock()
        entry = self._names.peek(name)
        if entry is not None and now < entry.expires_at:
            return
        if self._fixed(name) is None and is_name(name) and self._current(name, now) is None:
            with suppress(RuntimeError):  # there is no event loop
                self._start(name)

    def failed(self, host: str, address: str) -> None:
        """Note that there was no connection to an address of a host: it comes last for a while."""
        if (entry := self._names.peek(plain_host(host))) is not None and address in entry.addresses:
            entry.resting[address] = self._clock() + ADDRESS_REST_SECONDS

    def flush(self) -> None:
        """Have the memory keep what is new."""
        self._is_waiting_to_keep = False
        if self._memory is None:
            return
        news, self._news = list(self._news.values()), {}
        since = DnsCounts(*(getattr(self.counts, one) - getattr(self._kept, one) for one in DnsCounts.__slots__))
        self._kept = DnsCounts(*(getattr(self.counts, one) for one in DnsCounts.__slots__))
        self._memory.keep(news, since)

    async def close(self) -> None:
        """Cancel the lookups under way, and write the known names to the memory."""
        for task in (tasks := list(self._asking.values())):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.flush()

    # --- known names ----------------------------------------------------------------------------------------------

    def _without_asking(self, host: str, now: float) -> Sequence[str] | None:
        """Answer without a server: from addresses, this machine's names, its file of hosts, the memory."""
        name = plain_host(host)
        if (fixed := self._fixed(name)) is not None:
            self.counts.hits += 1
            return fixed
        if not is_name(name):
            raise NoAddressError(f"{host} is no host name")
        if (entry := self._current(name, now)) is None:
            return None
        self.counts.hits += 1
        return self._result(name, entry, now)

    def _current(self, name: str, now: float) -> _Entry | None:
        """Return the entry of a name that has not expired, also if only the memory has it."""
        entry = self._names.peek(name)
        if (entry is None or now >= entry.expires_at) and name not in self._asking and self._memory is not None:
            kept = self._memory.recall(name)
            entry = (self._recalled(kept, now, entry) if kept is not None else None) or entry
        return entry if entry is not None and now < entry.expires_at else None

    def _fixed(self, name: str) -> Sequence[str] | None:
        if (address := literal_of(name)) is not None:
            return (address,)
        now = self._clock()
        if not self._hosts_until - LOOKED_SECONDS <= now < self._hosts_until:
            self._hosts, self._hosts_until = self._read_hosts(), now + LOOKED_SECONDS
        if (found := self._hosts.get(name)) is not None:
            return found
        return ("127.0.0.1", "::1") if is_local_name(name) else None

    def _recalled(self, kept: KeptName, now: float, own: _Entry | None) -> _Entry | None:
        """Take over what another process has learned later; a time too far ahead is of a clock that was wrong."""
        most = self._options.max_seconds
        expires_at = kept.expires_at if kept.asked_at <= now and kept.expires_at <= now + most else now
        if now >= expires_at + self._options.stale_seconds or (own is not None and expires_at <= own.expires_at):
            return None
        entry = self._entry(DnsAnswer(kept.addresses, 0.0), now, expires_at)
        self._names.put(kept.name, entry)
        return entry

    def _entry(self, answer: DnsAnswer, now: float, expires_at: float) -> _Entry:
        ahead_at = expires_at - AHEAD * (expires_at - now)
        stale_until = expires_at + self._options.stale_seconds if answer.addresses else 0.0
        return _Entry(answer.addresses, expires_at, ahead_at, stale_until)

    def _result(self, name: str, entry: _Entry, now: float) -> Sequence[str]:
        if entry.failure:
            raise NameServerError(entry.failure)
        if not entry.addresses:
            raise NoAddressError(f"no address is known of {name}: it has none")
        if not entry.resting:
            return entry.addresses
        entry.resting = {address: until for address, until in entry.resting.items() if now < until}
        return sorted(entry.addresses, key=lambda address: entry.resting.get(address, 0.0))

    # --- what is asked --------------------------------------------------------------------------------------------

    async def _wait(self, name: str) -> Sequence[str]:
        old = self._names.peek(name)
        asking = self._start(name)
        now = self._clock()
        if old is not None and old.addresses and now < old.stale_until:
            if now >= self._failing_until:
                await asyncio.wait((asking,), timeout=STALE_ANSWER_SECONDS)
            if not asking.done():
                self.counts.stale += 1
                return old.addresses
        entry = await asyncio.shield(asking)
        return self._result(name, entry, self._clock())

    def _start(self, name: str) -> asyncio.Task[_Entry]:
        asking = self._asking.get(name)
        if asking is None:
            asking = self._asking[name] = asyncio.get_running_loop().create_task(self._look_up(name))
            asking.add_done_callback(lambda _: self._asking.pop(name, None))
        return asking

    async def _look_up(self, name: str) -> _Entry:
        if self._room is None:
            self._room = asyncio.Semaphore(self._options.at_once)
        async with self._room:
            self.counts.queries += 1
            try:
                answer = await self._ask(name)
            except Exception as error:  # noqa: BLE001  # whatever a source of the user's own raises
                entry = self._after_failure(name, str(error) or type(error).__name__)
            else:
                options, now = self._options, self._clock()
                self._failing_until = float("-inf")
                most = options.max_seconds if answer.addresses else min(options.negative_seconds, options.max_seconds)
                seconds = min(max(answer.ttl_seconds, options.min_seconds), most)
                entry = self._entry(answer, now, now + seconds)
                if answer.addresses and seconds:
                    self._news[name] = KeptName(name, answer.addresses, now, entry.expires_at)
                    if self._memory is not None and not self._is_waiting_to_keep:
                        self._is_waiting_to_keep = True
                        asyncio.get_running_loop().call_later(KEEP_AFTER_SECONDS, self.flush)
        self._names.put(name, entry)
        return entry

    def _after_failure(self, name: str, failure: str) -> _Entry:
        self.counts.failures += 1
        now, old = self._clock(), self._names.peek(name)
        if old is not None and old.addresses and now < old.stale_until:
            self._failing_until = now + STALE_HOLDS_SECONDS
            self.counts.stale += 1
            holds = max(old.expires_at, now + STALE_HOLDS_SECONDS)
            return _Entry(old.addresses, holds, holds, old.stale_until)
        holds = now + FAILURE_HOLDS_SECONDS
        return _Entry((), holds, holds, failure=failure)


# --- What one crawl sees of the names: with the hosts its site file gives addresses, within its guard -----------------
class CrawlNames:
    """Looks up hosts for one crawl, by the site file's *overrides* first; returns only permitted addresses."""

    def __init__(
        self, cache: DnsCache, guard: Guard | None = None, overrides: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._cache = cache
        self._guard = guard
        self._overrides = overrides or {}

    async def addresses_of(self, host: str) -> Sequence[str]:
        """As `DnsCache.addresses_of`, those that may be connected to; AddressRefusedError: it has none of these."""
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
        """Return a host's known addresses, old or not, permitted or not; see `DnsCache.peek`."""
        return self._overrides.get(plain_host(host)) or self._cache.peek(host)

    def want(self, host: str) -> None:
        """Start the lookup of a host whose addresses are unknown or expired."""
        if plain_host(host) not in self._overrides:
            self._cache.want(host)

    def check(self, host: str, address: str) -> None:
        """Check an address in the moment of connecting. Raises AddressRefusedError: it may not be connected to."""
        if self._guard is not None and address not in self._overrides.get(plain_host(host), ()):
            self._guard.permitted(plain_host(host), (address,))

    def check_unresolved(self, host: str) -> None:
        """Check a host that a proxy will look up; AddressRefusedError: it is known to have a forbidden address."""
        if self._guard is not None and plain_host(host) not in self._overrides:
            self._guard.check_unresolved(host)

    def has_moved(self, host: str, address: str) -> bool:
        """Tell whether a host is known to have other addresses now; connections to the old one are not reused."""
        return self._cache.has_moved(host, address) and plain_host(host) not in self._overrides

    def failed(self, host: str, address: str) -> None:
        """Note that there was no connection to an address."""
        self._cache.failed(host, address)

    def _permitted(self, host: str, addresses: Sequence[str]) -> Sequence[str]:
        return addresses if self._guard is None else self._guard.permitted(plain_host(host), addresses)
