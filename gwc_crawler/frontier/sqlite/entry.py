"""How URLs come into the file's queue: dedup, the least weight, held links, and improvements that are passed on.

In come arrivals (a URL's number, the weight it is reached with, the page it was found on). A new URL waits; a waiting
one moves up; a completed page whose weight falls by it enters its held links or passes the improvement on.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gwc_crawler.frontier.protocol import DROPPED, AdmissionCheck
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.frontier.sqlite.states import UrlStates, as_json
from gwc_crawler.frontier.weights import improved_weight, is_followed, may_improve
from gwc_crawler.items import Lease, PageKind, UrlState

logger = logging.getLogger(__name__)

NO_THRESHOLD = 1 << 30
"""Stands for `max_weight=None` in the file."""

CHAINS = 10_000
"""Of how many leases with redirects the order of their URLs is remembered: far more than are out at a time."""


@dataclass(slots=True)
class Arrival:
    """A way found to a URL: its weight, the depth it gives, and the page it was found on."""

    weight: int
    depth: int
    parent: int | None = None


def best_of(under: dict[int, Arrival]) -> Arrival:
    """The best of the ways to one page by any of its addresses."""
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
    """Takes arrivals in.

    Args:
        known_urls: of how many URLs it remembers that offering them again with no less weight changes nothing.
    """

    def __init__(self, queue_state: QueueState, max_weight: int | None, known_urls: int) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql
        self._max_weight = max_weight
        self._known_limit = known_urls
        self._known: dict[str, int] = {}
        self._chains: dict[int, list[int]] = {}
        """Token → the URLs that were put under its lease, in order. Leases end with their process, so this may, too."""
        self.brought: dict[int | None, list[str]] = {}
        """What the last `take` entered: urls.id of the page that brought it → URLs that nobody had admitted before."""
        queue_state.database.on_rollback(self._known.clear)

    def news(self, links: Iterable[str], weight: int) -> list[str]:
        """Those of *links* that are not surely known with *weight* or less. Cost: a dict lookup for each link."""
        known = self._known.get
        news = [link for link in links if known(link, NO_THRESHOLD) > weight]
        if news:
            if len(self._known) > self._known_limit:
                self._known.clear()
            self._known.update(dict.fromkeys(news, weight))
        return news

    def through(
        self, admission: AdmissionCheck | None, links: Sequence[str], weight: int, depth: int
    ) -> tuple[list[str], Sequence[str]]:
        """The `news` of *links* that admission lets pass, and the links without what it cuts off.

        What is cut off is not known: offered again, it is looked at again.
        """
        news = self.news(links, weight)
        if admission is None or not news or len(admitted := admission.admit(news, depth, weight)) == len(news):
            return news, links
        cut = set(news).difference(admitted)
        for link in cut:
            self._known.pop(link, None)
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
        """A way to a completed page: if its weight falls by it, its links are entered, or move up with it.

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
        if len(self._chains) > CHAINS:
            del self._chains[next(iter(self._chains))]
        return best

    def in_order(self, lease: Lease, under: dict[int, Arrival]) -> dict[int, Arrival]:
        """Sort what is *under* a lease as its redirects went: the leased URL, then each that the one before named."""
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
        """Bring what is known in line with a max_weight that is not the file's: enter held links, or hold back."""
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
