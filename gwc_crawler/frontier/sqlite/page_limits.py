"""How many pages of a site and of each of its hosts are fetched at most, over all runs; decided when URLs are leased.

A page counts once, however often it is looked at again. What is over a limit becomes E; what only may be over it, since
others are being fetched, waits until they have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gwc_crawler.admission import PageLimits, over_text
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.frontier.sqlite.states import UrlStates
from gwc_crawler.items import RejectionReason
from gwc_crawler.politeness.robots import AdmissionCheck
from gwc_crawler.urls import host_of

ALL = ""
"""In the place of a host: all of them."""

CUT_AT_ONCE = 2000
"""So many URLs become E in one lease at most."""


class Quotas:
    """Counts pages by host in one database, where there is a limit at all.

    `begin` a lease, `take` the rows that may be leased of those that are next, until `spent`.
    """

    def __init__(self, queue_state: QueueState, states: UrlStates, limits: PageLimits) -> None:
        self._queue_state = queue_state
        self._states = states
        self._limits = limits
        self._pages: Counter[str] | None = None
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
        sql = self._queue_state.sql
        if self._pages is None:
            rows = sql.execute(
                "SELECT host, count(*) FROM urls WHERE kind IS NOT NULL AND kind <> 'redirect' GROUP BY host"
            )
            self._pages = _with_total(dict(rows.fetchall()))
        rows = sql.execute(
            "SELECT host, count(*) FROM urls INDEXED BY urls_leased WHERE state = 'R' AND kind IS NULL GROUP BY host"
        )
        self._running = _with_total(dict(rows.fetchall()))

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
        known = self._queue_state.sql.execute(
            f"SELECT id, queue, kind FROM urls WHERE id IN ({marks})",  # noqa: S608
            numbers,
        )
        facts = {number: (queue, kind) for number, queue, kind in known}
        taken = []
        for row in rows:
            queue, kind = facts[row[0]]
            host = host_of(row[1])
            reason = None if kind is not None else self._against(host, self._running)
            if reason is None:
                taken.append(row)
                if kind is None:
                    self._running.update((host, ALL))
            elif self._against(host, Counter()) is not None:
                self._give_up(row[0], row[1], reason, host, admission)
            else:
                self._full = reason is RejectionReason.SITE
                self._queue_state.offer_best(queue)
                self._queue_state.ready_queue.skip(queue)
        return taken

    def _against(self, host: str, running: Counter[str]) -> RejectionReason | None:
        """Which limit is reached, with what is *running*."""
        pages = self._pages or Counter()
        if 0 < self._limits.site <= pages[ALL] + running[ALL]:
            return RejectionReason.SITE
        return RejectionReason.HOST if 0 < self._limits.host <= pages[host] + running[host] else None

    def _give_up(
        self, number: int, url: str, reason: RejectionReason, host: str, admission: AdmissionCheck | None
    ) -> None:
        self._cut += 1
        self._queue_state.count("U", -1)
        self._states.give_up([number], over_text(reason, self._limits, host))
        if admission is not None:
            admission.cut_off(reason, url)

    def complete(self, number: int, url: str) -> None:
        """A page is about to become C: it counts if it is read for the first time."""
        if self._pages is not None:
            (kind,) = self._queue_state.sql.execute("SELECT kind FROM urls WHERE id = ?", (number,)).fetchone()
            if kind is None:
                self._pages.update((host_of(url), ALL))


def _with_total(by_host: dict[str, int]) -> Counter[str]:
    return Counter({**by_host, ALL: sum(by_host.values())})
