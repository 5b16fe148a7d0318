"""The frontier in one SQLite file: the default, for one crawl process; `kill -9` at any moment loses nothing.

Links of completed pages come in, leases go out. The table `urls` (gwc_crawler.database) is the queue: each host has a
queue in it, ordered by weight and number. Which host's turn it is, and which URLs are surely known with no worse
weight, is held in memory and made anew from the file at opening, after a rollback, and after another process wrote.
"""

# ruff: noqa: S608  # only constants of this module are put into SQL; values are bound
from __future__ import annotations

import json
import logging
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gwc_crawler.database import Database
from gwc_crawler.frontier.protocol import FrontierCounts, UrlInfo
from gwc_crawler.frontier.turns import Turns
from gwc_crawler.frontier.weights import improved_weight, is_followed, page_weight
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, UrlState

logger = logging.getLogger(__name__)

SCHEMA = """
-- The queues that URLs wait in, one for each host; nothing is given out of one before not_before.
CREATE TABLE IF NOT EXISTS queues (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, not_before REAL);
-- The admitted links of completed pages whose weight may still fall: 64-bit url ids, native byte order.
CREATE TABLE IF NOT EXISTS held_links (url_id INTEGER PRIMARY KEY, links BLOB NOT NULL);
-- How many URLs are in each state (U R C E; "later": waiting for a due time), the last token, the weight threshold.
CREATE TABLE IF NOT EXISTS frontier_values (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS urls_ready ON urls (queue, weight) WHERE state = 'U' AND due_at IS NULL;
CREATE INDEX IF NOT EXISTS urls_later ON urls (due_at) WHERE state = 'U' AND due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS urls_leased ON urls (lease_until) WHERE state = 'R';
"""

SUSPECT_AFTER_LOSSES = 2
"""A URL whose leases were lost this often comes back alone: a page that kills its worker takes no others along."""

SUSPECT_SPACING_SECONDS = 2.0


@dataclass(slots=True)
class _Arrival:
    """A way found to a URL."""

    weight: int
    depth: int
    parent: int | None


