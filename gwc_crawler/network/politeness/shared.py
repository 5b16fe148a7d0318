"""Politeness of many workers, in Redis: one limit for each host; the same rules as `limiter.HostLimiter`, in
`lua/limit.lua`.

A host without gaps gives *permits* for requests under way, which are used again and again; a host with gaps is asked
before each request. A killed worker holds its permits until its requests must be over. While Redis is away, nothing is
sent."""

from __future__ import annotations

import json
import logging
import math
import random
import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any
from uuid import uuid4
from zlib import crc32

from redis import RedisCluster

from gwc_crawler.errors import GwcError, OutageError, RightsError, StoreError
from gwc_crawler.items import RobotsText
from gwc_crawler.network.politeness.limiter import (
    SHARED,
    TICK_SECONDS,
    HostLimits,
    HostSignal,
    Limiter,
    limits_of,
    signal_of,
)
from gwc_crawler.store.redis_server import LONGEST_REST_SECONDS, Lua, Scripts, Server, redis_errors
from gwc_crawler.store.sqlite.side_file import KEPT_SECONDS

logger = logging.getLogger(__name__)


# --- What Redis knows of each host that workers share: asked and told by one script, on a cluster in parts ------------

LUA = Lua(
    "gwc_crawler.network.politeness",
    constants={**SHARED, "KEPT_SECONDS": KEPT_SECONDS},
    arguments={"limit": ("now", "worker", "permit_seconds")},
)

KEYS = "{gwc}:hosts"
"""Begins the keys of all hosts, for all sites, where they are in one part; else each part has a number in its tag."""

PARTS = 16  # parts on a Redis Cluster; a worker renews many hosts with at most this many questions


class SharedHosts:
    """Asks Redis about hosts. *parts*: None for `PARTS` on a Redis Cluster, else one; the same for all workers."""

    def __init__(self, server: Server, parts: int | None = None) -> None:
        parts = parts or (PARTS if isinstance(server, RedisCluster) else 1)
        self._parts = [Scripts(server, LUA, part_key(number, parts)) for number in range(parts)]

    def exchange(self, questions: Sequence[Mapping[str, Any]], **named: Any) -> list[dict[str, Any]]:
        """Send questions, each with its host as "key"; return an answer for each, in their order.

        Raises StoreError: Redis is away or refuses; some of the questions may have been heard.
        """
        dealt: dict[int, list[int]] = {}
        for place, question in enumerate(questions):
            dealt.setdefault(part_of(question["key"], len(self._parts)), []).append(place)
        answers: list[dict[str, Any]] = [{}] * len(questions)
        for part, places in dealt.items():
            asked = [json.dumps(questions[place]) for place in places]
            told = json.loads(self._parts[part].run("limit", *asked, **named))
            for place, answer in zip(places, told, strict=True):
                answers[place] = answer
        return answers


def part_of(host: str, parts: int) -> int:
    """Return the part that a host belongs to, for every worker the same."""
    return crc32(host.encode()) % parts if parts > 1 else 0


def part_key(part: int, parts: int) -> str:
    """Return the beginning of the keys of a part.

    >>> part_key(0, 1), part_key(3, 16)
    ('{gwc}:hosts', '{gwc3}:hosts')
    """
    return KEYS if parts == 1 else KEYS.replace("}", f"{part}}}")


VALID_SECONDS = 2.0
"""Seconds for which permits may be used after the last exchange about them, and until Redis hears of a host that only
this worker asks, if nothing has changed: within `GRACE_SECONDS` of all requests under way."""

RENEW_SECONDS = 0.5  # how soon what has changed at a host is told, and heard
IDLE_SECONDS = 0.3  # seconds without use after which permits are returned

FORGET_SECONDS = 5.0
GRACE_SECONDS = 3.5
"""After an outage a worker first says what it has under way, and asks for more when all had time to say so."""


