"""A shared frontier whose server may be away for a while: the crawl pauses, nothing is lost, then it goes on.

Steps that end leases wait in an outbox, and are sent in order after those sent shortly before; one that is sent twice
has no second effect: its lease is over.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from gwc_crawler.errors import OutageError, StoreError
from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.protocol import Frontier, FrontierCounts
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.items import Done, Failure, Lease, Link, Revisit
from gwc_crawler.urls import KEPT_URLS

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_REST_SECONDS = 0.2
LONGEST_REST_SECONDS = 15.0
KEPT_SECONDS = 10.0
"""Age, at the server's last answer, of the oldest steps that are sent again after an outage: an AOF with
`appendfsync everysec` may lose two seconds, and a quick restart may go unnoticed until the next lease."""

FAREWELL_SECONDS = 5.0  # seconds for which `farewell`, or else `close`, tries to send the outbox


def _asked(name: str) -> Any:
    return lambda self, *args, **more: getattr(self.shared, name)(*args, **more)


class RetryingFrontier(Frontier):
    """A `Frontier` over another one that has just answered, and may raise `OutageError`.

    *clock*: monotonic seconds; *sleep*: how `close` waits.
    """

    def __init__(
        self,
        frontier: RedisFrontier,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.shared = frontier
        self._clock, self._sleep = clock, sleep
        self._outbox: deque[Callable[[], Any]] = deque()
        self._sent: deque[tuple[float, Callable[[], Any]]] = deque()
        self._away_since: float | None = None
        self._rest_seconds = FIRST_REST_SECONDS
        self._ask_again_at = 0.0
        self._starts: dict[str, Link] = {}  # the site's own, which begin a crawl; `_fed` are those from outside
        self._fed: dict[str, Link] = {}
        self._leave_by: float | None = None  # when `farewell` gave up
        self._refused = False
        self._last_counts = frontier.counts()
        self._last_part_counts: list[int] = [0] * frontier.parts

    @property
    def admission(self) -> Admission | None:
        """The check of URLs that may enter."""
        return self.shared.admission

    @admission.setter
    def admission(self, admission: Admission | None) -> None:
        self.shared.admission = admission

    @property
    def away(self) -> bool:
        """Whether the server did not answer the last time."""
        return self._away_since is not None

    def _reach(self, step: Callable[[], T], otherwise: T) -> T:
        """Run *step*, after all waiting steps, and return its answer; *otherwise* while the server is away."""
        if self.away and self._clock() < self._ask_again_at:
            return otherwise
        try:
            if self.away:
                self._send_again()
            while self._outbox:
                self._outbox[0]()
                self._sent.append((self._clock(), self._outbox.popleft()))
            answer = step()
        except OutageError as error:
            self._rest(error)
            return otherwise
        if self._away_since is not None:
            logger.warning("Redis is back, the crawl goes on after_seconds=%.1f", self._clock() - self._away_since)
            self._away_since = None
            self._rest_seconds = FIRST_REST_SECONDS
        while self._sent and self._sent[0][0] < self._clock() - KEPT_SECONDS:
            self._sent.popleft()
        return answer

    def _send_again(self) -> None:
        """Repeat the steps that the server may have lost; for those that it has not lost, the lease is over."""
        self.shared.greet()
        outdated = self.shared.outdated
        self.shared.add([*self._starts.values(), *self._fed.values()])  # a server without persistence comes back empty
        for _, step in self._sent:
            step()
        self.shared.outdated = outdated
        self._sent = deque((self._clock(), step) for _, step in self._sent)

    def _rest(self, error: OutageError) -> None:
        if self._away_since is None:
            self._away_since = self._clock()
            logger.warning("the crawl pauses until Redis is back, nothing is lost: %s", error)
        else:
            self._rest_seconds = min(2 * self._rest_seconds, LONGEST_REST_SECONDS)
        self._ask_again_at = self._clock() + self._rest_seconds

    def _send(self, step: Callable[[], Any]) -> None:
        self._outbox.append(step)
        self._reach(lambda: None, None)

    # --- the protocol ---------------------------------------------------------------------------------------------

    def lease(self, n: int, owner: str, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Give out the best *n*; nothing while the server is away."""
        return self._reach(lambda: self.shared.lease(n, owner, busy_hosts), [])

    def part_counts(self) -> list[int]:
        """Return how many URLs wait in each part; the last ones while the server is away."""
        self._last_part_counts = self._reach(self.shared.part_counts, self._last_part_counts)
        return list(self._last_part_counts)

    def complete(self, done: Sequence[Done]) -> None:
        pages = tuple(done)
        self._send(lambda: self.shared.complete(pages))

    def fail(self, lease: Lease, why: Failure) -> None:
        self._send(lambda: self.shared.fail(lease, why))

    def cut_off(self, leases: Sequence[Lease], reason: str) -> None:
        cut_off = tuple(leases)
        self._send(lambda: self.shared.cut_off(cut_off, reason))

    def release(self, leases: Sequence[Lease]) -> None:
        handed_back = tuple(leases)
        self._send(lambda: self.shared.release(handed_back))

    def extend(self, leases: Sequence[Lease]) -> None:
        """Start the lease time anew from now; left out while the server is away."""
        self._reach(lambda: self.shared.extend(leases), None)

    def beat(self, *, stopping: bool = False) -> None:
        """Extend all leases under way here, and the owned parts."""
        self._reach(lambda: self.shared.beat(stopping=stopping), None)

    def late(self, leases: Sequence[Lease]) -> set[int]:
        """Return the tokens of *leases* that are no longer valid; none while the server is away."""
        return self._reach(lambda: self.shared.late(leases), set())

    def redirect(self, lease: Lease, url: str) -> bool:
        """Have the lease cover *url* too; False while the server is away: then *url* is fetched for itself."""
        return self._reach(lambda: self.shared.redirect(lease, url), False)

    def stands_in(self, url: str, main: str) -> bool:
        """Say whether *url* is read in the place of *main*; False while the server is away: then it waits again."""
        return self._reach(lambda: self.shared.stands_in(url, main), False)

    def pause_host(self, host: str, until: float) -> None:
        self._send(lambda: self.shared.pause_host(host, until))

    def counts(self) -> FrontierCounts:
        """Return the counts of the crawl; while the server is away the last ones, with one waiting URL at least."""
        if (counts := self._reach(self.shared.counts, None)) is not None:
            self._last_counts = counts
            return counts
        again = time.time() + max(0.05, self._ask_again_at - self._clock())
        waiting = max(1, self._last_counts.waiting)
        return replace(self._last_counts, waiting=waiting, ready_now=False, next_ready_at=again)

    def add(self, links: Sequence[Link]) -> int:
        """Enter URLs that are new, lower the weight of known ones; returns how many were new. Raises OutageError."""
        self._starts.update((link.url, link) for link in links if link.depth == 0)
        return self.shared.add(links)

    def feed(self, url: str, meta: dict[str, Any]) -> None:
        """Enter a start URL from outside. Raises OutageError."""
        self._fed[url] = Link(url)
        if len(self._fed) > KEPT_URLS:
            del self._fed[next(iter(self._fed))]
        self.shared.feed(url, meta)

    def waiting_of(self, hosts: Collection[str]) -> int:
        """Return how many URLs of *hosts* could be leased now; 0 while the server is away."""
        return self._reach(lambda: self.shared.waiting_of(hosts), 0)

    # these are asked as they are, and raise OutageError
    find, select, drop, retry = _asked("find"), _asked("select"), _asked("drop"), _asked("retry")
    recrawl, hasten, recall, readmit = _asked("recrawl"), _asked("hasten"), _asked("recall"), _asked("readmit")

    def revisits(self, urls: Collection[str]) -> dict[str, Revisit]:
        """Return the data kept of *urls*; none while the server is away: pages are read as if for the first time."""
        return self._reach(lambda: self.shared.revisits(urls), {})

    async def farewell(self) -> None:
        """Try for a few seconds to send the remaining steps, if any; the event loop runs meanwhile."""
        leave_by = self._clock() + FAREWELL_SECONDS
        while not self._is_taken():
            if self._refused or self._clock() >= leave_by:
                self._leave_by = leave_by
                return
            await asyncio.sleep(self._pause_before(leave_by))

    def _pause_before(self, deadline: float) -> float:
        return max(0.01, min(deadline, self._ask_again_at) - self._clock())

    def close(self) -> None:
        """Release the frontier. Try for a few seconds, unless `farewell` gave up: the last batch comes after it."""
        deadline = self._clock() + FAREWELL_SECONDS if self._leave_by is None else self._leave_by
        while not self._is_taken(self.shared.close):
            if self._refused or self._clock() >= deadline:
                logger.error(
                    "Redis %s; pages whose leases can't be ended will be fetched again steps=%d leases=%d",
                    "refuses what is left" if self._refused else "is still away",
                    len(self._outbox),
                    len(self.shared.under_way),
                )
                return
            self._sleep(self._pause_before(deadline))

    def _is_taken(self, last: Callable[[], None] = lambda: None) -> bool:
        """Say whether the server has taken all steps, and *last* after them."""

        def step() -> bool:
            last()
            return True

        try:
            return self._reach(step, False)
        except StoreError:
            self._refused = True
            return False
