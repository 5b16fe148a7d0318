"""How URLs enter the file's queue: dedup, the least weight, held links, and improvements that are passed on.

In: arrivals (a URL's number, the weight it is reached with, the page it was found on). A new URL waits; a waiting
one moves up; a completed page whose weight falls by it enters its held links or passes the improvement on.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.frontier.admission import CUT_AT_ONCE, Admission, PageLimits, limit_against
from gwc_crawler.frontier.known_urls import KnownUrls
from gwc_crawler.frontier.order import improved_weight, is_followed, may_improve
from gwc_crawler.frontier.protocol import DROPPED
from gwc_crawler.frontier.sqlite.listing import UrlStates, as_json
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.items import Lease, Link, PageKind, UrlState
from gwc_crawler.network.politeness.robots import FORBIDDEN
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.urls import KEPT_URLS

logger = logging.getLogger(__name__)

NO_THRESHOLD = 1 << 30  # stands for `max_weight=None` in the file


@dataclass(slots=True)
class Arrival:
    """A way found to a URL: its weight, the depth it gives, and the page it was found on."""

    weight: int
    depth: int
    parent: int | None = None


def best_of(under: dict[int, Arrival]) -> Arrival:
    """Return the best of the ways to one page by any of its addresses."""
    return Arrival(min(way.weight for way in under.values()), min(way.depth for way in under.values()))


class Arrivals(dict[int, Arrival]):
    """urls.id → the best way found to it."""

    def offer(self, number: int, arrival: Arrival) -> None:
        """Keep the least weight and the least depth of all ways to one URL."""
        best = self.get(number)
        if best is None:
            self[number] = arrival
            return
        if arrival.weight < best.weight:
            best.weight, best.parent = arrival.weight, arrival.parent
        best.depth = min(best.depth, arrival.depth)


class Entry:
    """Takes arrivals in; remembers of *known_urls* URLs that an offer with no less weight changes nothing."""

    def __init__(self, queue_state: QueueState, max_weight: int | None, known_urls: int) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql
        self._max_weight = max_weight
        self.known = KnownUrls(known_urls)
        self._chains: dict[int, list[int]] = {}
        """Token → the URLs that were put under its lease, in order. Leases end with their process, so this may, too."""
        self.brought: dict[int | None, list[str]] = {}
        """The URLs that the last `take` entered: urls.id of the page that brought them → URLs never admitted before."""
        queue_state.database.on_rollback(self.known.clear)

    def through(
        self, admission: Admission | None, links: Sequence[str], weight: int, depth: int
    ) -> tuple[list[str], Sequence[str]]:
        """Return the *links* that may be new and pass admission, and *links* without those that it rejects.

        Rejected links do not become known: offered again, they are judged again.
        """
        news = self.known.news(links, weight)
        admitted = news if admission is None or not news else admission.admit(news, depth, weight)
        self.known.learn(admitted, weight)
        if len(admitted) == len(news):
            return news, links
        cut = set(news).difference(admitted)
        self.known.forget(cut)
        return admitted, [link for link in links if link not in cut]

    def take(self, arrivals: Arrivals) -> int:
        """Enter all, round by round until no improvement is left to pass on; returns how many URLs are new."""
        new = 0
        self.brought = {}
        while arrivals:
            passed_on = Arrivals()
            new += self._round(arrivals, passed_on)
            arrivals = passed_on
        return new

    def _round(self, arrivals: Arrivals, passed_on: Arrivals) -> int:
        rows = self._sql.execute(
            "SELECT id, url, host, state, kind, weight, depth, queue, due_at FROM urls "
            "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (as_json(list(arrivals)),),
        ).fetchall()
        now = self._queue_state.clock()
        new, better = [], []
        by_url = self._queue_state.queued_by == "url"
        complete, waiting = UrlState.COMPLETE, UrlState.WAITING  # a member looked up for each link would be dear
        for number, url, host, state, kind, weight, depth, queue, due_at in rows:
            arrival = arrivals[number]
            if state is None:
                queue = self._queue_state.queue_of(url if by_url else host)
                self.brought.setdefault(arrival.parent, []).append(url)
                new.append((arrival.weight, arrival.depth, arrival.parent, queue, now, number))
                self._ready_queue.offer(queue, arrival.weight)
            elif state == complete:
                self._improve_page(number, PageKind(kind), weight, depth, arrival, passed_on)
            elif arrival.weight < weight or arrival.depth < depth:
                lighter = arrival.weight < weight
                way = (min(arrival.weight, weight), min(arrival.depth, depth), lighter, arrival.parent)
                better.append((*way, number))
                if state == waiting and due_at is None:
                    self._ready_queue.offer(queue, arrival.weight)
        self._sql.executemany(
            "UPDATE urls SET state = 'U', weight = ?, depth = ?, parent = ?, queue = ?, added_at = ? WHERE id = ?", new
        )
        self._sql.executemany("UPDATE urls SET weight = ?, depth = ?, parent = iif(?, ?, parent) WHERE id = ?", better)
        self._queue_state.count(UrlState.WAITING, len(new))
        return len(new)

    def _improve_page(
        self, number: int, kind: PageKind, weight: int, depth: int, arrival: Arrival, passed_on: Arrivals
    ) -> None:
        """Enter a further way to a completed page: if its weight falls, its links are entered, or move up with it.

        Where a start URL leads to is a start, too: a redirect of no better weight hands that on.
        """
        start = arrival.depth == 0
        better = 0 if start and kind is not PageKind.REDIRECT else improved_weight(weight, kind, arrival.weight)
        hands_start_on = start and kind is PageKind.REDIRECT and depth > 0
        if better >= weight and not hands_start_on:
            return
        depth = min(depth, arrival.depth)
        self._sql.execute(
            "UPDATE urls SET weight = ?, depth = ?, parent = ? WHERE id = ?", (better, depth, arrival.parent, number)
        )
        self.stand_by(number, kind, better, depth, passed_on)

    def cover(self, lease: Lease, way: Arrival, target: int) -> Arrival | None:
        """Put *target* under the lease; returns the best way to it; None if it is complete, another's, or dropped."""
        state, token, weight, depth, reason = self._sql.execute(
            "SELECT state, token, weight, depth, reason FROM urls WHERE id = ?", (target,)
        ).fetchone()
        best = way if state is None else Arrival(min(weight, way.weight), min(depth, way.depth))
        if state == UrlState.RUNNING and token == lease.token:
            return best
        if state in (UrlState.COMPLETE, UrlState.RUNNING) or (state == UrlState.ERROR and reason == DROPPED):
            return None
        if state is not None:
            self._queue_state.count(state, -1)
        self._sql.execute(
            "UPDATE urls SET state = 'R', weight = ?, depth = ?, attempts = attempts + 1, lease_owner = ?, "
            "lease_until = (SELECT lease_until FROM urls WHERE id = ?), token = ?, due_at = NULL, "
            "parent = coalesce(parent, ?), added_at = coalesce(added_at, ?) WHERE id = ?",
            (
                *(best.weight, best.depth, lease.owner, lease.url_id, lease.token),
                *(lease.url_id, self._queue_state.clock(), target),
            ),
        )
        self._queue_state.count(UrlState.RUNNING, 1)
        self._chains.setdefault(lease.token, []).append(target)
        if len(self._chains) > KEPT_URLS:
            del self._chains[next(iter(self._chains))]
        return best

    def in_order(self, lease: Lease, under: dict[int, Arrival]) -> dict[int, Arrival]:
        """Sort the URLs *under* a lease by its redirects: the leased URL, then each that the one before named."""
        if len(under) == 1:
            return under
        chain = dict.fromkeys([lease.url_id, *self._chains.get(lease.token, ()), *under])
        return {number: under[number] for number in chain if number in under}

    # --- held links -----------------------------------------------------------------------------------------------

    def hold(self, page: int, links: Sequence[int]) -> None:
        """Keep a page's admitted links for the day its weight falls."""
        self._sql.execute(
            "INSERT OR REPLACE INTO held_links (url_id, links) VALUES (?, ?)", (page, array("q", links).tobytes())
        )

    def stand_by(self, page: int, kind: PageKind, weight: int, depth: int, arrivals: Arrivals) -> None:
        """Offer a page's held links with the weight it has now, which may have fallen since they were put there."""
        if is_followed(weight, self._max_weight):
            self._enter_held(page, kind, weight, depth, arrivals)
        if not may_improve(weight, kind, depth):
            self._sql.execute("DELETE FROM held_links WHERE url_id = ?", (page,))

    def _enter_held(self, page: int, kind: PageKind, weight: int, depth: int, arrivals: Arrivals) -> None:
        row = self._sql.execute("SELECT links FROM held_links WHERE url_id = ?", (page,)).fetchone()
        step = 0 if kind is PageKind.REDIRECT else 1
        for link in array("q", row[0] if row else b""):
            arrivals.offer(link, Arrival(weight, depth + step, page))

    def apply_threshold(self, states: UrlStates) -> None:
        """Bring known URLs in line with a max_weight that is not the file's: enter held links, or hold URLs back."""
        new = NO_THRESHOLD if self._max_weight is None else self._max_weight
        old = self._queue_state.values.get("max_weight", new)
        self._queue_state.values["max_weight"] = new
        if new == old:
            return
        arrivals = Arrivals()
        for number, kind, weight, depth in self._sql.execute(
            "SELECT id, kind, weight, depth FROM held_links JOIN urls ON id = url_id "
            "WHERE state = 'C' AND weight >= ? AND weight < ?",
            (old, new),
        ).fetchall():
            self._enter_held(number, PageKind(kind), weight, depth, arrivals)
        entered = self.take(arrivals)
        rows = self._sql.execute("SELECT id FROM urls WHERE state = 'U' AND weight >= ? AND depth > 0", (new,))
        beyond = [row[0] for row in rows.fetchall()]
        if beyond:
            states.hold_back(beyond)
        logger.info("threshold changed old=%d new=%d urls_entered=%d urls_held_back=%d", old, new, entered, len(beyond))


