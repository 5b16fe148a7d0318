"""The memory that a SqliteFrontier has of its file (counts, queues, turns), and the step that keeps both in accord.

After a rollback, or when another process wrote, memory is made anew from the file.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from gwc_crawler.frontier.order import place_of, weight_at
from gwc_crawler.frontier.queues import QueuePolicy, queue_name
from gwc_crawler.store.sqlite.database import CrawlDatabase


class ReadyQueue:
    """The ready queues by their places: (place, queue)."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all queues, and which of them rest."""
        self._entries: dict[int, tuple[int, int]] = {}
        self._heap: list[tuple[int, int]] = []
        self._turn = 0
        self.resting: dict[int, float] = {}  # queue → end of its rest
        self._busy: set[int] = set()
        self._passed_over: list[tuple[int, int]] = []

    def offer(self, queue: int, weight: int) -> None:
        """Note that *queue* has URLs of *weight* to give."""
        entry = self._entries.get(queue)
        if (entry is None or weight < weight_at(entry[0])) and queue not in self.resting:
            self._turn += 1
            self._entries[queue] = entry = (place_of(weight, self._turn), queue)
            heapq.heappush(self._heap, entry)

    def take(self, limit: int) -> tuple[int, list[int]]:
        """Return up to *limit* queues of the best weight, the longest waiting first; offer them again afterwards."""
        weight = 0
        queues: list[int] = []
        while self._heap and len(queues) < limit:
            entry = self._heap[0]
            if self._entries.get(entry[1]) != entry:
                heapq.heappop(self._heap)  # outdated: the queue came up with a better weight or was put to rest
                continue
            if entry[1] in self._busy:
                heapq.heappop(self._heap)
                self._passed_over.append(entry)
                continue
            if queues and weight_at(entry[0]) != weight:
                break
            heapq.heappop(self._heap)
            del self._entries[entry[1]]
            weight = weight_at(entry[0])
            queues.append(entry[1])
        return weight, queues

    def pass_over(self, busy: set[int]) -> None:
        """Give the queues in *busy* no turns until this is called again; they keep their places."""
        if not self._busy and not busy:
            return
        self._busy, passed_over, self._passed_over = busy, self._passed_over, []
        for entry in passed_over:
            if entry[1] not in busy:
                heapq.heappush(self._heap, entry)
            elif self._entries.get(entry[1]) == entry:
                self._passed_over.append(entry)

    def skip(self, queue: int) -> None:
        """Give *queue* no turns either, until `pass_over` is called again."""
        self._busy = self._busy | {queue}

    def rest(self, queue: int, until: float) -> None:
        """Let *queue* rest until *until*."""
        self.resting[queue] = max(until, self.resting.get(queue, until))
        self._entries.pop(queue, None)

    def awaken(self, now: float) -> list[int]:
        """Return the queues whose rest is over; the caller offers their URLs."""
        rested = [queue for queue, until in self.resting.items() if until <= now] if self.resting else []
        for queue in rested:
            del self.resting[queue]
        return rested

    @property
    def ready(self) -> bool:
        """Whether any queue has something to give."""
        return bool(self._entries)


