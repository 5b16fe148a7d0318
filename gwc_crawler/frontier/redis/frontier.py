"""The frontier in Redis: one queue for any number of workers, on any number of machines, that come and go.

Each step is one Lua script, so it happens as a whole or not at all. `lua/common.lua` lists the keys. A worker that
dies is noticed when its leases run out; one that comes back too late is refused by its leases' fencing tokens.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import Any

from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.admission import LIMIT_KINDS, Admission, PageLimits
from gwc_crawler.frontier.known_urls import KnownUrls
from gwc_crawler.frontier.order import is_followed
from gwc_crawler.frontier.protocol import FAILED, Chosen, Frontier, FrontierCounts, UrlInfo
from gwc_crawler.frontier.queues import MOST_PARTS, QueuePolicy, part_of, queue_name
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.redis.entry import Offers, RedisForbiddenLinks
from gwc_crawler.frontier.redis.revisits import RedisRevisits, pack_revisit
from gwc_crawler.frontier.redis.stats import Listing
from gwc_crawler.frontier.redis.wire import (
    LINKS_A_CALL,
    LUA,
    Texts,
    key_of,
    pack_leases,
    pack_limits,
    pack_links,
    read_lease,
)
from gwc_crawler.items import Done, Failure, Lease, Link, Revisit, UrlState
from gwc_crawler.network.politeness.robots import FORBIDDEN
from gwc_crawler.store.redis_server import Scripts, Server, redis_errors

QUEUE_KEY = "%(spider)s:requests"
DUPEFILTER_KEY = "%(spider)s:dupefilter"  # scrapy-redis's patterns (SCHEDULER_QUEUE_KEY, SCHEDULER_DUPEFILTER_KEY)


class RedisFrontier(Frontier):
    """A `Frontier` over a Redis server or cluster; `SqliteFrontier` says what is not said here.

    Args:
        server: a `redis.Redis` or `redis.RedisCluster` that returns bytes. Closed by its owner.
        site: whose queue; all keys contain the hash tag `{site}`, so a cluster keeps them on one node.
        max_weight: equal for all workers.
        keep_urls: False saves most of Redis's memory; then `select` and `retry` don't see complete URLs.
        queue_lease_seconds: how long a worker owns parts of the queues without a word; 0: all lease from all.
        parts: the number of parts of the queues, at most 256. The worker that begins a crawl decides for all.
        queue_key, dupefilter_key: patterns of the keys' names.
        clock: epoch seconds; None: the server's clock, which all workers share.
    Raises:
        OutageError, StoreError: Redis can't be reached; it refuses.
    """

    def __init__(
        self,
        server: Server,
        site: str,
        *,
        max_weight: int | None = None,
        lease_seconds: float = 600.0,
        max_lost_leases: int = 5,
        known_urls: int = 300_000,
        keep_urls: bool = True,
        page_limits: PageLimits | None = None,
        queue_of: QueuePolicy | None = None,
        queue_lease_seconds: float = 0.0,
        parts: int = 16,
        queue_key: str = QUEUE_KEY,
        dupefilter_key: str = DUPEFILTER_KEY,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.queue_key, self.known_key = (key % {"spider": f"{{{site}}}"} for key in (queue_key, dupefilter_key))
        self.known = KnownUrls(known_urls)
        self.under_way: dict[int, Lease] = {}
        self.lost = self.outdated = 0
        self._server = server
        self._scripts = Scripts(server, LUA, self.queue_key, self.known_key)
        self._listing = Listing(server, self.queue_key, self._run)
        self._kept_out = RedisForbiddenLinks(server, self.queue_key, self._listing, self._run, keeps=keep_urls)
        self._revisits = RedisRevisits(server, self.queue_key, self._move, keeps_urls=keep_urls)
        self._max_weight = max_weight
        self._lease_seconds = lease_seconds
        self._max_lost_leases = max_lost_leases
        self._common = {"max_weight": -1 if max_weight is None else max_weight, "keeps_texts": int(keep_urls)}
        self._limits = pack_limits(page_limits or PageLimits())
        self._queue_of = queue_of
        self.queue_lease_seconds = queue_lease_seconds
        self.parts = min(max(parts, 1), MOST_PARTS)
        self.open_parts: Collection[int] = () if queue_lease_seconds else range(MOST_PARTS)
        """The parts that this worker may lease from, as it was told last."""
        self._part_of: dict[int, int] = {}  # token → part, for leases under way
        self._owner = ""
        self._clock = clock
        self._ahead_seconds = self._extended_until = 0.0
        self._run_id = b""
        self.admission: Admission | None = None
        self._has_leased = False
        self._metas: dict[int, dict[str, Any]] = {}
        self._agree_on_parts()
        self.counts()
        self.greet()
        self._apply_threshold()

    # --- in and out -----------------------------------------------------------------------------------------------

    def add(self, links: Sequence[Link]) -> int:
        """Enter URLs that are new, lower the weight of known ones. Entered in steps of `LINKS_A_CALL`."""
        new = 0
        for start in range(0, len(links), LINKS_A_CALL):
            some = links[start : start + LINKS_A_CALL]
            # a start always is news: its page has weight 0 whatever it holds
            part = [link for link in some if link.depth == 0 or self.known.news((link.url,), link.weight)]
            if part:
                texts = Texts(self._place_of)
                blob = pack_links(part, texts)
                new += self._run("add", *texts.places, texts=bytes(texts.blob), links=blob)
                for link in part:
                    self.known.learn((link.url,), link.weight)
        return new

    def lease(self, n: int, owner: str, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Give out the best *n*, where workers own parts only of its own. Cost: O(n · log queues), one round trip."""
        if n <= 0:
            return []
        self._has_leased, self._owner = True, owner
        return self._lease(n, busy_hosts)

    def _lease(self, n: int, busy_hosts: Collection[str]) -> list[Lease]:
        now, owner = self._now(), self._owner
        rows, lost, server, cut, open_parts = self._run(
            "lease",
            *islice(busy_hosts, LINKS_A_CALL),
            now=now,
            most=n,
            owner=owner,
            lease_seconds=self._lease_seconds,
            max_lost=self._max_lost_leases,
            parts=self.parts,
            queue_lease=self.queue_lease_seconds,
            under_way=bytes(part for part, _ in Counter(self._part_of.values()).most_common()),
            run_id=self._run_id,
            limits=self._limits,
        )
        if server != self._run_id:
            self._run_id = server
            self._distrust()
            raise OutageError("Redis was started anew while nobody looked; what it may have lost is sent again")
        self.lost += lost
        self.open_parts = open_parts
        if self.admission is not None:
            for place, url in zip(cut[::2], cut[1::2], strict=True):
                self.admission.cut_off(LIMIT_KINDS[place - 1].reason, url.decode())
        expires_at = now + self._lease_seconds - self._ahead_seconds
        leases = [read_lease(row, owner, expires_at) for row in rows]
        self.under_way.update((lease.token, lease) for lease in leases)
        self._metas.update((row[5], json.loads(row[6])) for row in rows if row[6])
        self._part_of.update((row[5], row[7]) for row in rows)
        return leases

    def greet(self) -> None:
        """Note which server this is: one that is started later gives no lease before it was sent its lost steps."""
        self._run_id = self._run("ask", what="server")

    def meta_of(self, lease: Lease) -> dict[str, Any]:
        """Return the Request.meta that a start URL was fed with; {} for most."""
        return self._metas.get(lease.token, {})

    def feed(self, url: str, meta: dict[str, Any]) -> None:
        """Enter a start URL from outside, with values for its Request.meta (kept as JSON until it is complete)."""
        if meta:
            with redis_errors():
                self._server.hset(f"{self.queue_key}:metas", key_of(url), json.dumps(meta))
        self.add([Link(url)])

    # --- the end of a lease ---------------------------------------------------------------------------------------

    def complete(self, done: Sequence[Done]) -> None:
        """Mark pages C, enter their links. One round trip; after an OutageError the same call may be made again."""
        if not done:
            return
        offers = Offers(done, self.known, self._max_weight, self.admission, self._place_of, self._ahead_seconds)
        if self.admission is not None:
            self._kept_out.note_of(self.admission)
        outdated, *told = self._run(
            "complete",
            *offers.texts.places,
            *offers.pages,
            owner=done[0].lease.owner,
            texts=bytes(offers.texts.blob),
            places=len(offers.texts.places),
            aliases=b"".join(key_of(item.url) + key_of(item.main) for item in done if item.main),
        )
        self.outdated += len(outdated)
        self._forget(*(item.lease for item in done))
        if lost := offers.learn_of(outdated, *told):
            self.add(lost)

    def fail(self, lease: Lease, why: Failure) -> None:
        how = "error" if why.retry_at is None else "wait"
        retry_at = 0.0 if why.retry_at is None else why.retry_at + self._ahead_seconds
        kept = pack_revisit(why.revisit, self._ahead_seconds)
        self.outdated += self._run(
            "end", how=how, leases=pack_leases([lease]), reason=why.reason, time=retry_at, revisit=kept
        )
        self._forget(lease)

    def cut_off(self, leases: Sequence[Lease], reason: str) -> None:
        how = "keep_out" if reason == FORBIDDEN else "cut_off"
        self.outdated += self._run("end", how=how, leases=pack_leases(leases), reason=reason)
        self._forget(*leases)

    def release(self, leases: Sequence[Lease]) -> None:
        if leases:
            self.outdated += self._run("end", how="release", leases=pack_leases(reversed(leases)))
            self._forget(*leases)

    def extend(self, leases: Sequence[Lease]) -> None:
        until = self._now() + self._lease_seconds
        late = self._run("end", how="extend", leases=pack_leases(leases), time=until)
        self._forget(*(leases[place - 1] for place in late))

    def beat(self, *, stopping: bool = False) -> None:
        """Extend all leases under way here, and the owned parts; call it a few times in each lease's length.

        *stopping*: nothing more will be leased; only owned parts with leases under way are kept.
        """
        if self._has_leased:
            until = self._now() + self._lease_seconds - self._ahead_seconds
            self.extend(list(self.under_way.values()))
            self._extended_until = until
            if self.queue_lease_seconds:
                self._lease(-1 if stopping else 0, ())

    def may_begin(self, lease: Lease) -> bool:
        """Say whether a lease that is under way here is of a part that this worker is not to give up."""
        return self._part_of[lease.token] in self.open_parts

    @property
    def owned_parts(self) -> list[int]:
        """Return the parts that this worker owns; [] if no worker owns any."""
        return sorted(self.open_parts) if self.queue_lease_seconds else []

    def late(self, leases: Sequence[Lease]) -> set[int]:
        """Return the tokens of *leases* that others have taken over. Cost: a round trip if their time may be over."""
        now = self._now() - self._ahead_seconds
        doubtful = [lease for lease in leases if max(lease.expires_at, self._extended_until) <= now]
        if doubtful:
            self.extend(doubtful)
        return {lease.token for lease in leases if lease.token not in self.under_way}

    def _forget(self, *leases: Lease) -> None:
        for lease in leases:
            for kept in (self.under_way, self._metas, self._part_of):
                kept.pop(lease.token, None)

    def redirect(self, lease: Lease, url: str) -> bool:
        place, leased = self._place_of(url), pack_leases([lease])
        return bool(self._run("cover", lease=leased, owner=lease.owner, place=place, url=url, key=key_of(url)))

    def stands_in(self, url: str, main: str) -> bool:
        return bool(self._run("stand_in", alias=key_of(url), main=key_of(main)))

    def pause_host(self, host: str, until: float) -> None:
        self._run("pause", place=f"{part_of(host, self.parts)} {host}", time=until + self._ahead_seconds)

    def _place_of(self, url: str) -> str:
        name = queue_name(url, self._queue_of)
        return f"{part_of(name, self.parts)} {name}"

    # --- what people ask and do -----------------------------------------------------------------------------------

    def counts(self) -> FrontierCounts:
        """Return the counts of the crawl. One round trip, whatever the size."""
        asked = self._now()
        waiting, running, complete, error, _, ready_queues, due, rest, *_, (seconds, micros) = self._run(
            "ask", what="counts", parts=self.parts
        )
        if self._clock is None:
            self._ahead_seconds = int(seconds) + int(micros) / 1e6 - time.time()
        later = [float(moment) for moment in (due, rest) if moment]
        ready = waiting > 0 and (ready_queues > 0 or any(moment <= asked for moment in later))
        return FrontierCounts(
            waiting=waiting,
            running=running,
            complete=complete,
            error=error,
            ready_now=ready,
            next_ready_at=min(later) - self._ahead_seconds if waiting and later and not ready else None,
            outdated=self.outdated,
        )

    def part_counts(self) -> list[int]:
        """Return how many URLs wait in each part. One round trip, whatever the size."""
        counts: list[int] = self._run("ask", what="parts", parts=self.parts)
        return counts

    def waiting_of(self, hosts: Collection[str]) -> int:
        return int(self._run("ask", *hosts, what="hosts"))

    def find(self, url: str) -> UrlInfo | None:
        return self._listing.find(url)

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        return self._listing.select(pattern, states, limit)

    def drop(self, pattern: Chosen, *, count_only: bool = False) -> int:
        if count_only:
            return sum(info.state == UrlState.WAITING for info in self._listing.infos(pattern))
        return self._move("drop", self._listing.keys(pattern))

    def retry(self, pattern: Chosen = "*", states: Collection[UrlState] = FAILED, *, count_only: bool = False) -> int:
        with_links = UrlState.ERROR in states
        if count_only:
            movable = set(states) - {UrlState.RUNNING}
            found = sum(info.state in movable for info in self._listing.infos(pattern))
            return found + (self._kept_out.count(pattern) if isinstance(pattern, str) and with_links else 0)
        entered = self._kept_out.take(pattern, self._enter) if isinstance(pattern, str) and with_links else 0
        return entered + self._move("retry", self._listing.keys(pattern), states="".join(states))

    def readmit(self, pattern: str, forbids: Callable[[str], bool] | None = None) -> int:
        return self._kept_out.take(pattern, self._enter, forbids)

    def _enter(self, links: Sequence[Link]) -> int:
        self.known.clear()  # some were in the queue before
        return self.add([link for link in links if is_followed(link.weight, self._max_weight)])

    def recrawl(self, which: Recrawl, limits: Intervals) -> int:
        """Let fetched pages wait again. Cost: as `select`. Raises InputError where complete URLs were let go."""
        keys = (key for key, _ in self._listing.scan("urls"))
        return self._revisits.recrawl(which, limits, keys, self._now(), busy=not self.counts().finished)

    def hasten(self, urls: Collection[str]) -> int:
        return self._revisits.hasten(urls)

    def revisits(self, urls: Collection[str]) -> dict[str, Revisit]:
        return self._revisits.read(urls, self._ahead_seconds)

    def recall(self, reason: str) -> int:
        wanted = reason.encode()
        keys = (key for key, why in self._listing.scan("reasons") if why == wanted)
        return self._move("retry", keys, states=UrlState.ERROR)

    def clear(self) -> None:
        """Forget the whole crawl of this site, for all workers."""
        with redis_errors():
            for prefix in (self.queue_key, self.known_key):
                literal = re.sub(r"([*?[\]\\])", r"\\\1", prefix)
                for key in self._server.scan_iter(match=f"{literal}:*", count=LINKS_A_CALL):
                    self._server.unlink(key)
        self.known.clear()
        self._agree_on_parts()

    def close(self) -> None:
        """Release the frontier. Leases under way here go back; those of others are not touched."""
        now = self._now() - self._ahead_seconds
        self.release([one for one in self.under_way.values() if max(one.expires_at, self._extended_until) > now])
        if self._has_leased and self.queue_lease_seconds:
            with redis_errors():
                self._server.hdel(f"{self.queue_key}:owners", self._owner)
        if self.counts().finished:
            self._revisits.end_rounds(self._now())

    def _now(self) -> float:
        return self._clock() if self._clock else time.time() + self._ahead_seconds

    def _run(self, script: str, *rest: Any, now: float | None = None, **named: Any) -> Any:
        try:
            return self._scripts.run(script, *rest, now=repr(now or self._now()), **self._common, **named)
        except OutageError:
            self._distrust()
            raise

    def _distrust(self) -> None:
        """Take nothing for known any more: a server that comes back may have lost its last second."""
        self.known.clear()
        if self.admission is not None:
            self.admission.forget_forbidden()

    def _agree_on_parts(self) -> None:
        values = f"{self.queue_key}:values"
        with redis_errors():
            self._server.hsetnx(values, "parts", self.parts)
            self.parts = int(self._server.hget(values, "parts"))

    def _move(self, how: str, keys: Iterable[bytes], **named: Any) -> int:
        chosen = list(keys)
        parts = (chosen[start : start + LINKS_A_CALL] for start in range(0, len(chosen), LINKS_A_CALL))
        return sum(self._run("move", how=how, keys=b"".join(part), **named) for part in parts)

    def _apply_threshold(self) -> None:
        """Bring known URLs in line with a max_weight that is not the queue's: enter held links, or hold URLs back.

        The old one is written down until that is done, so that a crash in the middle is made up for.
        """
        values = f"{self.queue_key}:values"
        new = -1 if self._max_weight is None else self._max_weight
        with redis_errors():
            raw, unfinished = self._server.hmget(values, "max_weight", "threshold_from")
            old = new if raw is None else int(raw)
            if unfinished is None and old == new:
                self._server.hset(values, "max_weight", new)
                return
            self._server.hset(values, mapping={"max_weight": new, "threshold_from": old})
        self._move("enter", (key for key, _ in self._listing.scan("held")))
        self._move("hold", (key for key, _ in self._listing.scan("urls")))
        with redis_errors():
            self._server.hdel(values, "threshold_from")
