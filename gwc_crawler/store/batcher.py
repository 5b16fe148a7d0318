"""Visits and what the frontier is to learn of them, collected and committed a batch at a time.

The order is the promise: every sink has the pages before the frontier calls them complete. Where the crawl's database
holds both, that is a single transaction, so there a page is never doubled; other sinks are written before it begins
(see `gwc_crawler.store.sink`). A crash, or a full disk, costs at most that the batch's pages are fetched again.

A sink may answer later. Then its batch is *under way*: the next one is collected meanwhile, and the frontier moves on
in the first `commit` after the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, NamedTuple, Protocol

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Done, Lease, Visit
from gwc_crawler.store.archive import Archive
from gwc_crawler.store.sink import RecordSink, RecordSinks, Standing


class Completes(Protocol):
    """The part of a frontier that is needed here."""

    def complete(self, done: Sequence[Done]) -> None:
        """Take the links of these pages in and call the pages complete, in one step."""


class _UnderWay(NamedTuple):
    """A batch that a sink has not answered yet."""

    visits: list[Visit]
    done: list[Done]
    answer: Future[None]


LAST_SECONDS = 60.0
"""So long the end of a crawl waits for a sink's answer."""


class Committer:
    """Collects until the batch is `full`; `commit` then writes it.

    Args:
        frontier, sink: where it goes; a crawl whose own database keeps no pages and records has no *sink*.
        transaction: all or nothing, of the database that both live in, if they do.
        others: sinks elsewhere.
        archive: where the answers are that the batch was made of, if they are recorded; also those without a page.
        max_pages, max_seconds: the batch is full when it has this many pages, or its first is this old.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        frontier: Completes,
        sink: RecordSink | None,
        transaction: Callable[[], AbstractContextManager[Any]] = nullcontext,
        *,
        others: RecordSinks | None = None,
        archive: Archive | None = None,
        max_pages: int,
        max_seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._frontier, self._transaction = frontier, transaction
        self._sink, self._others, self._archive = sink, others, archive
        self._max_pages, self._max_seconds, self._clock = max_pages, max_seconds, clock
        self.on_commit: Callable[[Sequence[Visit]], None] | None = None
        """Called with the visits before they are written; embedded, in the same transaction."""
        self.on_answer: Callable[[], None] | None = None
        """Called in another thread when the batch that was under way can be completed: `commit` is due."""
        self._under_way: _UnderWay | None = None
        self._visits: list[Visit] = []
        self._done: list[Done] = []
        self._since = 0.0
        self._has_failed = False

    def add(self, visit: Visit | None, done: Done) -> None:
        """Put a page into the batch; *visit* is None where what is stored still holds (304)."""
        if not self._done:
            self._since = self._clock()
        if visit is not None:
            self._visits.append(visit)
        self._done.append(done)

    def __len__(self) -> int:
        return len(self._done) + (len(self._under_way.done) if self._under_way is not None else 0)

    @property
    def full(self) -> bool:
        """Whether it is time to commit; not again after a failure, which ends the crawl: there is one more try then."""
        if self._has_failed:
            return False
        if (batch := self._under_way) is not None:
            return batch.answer.done()
        is_old = bool(self._done) and self._clock() - self._since >= self._max_seconds
        return is_old or len(self._done) >= self._max_pages

    @property
    def is_behind(self) -> bool:
        """Whether a batch is under way and the next one is as large as it may be: nothing more should be fetched."""
        return self._under_way is not None and len(self._done) >= self._max_pages

    @property
    def leases(self) -> list[Lease]:
        """What the pages of the batch were fetched under."""
        return [done.lease for done in self._done]

    def leave_out(self, tokens: Collection[int]) -> None:
        """Forget the pages that were fetched under leases with these *tokens*: they are others' to store."""
        self._visits = [visit for visit in self._visits if visit.lease.token not in tokens]
        self._done = [done for done in self._done if done.lease.token not in tokens]

    def commit(self) -> bool:
        """Write the batch, if there is one and none is under way; returns whether one has been completed.

        Raises:
            StoreError: nothing was moved on; the batch is kept, and the next call tries again.
        """
        if (batch := self._under_way) is not None:
            return batch.answer.done() and self._land(batch)
        if not self._done:
            return False
        self._has_failed = True
        if self._archive is not None:
            self._archive.flush()
        answer = self._others.write(self._visits) if self._others is not None and self._visits else None
        self._has_failed = False
        if answer is None:
            return self._complete(self._visits, self._done)
        self._under_way = batch = _UnderWay(self._visits, self._done, answer)
        self._visits, self._done = [], []
        answer.add_done_callback(lambda _: self.on_answer and self.on_answer())
        return answer.done() and self._land(batch)

    def wait(self, seconds: float = LAST_SECONDS) -> None:
        """Wait for the sink's answer, if a batch is under way; `commit` then completes it.

        Raises:
            StoreError: there is none; the batch's pages will be fetched again.
        """
        if (batch := self._under_way) is None:
            return
        if self._others is not None:
            self._others.ending()
        if not wait([batch.answer], seconds).done:
            raise StoreError(f"a sink has not stored a batch within {seconds:g} seconds; run again: nothing is lost")

    def tell(self, standing: Standing) -> None:
        """Let the sinks elsewhere know how the run leaves its site."""
        if self._others is not None:
            self._others.tell(standing)

    def _land(self, batch: _UnderWay) -> bool:
        """Complete the batch that was under way; if it can't be, it is the first part of the next one."""
        later = self._visits, self._done
        self._under_way = None
        self._visits, self._done = batch.visits, batch.done
        try:
            self._has_failed = True
            batch.answer.result()
            return self._complete(batch.visits, batch.done)
        finally:
            self._visits, self._done = [*self._visits, *later[0]], [*self._done, *later[1]]

    def _complete(self, visits: list[Visit], done: list[Done]) -> bool:
        self._has_failed = True
        with self._transaction():
            if self.on_commit is not None:
                self.on_commit(visits)
            if self._sink is not None:
                self._sink.write(visits)
            self._frontier.complete(done)
        self._has_failed = False
        self._visits, self._done = [], []
        return True

    def close(self) -> None:
        """Close the sinks; what is not committed by now is fetched again. Raises the last StoreError when all were
        asked.
        """
        sinks = (self._sink, self._others, self._archive)
        self._sink = self._others = self._archive = None
        with ExitStack() as asked:
            for sink in sinks:
                if sink is not None:
                    asked.callback(sink.close)
