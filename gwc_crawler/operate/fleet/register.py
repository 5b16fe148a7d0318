"""The fleet's register in Redis: every site's state, which workers hold it, newly found sites; shared knowledge.

`scrapy work` takes sites from it and gives them back; `sites()` shows them. What is decided is in `plan`; here
each decision is put in the place of the entry it was made on, or made again when another worker was faster.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from gwc_crawler.errors import GwcError, KnowledgeError, StoreError, unwritten
from gwc_crawler.items import UrlState
from gwc_crawler.knowledge.model import Knowledge, keep_previous, unreadable
from gwc_crawler.operate.fleet.plan import (
    FOUND_HOSTS,
    SiteEntry,
    beat,
    end,
    expire,
    join,
    leave,
    need,
    next_expiry,
    reopen,
)
from gwc_crawler.operate.fleet.redis_channel import server_time
from gwc_crawler.sites.site_files import LARGEST_BYTES
from gwc_crawler.store.redis_server import TRIES, Lua, Scripts, Server, redis_errors

LUA = Lua("gwc_crawler.operate.fleet", arguments={"replace": ("site", "old", "new", "need", "expires")})


PAGE = 200

MAX_SITES = 10_000
"""A register of more sites would take idle workers long to read."""


@dataclass(frozen=True, slots=True)
class SiteLease:
    """A worker's hold on a site, as it was when it was last asked for."""

    entry: SiteEntry
    owner: str
    token: int

    @property
    def name(self) -> str:
        """The site's name."""
        return self.entry.name