class SqliteFrontier:
    """A `Frontier` over one `Database`.

    Args:
        database: the file; several frontiers never share it. Opened read-only, this is for looking.
        max_weight: pages of this tunnel weight or more are not followed; None: all are. A changed threshold takes
            effect on what is known already: held links are entered, or waiting URLs held back.
        lease_seconds: how long a lease lasts unless extended.
        max_lost_leases: a URL whose leases ended without a word this often becomes E.
        exclusive: keep other crawls off the file, and take over the leases of an earlier process. False for a command
            that works on the queue of a running crawl, which notices the change.
        known_urls: how many URLs the memory of known ones holds.
        clock: epoch seconds.

    Raises:
        StoreError: another crawl holds the file, or it can't be written.
    """

    def __init__(
        self,
        database: Database,
        *,
        max_weight: int | None = None,
        lease_seconds: float = 600.0,
        max_lost_leases: int = 5,
        exclusive: bool = True,
        known_urls: int = 500_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._sql = database.connection
        self._max_weight = max_weight
        self._lease_seconds = lease_seconds
        self._max_lost_leases = max_lost_leases
        self._known_limit = known_urls
        self._clock = clock
        self._exclusive = exclusive and not database.read_only
        self._refused = 0
        self._known: dict[str, int] = {}  # URL → the least weight it was offered with
        self._aliases: dict[int, list[int]] = {}  # leased URL's id → ids of the URLs it was redirected to
        self._turns = Turns()
        self._values: dict[str, int] = {}
        self._stored_values: dict[str, int] = {}
        self._queues: dict[str, int] = {}
        self._data_version = -1
        if self._exclusive:
            database.lock()
        try:
            database.create_tables(SCHEMA)
            database.on_rollback(self._forget)
            self._refresh()
            if self._exclusive:
                self._take_over()
        except BaseException:
            if self._exclusive:
                database.unlock()
            raise

    # --- the protocol ---------------------------------------------------------------------------------------------

    def add(self, links: Sequence[Link]) -> int:
        """See `Frontier.add`. A link of depth 0 is a start: its page has weight 0 whatever it holds."""
        with self._transaction():
            ids = self._database.urls.ids([link.url for link in links])
            arrivals: dict[int, _Arrival] = {}
            for number, link in zip(ids, links, strict=True):
                _offer(arrivals, number, _Arrival(link.weight, link.depth, None))
            return self._enter(arrivals)

    def lease(self, n: int, owner: str) -> list[Lease]:
        """See `Frontier.lease`. Cost: O(n log known URLs), however many wait or rest."""
        if n <= 0:
            return []
        with self._transaction():
            now = self._clock()
            self._bring_back(now)
            leases: list[Lease] = []
            while len(leases) < n and (rows := self._pick(n - len(leases))):
                leases.extend(self._grant(rows, owner, now))
            return leases

    def complete(self, done: Sequence[Done]) -> None:
        """See `Frontier.complete`. What a lease's page says of others (links, a redirect) enters with its mark C."""
        with self._transaction():
            current = self._leased_rows([item.lease for item in done])
            arrivals: dict[int, _Arrival] = {}
            for item in done:
                row = current.pop(item.lease.url_id, None)
                if row is None:
                    self._refused += 1
                else:
                    self._finish(item, row, arrivals)
            self._enter(arrivals)

    def fail(self, lease: Lease, why: Failure) -> None:
        """See `Frontier.fail`. URLs the lease was redirected to share its fate."""
        with self._transaction():
            if not self._leased_rows([lease]):
                self._refused += 1
                return
            ids = self._end_lease(lease)
            if why.retry_at is None:
                self._to_error(ids, why.reason)
            else:
                self._to_waiting(ids, due_at=why.retry_at, reason=why.reason)

    def release(self, leases: Sequence[Lease]) -> None:
        """See `Frontier.release`."""
        with self._transaction():
            current = self._leased_rows(leases)
            ids = [number for lease in leases if lease.url_id in current for number in self._end_lease(lease)]
            self._refused += len(leases) - len(current)
            self._sql.executemany("UPDATE urls SET attempts = max(attempts - 1, 0) WHERE id = ?", [(i,) for i in ids])
            self._to_waiting(ids)

    def extend(self, leases: Sequence[Lease]) -> None:
        """See `Frontier.extend`."""
        until = self._clock() + self._lease_seconds
        with self._transaction():
            self._sql.executemany(
                "UPDATE urls SET lease_until = ? WHERE id = ? AND token = ? AND state = 'R'",
                [
                    (until, number, lease.token)
                    for lease in leases
                    for number in (lease.url_id, *self._aliases.get(lease.url_id, ()))
                ],
            )

    def redirect(self, lease: Lease, url: str) -> bool:
        """See `Frontier.redirect`."""
        if url == lease.url:
            return True
        with self._transaction():
            row = self._leased_rows([lease]).get(lease.url_id)
            return row is not None and self._cover(lease, row, self._database.urls.ids([url])[0]) is not None

    def pause_host(self, host: str, until: float) -> None:
        """See `Frontier.pause_host`. A later time wins over an earlier one."""
        with self._transaction():
            queue = self._queue_of(host)
            self._sql.execute(
                "UPDATE queues SET not_before = max(coalesce(not_before, 0), ?) WHERE id = ?", (until, queue)
            )
            self._turns.rest(queue, until)

    def counts(self) -> FrontierCounts:
        """See `Frontier.counts`. Cost: a few look-ups, whatever the size."""
        with self._database.errors():
            self._refresh()
            now = self._clock()
            later = [*self._turns.resting.values()]
            later += [row[0] for row in self._sql.execute(f"SELECT min(due_at) FROM urls WHERE {_LATER}") if row[0]]
        ready = self._turns.ready or any(moment <= now for moment in later)
        value = self._values.get
        waiting = value("U", 0)
        return FrontierCounts(
            waiting=waiting,
            running=value("R", 0),
            complete=value("C", 0),
            error=value("E", 0),
            ready_now=waiting > 0 and ready,
            next_ready_at=min(later) if later and waiting and not ready else None,
            refused=self._refused,
        )

    def find(self, url: str) -> UrlInfo | None:
        """See `Frontier.find`."""
        with self._database.errors():
            number = self._database.urls.find(url)
            infos = self._infos("WHERE id = ?", (number,)) if number is not None else []
            return infos[0] if infos else None

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """See `Frontier.select`. Cost: walks the table until *limit* are found."""
        condition, values = _matching(pattern, states)
        with self._database.errors():
            return self._infos(f"WHERE {condition} ORDER BY weight, id LIMIT ?", (*values, limit))

    def drop(self, pattern: str, *, count_only: bool = False) -> int:
        """See `Frontier.drop`."""
        condition, values = _matching(pattern, (UrlState.WAITING,))
        with self._transaction(write=not count_only):
            ids = [row[0] for row in self._sql.execute(f"SELECT id FROM urls WHERE {condition}", values)]
            if not count_only:
                self._from_waiting(ids)
                self._to_error(ids, "dropped")
                self._turns = self._ready_queues()
            return len(ids)

    def retry(
        self, pattern: str = "*", states: Collection[UrlState] = (UrlState.ERROR,), *, count_only: bool = False
    ) -> int:
        """See `Frontier.retry`. Leased URLs are left alone; completed ones are fetched again."""
        condition, values = _matching(pattern, [state for state in states if state is not UrlState.RUNNING])
        with self._transaction(write=not count_only):
            rows = self._sql.execute(f"SELECT id, state FROM urls WHERE {condition} AND state IS NOT NULL", values)
            by_state: dict[str, list[int]] = {}
            for number, state in rows.fetchall():
                by_state.setdefault(state, []).append(number)
            ids = [number for numbers in by_state.values() for number in numbers]
            if not count_only:
                self._from_waiting(by_state.get("U", []))
                for state in ("C", "E"):
                    self._count(state, -len(by_state.get(state, ())))
                self._sql.executemany("UPDATE urls SET attempts = 0, lost = 0 WHERE id = ?", [(i,) for i in ids])
                self._to_waiting(ids)
            return len(ids)

    def close(self) -> None:
        """See `Frontier.close`. The database stays open: its owner closes it."""
        if self._exclusive:
            self._database.unlock()

    # --- leasing --------------------------------------------------------------------------------------------------

    def _pick(self, n: int) -> list[tuple[Any, ...]]:
        """The next rows of one weight, at most *n*, the hosts in turns."""
        weight, queues = self._turns.take(n)
        if not queues:
            return []
        share, extra = divmod(n, len(queues))
        picked = []
        for turn, queue in enumerate(queues):
            quota = share + (turn < extra)
            rows = self._sql.execute(_PICK, (queue, weight, quota + 1)).fetchall()
            if len(rows) > quota:
                self._turns.offer(queue, weight)
            elif (best := self._best_weight(queue, weight)) is not None:
                self._turns.offer(queue, best)
            picked.append(rows[:quota])
        if len(picked) == 1:
            return picked[0] or self._pick(n)
        rows = [row for round_ in zip_longest(*picked) for row in round_ if row is not None]
        return rows or self._pick(n)

    def _best_weight(self, queue: int, above: int = -1) -> int | None:
        row = self._sql.execute(
            f"SELECT weight FROM urls WHERE queue = ? AND weight > ? AND {_READY} ORDER BY weight LIMIT 1",
            (queue, above),
        ).fetchone()
        return row[0] if row else None

    def _grant(self, rows: Sequence[tuple[Any, ...]], owner: str, now: float) -> list[Lease]:
        token = self._values.get("token", 0)
        until = now + self._lease_seconds
        leases = []
        updates = []
        for url_id, url, weight, depth, attempts in rows:
            token += 1
            updates.append((owner, until, token, url_id))
            leases.append(Lease(url, url_id, weight, depth, attempts + 1, owner, token, until))
        self._sql.executemany(
            "UPDATE urls SET state = 'R', attempts = attempts + 1, lease_owner = ?, lease_until = ?, token = ? "
            "WHERE id = ?",
            updates,
        )
        self._values["token"] = token
        self._count("U", -len(rows))
        self._count("R", len(rows))
        return leases

    def _bring_back(self, now: float) -> None:
        """What waited for a time that has come: expired leases, retries, paused hosts."""
        self._lose("lease_until <= ?", (now,), now)
        due = self._sql.execute(
            f"UPDATE urls SET due_at = NULL WHERE {_LATER} AND due_at <= ? RETURNING queue, weight", (now,)
        ).fetchall()
        for queue, weight in due:
            self._turns.offer(queue, weight)
        for queue in self._turns.awaken(now):
            self._sql.execute("UPDATE queues SET not_before = NULL WHERE id = ?", (queue,))
            if (weight := self._best_weight(queue)) is not None:
                self._turns.offer(queue, weight)

    def _lose(self, condition: str, values: tuple[Any, ...], now: float) -> int:
        """Take back leases that nobody answers for; URLs that often lose theirs come back one by one, then go E."""
        rows = self._sql.execute(
            f"SELECT id, lost + 1 FROM urls WHERE state = 'R' AND {condition} ORDER BY id", values
        ).fetchall()
        if not rows:
            return 0
        self._sql.executemany("UPDATE urls SET lost = ? WHERE id = ?", [(lost, number) for number, lost in rows])
        for number, _ in rows:
            self._aliases.pop(number, None)
        self._count("R", -len(rows))
        limit = self._max_lost_leases
        self._to_error([number for number, lost in rows if lost >= limit], f"{limit} leases lost without a word")
        self._to_waiting([number for number, lost in rows if lost < min(limit, SUSPECT_AFTER_LOSSES)])
        suspects = [number for number, lost in rows if SUSPECT_AFTER_LOSSES <= lost < limit]
        for place, number in enumerate(suspects):
            self._to_waiting([number], due_at=now + place * SUSPECT_SPACING_SECONDS)
        logger.info("took back leases count=%d suspects=%d", len(rows), len(suspects))
        return len(rows)

    # --- the end of a lease ---------------------------------------------------------------------------------------

    def _leased_rows(self, leases: Sequence[Lease]) -> dict[int, tuple[int, int]]:
        """url id → (weight, depth) now, for the leases that still hold."""
        rows = self._sql.execute(
            "SELECT id, token, weight, depth FROM urls WHERE id IN (SELECT value FROM json_each(?)) AND state = 'R'",
            (json.dumps([lease.url_id for lease in leases]),),
        )
        by_id = {number: (token, weight, depth) for number, token, weight, depth in rows}
        return {
            lease.url_id: by_id[lease.url_id][1:]
            for lease in leases
            if lease.url_id in by_id and by_id[lease.url_id][0] == lease.token
        }

    def _end_lease(self, lease: Lease) -> list[int]:
        """The ids under the lease; they are no longer R and have to be put elsewhere."""
        ids = [lease.url_id, *self._aliases.pop(lease.url_id, ())]
        self._count("R", -len(ids))
        return ids

    def _finish(self, done: Done, row: tuple[int, int], arrivals: dict[int, _Arrival]) -> None:
        """Mark one page C; collect what it leads to."""
        lease, (arrival_weight, depth) = done.lease, row
        page_id = lease.url_id
        if done.url != lease.url:
            target = self._database.urls.ids([done.url])[0]
            covered = None if done.kind is PageKind.REDIRECT else self._cover(lease, row, target)
            self._complete_redirect(lease, row, target, arrivals, covers=covered is not None)
            if covered is None:
                return
            page_id, (arrival_weight, depth) = target, covered
        weight = page_weight(arrival_weight, relevant=done.relevant, start=depth == 0)
        if is_followed(weight, self._max_weight):
            known = self._known.get
            links = [link for link in done.links if known(link, _NEVER) > weight]
            if links:
                for number in self._database.urls.ids(links):
                    _offer(arrivals, number, _Arrival(weight, depth + 1, page_id))
                self._know(links, weight)
        if weight > 0:
            self._hold(page_id, self._database.urls.ids(done.links))
        self._mark_complete(page_id, done.kind, weight)
        self._count("R", -1)

    def _complete_redirect(
        self, lease: Lease, row: tuple[int, int], target: int, arrivals: dict[int, _Arrival], *, covers: bool
    ) -> None:
        """The leased URL only names another: it is C as REDIRECT and hands its own arrival weight on."""
        weight, depth = row
        for other in self._aliases.pop(lease.url_id, ()):
            if other != target:
                self._mark_complete(other, PageKind.REDIRECT, weight)
                self._count("R", -1)
        if not covers:
            _offer(arrivals, target, _Arrival(weight, depth, lease.url_id))
        if weight > 0:
            self._hold(lease.url_id, [target])
        self._mark_complete(lease.url_id, PageKind.REDIRECT, weight)
        self._count("R", -1)

    def _cover(self, lease: Lease, row: tuple[int, int], target: int) -> tuple[int, int] | None:
        """Put *target* under the lease; its weight and depth then, or None if it is complete or another's."""
        state, token, weight, depth, due_at = self._sql.execute(
            "SELECT state, token, weight, depth, due_at FROM urls WHERE id = ?", (target,)
        ).fetchone()
        if state == "R" and token == lease.token:
            return weight, depth
        if state in ("C", "R"):
            return None
        if state is not None:
            self._count(state, -1)
            self._count("later", -(state == "U" and due_at is not None))
        else:
            weight, depth = row
        best = (min(weight, row[0]), min(depth, row[1]))
        self._sql.execute(
            "UPDATE urls SET state = 'R', weight = ?, depth = ?, attempts = attempts + 1, lease_owner = ?, "
            "lease_until = ?, token = ?, due_at = NULL, parent = coalesce(parent, ?), "
            "added_at = coalesce(added_at, ?) WHERE id = ?",
            (*best, lease.owner, lease.expires_at, lease.token, lease.url_id, self._clock(), target),
        )
        self._count("R", 1)
        self._aliases.setdefault(lease.url_id, []).append(target)
        return best

    def _mark_complete(self, number: int, kind: PageKind, weight: int) -> None:
        self._sql.execute(
            "UPDATE urls SET state = 'C', kind = ?, weight = ?, reason = NULL, lost = 0, lease_owner = NULL, "
            "lease_until = NULL, done_at = ? WHERE id = ?",
            (kind.value, weight, self._clock(), number),
        )
        self._count("C", 1)

    def _to_error(self, ids: Sequence[int], reason: str) -> None:
        now = self._clock()
        self._sql.executemany(
            "UPDATE urls SET state = 'E', reason = ?, lease_owner = NULL, lease_until = NULL, due_at = NULL, "
            "done_at = ? WHERE id = ?",
            [(reason, now, number) for number in ids],
        )
        self._count("E", len(ids))

    def _to_waiting(self, ids: Sequence[int], due_at: float | None = None, reason: str | None = None) -> None:
        if due_at is not None and due_at <= self._clock():
            due_at = None
        for number in ids:
            host, queue = self._sql.execute("SELECT host, queue FROM urls WHERE id = ?", (number,)).fetchone()
            row = self._sql.execute(
                "UPDATE urls SET state = 'U', due_at = ?, reason = coalesce(?, reason), lease_owner = NULL, "
                "lease_until = NULL, queue = ? WHERE id = ? RETURNING weight",
                (due_at, reason, queue or self._queue_of(host), number),
            ).fetchall()[0]
            if due_at is None:
                self._turns.offer(queue or self._queue_of(host), row[0])
        self._count("U", len(ids))
        self._count("later", 0 if due_at is None else len(ids))

    def _from_waiting(self, ids: Sequence[int]) -> None:
        """Take waiting URLs off the counts, before they get another state."""
        later = self._sql.execute(
            "SELECT count(*) FROM urls WHERE id IN (SELECT value FROM json_each(?)) AND due_at IS NOT NULL",
            (json.dumps(list(ids)),),
        ).fetchone()[0]
        self._count("U", -len(ids))
        self._count("later", -later)

    # --- entering -------------------------------------------------------------------------------------------------

    def _enter(self, arrivals: dict[int, _Arrival]) -> int:
        """Take arrivals in, round by round: an improved page passes its improvement on. Returns how many are new."""
        entered = 0
        while arrivals:
            passed_on: dict[int, _Arrival] = {}
            entered += self._enter_round(arrivals, passed_on)
            arrivals = passed_on
        return entered

    def _enter_round(self, arrivals: dict[int, _Arrival], passed_on: dict[int, _Arrival]) -> int:
        rows = self._sql.execute(
            "SELECT id, host, state, kind, weight, depth, queue, due_at FROM urls "
            "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(list(arrivals)),),
        ).fetchall()
        now = self._clock()
        new, better = [], []
        for number, host, state, kind, weight, depth, queue, due_at in rows:
            arrival = arrivals[number]
            if state is None:
                queue = self._queue_of(host)
                new.append((arrival.weight, arrival.depth, arrival.parent, queue, now, number))
                self._turns.offer(queue, arrival.weight)
            elif state == "C":
                self._improve_page(number, kind, weight, depth, arrival, passed_on)
            elif arrival.weight < weight or arrival.depth < depth:
                least = min(arrival.weight, weight)
                better.append((least, min(arrival.depth, depth), arrival.parent, number))
                if state == "U" and due_at is None:
                    self._turns.offer(queue, least)
        self._sql.executemany(
            "UPDATE urls SET state = 'U', weight = ?, depth = ?, parent = ?, queue = ?, added_at = ? WHERE id = ?", new
        )
        self._sql.executemany("UPDATE urls SET weight = ?, depth = ?, parent = ? WHERE id = ?", better)
        self._count("U", len(new))
        return len(new)

    def _improve_page(
        self,
        number: int,
        kind: str,
        weight: int,
        depth: int,
        arrival: _Arrival,
        passed_on: dict[int, _Arrival],
    ) -> None:
        """A better way to a completed page: its weight falls, and its links are entered or move up with it."""
        start = arrival.depth == 0 and kind != PageKind.REDIRECT
        better = 0 if start else improved_weight(weight, PageKind(kind), arrival.weight)
        if better >= weight:
            return
        depth = min(depth, arrival.depth)
        self._sql.execute(
            "UPDATE urls SET weight = ?, depth = ?, parent = ? WHERE id = ?", (better, depth, arrival.parent, number)
        )
        if is_followed(better, self._max_weight):
            step = 0 if kind == PageKind.REDIRECT else 1
            for link in self._held(number):
                _offer(passed_on, link, _Arrival(better, depth + step, number))
        if better == 0:
            self._sql.execute("DELETE FROM held_links WHERE url_id = ?", (number,))

    def _hold(self, page_id: int, links: Iterable[int]) -> None:
        """Keep a page's admitted links for the day its weight falls."""
        self._sql.execute(
            "INSERT OR REPLACE INTO held_links (url_id, links) VALUES (?, ?)", (page_id, array("q", links).tobytes())
        )

    def _held(self, page_id: int) -> array[int]:
        row = self._sql.execute("SELECT links FROM held_links WHERE url_id = ?", (page_id,)).fetchone()
        return array("q", row[0] if row else b"")

    def _know(self, links: Iterable[str], weight: int) -> None:
        """Remember that these were offered with *weight*: offering them again costs one look into a dict."""
        if len(self._known) > self._known_limit:
            self._known.clear()
        self._known.update(dict.fromkeys(links, weight))

    # --- memory and file ------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, write: bool = True) -> Iterator[None]:
        """One step: memory is up to date before it, the counts are in the file after it."""
        if not write:
            with self._database.errors():
                yield
            return
        with self._database.transaction():
            self._refresh()
            yield
            self._store_values()

    def _refresh(self) -> None:
        """Read anew what memory holds, if another process wrote, or nothing was read yet."""
        version = self._sql.execute("PRAGMA data_version").fetchone()[0]
        if version == self._data_version:
            return
        self._values = dict(self._sql.execute("SELECT name, value FROM frontier_values").fetchall())
        self._stored_values = dict(self._values)
        self._queues = dict(self._sql.execute("SELECT name, id FROM queues").fetchall())
        self._turns = self._ready_queues()
        self._data_version = version

    def _forget(self) -> None:
        """After a rollback: memory is read anew at the next step."""
        self._data_version = -1
        self._known.clear()
        self._aliases = {}

    def _ready_queues(self) -> Turns:
        turns = Turns()
        for queue, not_before in self._sql.execute("SELECT id, not_before FROM queues").fetchall():
            if not_before is not None:
                turns.rest(queue, not_before)
            elif (weight := self._best_weight(queue)) is not None:
                turns.offer(queue, weight)
        return turns

    def _count(self, name: str, change: int) -> None:
        self._values[name] = self._values.get(name, 0) + change

    def _store_values(self) -> None:
        changed = [(name, value) for name, value in self._values.items() if self._stored_values.get(name) != value]
        self._sql.executemany("INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", changed)
        self._stored_values.update(changed)

    def _queue_of(self, host: str) -> int:
        queue = self._queues.get(host)
        if queue is None:
            row = self._sql.execute("INSERT INTO queues (name) VALUES (?) RETURNING id", (host,)).fetchall()[0]
            queue = self._queues[host] = int(row[0])
        return queue

    def _take_over(self) -> None:
        """At the start of a crawl: earlier owners are gone, and the threshold may have changed."""
        with self._transaction():
            self._lose("TRUE", (), self._clock())
            self._apply_threshold()

    def _apply_threshold(self) -> None:
        """Bring what is known in line with a changed max_weight."""
        infinite = 1 << 30
        new = infinite if self._max_weight is None else self._max_weight
        old = self._values.get("max_weight", new)
        self._values["max_weight"] = new
        if new > old:
            rows = self._sql.execute(
                "SELECT id, weight, depth FROM urls JOIN held_links ON url_id = id "
                "WHERE state = 'C' AND weight >= ? AND weight < ?",
                (old, new),
            ).fetchall()
            arrivals: dict[int, _Arrival] = {}
            for number, weight, depth in rows:
                for link in self._held(number):
                    _offer(arrivals, link, _Arrival(weight, depth + 1, number))
            logger.info("threshold raised old=%d new=%d urls_entered=%d", old, new, self._enter(arrivals))
        elif new < old:
            ids = [
                row[0]
                for row in self._sql.execute(
                    "SELECT id FROM urls WHERE state = 'U' AND weight >= ? AND depth > 0", (new,)
                )
            ]
            self._from_waiting(ids)
            self._sql.executemany("UPDATE urls SET state = NULL, due_at = NULL WHERE id = ?", [(i,) for i in ids])
            self._turns = self._ready_queues()
            logger.info("threshold lowered old=%d new=%d urls_held_back=%d", old, new, len(ids))

    def _infos(self, where: str, values: tuple[Any, ...]) -> list[UrlInfo]:
        rows = self._sql.execute(
            "SELECT parent, url, state, kind, weight, depth, attempts, lost, reason, host, lease_owner, lease_until, "
            f"due_at, added_at, done_at FROM urls {where}",
            values,
        ).fetchall()
        return [
            UrlInfo(
                url,
                UrlState(state) if state else None,
                PageKind(kind) if kind else None,
                *rest,
                self._way_to(parent),
            )
            for parent, url, state, kind, *rest in rows
        ]

    def _way_to(self, parent: int | None) -> tuple[tuple[str, int], ...]:
        way: list[tuple[str, int]] = []
        seen: set[int] = set()
        while parent is not None and parent not in seen:
            seen.add(parent)
            url, weight, parent_of_it = self._sql.execute(
                "SELECT url, weight, parent FROM urls WHERE id = ?", (parent,)
            ).fetchone()
            way.append((url, weight))
            parent = parent_of_it
        return tuple(reversed(way))


_READY = "state = 'U' AND due_at IS NULL"
_LATER = "state = 'U' AND due_at IS NOT NULL"
_PICK = (
    f"SELECT id, url, weight, depth, attempts FROM urls WHERE queue = ? AND weight = ? AND {_READY} ORDER BY id LIMIT ?"
)
_NEVER = 1 << 30


def _offer(arrivals: dict[int, _Arrival], number: int, arrival: _Arrival) -> None:
    """Keep the best of several ways to one URL."""
    known = arrivals.get(number)
    if known is None:
        arrivals[number] = arrival
        return
    depth = min(known.depth, arrival.depth)
    if arrival.weight < known.weight:
        known.weight, known.parent = arrival.weight, arrival.parent
    known.depth = depth


def _matching(pattern: str, states: Collection[UrlState]) -> tuple[str, tuple[Any, ...]]:
    """The SQL condition for a pattern and states, and its values."""
    condition = "url GLOB ?"
    if not states:
        return condition, (pattern,)
    return f"{condition} AND state IN (SELECT value FROM json_each(?))", (pattern, json.dumps([*states]))
