"""The file's frontier and Redis's decide alike: one random run drives both, and all that can be seen is compared.

Their rules stand once in Python and once in Lua; this is what keeps them one. Both get the same operations at the same
moments of one clock: leases of some hosts, pages, redirects, failures, leases that run out, late workers, limits, moves
by hand, closing and opening with another threshold; Redis in addition two workers, which forget what they know.

The promise leaves open which of several hosts comes first. So of what is leased, only what both gave out goes on; the
rest is handed back. Where they differ on purpose stands in `seen_of` and in the rules, each with its reason.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from gwc_crawler.frontier.admission import PageLimits
from gwc_crawler.frontier.protocol import UrlInfo
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.redis.revisits import JOIN_SECONDS
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, RejectionReason, Revisit, UrlState
from gwc_crawler.network.politeness.robots import FORBIDDEN
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.frontier.behaviour import Clock
from tests.frontier.test_fixpoint import IN_MEMORY
from tests.state_machines import run_both

HOSTS = ("a.example", "b.example", "c.example")
URLS = tuple(f"http://{host}/{page}" for host in HOSTS for page in ("", "p/1", "p/2", "p/3", "private/4"))
PATTERNS = ("*", "http://a.example/*", "*/p/[12]", *URLS[:3])
REASONS = ("HTTP 500", "no answer", FORBIDDEN)
MOMENTS = (1, 5, 59, 61, 700, 100_000)
MANY = 1000
"""More than there is: what is leased does not depend on whose turn it is."""

SUSPECT_LOSSES = 2

urls = st.sampled_from(URLS)
some_urls = st.lists(urls, max_size=6).map(tuple)
hosts = st.sampled_from(HOSTS)
patterns = st.sampled_from(PATTERNS)
states = st.sets(st.sampled_from(UrlState))
numbers = st.integers(0, MANY)


class RobotsLike:
    """Keeps out private URLs, and notes what it is told."""

    def __init__(self) -> None:
        self.forbidden: list[Link] = []
        self.cut: set[tuple[str, str]] = set()
        self.brought: set[tuple[str, str]] = set()

    def admit(self, urls: Sequence[str], depth: int, weight: int) -> list[str]:
        self.forbidden += [Link(url, weight, depth) for url in urls if "private" in url]
        return [url for url in urls if "private" not in url]

    def forget_forbidden(self) -> None:
        pass

    def cut_off(self, reason: RejectionReason, url: str) -> None:
        self.cut.add((reason, url))

    def entered(self, page: Done, urls: Sequence[str]) -> None:
        self.brought.update((page.url, url) for url in urls)


@dataclass
class Pair:
    """One lease, as each frontier knows it."""

    file: Lease
    shared: Lease


class BothFrontiers(RuleBasedStateMachine):
    """The same to both. `client` is set by the test."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.clock = Clock()
        self.options: dict[str, Any] = {}
        self.leases: list[Pair] = []
        self.outdated = [0, 0]
        self.file_admission, self.shared_admission = RobotsLike(), RobotsLike()
        self.turn = 0
        self.closed_at = 0.0

    @initialize(
        max_weight=st.sampled_from((None, 1, 2, 3)),
        limits=st.sampled_from((PageLimits(), PageLimits(), PageLimits(site=3), PageLimits(host=2))),
        max_lost_leases=st.sampled_from((2, 3, 5)),
        robots=st.booleans(),
    )
    def begin(self, max_weight: int | None, limits: PageLimits, max_lost_leases: int, robots: bool) -> None:
        self.robots = robots
        self.options = {"max_weight": max_weight, "page_limits": limits, "max_lost_leases": max_lost_leases}
        self.open()

    def open(self) -> None:
        options = {**self.options, "lease_seconds": 60.0, "clock": self.clock}
        self.database = CrawlDatabase(Path(self.folder.name) / "crawl.db")
        self.file = SqliteFrontier(self.database, **options)
        self.workers = [RedisFrontier(self.client, "shop", known_urls=limit, **options) for limit in (6, 1000)]
        self.file.admission = self.file_admission if self.robots else None
        for worker in self.workers:
            worker.admission = self.shared_admission if self.robots else None

    def close(self) -> None:
        self.closed_at = self.clock()
        self.outdated[0] += self.file.counts().outdated
        self.outdated[1] += sum(one.counts().outdated for one in self.workers)
        self.file.close()
        self.database.close()
        for one in self.workers:
            one.close()

    def teardown(self) -> None:
        if self.options:
            self.close()
        self.folder.cleanup()

    @property
    def shared(self) -> RedisFrontier:
        """The workers in turns."""
        self.turn += 1
        return self.workers[self.turn % 2]

    def lease_of(self, place: int) -> Pair | None:
        """One of the leases so far, mostly one that may still hold."""
        return self.leases[-1 - place % len(self.leases)] if self.leases else None

    # --- in and out -----------------------------------------------------------------------------------------------

    @rule(links=st.lists(st.builds(Link, urls, st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=8))
    def add(self, links: list[Link]) -> None:
        links = [link if link.depth else replace(link, weight=0) for link in links]
        assert self.file.add(links) == self.shared.add(links)

    @rule(n=st.sampled_from((1, 2, 3, MANY)), owner=st.sampled_from(("one", "two")), busy=st.sets(hosts, max_size=2))
    def lease(self, n: int, owner: str, busy: set[str]) -> None:
        limited = bool(self.options["page_limits"])
        n = MANY if limited else n  # which of a host's URLs a limit cuts off depends on whose turn it is
        known = self.file.select("*", limit=MANY)
        suspects = any(info.lost for info in known)
        behind = limited and any(info.kind for info in known)
        file, shared = self.file.lease(n, owner, busy), self.shared.lease(n, owner, busy)
        # Suspects' groups are in the order of their last leases in Redis, of their numbers in the file. What is fetched
        # again counts in no limit, but may stand behind what has to wait for one.
        if not suspects and not behind:
            assert weights(file) == weights(shared)
            assert weights(file) == sorted(weights(file))
            if n == MANY and not limited:
                assert {lease.url for lease in file} == {lease.url for lease in shared}
        for one, other in zip(sorted(file, key=by_url), sorted(shared, key=by_url), strict=False):
            if one.url == other.url:
                assert told(one) == told(other)
        self.keep_common(file, shared)

    def keep_common(self, file: Sequence[Lease], shared: Sequence[Lease]) -> None:
        ours, theirs = ({lease.url: lease for lease in leases} for leases in (file, shared))
        self.leases += [Pair(ours[url], theirs[url]) for url in ours if url in theirs]
        self.file.release([lease for url, lease in ours.items() if url not in theirs])
        self.shared.release([lease for url, lease in theirs.items() if url not in ours])

    # --- the end of a lease ---------------------------------------------------------------------------------------

    @precondition(lambda self: self.leases)
    @rule(
        places=st.lists(numbers, min_size=1, max_size=3, unique=True),
        links=some_urls,
        relevant=st.booleans(),
        kind=st.sampled_from(PageKind),
        moved_to=st.one_of(st.none(), st.none(), urls),
        revisit=st.booleans(),
        unread=st.booleans(),
        main=urls,
    )
    def complete(
        self,
        places: list[int],
        links: tuple[str, ...],
        moved_to: str | None,
        revisit: bool,
        kind: PageKind,
        unread: bool,
        main: str,
        **more: Any,
    ) -> None:
        pairs = list({id(pair): pair for pair in map(self.lease_of, places) if pair}.values())
        both = []
        for pair in pairs:
            url = moved_to or pair.file.url
            its_kind = kind if url != pair.file.url or kind is not PageKind.REDIRECT else PageKind.INDEX
            kept = self.revisit(its_kind) if revisit else None
            told = () if unread else links if self.holds(pair) else [link for link in links if "private" not in link]
            named = main if its_kind is PageKind.ALIAS and not unread else ""
            done = Done(pair.file, url, its_kind, links=tuple(told), revisit=kept, unread=unread, main=named, **more)
            both.append((done, replace(done, lease=pair.shared)))
        self.file.complete([one for one, _ in both])
        self.shared.complete([other for _, other in both])

    def holds(self, pair: Pair) -> bool:
        """Whether a lease still holds. If not, a worker of Redis writes down what robots.txt keeps out all the same: it
        does so before it asks, so that a crash loses none.
        """
        query = "SELECT count(*) FROM urls WHERE id = ? AND token = ? AND state = 'R'"
        row = self.database.connection.execute(query, (pair.file.url_id, pair.file.token)).fetchone()
        return bool(row[0])

    def revisit(self, kind: PageKind) -> Revisit:
        now = self.clock()
        return Revisit(7, kind, True, 3600.0, now, now, now + 3600.0, '"tag"')

    @precondition(lambda self: self.leases)
    @rule(place=numbers, reason=st.sampled_from(REASONS), later=st.sampled_from((None, -1.0, 0.0, 30.0, 5000.0)))
    def fail(self, place: int, reason: str, later: float | None) -> None:
        if pair := self.lease_of(place):
            why = Failure(reason, None if later is None else self.clock() + later)
            self.file.fail(pair.file, why)
            self.shared.fail(pair.shared, why)

    @precondition(lambda self: self.leases)
    @rule(places=st.lists(numbers, min_size=1, max_size=3), reason=st.sampled_from(REASONS))
    def refuse(self, places: list[int], reason: str) -> None:
        pairs = self.pairs(places)
        self.file.cut_off([pair.file for pair in pairs], reason)
        self.shared.cut_off([pair.shared for pair in pairs], reason)
        if reason == FORBIDDEN:  # out of the queue again; workers take it for known until `readmit`, as a page's links
            for worker in self.workers:
                worker.known.clear()

    @precondition(lambda self: self.leases)
    @rule(places=st.lists(numbers, min_size=1, max_size=3))
    def release(self, places: list[int]) -> None:
        pairs = self.pairs(places)
        self.file.release([pair.file for pair in pairs])
        self.shared.release([pair.shared for pair in pairs])

    @precondition(lambda self: self.leases)
    @rule(places=st.lists(numbers, min_size=1, max_size=5))
    def extend(self, places: list[int]) -> None:
        pairs = self.pairs(places)
        self.file.extend([pair.file for pair in pairs])
        self.shared.extend([pair.shared for pair in pairs])

    @precondition(lambda self: self.leases)
    @rule(place=numbers, url=urls)
    def redirect(self, place: int, url: str) -> None:
        if pair := self.lease_of(place):
            assert self.file.redirect(pair.file, url) == self.shared.redirect(pair.shared, url)

    @rule(url=urls, main=urls)
    def ask_for_a_stand_in(self, url: str, main: str) -> None:
        assert self.file.stands_in(url, main) == self.shared.stands_in(url, main)

    def pairs(self, places: Collection[int]) -> list[Pair]:
        found = [pair for place in places if (pair := self.lease_of(place))]
        return list({id(pair): pair for pair in found}.values())

    # --- time and losses ------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from(MOMENTS))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds

    @rule(host=hosts, seconds=st.sampled_from((-5, 20, 500)))
    def pause_host(self, host: str, seconds: int) -> None:
        until = self.clock() + seconds
        self.file.pause_host(host, until)
        self.shared.pause_host(host, until)

    @rule()
    def forget(self) -> None:
        """A worker knows nothing any more, and Redis has lost its scripts."""
        self.shared.known.clear()
        self.client.script_flush()

    @rule(max_weight=st.sampled_from((None, 1, 2, 3)))
    def reopen(self, max_weight: int | None) -> None:
        """All ends, and goes on with another threshold. What is leased is handed back: the file's next crawl would take
        it over as lost, Redis's workers may come back to it.
        """
        self.file.release([pair.file for pair in self.leases])
        self.shared.release([pair.shared for pair in self.leases])
        self.close()
        self.options["max_weight"] = max_weight
        self.open()

    # --- by hand --------------------------------------------------------------------------------------------------

    @rule(pattern=patterns, count_only=st.booleans())
    def drop(self, pattern: str, count_only: bool) -> None:
        dropped = self.file.drop(pattern, count_only=count_only)
        assert dropped == self.shared.drop(pattern, count_only=count_only)

    @rule(pattern=patterns, chosen=states, count_only=st.booleans())
    def retry(self, pattern: str, chosen: set[UrlState], count_only: bool) -> None:
        moved = self.file.retry(pattern, chosen, count_only=count_only)
        assert moved == self.shared.retry(pattern, chosen, count_only=count_only)

    @rule(reason=st.sampled_from(REASONS))
    def recall(self, reason: str) -> None:
        assert self.file.recall(reason) == self.shared.recall(reason)

    @rule(pattern=patterns, forbids=st.sampled_from((None, lambda url: url.endswith("1"))))
    def readmit(self, pattern: str, forbids: Callable[[str], bool] | None) -> None:
        assert self.file.readmit(pattern, forbids) == self.shared.readmit(pattern, forbids)

    @rule(which=st.sampled_from(Recrawl))
    def recrawl(self, which: Recrawl) -> None:
        limits = Intervals(3600.0, 600.0, 36000.0)
        self.clock.now = max(self.clock.now, self.closed_at + JOIN_SECONDS)  # of Redis's workers the last may be late
        assert self.file.recrawl(which, limits) == self.shared.recrawl(which, limits)

    # --- what can be seen -----------------------------------------------------------------------------------------

    @precondition(lambda self: self.options)
    @invariant()
    def they_look_alike(self) -> None:
        """What few questions tell: each is a round trip, and there are as many of these as steps."""
        shared = self.workers[0]
        ours, theirs = (known(one.select("*", limit=MANY)) for one in (self.file, shared))
        assert ours == theirs, differences(ours, theirs)
        self.counts_agree(shared)
        assert self.file_admission.cut == self.shared_admission.cut
        assert self.file_admission.brought == self.shared_admission.brought

    @rule()
    def look_closely(self) -> None:
        """The rest: the way to each URL, and what is asked of few."""
        shared = self.workers[0]
        ours, theirs = (known(map(one.find, URLS)) for one in (self.file, shared))
        assert ours == theirs, differences(ours, theirs)
        assert self.file.revisits(URLS).keys() == shared.revisits(URLS).keys()
        assert self.file.waiting_of(HOSTS[:2]) == shared.waiting_of(HOSTS[:2])

    def counts_agree(self, shared: RedisFrontier) -> None:
        file, other = self.file.counts(), shared.counts()
        outdated = file.outdated, sum(one.outdated for one in self.workers)
        assert not file.ready_now or other.ready_now
        if other.ready_now:  # Redis: a queue with a place whose URL moved away is ready until somebody leases from it
            file, other = (replace(counts, ready_now=True, next_ready_at=None) for counts in (file, other))
        assert replace(file, outdated=0) == replace(other, outdated=0)
        assert self.outdated[0] + outdated[0] == self.outdated[1] + outdated[1]


def by_url(lease: Lease) -> str:
    return lease.url


def weights(leases: Sequence[Lease]) -> list[int]:
    return [lease.weight for lease in leases]


def told(lease: Lease) -> tuple[Any, ...]:
    return lease.url, lease.weight, lease.depth > 0, lease.attempt, lease.owner, lease.expires_at


def known(found: Iterable[UrlInfo | None]) -> dict[str, dict[str, Any]]:
    """URL → what is told of it. Without what was only seen in a link, of which they keep different things."""
    return {info.url: seen_of(info) for info in found if info and info.state}


def seen_of(info: UrlInfo) -> dict[str, Any]:
    """All but how deep a page is, once it is no start: a worker offers Redis no URL again that it knows with no more
    weight, so a shorter way of equal weight may stay unknown. Of several ways of one weight each keeps the one it came
    upon first, so of the way only the last weight counts. When suspects are due depends on their order (`lease`).
    """
    seen = asdict(info) | {"depth": info.depth > 0, "through": [weight for _, weight in info.through[-1:]]}
    return seen if info.lost < SUSPECT_LOSSES else seen | {"due_at": None}


@pytest.fixture
def machine(client: redis.Redis) -> type[BothFrontiers]:
    return type("Both", (BothFrontiers,), {"client": client})


def test_both_frontiers_decide_alike(machine: type[BothFrontiers]) -> None:
    run_both(machine, runs=20, steps=20)


@pytest.mark.slow
def test_both_frontiers_decide_alike_in_long_runs(machine: type[BothFrontiers]) -> None:
    """Half a minute for each 100 runs on a busy machine; a failure takes some minutes more to be made small."""
    run_both(machine, runs=400, steps=50)


def differences(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """URL → what is told of it by one alone, or by each in another way; for people who read of a failure."""
    urls = sorted(ours.keys() | theirs.keys())
    pairs = {url: (ours.get(url, {}), theirs.get(url, {})) for url in urls}
    return {
        url: {name: (one.get(name), other.get(name)) for name in one | other if one.get(name) != other.get(name)}
        for url, (one, other) in pairs.items()
        if one != other
    }