@dataclass(slots=True)
class _Host:
    limits: HostLimits
    paced: bool  # whether Redis is asked before each request
    gap: float
    active: int = 0
    on_the_way: int = 0  # handed out, not sent yet
    robots: int = 0  # requests under way on behalf of those on the way
    permits: int = 0  # requests that may be under way
    held: int = 0  # requests that count as under way in Redis
    valid_until: float = -math.inf
    next_try: float = -math.inf
    left_at: float = -1e9  # long ago: as limit.lua has it
    """When the last request of this worker went out."""
    gap_behind: float = 0.0  # seconds that have to lie between the last request and the next
    failing: bool = False
    watched: bool = False  # whether it backs off or adapts: then answers matter
    sharers: int = 1
    crawl_delay: float = 0.0
    answers: list[tuple[int, float, float, float]] = field(default_factory=list)
    refused: bool = False
    most_active: int = 0
    asked_at: float = -math.inf
    asked_for_more_at: float = -math.inf
    used_at: float = -math.inf

    @property
    def allowed(self) -> int:
        return 1 if self.failing else self.limits.concurrency

    @property
    def under_way(self) -> int:
        return self.active - self.on_the_way + self.robots

    @property
    def not_before(self) -> float:
        """When the next request may go out, as far as is known here."""
        return max(self.next_try, self.left_at + self.gap_behind)

    @property
    def kept_until(self) -> float:
        return max(self.used_at, self.asked_for_more_at, self.asked_at, self.not_before) + FORGET_SECONDS

    @property
    def in_use(self) -> bool:
        return bool(self.active or self.held or self.answers)


