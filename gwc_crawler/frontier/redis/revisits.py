"""The data kept in Redis of fetched pages for the next look, packed in some 60 bytes, and how a recrawl uses them.

The scripts store them in the step that ends a lease.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gwc_crawler.errors import InputError
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.redis.wire import KIND_CODES, KINDS, REVISIT, key_of
from gwc_crawler.items import Revisit
from gwc_crawler.store.redis_server import Server, redis_errors

NEVER, EVER = -1.0, 1e18
ROUNDS = {which: f"recrawl_{which.value}" for which in (Recrawl.ALL, Recrawl.ERRORS)}
"""Names of the values that hold the times at which a round began and ended."""

JOIN_SECONDS = 60.0
"""A worker that comes this soon after the end of a round belongs to it: of workers that are started together, the last
one does not begin another."""


class RedisRevisits:
    """Reads the data kept for next looks, and begins rounds; *move* moves URLs, by their keys."""

    def __init__(self, server: Server, queue_key: str, move: Callable[..., int], *, keeps_urls: bool) -> None:
        self._server = server
        self._queue_key = queue_key
        self._move = move
        self._keeps_urls = keeps_urls
        self._values = f"{queue_key}:values"

    def read(self, urls: Collection[str], ahead_seconds: float) -> dict[str, Revisit]:
        """Return URL → the data kept for looking at it again, for fetched URLs among *urls*. One round trip."""
        asked = list(urls)
        if not asked:
            return {}
        with redis_errors():
            rows = self._server.hmget(f"{self._queue_key}:revisits", [key_of(url) for url in asked])
        return {url: unpack_revisit(row, ahead_seconds) for url, row in zip(asked, rows, strict=True) if row}

    def recrawl(self, which: Recrawl, limits: Intervals, keys: Iterable[bytes], now: float, *, busy: bool) -> int:
        """Let fetched pages wait again; *keys* name all URLs. Raises InputError: Redis has let complete ones go."""
        if which is not Recrawl.ERRORS and not self._keeps_urls:
            raise InputError(
                f"recrawl={which.value} needs GWC_REDIS_KEEP_URLS = True from the first crawl on: without it "
                "Redis lets complete URLs go; recrawl=errors works"
            )
        return self._look_again(which, limits, keys, self._begin_round(which, now, busy=busy))

    def hasten(self, urls: Iterable[str]) -> int:
        """Let fetched URLs among *urls* wait again, whichever round is on."""
        return self._look_again(Recrawl.ALL, Intervals(), map(key_of, urls), EVER)

    def _look_again(self, which: Recrawl, limits: Intervals, keys: Iterable[bytes], before: float) -> int:
        times = {"first_interval": limits.start_seconds, "least_interval": limits.min_seconds}
        return self._move(which.value, keys, **times, fetched_before=before)

    def _begin_round(self, which: Recrawl, now: float, *, busy: bool) -> float:
        """Return before when a page must have been fetched to be fetched in this round.

        A round that was broken off, or that others are at, so that something still waits, is gone on with.
        """
        if which is Recrawl.DUE:
            return EVER
        with redis_errors():
            begun, *ended = map(float, (self._server.hget(self._values, ROUNDS[which]) or b"").split() or (0.0,))
            if begun and (now - ended[0] < JOIN_SECONDS if ended else busy):
                return begun
            self._server.hset(self._values, ROUNDS[which], repr(now))
        return EVER

    def end_rounds(self, now: float) -> None:
        """Nothing waits or runs any more: the next recrawl begins a new round."""
        with redis_errors():
            for name, times in zip(ROUNDS.values(), self._server.hmget(self._values, *ROUNDS.values()), strict=True):
                if times and b" " not in times:
                    self._server.hset(self._values, name, f"{times.decode()} {now!r}")


def pack_revisit(revisit: Revisit | None, ahead_seconds: float) -> bytes:
    """Pack *revisit* for Redis, in the server's time; b"" for None."""
    if revisit is None:
        return b""
    one = revisit
    row = REVISIT.pack(
        *(one.checked_at + ahead_seconds, one.due_at + ahead_seconds, one.changed_at + ahead_seconds),
        NEVER if one.gone_at is None else one.gone_at + ahead_seconds,
        *(one.interval_seconds, one.signature, one.checks, one.changes, KIND_CODES[one.kind], one.relevant),
    )
    return row + f"{one.etag}\0{one.last_modified}".encode()


def unpack_revisit(row: bytes, ahead_seconds: float) -> Revisit:
    """Return the inverse of `pack_revisit`."""
    checked, due, changed, gone_at, interval, signature, checks, changes, kind, relevant = REVISIT.unpack_from(row)
    etag, _, last_modified = row[REVISIT.size :].decode().partition("\0")
    return Revisit(
        signature,
        KINDS[kind],
        bool(relevant),
        interval,
        checked - ahead_seconds,
        changed - ahead_seconds,
        due - ahead_seconds,
        etag,
        last_modified,
        checks,
        changes,
        None if gone_at == NEVER else gone_at - ahead_seconds,
    )
