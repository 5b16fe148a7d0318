"""How a shared frontier stands, in figures, for `scrapy status` and `scrapy why`: reads only, and never all URLs.

How many URLs are in each state Redis keeps as a sum. How many wait for each weight and host are the lengths of queues,
of so many hosts at most; a URL whose weight fell since it was put there counts twice until its old place is passed by.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gwc_crawler.admission import LimitsState, limits_key
from gwc_crawler.control import RedisChannel, channel_key
from gwc_crawler.frontier.protocol import UrlInfo
from gwc_crawler.frontier.redis.listing import Listing
from gwc_crawler.frontier.redis.wire import LUA
from gwc_crawler.items import UrlState
from gwc_crawler.politeness.robots import RedisRobots
from gwc_crawler.redis_server import Scripts, Server, redis_errors
from gwc_crawler.urls import host_of

LOOKED_QUEUES = 5000
LOOKED_REASONS = 10_000
ENTRIES_A_CALL = 500


@dataclass(frozen=True, slots=True)
class SharedStats:
    """A shared frontier. `states`: U R C E; `weights` and `hosts` count what is ready, most first among hosts.

    `later` URLs of U wait for their time. `resting`: host → until when (epoch seconds, by this machine's clock).
    `left_out` says how many queues and reasons were not looked at.
    """

    states: Mapping[str, int]
    weights: Mapping[int, int]
    hosts: Mapping[str, int]
    reasons: Mapping[str, int]
    resting: Mapping[str, float]
    later: int
    left_out: Mapping[str, int]


class RedisLook:
    """Looks into the shared frontier of one site without joining it.

    Args:
        server: as of `RedisFrontier`; closed by its owner.
        queue_key, known_key: the names its keys begin with.

    Every method raises OutageError where Redis can't be reached, StoreError where it refuses.
    """

    def __init__(self, server: Server, queue_key: str, known_key: str) -> None:
        self._server = server
        self._queue_key = queue_key
        self._scripts = Scripts(server, LUA, queue_key, known_key)
        self._listing = Listing(server, queue_key, self._run)
        self.channel = RedisChannel(server, channel_key(queue_key))
        self.rules = RedisRobots(server, queue_key)

    def exists(self) -> bool:
        """Whether there ever was a crawl of this site."""
        with redis_errors():
            return bool(self._server.exists(f"{self._queue_key}:values"))

    def states(self) -> dict[str, int]:
        """How many URLs are in each state: U R C E."""
        names = [state.value for state in UrlState]
        with redis_errors():
            values = self._server.hmget(f"{self._queue_key}:values", names)
        return {name: int(value or 0) for name, value in zip(names, values, strict=True)}

    def pages(self) -> int:
        """How many pages were fetched, each once."""
        with redis_errors():
            return int(self._server.hget(f"{self._queue_key}:pages", "") or 0)

    def waiting(self) -> int:
        """How many URLs wait."""
        return self.states()[UrlState.WAITING]

    def find(self, url: str) -> UrlInfo | None:
        """All about *url*, or None if it was never seen."""
        return self._listing.find(url)

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """URLs that match a shell pattern. Cost: walks all URLs whose text is kept, a thousand at a time."""
        return self._listing.select(pattern, states, limit)

    def some(self, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
        """Any *limit* URLs that match and are in one of *states*. Cost: as `select`, until there are as many."""
        return self._listing.some(pattern, states, limit)

    def sample(self, size: int) -> list[UrlInfo]:
        """About *size* URLs drawn by lot, or all where there are no more. Cost: O(size)."""
        return self._listing.sample(size)

    def rests_until(self, url: str) -> float | None:
        """Until when (epoch seconds, by this machine's clock) nothing of the URL's host is given out; None: it may."""
        ahead = self.channel.now() - time.time()
        until = float(self._run("stats", what="rest", host=host_of(url)) or 0.0) - ahead
        return until if until > time.time() else None

    def limits(self) -> LimitsState:
        """What all workers know of rejections and classes."""
        with redis_errors():
            text = self._server.get(limits_key(self._queue_key))
        return LimitsState.from_json(text.decode()) if text else LimitsState()

    def stats(self) -> SharedStats:
        """Count. Cost: some ten round trips, however many URLs there are."""
        with redis_errors():
            later = self._server.zcard(f"{self._queue_key}:later")
            queues, reasons = (self._server.hlen(f"{self._queue_key}:{part}") for part in ("hosts", "reasons"))
        weights: Counter[int] = Counter()
        hosts: Counter[str] = Counter()
        resting: dict[str, float] = {}
        ahead = self.channel.now() - time.time()
        for name, (until, *pairs) in self._queues():
            host = name.rpartition(" ")[2]
            for weight, count in zip(pairs[::2], pairs[1::2], strict=True):
                weights[weight] += count
                hosts[host] += count
            if until and float(until) - ahead > time.time():
                resting[host] = max(float(until) - ahead, resting.get(host, 0.0))
        left_out = {"queues": max(0, queues - LOOKED_QUEUES), "reasons": max(0, reasons - LOOKED_REASONS)}
        return SharedStats(
            states=self.states(),
            weights=dict(sorted(weights.items())),
            hosts=dict(hosts.most_common()),
            reasons=self._reasons(),
            resting=dict(sorted(resting.items(), key=lambda item: item[1])),
            later=later,
            left_out=left_out,
        )

    def _queues(self) -> Iterator[tuple[str, list[Any]]]:
        """Name of each queue, until when it rests, and pairs of weight and length."""
        for part in self._parts("hosts", LOOKED_QUEUES):
            rows = self._run("stats", *(number for _, number in part), what="queues")
            yield from ((name.decode(), row) for (name, _), row in zip(part, rows, strict=True))

    def _reasons(self) -> dict[str, int]:
        """Why URLs are in error; those that wait for another try have a reason, too, which does not count here."""
        found: Counter[str] = Counter()
        for part in self._parts("reasons", LOOKED_REASONS):
            letters = self._run("stats", what="states", keys=b"".join(key for key, _ in part)).decode()
            found.update(
                reason.decode() for (_, reason), letter in zip(part, letters, strict=True) if letter == UrlState.ERROR
            )
        return dict(found.most_common())

    def _parts(self, part: str, most: int) -> Iterator[list[tuple[bytes, bytes]]]:
        """The entries of a hash, in lists of `ENTRIES_A_CALL`, about *most* of them."""
        seen: dict[bytes, bytes] = {}  # Redis may give an entry twice
        cursor = 0
        with redis_errors():
            while len(seen) < most:
                cursor, entries = self._server.hscan(f"{self._queue_key}:{part}", cursor, count=ENTRIES_A_CALL)
                seen.update(entries)
                if not cursor:
                    break
        chosen = list(seen.items())[:most]
        yield from (chosen[start : start + ENTRIES_A_CALL] for start in range(0, len(chosen), ENTRIES_A_CALL))

    def _run(self, script: str, *rest: Any, **named: Any) -> Any:
        return self._scripts.run(script, *rest, now=repr(time.time()), max_weight=-1, keeps_texts=1, **named)
