"""The state of a shared frontier in figures, for `scrapy status` and `scrapy why`: reads only, and never all URLs.

Ready URLs by weight and host are lengths of queues: a URL whose weight fell counts twice until its old place is passed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from heapq import nsmallest
from itertools import islice
from re import compile as pattern_of
from typing import Any

from gwc_crawler.frontier.protocol import Chosen, UrlInfo
from gwc_crawler.frontier.redis.wire import LINKS_A_CALL, LUA, STORED, key_of, read_info
from gwc_crawler.frontier.rejections import LimitsState
from gwc_crawler.frontier.shared_rejections import limits_key
from gwc_crawler.frontier.sqlite.listing import only_url
from gwc_crawler.items import UrlState
from gwc_crawler.network.politeness.shared import RedisRobots
from gwc_crawler.operate.fleet.redis_channel import RedisChannel, channel_key
from gwc_crawler.store.redis_server import Scripts, Server, redis_errors
from gwc_crawler.urls import host_of

URLS_A_CALL = 100  # 100 URLs a call: 1 ms as a rule, up to 6 ms alone on a machine


class Listing:
    """Reads what `RedisFrontier` wrote; *run* calls one of its scripts."""

    def __init__(self, server: Server, queue_key: str, run: Callable[..., Any]) -> None:
        self._server = server
        self._queue_key = queue_key
        self._run = run

    def find(self, url: str) -> UrlInfo | None:
        """Return all about *url*, or None if it was never seen."""
        return read_info(self._run("ask", what="urls", keys=key_of(url), with_way=1)[0], url)

    def keys(self, pattern: Chosen) -> Iterator[bytes]:
        """Yield the keys of the URLs whose text matches."""
        if not isinstance(pattern, str):
            yield from map(key_of, pattern)
            return
        if (url := only_url(pattern)) is not None:
            yield key_of(url)
            return
        matches = pattern_of(translate(pattern.replace("[^", "[!"))).match
        seen = set()
        for key, value in self.scan("urls"):
            if key not in seen and matches(value[STORED.size :].decode()):
                seen.add(key)  # Redis may give an entry twice
                yield key

    def infos(self, pattern: Chosen) -> Iterator[UrlInfo]:
        """Yield all data of each URL whose text matches."""
        yield from self._infos_of(self.keys(pattern))

    def _infos_of(self, keys: Iterator[bytes]) -> Iterator[UrlInfo]:
        while part := b"".join(islice(keys, URLS_A_CALL)):
            for row in self._run("ask", what="urls", keys=part):
                if (info := read_info(row)) is not None:
                    yield info

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """Return the first *limit* by weight and time of those that match in one of *states* (none named: any)."""
        found = (info for info in self.infos(pattern) if not states or info.state in states)
        return nsmallest(limit, found, key=lambda info: (info.weight, info.added_at or 0.0, info.url))

    def some(self, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
        """Return any *limit* URLs that match in one of *states*: the walk ends with the last of them."""
        return list(islice((info for info in self.infos(pattern) if info.state in states), limit))

    def sample(self, size: int) -> list[UrlInfo]:
        """Return about *size* URLs drawn by lot, or all if there are no more. Cost: O(size), however many there are."""
        name = f"{self._queue_key}:urls"
        with redis_errors():
            if self._server.hlen(name) <= size:
                return list(self.infos("*"))
            draws = range(0, size, LINKS_A_CALL)
            keys = {key for _ in draws for key in self._server.hrandfield(name, min(size, LINKS_A_CALL))}
        return list(self._infos_of(iter(keys)))

    def scan(self, part: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of the hash *part*; Redis may give one twice."""
        with redis_errors():
            yield from self._server.hscan_iter(f"{self._queue_key}:{part}", count=LINKS_A_CALL)


LOOKED = 10_000  # queues, and reasons of errors, that are looked at


@dataclass(frozen=True, slots=True)
class SharedStats:
    """A shared frontier. `states`: U R C E; `weights` and `hosts` count ready URLs, hosts with most first.

    `later` URLs of U wait for their time. `resting`: host → until when (epoch seconds, by this machine's clock).
    `left_out` counts the queues and reasons that were not looked at.
    """

    states: Mapping[str, int]
    weights: Mapping[int, int]
    hosts: Mapping[str, int]
    reasons: Mapping[str, int]
    resting: Mapping[str, float]
    later: int
    left_out: Mapping[str, int]


class RedisLook(Listing):
    """Looks into the shared frontier of one site without joining it.

    Raises OutageError or StoreError, as does every method: Redis can't be reached, or refuses.
    """

    def __init__(self, server: Server, queue_key: str, known_key: str) -> None:
        scripts = Scripts(server, LUA, queue_key, known_key)

        def run(script: str, *rest: Any, **named: Any) -> Any:
            return scripts.run(script, *rest, now=repr(time.time()), max_weight=-1, keeps_texts=1, **named)

        super().__init__(server, queue_key, run)
        self.channel = RedisChannel(server, channel_key(queue_key))
        self.rules = RedisRobots(server, queue_key)

    def exists(self) -> bool:
        """Say whether there ever was a crawl of this site."""
        with redis_errors():
            return bool(self._server.exists(f"{self._queue_key}:values"))

    def states(self) -> dict[str, int]:
        """Return how many URLs are in each state: U R C E."""
        names = [state.value for state in UrlState]
        with redis_errors():
            values = self._server.hmget(f"{self._queue_key}:values", names)
        return {name: int(value or 0) for name, value in zip(names, values, strict=True)}

    def pages(self) -> int:
        """Return how many pages were fetched, each once."""
        with redis_errors():
            return int(self._server.hget(f"{self._queue_key}:pages", "") or 0)

    def waiting(self) -> int:
        """Return how many URLs wait."""
        return self.states()[UrlState.WAITING]

    def rests_until(self, url: str) -> float | None:
        """Return the time (epoch seconds, this machine's clock) until which the URL's host rests; None: it does not."""
        ahead = self.channel.now() - time.time()
        until = float(self._run("stats", what="rest", host=host_of(url)) or 0.0) - ahead
        return until if until > time.time() else None

    def limits(self) -> LimitsState:
        """Return the state of rejections and classes that all workers share."""
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
        left_out = {"queues": max(0, queues - LOOKED), "reasons": max(0, reasons - LOOKED)}
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
        for part in self._parts("hosts", LOOKED):
            rows = self._run("stats", *(number for _, number in part), what="queues")
            yield from ((name.decode(), row) for (name, _), row in zip(part, rows, strict=True))

    def _reasons(self) -> dict[str, int]:
        """Why URLs are in error; those that wait for another try have a reason, too, which does not count here."""
        found: Counter[str] = Counter()
        for part in self._parts("reasons", LOOKED):
            letters = self._run("stats", what="states", keys=b"".join(key for key, _ in part)).decode()
            found.update(
                reason.decode() for (_, reason), letter in zip(part, letters, strict=True) if letter == UrlState.ERROR
            )
        return dict(found.most_common())

    def _parts(self, part: str, most: int) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield *most* entries of a hash at most, in lists of `LINKS_A_CALL`."""
        seen: dict[bytes, bytes] = {}  # Redis may give an entry twice
        for key, value in self.scan(part):
            seen[key] = value
            if len(seen) >= most:
                break
        chosen = list(seen.items())
        yield from (chosen[start : start + LINKS_A_CALL] for start in range(0, len(chosen), LINKS_A_CALL))