class Fleet:
    """The register that all workers share.

    Args:
        server: a `redis.Redis` or `redis.RedisCluster` that returns bytes. Closed by its owner.
        name: of the fleet; all keys contain the hash tag `{name}`.
        lease_seconds: how long a worker may give no sign of life.
        share: waiting URLs for each worker from which on a site gets another one.
        max_sites: maximum number of sites; beyond that, none is adopted. A trap can make up hosts without end.
        clock: epoch seconds; None: the server's clock, which all workers share.

    Every method raises OutageError if Redis can't be reached, StoreError if it refuses.
    """

    def __init__(
        self,
        server: Server,
        name: str = "fleet",
        *,
        lease_seconds: float = 60.0,
        share: int = 1,
        max_sites: int = MAX_SITES,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.server = server
        self._sites, self._want, self._until, self._found = (
            f"{{{name}}}:{kind}" for kind in ("sites", "want", "until", "found")
        )
        self._scripts = Scripts(server, LUA, self._sites, self._want, self._until)
        self._lease_seconds = lease_seconds
        self._share = share
        self._max_sites = max_sites
        self._clock = clock

    # --- a worker's way -------------------------------------------------------------------------------------------

    def enrol(self, entries: Iterable[SiteEntry]) -> list[str]:
        """Enter sites; those that are known already stay as they are. Returns the names of the new ones.

        Adopted ones enter while there is room (`max_sites`), those that somebody named always.
        """
        now = self.now()
        return [
            entry.name
            for entry in entries
            if (not entry.adopted or self._has_room()) and self._put(entry.name, b"", replace(entry, changed_at=now))
        ]

    def _has_room(self) -> bool:
        with redis_errors():
            return int(self.server.hlen(self._sites)) < self._max_sites

    def take(self, owner: str, can: Callable[[SiteEntry], bool] = lambda _: True) -> SiteLease | None:
        """Give *owner* the site that wants it most, of those it *can* crawl; None where none does."""
        now = self.now()
        with redis_errors():
            silent = self.server.zrangebyscore(self._until, "-inf", now)
        for name in silent:
            self._change(name.decode(), lambda one: expire(one, now))
        for entry in self._wanted():
            if entry.rest_until <= now and can(entry) and (lease := self._join(entry.name, owner, now)) is not None:
                return lease
        return None

    def wants(self, can: Callable[[SiteEntry], bool] = lambda _: True) -> bool:
        """Say whether a site wants a worker that can crawl it."""
        now = self.now()
        return any(entry.rest_until <= now and can(entry) for entry in self._wanted())

    def beat(self, lease: SiteLease, waiting: Sequence[int] = (), parts: Sequence[int] = ()) -> SiteLease | None:
        """Record that the worker lives, its count of *waiting* URLs in each part, and the *parts* it owns.

        Returns None if it no longer holds the site: it was silent for too long, or the site has ended.
        """
        until = self.now() + self._lease_seconds
        entry = self._change(lease.name, lambda one: beat(one, lease.token, until, waiting, parts))
        return SiteLease(entry, lease.owner, lease.token) if entry and entry.holder(lease.token) else None

    def learning(self, lease: SiteLease, learning: bool) -> None:
        """Note that the site is being learned, so that no other worker waits at it; or that this is over."""
        self._change(lease.name, lambda one: replace(one, learning=learning) if one.holder(lease.token) else one)

    def leave(self, lease: SiteLease, rest_until: float = 0.0) -> None:
        """Leave the site; *rest_until*: no worker is wanted before (epoch seconds)."""
        self._change(lease.name, lambda one: leave(one, lease.token, rest_until))

    def end(self, lease: SiteLease, state: UrlState, reason: str = "") -> bool:
        """Mark the site C, or E with a reason; False: the lease is over, another worker has the word."""
        held = False

        def step(one: SiteEntry) -> SiteEntry:
            nonlocal held
            held = one.holder(lease.token) is not None
            return end(one, lease.token, state, reason)

        self._change(lease.name, step)
        return held

    # --- what people and commands ask -----------------------------------------------------------------------------

    def sites(self) -> list[SiteEntry]:
        """Return all sites by name; those whose workers have vanished already as U. Cost: reads the whole register."""
        now = self.now()
        with redis_errors():
            rows = self.server.hgetall(self._sites)
        return sorted((expire(_read(row), now) for row in rows.values()), key=lambda entry: entry.name)

    def site(self, name: str) -> SiteEntry | None:
        """Return one site, None if it is unknown."""
        return self._get(name)[1]

    def reopen(self, states: Collection[UrlState], can: Callable[[SiteEntry], bool] = lambda _: True) -> list[str]:
        """Let sites in one of these *states* (C, E) be taken again; returns their names."""
        names = [entry.name for entry in self.sites() if entry.state in states and can(entry)]
        for name in names:
            self._change(name, reopen)
        return names

    def forget(self, name: str) -> None:
        """Take a site out of the register; its queue stays."""
        while (found := self._get(name))[1] is not None and not self._put(name, found[0], None):
            pass

    def now(self) -> float:
        """Return the time that all workers share, in epoch seconds."""
        return self._clock() if self._clock is not None else server_time(self.server, self._sites)

    def report(self, links: Mapping[str, int]) -> None:
        """Count *links* to other sites: host → how many were seen."""
        if not links:
            return
        with redis_errors():
            pipeline = self.server.pipeline(transaction=False)
            for host, seen in links.items():
                pipeline.zincrby(self._found, seen, host)
            pipeline.zremrangebyrank(self._found, 0, -FOUND_HOSTS - 1)
            pipeline.execute()

    def found(self, limit: int = FOUND_HOSTS) -> dict[str, int]:
        """Return found hosts with the number of links to them, the most linked ones first."""
        with redis_errors():
            rows = self.server.zrevrange(self._found, 0, limit - 1, withscores=True)
        return {host.decode(): int(seen) for host, seen in rows}

    def _join(self, name: str, owner: str, now: float) -> SiteLease | None:
        token = 0

        def step(one: SiteEntry) -> SiteEntry:
            nonlocal token
            wants = need(one, self._share) is not None and one.rest_until <= now
            token = one.token + 1 if wants else 0
            return join(one, owner, now + self._lease_seconds) if wants else one

        entry = self._change(name, step)
        return SiteLease(entry, owner, token) if entry and token else None

    def _wanted(self) -> Iterator[SiteEntry]:
        """Yield sites that want a worker, the most wanted first."""
        for start in count(0, PAGE):
            with redis_errors():
                names = self.server.zrevrange(self._want, start, start + PAGE - 1)
                rows = self.server.hmget(self._sites, names) if names else []
            yield from (_read(row) for row in rows if row)
            if len(names) < PAGE:
                return

    def _change(self, name: str, step: Callable[[SiteEntry], SiteEntry]) -> SiteEntry | None:
        """Replace a site's entry by *step* of it; return the new entry, None for an unknown site."""
        for _ in range(TRIES):
            raw, entry = self._get(name)
            if entry is None:
                return None
            new = step(entry)
            if new == entry:
                return entry
            if new.state != entry.state:
                new = replace(new, changed_at=self.now())
            if self._put(name, raw, new):
                return new
        raise StoreError(f"the fleet's entry of {name!r} changes faster than it can be written; look at Redis")

    def _get(self, name: str) -> tuple[bytes, SiteEntry | None]:
        with redis_errors():
            raw = self.server.hget(self._sites, name)
        return (raw, _read(raw)) if raw else (b"", None)

    def _put(self, name: str, old: bytes, new: SiteEntry | None) -> bool:
        wanted = need(new, self._share) if new else None
        until = next_expiry(new) if new else None
        return bool(
            self._scripts.run(
                "replace",
                site=name,
                old=old,
                new=new.to_json() if new else b"",
                need="" if wanted is None else repr(wanted),
                expires="" if until is None else repr(until),
            )
        )


def _read(raw: bytes) -> SiteEntry:
    try:
        return SiteEntry.from_json(raw)
    except ValueError as error:
        raise StoreError(f"the fleet's register has an entry that can't be read ({error}): {raw[:80]!r}") from error


# --- One knowledge for all machines of a fleet: the JSON text it is, learned by one worker at a time ------------------


FAILURE_SECONDS = 60
"""How long those that wait for a site to be learned hear that it failed."""

_AGE_MARGIN_SECONDS = 0.001

_EXTEND = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2])"
_RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])"


