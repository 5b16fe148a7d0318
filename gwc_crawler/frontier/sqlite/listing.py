"""The URLs of the file, one by one: questions that people ask about them, and moves from state to state."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from gwc_crawler.frontier.order import LEASES_LOST, SUSPECT_AFTER_LOSSES, convicted, groups
from gwc_crawler.frontier.protocol import Chosen, UrlInfo
from gwc_crawler.frontier.sqlite.queue_state import QueueState
from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.urls import url_key

logger = logging.getLogger(__name__)

_COLUMNS = (
    "parent, url, state, kind, weight, depth, attempts, lost, reason, host, lease_owner, lease_until, due_at, "
    "added_at, done_at"
)


def info_of(sql: sqlite3.Connection, number: int) -> UrlInfo:
    """Return all about one URL."""
    row = sql.execute(f"SELECT {_COLUMNS} FROM urls WHERE id = ?", (number,)).fetchone()  # noqa: S608  # constants
    way: list[tuple[str, int]] = []
    page, seen = row[0], set[int]()
    while page is not None and page not in seen:
        seen.add(page)
        url, weight, page = sql.execute("SELECT url, weight, parent FROM urls WHERE id = ?", (page,)).fetchone()
        way.append((url, weight))
    return _info(row, tuple(reversed(way)))


def matching(sql: sqlite3.Connection, pattern: str, states: Collection[UrlState], limit: int) -> list[UrlInfo]:
    """Return the first *limit* by weight and number that match *pattern* in one of *states* (none named: any)."""
    condition, values = _condition(pattern, states)
    rows = sql.execute(
        f"SELECT {_COLUMNS} FROM urls WHERE {condition} ORDER BY weight, id LIMIT ?",  # noqa: S608  # constants
        (*values, limit),
    )
    return [_info(row) for row in rows.fetchall()]


def numbers_of(sql: sqlite3.Connection, pattern: Chosen, states: Collection[UrlState]) -> list[int]:
    """Return the numbers of the URLs that match, of those in *states* alone: none named means none."""
    if not states:
        return []
    condition, values = _condition(pattern, states)
    rows = sql.execute(f"SELECT id FROM urls WHERE {condition}", values)  # noqa: S608  # constants
    return [number for (number,) in rows.fetchall()]


def _condition(pattern: Chosen, states: Collection[UrlState]) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL condition and its values. A pattern that means one URL is looked up by its key, not by a walk."""
    wanted = (not states, json.dumps([state.value for state in states]))
    in_states = "(? OR state IN (SELECT value FROM json_each(?)))"
    if not isinstance(pattern, str):
        keys = json.dumps(list(map(url_key, pattern)))
        return f"md5 IN (SELECT value FROM json_each(?)) AND {in_states}", (keys, *wanted)  # noqa: S608  # constants
    if (url := only_url(pattern)) is not None:
        return f"md5 = ? AND {in_states}", (url_key(url), *wanted)
    return f"url GLOB ? AND {in_states}", (pattern, *wanted)


def only_url(pattern: str) -> str | None:
    """Return the one text that *pattern* matches, if it has no wildcards but escaped ones (`glob.escape`).

    >>> only_url("http://a.example/?id=1"), only_url("http://a.example/[?]id=1")
    (None, 'http://a.example/?id=1')
    """
    parts = re.split(r"\[([*?[])\]", pattern)
    return None if re.search(r"[*?[]", "".join(parts[::2])) else "".join(parts)


def _info(row: tuple[Any, ...], way: tuple[tuple[str, int], ...] = ()) -> UrlInfo:
    _, url, state, kind, *rest, done_at = row
    state = UrlState(state) if state else None
    kind = PageKind(kind) if kind else None
    ended = state in (UrlState.COMPLETE, UrlState.ERROR)
    return UrlInfo(url, state, kind, *(*rest, done_at if ended else None, way))


LAST_NOW = "now"  # name of the value that says when URLs were leased last, in whole seconds since 1970