class SharedLimiter(Limiter):
    """A `Limiter` that all workers on one Redis share; *worker*, a name, is made unique here.

    A killed worker's permits are held back for *longest_request_seconds*. *redis_clock*: epoch seconds; None: Redis's.
    """

    refusal: GwcError | None = None

    def __init__(
        self,
        server: Server,
        worker: str,
        limits: HostLimits,
        others: Mapping[str, HostLimits] | None = None,
        *,
        longest_request_seconds: float,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        redis_clock: Callable[[], float] | None = None,
        parts: int | None = None,
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.when_free: Callable[[str], None] | None = None
        self._shared = SharedHosts(server, parts)
        self._worker = f"{worker}:{uuid4().hex[:8]}"
        # Nothing shorter is safe: a silent worker may be dead, stopped or cut off, its last request may have gone out
        # when its permits were about to end, and a server may work on for a client that is dead.
        self._kept_seconds = VALID_SECONDS + longest_request_seconds + 1.0
        self._others = others or {}
        self._chance = chance
        self._redis_clock = redis_clock
        self._hosts: dict[str, _Host] = {}
        self._in_use: set[str] = set()  # hosts with something under way, held or to tell
        self._lacking: set[str] = set()  # hosts that were refused permits
        self._forget_at = clock() + FORGET_SECONDS
        self._away_until = -math.inf
        self._rest_seconds = 0.0
        self._grace_until = -math.inf

    def may_start(self, key: str) -> bool:
        """Tell whether a request may be handed out now; ask for permits if there are none, for gaps only on sending."""
        host = self._host(key)
        if host.paced:
            return self._may_try(host)
        if self._has_permit(host):
            return True
        host.refused = True
        self._lacking.add(key)
        if host.active < host.allowed and self.clock() - host.asked_for_more_at >= TICK_SECONDS:
            self._ask(self._short_of_permits())
        return self._may_try(host) if host.paced else self._has_permit(host)

    def _may_try(self, host: _Host) -> bool:
        return not host.on_the_way and host.active < host.allowed and host.not_before <= self.clock()

    def _has_permit(self, host: _Host) -> bool:
        return host.active < host.permits and self.clock() < host.valid_until

    def next_at(self, key: str) -> float:
        host = self._host(key)
        if host.active >= host.allowed or (host.paced and host.on_the_way):
            return math.inf
        if host.paced:
            return host.not_before
        return self.clock() if self._has_permit(host) else max(host.asked_for_more_at + TICK_SECONDS, self._away_until)

    def room(self, key: str, seconds: float) -> float:
        """Return how many may start within *seconds* at most; others that ask this host share its gaps."""
        host = self._host(key)
        left = seconds - max(0.0, host.next_try - self.clock())
        if left < 0:
            return 0
        return math.inf if host.gap <= 0 else left // (host.gap * host.sharers) + 1

    def started(self, key: str) -> None:
        host = self._host(key)
        host.active += 1
        host.on_the_way += 1
        host.most_active = max(host.most_active, host.active)
        host.used_at = self.clock()
        self._in_use.add(key)

    def seconds_to_turn(self, key: str, *, started: bool = True) -> float:
        host = self._host(key)
        if started:
            host.robots = max(0, host.robots - 1)  # what was asked on its behalf has been answered
        if host.paced and (wait := host.left_at + host.gap_behind - self.clock()) > 0:
            return wait
        if host.paced or self.clock() >= host.valid_until:
            (answer,) = self._ask([key], take=True)
            if not answer["granted"]:
                wait = answer["wait"] or TICK_SECONDS
                host.next_try = self.clock() + wait
                return wait
        host.left_at = self.clock()
        if started:
            host.on_the_way -= 1
        elif host.paced:
            host.robots += 1
        if host.gap > 0:
            self._changed(key)
        return 0.0

    def answered(self, key: str, status: int | None, sent_at: float, latency: float, wish: float | None = None) -> None:
        """Note the answer to a request; Redis is told at once if it matters to others, as a healthy host's does not."""
        host = self._host(key)
        host.left_at = max(host.left_at, self.clock() - latency)  # it may have gone out later than Redis knows
        signal = signal_of(status, wish)
        if signal in (HostSignal.BAD, HostSignal.FAULT) or host.watched:
            self._in_use.add(key)
            host.answers.append((signal, sent_at, latency, wish or 0.0))
            self._ask([key])

    def ended(self, key: str, *, sent: bool = True) -> None:
        host = self._host(key)
        host.active -= 1
        host.used_at = self.clock()
        if not sent:
            host.on_the_way -= 1
            host.robots = max(0, host.robots - 1)
        if host.paced or host.held > host.permits:
            host.asked_at = -math.inf  # others may be waiting for it: told with the next tick
        self._changed(key)

    def ask_slowly(self, key: str, seconds: float) -> None:
        self._host(key).crawl_delay = seconds
        self._ask([key])

    def forget(self, key: str) -> None:
        self._host(key).answers.append((HostSignal.ABSENT, self.clock(), 0.0, 0.0))
        self._ask([key])

    def tick(self) -> None:
        """Renew permits, give idle ones back, tell what ended; one question for all hosts."""
        now = self.clock()
        if due := [key for key in self._in_use if self._is_due(self._hosts[key], now)]:
            self._ask(due)
        self._in_use = {key for key in self._in_use if self._hosts[key].in_use}
        if now >= self._forget_at:
            self._forget_at = now + FORGET_SECONDS
            self._hosts = {key: host for key, host in self._hosts.items() if host.in_use or now < host.kept_until}
            self._lacking &= self._hosts.keys()

    def close(self) -> None:
        """Give back the permits held: no more requests follow."""
        for host in self._hosts.values():
            host.used_at, host.refused = -math.inf, False
        if held := [key for key, host in self._hosts.items() if host.held]:
            self._ask(held)

    # --- what is due --------------------------------------------------------------------------------------------------

    def _host(self, key: str) -> _Host:
        host = self._hosts.get(key)
        if host is None:
            limits = limits_of(key, self.limits, self._others)
            pace = limits.first_pace
            host = self._hosts[key] = _Host(limits, pace > 0, pace, watched=limits.adaptive)
        return host

    def _is_due(self, host: _Host, now: float) -> bool:
        if host.answers:
            return True
        if not (host.held or host.under_way):
            return False
        idle = not host.active and now - host.used_at >= IDLE_SECONDS
        quiet = host.used_at <= host.asked_at and host.sharers == 1 and host.permits <= host.active and not host.watched
        return idle or now - host.asked_at >= (VALID_SECONDS if quiet else RENEW_SECONDS)

    def _short_of_permits(self) -> list[str]:
        now = self.clock()
        lacking = [key for key in self._lacking if self._hosts[key].asked_for_more_at <= now - TICK_SECONDS]
        for key in lacking:
            self._hosts[key].asked_for_more_at = now
        return lacking

    # --- the exchange with Redis --------------------------------------------------------------------------------------

    def _ask(self, keys: Iterable[str], *, take: bool = False) -> list[dict[str, Any]]:
        """Report the events at these hosts to Redis, and return its answer for each."""
        now = self.clock()
        hosts = [(key, self._host(key)) for key in keys]
        if now < self._away_until:
            return [{"granted": False, "wait": self._away_until - now}] * len(hosts)
        questions = [self._question(key, host, now, take=take) for key, host in hosts]
        clock = "" if self._redis_clock is None else repr(self._redis_clock())
        named = {"now": clock, "worker": self._worker, "permit_seconds": self._kept_seconds}
        try:
            answers = self._shared.exchange(questions, **named)
        except StoreError as error:
            return self._rest(error, len(hosts))
        if self._rest_seconds:
            self._rest_seconds, self._grace_until = 0.0, now + GRACE_SECONDS
        for (key, host), answer in zip(hosts, answers, strict=True):
            host.answers.clear()
            host.asked_at, host.valid_until = now, now + VALID_SECONDS
            host.refused, host.most_active = False, host.active
            host.permits, host.held = int(answer["permits"]), int(answer["held"])
            host.failing, host.sharers = answer["failing"], answer["sharers"]
            host.gap, host.paced, host.gap_behind = answer["step"], answer["step"] > 0, answer["gap"]
            host.watched = host.failing or answer["penalty"] > 0 or answer["faults"] > 0 or host.limits.adaptive
            host.next_try = now + answer["wait"]
            self._lacking.discard(key)
            self._in_use.add(key)
        return answers

    def _question(self, key: str, host: _Host, now: float, *, take: bool) -> dict[str, Any]:
        limits = host.limits
        want = 0
        settled = now >= self._grace_until and not self._rest_seconds
        if settled and (host.active or host.refused or now - host.used_at < IDLE_SECONDS):
            want = limits.concurrency if host.refused else max(1, host.most_active)
        return {
            "key": key,
            "take": take and settled,
            "want": want,
            "active": host.active,
            "under_way": host.under_way,
            "left": now - host.left_at,
            "factor": 1 + limits.jitter * (2 * self._chance() - 1),
            "crawl": host.crawl_delay,
            "answers": [(kind, now - sent_at, latency, wait) for kind, sent_at, latency, wait in host.answers],
            "limits": {
                "concurrency": limits.concurrency,
                "delay": limits.delay_seconds,
                "adaptive": limits.adaptive,
                "start": limits.start_delay_seconds,
                "most": limits.max_delay_seconds,
                "target": limits.target_concurrency,
                "back_off": limits.back_off_seconds,
                "longest": limits.longest_wait_seconds,
                "longest_fault": limits.longest_back_off(HostSignal.FAULT),
            },
        }

    def _rest(self, error: StoreError, count: int) -> list[dict[str, Any]]:
        """Send nothing while Redis does not answer, and drop the granted permits."""
        self.refusal = error if isinstance(error, RightsError) else None
        if not self._rest_seconds:
            why = "is away" if isinstance(error, OutageError) else "refuses what politeness asks"
            logger.warning("nothing is sent while Redis %s (keys %s:*): %s", why, KEYS, error)
        self._rest_seconds = min(max(2 * self._rest_seconds, TICK_SECONDS), LONGEST_REST_SECONDS)
        self._away_until = self.clock() + self._rest_seconds
        logger.debug("no politeness without Redis rest_seconds=%.1f error=%s", self._rest_seconds, error)
        for host in self._hosts.values():
            host.valid_until = -math.inf
            host.next_try = max(host.next_try, self._away_until)
        return [{"granted": False, "wait": self._rest_seconds}] * count


# --- The robots.txt files of a shared crawl, and the links they keep out: one worker reads for all --------------------

_ROBOTS = struct.Struct("<d16s")  # when it was read (epoch seconds), digest of the text


class RedisRobots:
    """A `RobotsBook` beside a shared queue, *queue_key* with its hash tag; raises OutageError or StoreError."""

    def __init__(self, server: Server, queue_key: str) -> None:
        self._server = server
        self._robots, self._texts = f"{queue_key}:robots", f"{queue_key}:robots_texts"

    def read(self, origin: str) -> RobotsText | None:
        """Return the stored robots.txt of *origin*, however old. Two round trips."""
        with redis_errors():
            packed = self._server.hget(self._robots, origin)
            if packed is None:
                return None
            read_at, digest = _ROBOTS.unpack(packed)
            text = self._server.hget(self._texts, digest)
        return None if text is None else RobotsText(text, read_at)

    def write(self, origin: str, robots: RobotsText) -> None:
        """Keep it in the place of an older one. One round trip."""
        digest = md5(robots.text, usedforsecurity=False).digest()
        with redis_errors():
            pipeline = self._server.pipeline(transaction=False)
            pipeline.hset(self._texts, digest, robots.text)
            pipeline.hset(self._robots, origin, _ROBOTS.pack(robots.read_at, digest))
            pipeline.execute()