class QueueState:
    """Counts by state, queue numbers and turns of one database."""

    def __init__(self, database: CrawlDatabase, clock: Callable[[], float], policy: QueuePolicy | None = None) -> None:
        self.database = database
        self.sql = database.connection
        self.clock = clock
        self.ready_queue = ReadyQueue()
        self.values: dict[str, int] = {}
        self._stored: dict[str, int] = {}
        self.queued_by = "host" if policy is None else "url"
        """The column of `urls` that says which queue a URL belongs to: see `queue_of`."""
        self._policy = policy
        self._queues: dict[str, int] = {}
        self._keyed_queues: dict[str, set[int]] = {}
        """Host → its queues called "KEY HOST"; by far the most hosts have none."""
        self._data_version = -1
        database.on_rollback(self._forget)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Run one step of the frontier: a transaction that memory follows."""
        with self.database.transaction():
            self.refresh()
            yield
            changed = [item for item in self.values.items() if self._stored.get(item[0]) != item[1]]
            self.sql.executemany("INSERT OR REPLACE INTO frontier_values (name, value) VALUES (?, ?)", changed)
            self._stored.update(changed)

    def refresh(self) -> None:
        """Read the file anew if another connection wrote to it, or nothing was read yet. Cost else: one pragma."""
        version = self.sql.execute("PRAGMA data_version").fetchone()[0]
        if version != self._data_version:
            self.values = dict(self.sql.execute("SELECT name, value FROM frontier_values").fetchall())
            self._stored = dict(self.values)
            self._queues, self._keyed_queues = {}, {}
            for name, number in self.sql.execute("SELECT name, id FROM queues").fetchall():
                self._note_queue(name, number)
            self.fill_ready_queue()
            self._data_version = version

    def fill_ready_queue(self) -> None:
        """Ask every queue for the best it has. Cost: O(queues · log URLs)."""
        self.ready_queue.clear()
        for queue, not_before in self.sql.execute("SELECT id, not_before FROM queues").fetchall():
            if not_before is not None:
                self.ready_queue.rest(queue, not_before)
            else:
                self.offer_best(queue)

    def offer_best(self, queue: int, above: int = -1) -> None:
        """Give *queue* a turn by the best weight over *above* that is ready in it, if anything is."""
        row = self.sql.execute(
            "SELECT weight FROM urls WHERE queue = ? AND weight > ? AND state = 'U' AND due_at IS NULL "
            "ORDER BY weight LIMIT 1",
            (queue, above),
        ).fetchone()
        if row:
            self.ready_queue.offer(queue, row[0])

    def queue_of(self, text: str) -> int:
        """Return the number of the queue of a URL, given its `queued_by`; the queue is made when missing."""
        if self._policy is not None:
            text = queue_name(text, self._policy)
        queue = self._queues.get(text)
        return self.make_queue(text) if queue is None else queue

    def make_queue(self, name: str) -> int:
        """Make the queue *name*, which rests as long as the other queues of its host do: any one of them tells."""
        host = name.rpartition(" ")[2]
        sibling = self._queues.get(host) or next(iter(self._keyed_queues.get(host, ())), None)
        until = None if sibling is None else self.ready_queue.resting.get(sibling)
        query = "INSERT INTO queues (name, not_before) VALUES (?, ?) RETURNING id"
        number = int(self.database.rows(query, (name, until))[0][0])
        if until is not None:
            self.ready_queue.rest(number, until)
        self._note_queue(name, number)
        return number

    def queues_of_hosts(self, hosts: Iterable[str]) -> set[int]:
        """Return the numbers of all queues of *hosts*."""
        found: set[int] = set()
        for host in hosts:
            found.update(self._keyed_queues.get(host, ()))
            if (own := self._queues.get(host)) is not None:
                found.add(own)
        return found

    def rest(self, host: str, until: float) -> None:
        """Let all queues of *host* rest until *until*, or a later time that was named before."""
        for queue in self.queues_of_hosts((host,)) or {self.make_queue(host)}:
            later = "UPDATE queues SET not_before = max(coalesce(not_before, 0), ?) WHERE id = ?"
            self.sql.execute(later, (until, queue))
            self.ready_queue.rest(queue, until)

    def _note_queue(self, name: str, number: int) -> None:
        self._queues[name] = number
        key, _, host = name.rpartition(" ")
        if key:
            self._keyed_queues.setdefault(host, set()).add(number)

    def count(self, name: str, change: int) -> None:
        """Add *change* to the count of URLs in state *name*."""
        self.values[name] = self.values.get(name, 0) + change

    def _forget(self) -> None:
        self._data_version = -1