class ForbiddenLinks:
    """The links that robots.txt keeps out of one frontier; called inside its transactions."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._urls = database.urls
        self._sql = database.connection

    def note_of(self, admission: Admission) -> None:
        """Write down what *admission* keeps out; the least weight of several counts."""
        if links := list(admission.forbidden):
            ids = self._urls.ids([link.url for link in links])
            self._note([(number, link.weight, link.depth) for number, link in zip(ids, links, strict=True)])
            admission.forbidden.clear()

    def _note(self, ways: Sequence[tuple[int, int, int]]) -> None:
        self._sql.executemany(
            "INSERT INTO refused_links VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
            "weight = min(weight, excluded.weight), depth = min(depth, excluded.depth)",
            ways,
        )

    def take_in(self, numbers: list[int], reason: str, *, at_most: int) -> list[int]:
        """Make links of leased URLs that robots.txt forbids, as if the rules had been known when they were found.

        Returns the others: starts (somebody has to be told), and fetched ones; all if there are more than *at_most*,
        since some led to others.
        """
        if reason != FORBIDDEN or len(numbers) > at_most:
            return numbers
        ways = self._sql.execute(
            "SELECT id, weight, depth FROM urls WHERE id IN (SELECT value FROM json_each(?)) "
            "AND depth > 0 AND kind IS NULL",
            (json.dumps(numbers),),
        ).fetchall()
        self._note(ways)
        self._sql.executemany(
            "UPDATE urls SET state = NULL, reason = NULL, attempts = max(attempts - 1, 0), lease_owner = NULL, "
            "lease_until = NULL WHERE id = ?",
            [way[:1] for way in ways],
        )
        taken = {way[0] for way in ways}
        return [number for number in numbers if number not in taken]

    def count(self, pattern: str) -> int:
        """Return how many match a shell pattern."""
        row = self._sql.execute(
            "SELECT count(*) FROM refused_links JOIN urls ON id = url_id WHERE url GLOB ?", (pattern,)
        ).fetchone()
        return int(row[0])

    def take(self, pattern: str, forbids: Callable[[str], bool] | None = None) -> list[Link]:
        """Take out those that match a shell pattern and that *forbids* does not name."""
        rows = self._sql.execute(
            "SELECT url_id, url, refused_links.weight, refused_links.depth FROM refused_links JOIN urls ON id = url_id "
            "WHERE url GLOB ? ORDER BY url_id",
            (pattern,),
        ).fetchall()
        chosen = [row for row in rows if forbids is None or not forbids(row[1])]
        self._sql.executemany("DELETE FROM refused_links WHERE url_id = ?", [(row[0],) for row in chosen])
        return [Link(url, weight, depth) for _, url, weight, depth in chosen]


class Quotas:
    """Counts pages, if there is a limit at all: `begin` a lease, `take` the rows that may be leased, until `spent`."""

    def __init__(self, queue_state: QueueState, states: UrlStates, limits: PageLimits) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql
        self._states = states
        self._limits = limits
        self._pages: Counter[str] | None = None  # value of `LimitKind.counted_with` → pages
        self._running: Counter[str] = Counter()
        self._cut = 0
        self._full = False
        queue_state.database.on_rollback(self._forget)

    def _forget(self) -> None:
        self._pages = None

    def begin(self) -> None:
        """Count the URLs under way. The pages are counted at the first call, by a walk through the table."""
        self._cut = 0
        self._full = False
        if not self._limits:
            return
        if self._pages is None:
            self._pages = self._count(
                self._sql.execute("SELECT url FROM urls WHERE kind IS NOT NULL AND kind <> 'redirect'")
            )
        self._running = self._count(
            self._sql.execute("SELECT url FROM urls INDEXED BY urls_leased WHERE state = 'R' AND kind IS NULL")
        )

    def _count(self, rows: Iterable[tuple[str]]) -> Counter[str]:
        return Counter(name for (url,) in rows for name in self._names(url))

    def _names(self, url: str) -> list[str]:
        return [kind.counted_with(url) for kind, _ in self._limits.set()]

    @property
    def spent(self) -> bool:
        """Whether this lease shall look no further: the site is full for now, or enough was cut off."""
        return self._full or self._cut >= CUT_AT_ONCE

    def take(self, rows: Sequence[tuple[Any, ...]], admission: Admission | None) -> list[tuple[Any, ...]]:
        """Return the *rows* (id, URL, queue, kind, …) that may be leased; others wait, or are over a limit for good."""
        if not self._limits or self._pages is None:
            return list(rows)
        taken = []
        for row in rows:
            number, url, queue, page_kind = row[:4]
            reached = None if page_kind else limit_against(url, self._limits, self._pages, self._running)
            if reached is None:
                taken.append(row)
                if not page_kind:
                    self._running.update(self._names(url))
            elif reached.for_good:
                self._cut += 1
                self._queue_state.count(UrlState.WAITING, -1)
                self._states.give_up([number], reached.kind.text(reached.most, url))
                if admission is not None:
                    admission.cut_off(reached.kind.reason, url)
            else:
                self._full = self._full or not reached.kind.counted_with(url)
                self._queue_state.offer_best(queue)
                self._ready_queue.skip(queue)
        return taken

    def complete(self, number: int, url: str) -> None:
        """Count a page that is about to become C, if it is read for the first time."""
        if self._pages is not None:
            (kind,) = self._sql.execute("SELECT kind FROM urls WHERE id = ?", (number,)).fetchone()
            if kind is None:
                self._pages.update(self._names(url))
