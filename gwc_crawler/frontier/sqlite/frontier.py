"""The frontier in one SQLite file: the default, for one crawl process; `kill -9` at any moment loses nothing.

Links of completed pages come in, leases go out. The table `urls` (gwc_crawler.store.sqlite) is the queue. The
memory is in `queue_state` (counts, turns), the moves between states in `listing`, the entry of URLs in `entry`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.admission import Admission, PageLimits
from gwc_crawler.frontier.order import is_followed, may_improve, page_weight
from gwc_crawler.frontier.protocol import DROPPED, FAILED, Chosen, Frontier, FrontierCounts, UrlInfo
from gwc_crawler.frontier.queues import QueuePolicy
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.frontier.sqlite import listing
from gwc_crawler.frontier.sqlite.entry import NO_THRESHOLD, Arrival, Arrivals, Entry, ForbiddenLinks, Quotas, best_of
from gwc_crawler.frontier.sqlite.listing import UrlStates, as_json
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.frontier.sqlite.revisits import Aliases, RevisitTable, read_revisits, write_revisits
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, Revisit, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase


class SqliteFrontier(Frontier):
    """A `Frontier` over one `CrawlDatabase`.

    Args:
        database: the file; several frontiers never share the object. Opened read-only, this is for looking.
        max_weight: pages of this tunnel weight or more are not followed; None: all are. A changed threshold also
            applies to known URLs: held links are entered, or waiting URLs held back.
        lease_seconds: how long a lease lasts unless extended.
        max_lost_leases: a URL whose leases ended without a word this often becomes E.
        exclusive: keep other crawls off the file, and take over the leases of an earlier process. False for a command
            that works on the queue of a running crawl, which notices the change.
        known_urls: how many URLs the memory of known ones holds.
        queue_of: URL → queue; None: each host is a queue, which costs nothing. URLs that wait stay where they are.
    Raises:
        StoreError: another crawl holds the file, or it can't be written.
    """

    def __init__(
        self,
        database: CrawlDatabase,
        *,
        max_weight: int | None = None,
        lease_seconds: float = 600.0,
        max_lost_leases: int = 5,
        exclusive: bool = True,
        known_urls: int = 300_000,
        queue_of: QueuePolicy | None = None,
        page_limits: PageLimits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._urls = database.urls
        self._sql = database.connection
        self._max_weight = max_weight
        self._lease_seconds = lease_seconds
        self._max_lost_leases = max_lost_leases
        self._exclusive = exclusive and not database.read_only
        self._clock = clock
        self._outdated = 0
        self.admission: Admission | None = None
        if self._exclusive:
            database.lock()
        try:
            self._queue_state = QueueState(database, clock, queue_of)
            self._ready_queue = self._queue_state.ready_queue
            self._states = UrlStates(self._queue_state)
            self._entry = Entry(self._queue_state, max_weight, known_urls)
            self._revisits = RevisitTable(self._queue_state)
            self._aliases = Aliases(database)
            self._kept_out = ForbiddenLinks(database)
            self._quotas = Quotas(self._queue_state, self._states, page_limits or PageLimits())
            if self._exclusive:
                with self._queue_state.step():  # earlier owners are gone, and the threshold may have changed
                    self._states.lose(math.inf, self._max_lost_leases)
                    self._entry.apply_threshold(self._states)
        except BaseException:
            self._database.unlock()
            raise

    def close(self) -> None:
        """Let go of the frontier. The database stays open: its owner closes it."""
        if self._exclusive:
            with suppress(StoreError):  # a round that seems not to be over costs the next one nothing
                self._revisits.end_rounds()
            self._database.unlock()

    # --- in and out -----------------------------------------------------------------------------------------------

    def add(self, links: Sequence[Link]) -> int:
        """Enter new URLs, lower the weight of known ones. A start (depth 0) has weight 0 whatever its page holds."""
        with self._queue_state.step():
            arrivals = Arrivals()
            ids = self._urls.ids([link.url for link in links])
            for number, link in zip(ids, links, strict=True):
                arrivals.offer(number, Arrival(link.weight, link.depth))
            return self._entry.take(arrivals)

    def lease(self, n: int, owner: str, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Give out the best *n*. Cost: O(n · log URLs), however many wait or rest."""
        if n <= 0:
            return []
        with self._queue_state.step():
            now = self._clock()
            self._states.lose(now, self._max_lost_leases)
            self._states.wake(now)
            self._ready_queue.pass_over(self._queue_state.queues_of_hosts(busy_hosts))
            self._quotas.begin()
            leases: list[Lease] = []
            while len(leases) < n and not self._quotas.spent and (rows := self._next_rows(n - len(leases))) is not None:
                leases += self._grant(self._quotas.take(rows, self.admission), owner, now)
            return leases

    def _next_rows(self, n: int) -> list[tuple[Any, ...]] | None:
        """Return the next URLs of one weight, at most *n*, the queues in turns; may be none. None: no queue has any."""
        weight, queues = self._ready_queue.take(n)
        share, extra = divmod(n, len(queues) or 1)
        picked = []
        for turn, queue in enumerate(queues):
            quota = share + (turn < extra)
            rows = self._sql.execute(
                "SELECT id, url, queue, kind, weight, depth, attempts FROM urls "
                "WHERE queue = ? AND weight = ? AND state = 'U' AND due_at IS NULL ORDER BY id LIMIT ?",
                (queue, weight, quota + 1),
            ).fetchall()
            if len(rows) > quota:
                self._ready_queue.offer(queue, weight)
            else:
                self._queue_state.offer_best(queue, above=weight)
            picked.append(rows[:quota])
        if len(picked) == 1:
            return picked[0]
        return [row for turn in zip_longest(*picked) for row in turn if row is not None] if picked else None

    def _grant(self, rows: Sequence[tuple[Any, ...]], owner: str, now: float) -> list[Lease]:
        token = self._queue_state.values.get("token", 0)
        until = now + self._lease_seconds
        leases = [
            Lease(url, number, weight, depth, attempts + 1, owner, token + place, until)
            for place, (number, url, *_, weight, depth, attempts) in enumerate(rows, 1)
        ]
        self._sql.executemany(
            "UPDATE urls SET state = 'R', attempts = ?, lease_owner = ?, lease_until = ?, token = ? WHERE id = ?",
            [(lease.attempt, owner, until, lease.token, lease.url_id) for lease in leases],
        )
        self._queue_state.values["token"] = token + len(rows)
        self._queue_state.count(UrlState.WAITING, -len(rows))
        self._queue_state.count(UrlState.RUNNING, len(rows))
        return leases

    # --- the end of a lease ---------------------------------------------------------------------------------------

    def complete(self, done: Sequence[Done]) -> None:
        with self._queue_state.step():
            held = self._held([item.lease for item in done])
            arrivals = Arrivals()
            kept: list[tuple[int, Revisit]] = []
            finished: dict[int, Done] = {}
            for item in done:
                under = held.pop(item.lease.token, None)
                if under is None:
                    self._outdated += 1
                    continue
                page = self._finish(item, under, arrivals)
                if page is not None:
                    finished[page] = item
                    if item.revisit is not None:
                        kept.append((page, item.revisit))
            write_revisits(self._sql, kept)
            self._entry.take(arrivals)
            if named := {page: item.main for page, item in finished.items() if item.main}:
                self._recall_aliases(self._aliases.note(named))
            if self.admission is not None:
                for page, item in finished.items():
                    self.admission.entered(item, self._entry.brought.get(page, ()))
                self._kept_out.note_of(self.admission)

    def fail(self, lease: Lease, why: Failure) -> None:
        with self._queue_state.step():
            if numbers := self._end([lease]):
                if why.retry_at is None:
                    self._states.give_up(numbers, why.reason)
                    if why.revisit is not None:
                        write_revisits(self._sql, [(lease.url_id, why.revisit)])
                    self._recall_aliases(numbers)
                else:
                    self._states.wait(numbers, why.retry_at, why.reason)

    def cut_off(self, leases: Sequence[Lease], reason: str) -> None:
        with self._queue_state.step():
            numbers = self._kept_out.take_in(self._end(leases), reason, at_most=len(leases))
            self._states.give_up(numbers, reason)

    def release(self, leases: Sequence[Lease]) -> None:
        with self._queue_state.step():
            numbers = self._end(leases)
            self._sql.executemany("UPDATE urls SET attempts = max(attempts - 1, 0) WHERE id = ?", zip(numbers))
            self._states.wait(numbers)

    def extend(self, leases: Sequence[Lease]) -> None:
        until = self._clock() + self._lease_seconds
        with self._queue_state.step():
            self._sql.executemany(
                "UPDATE urls SET lease_until = ? WHERE token = ? AND state = 'R'",
                [(until, lease.token) for lease in leases],
            )

    def _held(self, leases: Sequence[Lease]) -> dict[int, dict[int, Arrival]]:
        """Return token → the URLs under that lease, in order, with the best way to each; leases that are over: none."""
        under: dict[int, dict[int, Arrival]] = {}
        for token, number, weight, depth in self._sql.execute(
            "SELECT token, id, weight, depth FROM urls INDEXED BY urls_tokens "
            "WHERE state = 'R' AND token IN (SELECT value FROM json_each(?))",
            (as_json([lease.token for lease in leases]),),
        ).fetchall():
            under.setdefault(token, {})[number] = Arrival(weight, depth)
        holding = [lease for lease in leases if lease.url_id in under.get(lease.token, ())]
        return {lease.token: self._entry.in_order(lease, under[lease.token]) for lease in holding}

    def _end(self, leases: Sequence[Lease]) -> list[int]:
        """Return the URLs under the leases that still hold, taken off the count of R; the other leases are refused."""
        held = self._held(leases)
        self._outdated += len(leases) - len(held)
        numbers = [number for under in held.values() for number in under]
        self._queue_state.count(UrlState.RUNNING, -len(numbers))
        return numbers

    def _finish(self, done: Done, under: dict[int, Arrival], arrivals: Arrivals) -> int | None:
        """Mark all URLs under one lease C, and collect their links and targets; return the page's own number."""
        page = done.lease.url_id
        way: Arrival | None = best_of(under)
        if done.url != done.lease.url:
            page = self._urls.ids([done.url])[0]
            way = None if done.kind is PageKind.REDIRECT else self._entry.cover(done.lease, best_of(under), page)
        self._finish_redirects(under, page, is_page=way is not None)
        if way is None:
            arrivals.offer(page, replace(best_of(under), parent=done.lease.url_id))
            self._queue_state.count(UrlState.RUNNING, -len(under))
            return None
        self._queue_state.count(UrlState.RUNNING, -len({page, *under}))
        weight = page_weight(way.weight, relevant=done.relevant, start=way.depth == 0)
        self._quotas.complete(page, done.url)
        if done.unread:
            self._entry.stand_by(page, done.kind, weight, way.depth, arrivals)
        else:
            links: Sequence[str] = done.links
            if is_followed(weight, self._max_weight):
                news, links = self._entry.through(self.admission, links, weight, way.depth + 1)
                for number in self._urls.ids(news):
                    arrivals.offer(number, Arrival(weight, way.depth + 1, page))
            if weight > 0:
                self._entry.hold(page, self._urls.ids(links))
        self._states.complete(page, done.kind, weight, way.depth)
        return page

    def _finish_redirects(self, chain: dict[int, Arrival], end: int, *, is_page: bool) -> None:
        """Complete URLs that only name the next, up to *end*: they hand on the weight they were reached with."""
        moved = [number for number in chain if number != end or not is_page]
        weight = NO_THRESHOLD
        for number, target in pairwise([*moved, end]):
            weight = min(weight, chain[number].weight)
            self._states.complete(number, PageKind.REDIRECT, weight, chain[number].depth)
            if may_improve(weight, PageKind.REDIRECT, chain[number].depth):
                self._entry.hold(number, [target])
        self._revisits.forget(moved)

    # --- redirects and pauses -------------------------------------------------------------------------------------

    def redirect(self, lease: Lease, url: str) -> bool:
        with self._queue_state.step():
            under = self._held([lease]).get(lease.token)
            if under is None:
                return False
            target = self._urls.ids([url])[0]
            return self._entry.cover(lease, best_of(under), target) is not None

    def pause_host(self, host: str, until: float) -> None:
        with self._queue_state.step():
            self._queue_state.rest(host, until)

    # --- what people ask and do -----------------------------------------------------------------------------------

    def counts(self) -> FrontierCounts:
        """Return the counts of the crawl. Cost: a few look-ups, whatever the size."""
        with self._database.errors():
            self._queue_state.refresh()
            due = self._sql.execute("SELECT min(due_at) FROM urls WHERE state = 'U' AND due_at IS NOT NULL").fetchone()
        now = self._clock()
        ready_queue, values = self._ready_queue, self._queue_state.values
        later = [moment for moment in (due[0], *ready_queue.resting.values()) if moment is not None]
        waiting = values.get(UrlState.WAITING, 0)
        ready = waiting > 0 and (ready_queue.ready or any(moment <= now for moment in later))
        return FrontierCounts(
            waiting=waiting,
            running=values.get(UrlState.RUNNING, 0),
            complete=values.get(UrlState.COMPLETE, 0),
            error=values.get(UrlState.ERROR, 0),
            ready_now=ready,
            next_ready_at=min(later) if waiting and later and not ready else None,
            outdated=self._outdated,
        )

    def waiting_of(self, hosts: Collection[str]) -> int:
        with self._database.errors():
            self._queue_state.refresh()
        query = (
            "SELECT count(*) FROM urls INDEXED BY urls_ready "
            "WHERE queue IN (SELECT value FROM json_each(?)) AND state = 'U' AND due_at IS NULL"
        )
        return int(self._database.rows(query, (as_json(sorted(self._queue_state.queues_of_hosts(hosts))),))[0][0])

    def find(self, url: str) -> UrlInfo | None:
        with self._database.errors():
            number = self._urls.find(url)
            return None if number is None else listing.info_of(self._sql, number)

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        with self._database.errors():
            return listing.matching(self._sql, pattern, states, limit)

    def recall(self, reason: str) -> int:
        with self._queue_state.step():
            rows = self._database.rows("SELECT id FROM urls WHERE state = 'E' AND reason = ?", (reason,))
            return self._states.wait_again([number for (number,) in rows], as_new=True)

    def drop(self, pattern: Chosen, *, count_only: bool = False) -> int:
        with self._queue_state.step():
            numbers = listing.numbers_of(self._sql, pattern, [UrlState.WAITING])
            if not count_only:
                self._queue_state.count(UrlState.WAITING, -len(numbers))
                self._states.give_up(numbers, DROPPED)
                self._queue_state.fill_ready_queue()
            return len(numbers)

    def retry(self, pattern: Chosen = "*", states: Collection[UrlState] = FAILED, *, count_only: bool = False) -> int:
        with self._queue_state.step():
            enter = self._kept_out.count if count_only else self.readmit
            links = enter(pattern) if UrlState.ERROR in states and isinstance(pattern, str) else 0
            numbers = listing.numbers_of(self._sql, pattern, set(states) - {UrlState.RUNNING})
            if not count_only:
                self._states.wait_again(numbers, as_new=True)
            return links + len(numbers)

    def readmit(self, pattern: str, forbids: Callable[[str], bool] | None = None) -> int:
        with self._queue_state.step():
            links = self._kept_out.take(pattern, forbids)
            return self.add([link for link in links if is_followed(link.weight, self._max_weight)])

    # --- looking at fetched pages again ---------------------------------------------------------------------------

    def recrawl(self, which: Recrawl, limits: Intervals) -> int:
        with self._queue_state.step():
            return self._states.wait_again(self._revisits.asked_for(which, limits))

    def hasten(self, urls: Collection[str]) -> int:
        with self._queue_state.step():
            return self._states.wait_again(self._revisits.fetched(urls))

    def revisits(self, urls: Collection[str]) -> dict[str, Revisit]:
        return read_revisits(self._database, urls)

    def stands_in(self, url: str, main: str) -> bool:
        with self._database.errors():
            number = self._urls.find(main)
            if number is None or not self._aliases.of([number]):
                return False
        with self._queue_state.step():
            return self._aliases.has_first(url, main)

    def _recall_aliases(self, mains: Sequence[int]) -> None:
        """Let the first page to name each of *mains* that give no page wait again, to be read in its place."""
        aliases = [alias for alias in self._aliases.of(mains).values() if alias is not None]
        query = "SELECT id FROM urls WHERE id IN (SELECT value FROM json_each(?)) AND state = 'C' AND kind = 'alias'"
        if numbers := [row[0] for row in self._sql.execute(query, (as_json(aliases),))] if aliases else []:
            self._states.wait_again(numbers, as_new=True)