class SharedKnowledge:
    """The knowledge of one site in Redis (`{SITE}:knowledge`: `text`, and `at`, when it was written), and at *path*."""

    def __init__(self, server: Server, site: str, path: Path) -> None:
        self._server = server
        self._key = f"{{{site}}}:knowledge"
        self.path = path

    def sync(self, carried: bytes | None = None) -> bool:
        """Bring file and Redis to the same knowledge, the newer one; return whether there is any.

        Args:
            carried: the text of the knowledge file beside the site file; used if nothing is learned.
        Raises:
            KnowledgeError: the newer one can't be read.
            OutageError, StoreError: Redis can't be reached, the text is too long, or the file can't be written.
        """
        with redis_errors():
            text, at = self._server.hmget(self._key, "text", "at")
        shared_at = 0.0 if text is None else self._age(at)
        if not self.path.exists():
            if text is not None:
                self._save(text, shared_at)
            elif carried is not None:
                Knowledge.from_bytes(carried, "the knowledge file beside the site file")
                self._put(carried, 0.0)
            return text is not None or carried is not None
        mine, written_at = self._read(), self.path.stat().st_mtime
        if text is None or (mine != text and written_at > shared_at + _AGE_MARGIN_SECONDS):
            self.publish()
        elif mine != text:
            self._save(text, shared_at)
        return True

    def _age(self, at: bytes | None) -> float:
        try:
            return float(at or b"")
        except ValueError as error:
            what = f"Redis key {self._key}, field at: {at!r} is no time"
            raise KnowledgeError(f"{what}; delete the key: a worker's knowledge file, or learning, fills it") from error

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise unreadable(self.path, error) from error

    def publish(self) -> None:
        """Replace the shared knowledge by this machine's file."""
        Knowledge.load(self.path)  # what can't be read is not handed on
        self._put(self._read(), self.path.stat().st_mtime)

    def _put(self, text: bytes, at: float) -> None:
        if len(text) > LARGEST_BYTES:
            raise StoreError(f"{self.path} has {len(text):,} bytes; {LARGEST_BYTES:,} at most are shared through Redis")
        with redis_errors():
            self._server.hset(self._key, mapping={"text": text, "at": repr(at)})

    def _save(self, text: bytes, at: float) -> None:
        """Write the file whole or not at all; a different one is kept as `knowledge.previous.json`."""
        Knowledge.from_bytes(text, f"Redis key {self._key}, field text")  # what can't be read is not taken over
        new = self.path.with_suffix(f".{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(text)
            os.utime(new, (at, at))  # as old as the shared one, so that it is not taken for an edited one
            with suppress(StoreError):
                keep_previous(self.path)
            new.replace(self.path)
        except OSError as error:
            raise unwritten(self.path, error, "set GWC_DATA_DIR") from error


class LearningLock:
    """The right to learn a site, for one process of the fleet (`{SITE}:learning`); held until `release` or its death.

    A thread extends it, because learning keeps the process busy; it outlives one that was killed by *seconds*.
    """

    def __init__(self, server: Server, site: str, owner: str, seconds: float) -> None:
        self._server = server
        self._key = f"{{{site}}}:learning"
        self._failed_key = f"{{{site}}}:learning_failed"
        self._owner = owner.encode()
        self._millis = max(1000, int(seconds * 1000))
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        """Take the lock; False: `holder` has it."""
        with redis_errors():
            if not self._server.set(self._key, self._owner, nx=True, px=self._millis):
                return False
            self._server.delete(self._failed_key)
        self._thread = threading.Thread(target=self._extend, daemon=True)
        self._thread.start()
        return True

    def holder(self) -> str | None:
        """Return the worker that is learning the site."""
        with redis_errors():
            owner = self._server.get(self._key)
        return owner.decode() if owner else None

    def failure(self) -> str | None:
        """Return why learning failed shortly ago, None if it didn't, or is under way again."""
        with redis_errors():
            reason = self._server.get(self._failed_key)
        return reason.decode() if reason else None

    def release(self, failure: str = "") -> None:
        """Give the lock back, if it is held here; those that wait for it hear of a *failure*."""
        if self._thread is None:
            return
        self._over.set()
        self._thread.join()
        self._thread = None
        with suppress(GwcError), redis_errors():
            if failure:
                self._server.set(self._failed_key, failure.encode(), ex=FAILURE_SECONDS)
            self._server.eval(_RELEASE, 1, self._key, self._owner)

    def _extend(self) -> None:
        while not self._over.wait(self._millis / 4000):
            with suppress(GwcError), redis_errors():
                self._server.eval(_EXTEND, 1, self._key, self._owner, self._millis)

    def __enter__(self) -> LearningLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
