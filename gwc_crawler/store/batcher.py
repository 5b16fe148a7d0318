"""Visits and what the frontier is to learn of them, collected and committed a batch at a time.

The order is the promise: every sink has the pages before the frontier calls them complete. Where the crawl's database
holds both, that is a single transaction, so there a page is never doubled; other sinks are written before it begins
(see `gwc_crawler.store.sink`). A crash, or a full disk, costs at most that the batch's pages are fetched again.

A sink may answer later. Then its batch is *under way*: the next one is collected meanwhile, and the frontier moves on
in the first `commit` after the answer.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from gwc_crawler.errors import StoreError
from gwc_crawler.items import Done, Lease, PageKind, Revisit, Visit
from gwc_crawler.store.archive import Archive
from gwc_crawler.store.sink import RecordSink, RecordSinks, Standing

logger = logging.getLogger(__name__)


class Completes(Protocol):
    """The part of a frontier that is needed here."""

    def complete(self, done: Sequence[Done]) -> None:
        """Take the links of these pages in and call the pages complete, in one step."""


class Outbox(Protocol):
    """Sends stored records on."""

    def note(self, visits: Sequence[Visit]) -> None:
        """Note the records of these pages, in the transaction in which they are stored."""

    def release(self) -> None:
        """Send the noted records: the transaction is committed."""

    async def emit(self) -> None:
        """Send records that earlier runs left, before the crawl begins."""


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A batch that a sink has not answered yet."""

    visits: list[Visit]
    done: list[Done]
    answer: Future[None]

    @property
    def is_answered(self) -> bool:
        """Whether the sink has stored it, or failed to."""
        return self.answer.done()


LAST_SECONDS = 60.0
"""So long the end of a crawl waits for a sink's answer."""


class Batcher:
    """Collects the pages of one crawl until the batch is `full`; `commit` then writes it.

    Args:
        frontier, sink: where it goes; a crawl whose own database keeps no pages and records has no *sink*.
        transaction: all or nothing, of the database that both live in, if they do.
        others: sinks elsewhere.
        archive: where the answers are that the batch was made of, if they are recorded; also those without a page.
        settled: called when a batch is complete.
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
        settled: Callable[[], None] = lambda: None,
        max_pages: int,
        max_seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pages = 0
        """Pages that were put in, in this run."""
        self.outbox: Outbox | None = None
        """Told of the visits of a batch: before they are written (embedded, in the same transaction), and after it."""
        self._frontier = frontier
        self._sink = sink
        self._others = others
        self._archive = archive
        self._settled = settled
        self._transaction = transaction
        self._max_pages = max_pages
        self._max_seconds = max_seconds
        self._clock = clock
        self.on_answer: Callable[[], None] | None = None
        """Called in another thread when the batch that was under way can be completed: `commit` is due."""
        self._under_way: _UnderWay | None = None
        self._visits: list[Visit] = []
        self._done: list[Done] = []
        self._since = 0.0
        self._has_failed = False

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch; commits when the batch is full."""
        page = visit.page
        main = page.canonical if page.kind is PageKind.ALIAS else ""
        done = Done(visit.lease, page.url, page.kind, page.relevant, page.admitted, visit.revisit, main=main)
        self._keep(visit, done)

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        """Put a page into the batch that has not changed (304): nothing of it is read or written anew."""
        self._keep(None, Done(lease, url, revisit.kind, revisit.relevant, revisit=revisit, unread=True))

    def _keep(self, visit: Visit | None, done: Done) -> None:
        self.pages += 1
        self.add(visit, done)
        if self.full:
            self.commit()

    def add(self, visit: Visit | None, done: Done) -> None:
        """Put a page into the batch, whether it is full or not."""
        if not self._done:
            self._since = self._clock()
        if visit is not None:
            self._visits.append(visit)
        self._done.append(done)

    def __len__(self) -> int:
        batch = self._under_way
        return len(self._done) + (len(batch.done) if batch is not None else 0)

    @property
    def full(self) -> bool:
        """Whether it is time to commit; not again after a failure, which ends the crawl: there is one more try then."""
        if self._has_failed:
            return False
        if self._under_way is not None:
            return self._under_way.is_answered
        is_old = bool(self._done) and self._clock() - self._since >= self._max_seconds
        return is_old or len(self._done) >= self._max_pages

    @property
    def is_behind(self) -> bool:
        """Whether a batch is under way and the next one is as large as it may be: nothing more should be fetched."""
        return self._under_way is not None and len(self._done) >= self._max_pages

    def leave_out(self, tokens: Collection[int]) -> None:
        """Forget the pages that were fetched under leases with these *tokens*: they are others' to store."""
        self._visits = [visit for visit in self._visits if visit.lease.token not in tokens]
        self._done = [done for done in self._done if done.lease.token not in tokens]

    def commit(self) -> bool:
        """Write the batch, if there is one and none is under way; returns whether one has been completed.

        Raises:
            StoreError: nothing was moved on; the batch is kept, and the next call tries again.
        """
        is_complete = self._write()
        if is_complete:
            if self.outbox is not None:
                self.outbox.release()
            self._settled()
        return is_complete

    def _write(self) -> bool:
        if self._under_way is not None:
            return self._under_way.is_answered and self._land(self._under_way)
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
        return batch.is_answered and self._land(batch)

    def commit_last(self) -> None:
        """Commit the remaining pages at the end. StoreError: they are not stored, and will be fetched again."""
        try:
            if not len(self):
                self._settled()
            while len(self):
                self.wait()
                self.commit()
        except StoreError:
            logger.error("last batch not stored, its pages will be fetched again pages=%d", len(self))
            raise

    def wait(self, seconds: float = LAST_SECONDS) -> None:
        """Wait for the sink's answer to what is under way; `commit` then completes it. StoreError: there is none."""
        batch = self._under_way
        if batch is not None and self._others is not None:
            self._others.ending()
        if batch is not None and not wait([batch.answer], seconds).done:
            raise StoreError(f"a sink has not stored a batch within {seconds:g} seconds; run again: nothing is lost")

    def tell(self, standing: Standing) -> None:
        """Let the sinks elsewhere know how the run leaves its site.

        Raises:
            StoreError: one of them can't note it.
        """
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
        """Have the own database take the batch, and the frontier move on."""
        self._has_failed = True
        with self._transaction():
            if self.outbox is not None:
                self.outbox.note(visits)
            if self._sink is not None:
                self._sink.write(visits)
            self._frontier.complete(done)
        self._has_failed = False
        self._visits, self._done = [], []
        return True

    def leave_counts(self) -> None:
        """Write the frontier's counts where the summary looks for them; an embedded frontier keeps them there."""

    def close(self) -> None:
        """Close the sinks; what is not committed by now is fetched again.

        Raises:
            StoreError: one of them failed at it; all were asked.
        """
        sinks = (self._sink, self._others, self._archive)
        self._sink = self._others = self._archive = None
        with ExitStack() as asked:
            for sink in sinks:
                if sink is not None:
                    asked.callback(sink.close)