class UrlStates:
    """Moves URLs, by number, between states."""

    def __init__(self, queue_state: QueueState) -> None:
        self._queue_state = queue_state
        self._ready_queue = queue_state.ready_queue
        self._sql = queue_state.sql

    def complete(self, number: int, kind: PageKind, weight: int, depth: int) -> None:
        """Set the state C, with the page's own weight, and the depth of the best way to it by any of its addresses."""
        self._sql.execute(
            "UPDATE urls SET state = 'C', kind = ?, weight = ?, depth = ?, hits = hits + 1, reason = NULL, lost = 0, "
            "lease_owner = NULL, lease_until = NULL, done_at = ? WHERE id = ?",
            (kind.value, weight, depth, self._queue_state.clock(), number),
        )
        self._queue_state.count(UrlState.COMPLETE, 1)

    def give_up(self, numbers: Sequence[int], reason: str) -> None:
        """Set the state E."""
        now = self._queue_state.clock()
        self._sql.executemany(
            "UPDATE urls SET state = 'E', reason = ?, lease_owner = NULL, lease_until = NULL, due_at = NULL, "
            "done_at = ? WHERE id = ?",
            [(reason, now, number) for number in numbers],
        )
        self._queue_state.count(UrlState.ERROR, len(numbers))

    def wait(self, numbers: Sequence[int], due_at: float | None = None, reason: str | None = None) -> None:
        """Set the state U, not to be leased before *due_at*. An older reason stays unless a new one is given."""
        if due_at is not None and due_at <= self._queue_state.clock():
            due_at = None
        chosen = as_json(numbers)
        without_queue = self._sql.execute(  # the target of a redirect was never in one
            f"SELECT {self._queue_state.queued_by}, id FROM urls "  # noqa: S608  # constants
            "WHERE queue IS NULL AND id IN (SELECT value FROM json_each(?))",
            (chosen,),
        ).fetchall()
        self._sql.executemany(
            "UPDATE urls SET queue = ? WHERE id = ?",
            [(self._queue_state.queue_of(queued_by), number) for queued_by, number in without_queue],
        )
        self._sql.execute(
            "UPDATE urls SET state = 'U', due_at = ?, reason = coalesce(?, reason), lease_owner = NULL, "
            "lease_until = NULL WHERE id IN (SELECT value FROM json_each(?))",
            (due_at, reason, chosen),
        )
        if due_at is None:
            sql = "SELECT queue, min(weight) FROM json_each(?) JOIN urls u ON u.id = value GROUP BY 1 ORDER BY min(key)"
            for queue, weight in self._sql.execute(sql, (chosen,)).fetchall():
                self._ready_queue.offer(queue, weight)
        self._queue_state.count(UrlState.WAITING, len(numbers))

    def wait_again(self, numbers: Sequence[int], *, as_new: bool = False) -> int:
        """Let URLs that are not leased wait now, attempts and losses forgotten; return how many. Cost: O(those).

        *as_new*: what is kept of complete ones for their next look is dropped, too; else why they failed is.
        """
        chosen = as_json(numbers)
        query = "SELECT id, state FROM urls WHERE id IN (SELECT value FROM json_each(?))"
        rows = self._sql.execute(query, (chosen,)).fetchall()
        for state, count in Counter(state for _, state in rows).items():
            self._queue_state.count(state, -count)
        complete = as_json([number for number, state in rows if state == UrlState.COMPLETE])
        self._recall_arrival_weight(complete)
        if as_new:
            self._sql.execute("DELETE FROM revisits WHERE id IN (SELECT value FROM json_each(?))", (complete,))
        self._sql.execute(
            "UPDATE urls SET attempts = 0, lost = 0, reason = iif(?, reason, NULL) "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (as_new, chosen),
        )
        self.wait(numbers)
        return len(numbers)

    def _recall_arrival_weight(self, numbers: str) -> None:
        """Before C → U: the column gets the weight the page was reached with again, as its parent page tells it."""
        arrivals = self._sql.execute(
            "SELECT coalesce(p.weight, iif(u.kind = 'redirect', u.weight, max(u.weight - 1, 0))), u.id FROM urls AS u "
            "LEFT JOIN urls AS p ON p.id = u.parent AND p.state = 'C' "
            "WHERE u.id IN (SELECT value FROM json_each(?))",
            (numbers,),
        ).fetchall()
        self._sql.executemany("UPDATE urls SET weight = ? WHERE id = ?", arrivals)

    def hold_back(self, numbers: Sequence[int]) -> None:
        """Take URLs in U out of the queue (state NULL): known, but no page that is followed leads to them."""
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
        """Make URLs ready whose waiting time is over."""
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
        """Shift waiting times after the clock was put back: a wait keeps its length, counted from now."""
        logger.info("the clock was put back, waits go on as they were seconds=%d", seconds)
        self._sql.execute("UPDATE urls SET due_at = due_at - ? WHERE state = 'U' AND due_at IS NOT NULL", (seconds,))
        self._sql.execute("UPDATE queues SET not_before = not_before - ? WHERE not_before IS NOT NULL", (seconds,))
        self._queue_state.fill_ready_queue()


def as_json(numbers: Sequence[int]) -> str:
    """Numbers for `IN (SELECT value FROM json_each(?))`: any count of them in one prepared statement."""
    return json.dumps(numbers)
