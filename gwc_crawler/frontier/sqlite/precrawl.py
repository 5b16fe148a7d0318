"""The frontier of a pre-crawl: start URLs before all others, then in three turns; too old pages wait again.

One URL of three is the best by weight, two are of the pre-crawl's own order (`Direction`), held in memory alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from gwc_crawler.frontier.admission import LIMIT
from gwc_crawler.frontier.protocol import DROPPED
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Lease, PageKind, UrlState
from gwc_crawler.urls import url_key

_TURNS = 3  # URLs leased per one that is leased by weight
_ROUNDS = 4  # maximum number of times that the order is asked again if the URLs it named can't be leased now


class Direction(Protocol):
    """An order of fetching, in numbers of URLs."""

    def found(self, number: int, url: str) -> object:
        """Hear of a URL that waits."""

    def was_fetched(self, url: str) -> None:
        """Hear of a URL that an earlier run has asked for."""

    def want(self, numbers: Iterable[int]) -> None:
        """Put these URLs next."""

    def take(self) -> int | None:
        """Name the next URL, which then counts as leased; None if there is none."""

    def leased(self, number: int) -> None:
        """Hear that a URL no longer waits."""

    def returned(self, number: int, url: str) -> None:
        """Hear that a URL waits again."""


class PrecrawlFrontier(SqliteFrontier):
    """A `SqliteFrontier` with the questions that only a pre-crawl asks, and its order."""

    _order: Direction | None = None
    _newest = 0  # the greatest number of a URL that the order has heard of
    _turn = 0

    # --- the order --------------------------------------------------------------------------------------------------

    def direct(self, order: Direction) -> None:
        """Lease two of three URLs by *order* from now on. Cost: walks the whole table, once."""
        self._order, self._newest = order, 0
        for (url,) in self._database.rows("SELECT url FROM urls WHERE attempts > 0 AND state <> 'U'"):
            order.was_fetched(url)

    def want(self, urls: Sequence[str]) -> None:
        """Have the order name the waiting ones of *urls* next."""
        if self._order is not None:
            with self._database.errors():
                known = [self._urls.find(url) for url in urls]
            self._order.want([number for number in known if number is not None])

    def lease(self, n: int, owner: str, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Give out *n*, by weight and by the order in turns. Cost: as in a crawl, and O(new URLs)."""
        if self._order is None or n <= 0:
            return super().lease(n, owner, busy_hosts)
        with self._queue_state.step():
            news = "SELECT id, url FROM urls WHERE id > ? AND state = 'U' ORDER BY id"
            for number, url in self._database.rows(news, (self._newest,)):
                self._order.found(number, url)
            self._newest = self._database.rows("SELECT coalesce(max(id), 0) FROM urls")[0][0]
            by_weight = sum((self._turn + place) % _TURNS == 0 for place in range(n))
            self._turn += n
            leases = self._lease_by_weight(by_weight, owner, busy_hosts)
            if len(leases) == by_weight:
                leases += self._lease_by_order(self._order, n - by_weight, owner, busy_hosts)
                leases += self._lease_by_weight(n - len(leases), owner, busy_hosts)
            return leases

    def release(self, leases: Sequence[Lease]) -> None:
        super().release(leases)
        if self._order is not None:
            for lease in reversed(leases):
                self._order.returned(lease.url_id, lease.url)

    def _lease_by_weight(self, n: int, owner: str, busy_hosts: Collection[str]) -> list[Lease]:
        leases = super().lease(n, owner, busy_hosts)
        if self._order is not None:
            for lease in leases:
                self._order.leased(lease.url_id)
        return leases

    def _lease_by_order(self, order: Direction, n: int, owner: str, busy_hosts: Collection[str]) -> list[Lease]:
        """Lease the URLs that the order names; URLs whose host is busy keep their place."""
        busy = self._queue_state.queues_of_hosts(busy_hosts)
        leases: list[Lease] = []
        resting: list[tuple[Any, ...]] = []
        for _ in range(_ROUNDS):
            named = [number for _ in range(n - len(leases)) if (number := order.take()) is not None]
            if not named:
                break
            ready: list[tuple[Any, ...]] = []
            for row, queue, rests in self._waiting_rows(named):
                (resting if rests or queue in busy else ready).append(row)
            leases += self._grant(ready, owner, self._clock())
        for number, url, *_ in reversed(resting):
            order.returned(number, url)
        return leases

    def _waiting_rows(self, numbers: Sequence[int]) -> list[tuple[tuple[Any, ...], int, bool]]:
        """Return for waiting *numbers*, except retries: the row for a lease, the queue, whether it rests."""
        rows = self._database.rows(
            "SELECT u.id, u.url, u.weight, u.depth, u.attempts, u.queue, q.not_before IS NOT NULL FROM urls AS u "
            "JOIN queues AS q ON q.id = u.queue "
            "WHERE u.id IN (SELECT value FROM json_each(?)) AND u.state = 'U' AND u.due_at IS NULL",
            (json.dumps(numbers),),
        )
        place = {number: place for place, number in enumerate(numbers)}
        return [(row[:5], row[5], bool(row[6])) for row in sorted(rows, key=lambda row: place[row[0]])]

    # --- questions ---------------------------------------------------------------------------------------------------

    def lease_first(self, urls: Sequence[str], owner: str) -> list[Lease]:
        """Lease the ready ones of *urls*, whatever else waits."""
        with self._queue_state.step():
            now = self._clock()
            self._states.lose(now, self._max_lost_leases)
            self._states.wake(now)
            rows = self._sql.execute(
                "SELECT u.id, u.url, u.weight, u.depth, u.attempts FROM urls AS u JOIN queues AS q ON q.id = u.queue "
                "WHERE u.md5 IN (SELECT value FROM json_each(?)) AND u.state = 'U' AND u.due_at IS NULL "
                "AND q.not_before IS NULL ORDER BY u.id",
                (json.dumps([url_key(url) for url in urls]),),
            ).fetchall()
            return self._grant(rows, owner, now)

    def unsettled(self, urls: Sequence[str]) -> int:
        """Return how many of *urls* wait or are leased."""
        infos = [self.find(url) for url in urls]
        return sum(info is not None and info.state in (UrlState.WAITING, UrlState.RUNNING) for info in infos)

    def pages(self) -> int:
        """Count the complete pages, without redirects and sitemaps. Cost: walks the whole table."""
        query = "SELECT count(*) FROM urls WHERE state = 'C' AND kind NOT IN (?, ?)"
        return int(self._database.rows(query, (PageKind.REDIRECT.value, PageKind.SITEMAP.value))[0][0])

    def let_old_wait(self, before: float) -> int:
        """Let URLs that ended before a time wait again as if new; return how many. Cost: walks the whole table."""
        with self._queue_state.step():
            query = "SELECT id, state FROM urls WHERE state IN ('C', 'E') AND done_at < ? AND reason IS NOT ?"
            rows = self._database.rows(query, (before, DROPPED))
            self._revisits.forget([number for number, state in rows if state == UrlState.COMPLETE])
            return self._states.wait_again([number for number, _ in rows])

    def asked(self) -> int:
        """Return how many requests were begun; redirects and robots.txt don't count. Cost: walks the whole table."""
        query = "SELECT coalesce(sum(attempts), 0) FROM urls WHERE coalesce(reason, '') NOT GLOB ?"
        return int(self._database.rows(query, (f"{LIMIT}*",))[0][0])

    def outcomes(self) -> list[tuple[str, int | None, bool]]:
        """Return for each URL that was asked for: URL, number of the page it was found on, whether it is a page."""
        rows = self._database.rows(
            "SELECT url, parent, state = 'C' AND kind NOT IN (?, ?) FROM urls "
            "WHERE state = 'C' OR (state = 'E' AND reason NOT GLOB ? AND reason <> ?)",
            (PageKind.REDIRECT.value, PageKind.MISSING.value, f"{LIMIT}*", DROPPED),
        )
        return [(url, parent, bool(good)) for url, parent, good in rows]

    def found_on(self, numbers: Sequence[int]) -> dict[int, int]:
        """Return numbers of URLs → the number of the page that each was found on, if any."""
        query = "SELECT id, parent FROM urls WHERE parent IS NOT NULL AND id IN (SELECT value FROM json_each(?))"
        return dict(self._database.rows(query, (json.dumps(numbers),)))

    def take_up_again(self) -> int:
        """Let URLs wait again that an earlier run left for errors; return how many. Cost: walks the whole table."""
        with self._queue_state.step():
            query = "SELECT id FROM urls WHERE state = 'E' AND reason GLOB ?"
            return self._states.wait_again([number for (number,) in self._database.rows(query, (f"{LIMIT}*",))])

    def take_up_linked(self, reason: str) -> list[int]:
        """Let URLs wait again that were left for *reason* and are linked on several pages, as by a site's navigation.

        Returns their numbers. Cost: walks the tables of URLs and of links.
        """
        with self._queue_state.step():
            rows = self._database.rows(
                "SELECT dst FROM link_ids WHERE dst IN (SELECT id FROM urls WHERE state = 'E' AND reason = ?) "
                "GROUP BY dst HAVING count(*) > 1",
                (reason,),
            )
            numbers = [number for (number,) in rows]
            self._states.wait_again(numbers)
            return numbers
