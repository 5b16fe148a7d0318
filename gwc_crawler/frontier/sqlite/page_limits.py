"""How many pages are fetched at most, over all runs; decided by `limit_against` when URLs are leased."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gwc_crawler.admission import CUT_AT_ONCE, PageLimits, limit_against
from gwc_crawler.frontier.protocol import AdmissionCheck
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.frontier.sqlite.states import UrlStates
from gwc_crawler.items import UrlState


class Quotas:
    """Counts pages in one database, where there is a limit at all.

    `begin` a lease, `take` the rows that may be leased of those that are next, until `spent`.
    """

    def __init__(self, queue_state: QueueState, states: UrlStates, limits: PageLimits) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql
        self._states = states
        self._limits = limits
        self._pages: Counter[str] | None = None
        """What `LimitKind.counted_with` names → pages."""
        self._running: Counter[str] = Counter()
        self._cut = 0
        self._full = False
        queue_state.database.on_rollback(self._forget)

    def _forget(self) -> None:
        self._pages = None

    def begin(self) -> None:
        """Count what is under way. The pages are counted at the first time, by a walk through the table."""
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

    def take(self, rows: Sequence[tuple[Any, ...]], admission: AdmissionCheck | None) -> list[tuple[Any, ...]]:
        """Return those of *rows* (id, URL, …) that may be leased; the others wait, or are over a limit for good."""
        if not self._limits or self._pages is None or not rows:
            return list(rows)
        numbers = [row[0] for row in rows]
        marks = ",".join("?" * len(numbers))
        known = self._sql.execute(
            f"SELECT id, queue, kind FROM urls WHERE id IN ({marks})",  # noqa: S608
            numbers,
        )
        facts = {number: (queue, kind) for number, queue, kind in known}
        taken = []
        for row in rows:
            number, url = row[:2]
            queue, page_kind = facts[number]
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
        """A page is about to become C: it counts if it is read for the first time."""
        if self._pages is not None:
            (kind,) = self._sql.execute("SELECT kind FROM urls WHERE id = ?", (number,)).fetchone()
            if kind is None:
                self._pages.update(self._names(url))
