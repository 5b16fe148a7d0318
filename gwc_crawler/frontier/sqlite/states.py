"""The moves between the states of a URL in the file: R → C, R → U, R → E, and back by hand. `SqliteFrontier` decides.

A move changes the row, the counts and the turns together. Whoever calls it has taken the URL off its old state's count.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

from gwc_crawler.frontier.losses import LEASES_LOST, SUSPECT_AFTER_LOSSES, convicted, groups
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.items import PageKind, UrlState

logger = logging.getLogger(__name__)

LAST_NOW = "now"
"""Name of the value that says when URLs were leased last, in whole seconds since 1970."""


class UrlStates:
    """Moves URLs, by number, between states."""

    def __init__(self, queue_state: QueueState) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql

    def complete(self, number: int, kind: PageKind, weight: int) -> None:
        """→ C, with the page's own weight."""
        self._sql.execute(
            "UPDATE urls SET state = 'C', kind = ?, weight = ?, reason = NULL, lost = 0, lease_owner = NULL, "
            "lease_until = NULL, done_at = ? WHERE id = ?",
            (kind.value, weight, self._queue_state.clock(), number),
        )
        self._queue_state.count(UrlState.COMPLETE, 1)

    def give_up(self, numbers: Sequence[int], reason: str) -> None:
        """→ E."""
        now = self._queue_state.clock()
        self._sql.executemany(
            "UPDATE urls SET state = 'E', reason = ?, lease_owner = NULL, lease_until = NULL, due_at = NULL, "
            "done_at = ? WHERE id = ?",
            [(reason, now, number) for number in numbers],
        )
        self._queue_state.count(UrlState.ERROR, len(numbers))

    def wait(self, numbers: Sequence[int], due_at: float | None = None, reason: str | None = None) -> None:
        """→ U, not to be leased before *due_at*. An older reason stays unless a new one is given."""
        if due_at is not None and due_at <= self._queue_state.clock():
            due_at = None
        for number in numbers:
            queued_by, queue, weight = self._sql.execute(
                f"SELECT {self._queue_state.queued_by}, queue, weight FROM urls WHERE id = ?",  # noqa: S608
                (number,),
            ).fetchone()
            queue = queue or self._queue_state.queue_of(queued_by)
            self._sql.execute(
                "UPDATE urls SET state = 'U', due_at = ?, reason = coalesce(?, reason), lease_owner = NULL, "
                "lease_until = NULL, queue = ? WHERE id = ?",
                (due_at, reason, queue, number),
            )
            if due_at is None:
                self._ready_queue.offer(queue, weight)
        self._queue_state.count(UrlState.WAITING, len(numbers))

    def wait_again(self, numbers: Sequence[int]) -> None:
        """→ U at once, many of them, attempts and losses forgotten. Cost: 2 µs a URL."""
        chosen = as_json(numbers)
        self._sql.execute(
            "UPDATE urls SET state = 'U', reason = NULL, attempts = 0, lost = 0, due_at = NULL "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (chosen,),
        )
        without_queue = self._sql.execute(  # the target of a redirect was never in one
            f"SELECT {self._queue_state.queued_by}, id FROM urls "  # noqa: S608  # constants
            "WHERE queue IS NULL AND id IN (SELECT value FROM json_each(?))",
            (chosen,),
        ).fetchall()
        self._sql.executemany(
            "UPDATE urls SET queue = ? WHERE id = ?",
            [(self._queue_state.queue_of(queued_by), number) for queued_by, number in without_queue],
        )
        self._queue_state.count(UrlState.WAITING, len(numbers))
        self._queue_state.fill_ready_queue()

    def forget_attempts(self, numbers: Sequence[int]) -> None:
        """Attempts and losses start from 0."""
        self._sql.executemany("UPDATE urls SET attempts = 0, lost = 0 WHERE id = ?", [(n,) for n in numbers])

    def recall(self, reason: str) -> int:
        """E → U, for those that were given up for *reason*; returns how many."""
        rows = self._sql.execute("SELECT id FROM urls WHERE state = 'E' AND reason = ?", (reason,)).fetchall()
        numbers = [row[0] for row in rows]
        self._queue_state.count(UrlState.ERROR, -len(numbers))
        self.forget_attempts(numbers)
        self.wait(numbers)
        return len(numbers)

    def recall_arrival_weight(self, numbers: Sequence[int]) -> None:
        """Before C → U: the column gets the weight the page was reached with again, as its parent page tells it."""
        arrivals = self._sql.execute(
            "SELECT coalesce(p.weight, iif(u.kind = 'redirect', u.weight, max(u.weight - 1, 0))), u.id FROM urls AS u "
            "LEFT JOIN urls AS p ON p.id = u.parent AND p.state = 'C' "
            "WHERE u.id IN (SELECT value FROM json_each(?))",
            (as_json(numbers),),
        ).fetchall()
        self._sql.executemany("UPDATE urls SET weight = ? WHERE id = ?", arrivals)

    def hold_back(self, numbers: Sequence[int]) -> None:
        """U → not in the queue any more (state NULL): known, but no page that is followed leads to it."""
        self._sql.executemany("UPDATE urls SET state = NULL, due_at = NULL WHERE id = ?", [(n,) for n in numbers])
        self._queue_state.count(UrlState.WAITING, -len(numbers))
        self._queue_state.fill_ready_queue()

    def lose(self, until: float, max_lost: int) -> list[int]:
        """Take back the leases that ran out by *until* without a word; returns their numbers. The rule: `losses`."""
        rows = self._sql.execute(
            "SELECT id, lost + 1 FROM urls INDEXED BY urls_leased WHERE state = 'R' AND lease_until <= ?", (until,)
        ).fetchall()
        if not rows:
            return []
        losses = dict(sorted(rows))
        self._sql.executemany("UPDATE urls SET lost = ? WHERE id = ?", [(lost, number) for number, lost in rows])
        self._queue_state.count(UrlState.RUNNING, -len(rows))
        suspects = {number: lost for number, lost in losses.items() if lost >= SUSPECT_AFTER_LOSSES}
        if (culprit := convicted(losses, max_lost)) is not None:
            self.give_up([culprit], LEASES_LOST % max_lost)
            suspects.pop(culprit, None)
        self.wait([number for number in losses if number not in suspects and number != culprit])
        now = self._queue_state.clock()
        for number, seconds in groups(suspects):
            self.wait([number], due_at=now + seconds)
        logger.info("took back leases count=%d suspects=%d given_up=%s", len(rows), len(suspects), culprit)
        return list(losses)

    def wake(self, now: float) -> None:
        """What waited for a time that has come is ready."""
        values = self._queue_state.values
        if values.get(LAST_NOW, 0) > now + 1:
            self._put_back(values[LAST_NOW] - now)
        values[LAST_NOW] = int(now)
        due = self._sql.execute(
            "UPDATE urls SET due_at = NULL WHERE state = 'U' AND due_at IS NOT NULL AND due_at <= ? "
            "RETURNING queue, weight",
            (now,),
        ).fetchall()
        for queue, weight in due:
            self._ready_queue.offer(queue, weight)
        for queue in self._ready_queue.awaken(now):
            self._sql.execute("UPDATE queues SET not_before = NULL WHERE id = ?", (queue,))
            self._queue_state.offer_best(queue)

    def _put_back(self, seconds: float) -> None:
        """The clock was put back: what was to wait for a while waits for that while from now on, not till then."""
        logger.info("the clock was put back, waits go on as they were seconds=%d", seconds)
        self._sql.execute("UPDATE urls SET due_at = due_at - ? WHERE state = 'U' AND due_at IS NOT NULL", (seconds,))
        self._sql.execute("UPDATE queues SET not_before = not_before - ? WHERE not_before IS NOT NULL", (seconds,))
        self._queue_state.fill_ready_queue()


def as_json(numbers: Sequence[int]) -> str:
    """Numbers for `IN (SELECT value FROM json_each(?))`: any count of them in one prepared statement."""
    return json.dumps(numbers)
