"""Visits and what the frontier is to learn of them, collected and committed a batch at a time.

The order is the promise: every sink has the pages before the frontier calls them complete. Where the crawl's database
holds both, that is a single transaction, so there a page is never doubled; other sinks are written before it begins
(see `gwc_crawler.store.sink`). A crash, or a full disk, costs at most that the batch's pages are fetched again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, Protocol

from gwc_crawler.items import Done, Lease, Visit
from gwc_crawler.store.sink import RecordSink


class Completes(Protocol):
    """The part of a frontier that is needed here."""

    def complete(self, done: Sequence[Done]) -> None:
        """Take the links of these pages in and call the pages complete, in one step."""


class Transactional(Protocol):
    """The part of a database that is needed here."""

    def transaction(self) -> AbstractContextManager[Any]:
        """All or nothing."""


class Archive(Protocol):
    """What has recorded the answers of servers as they came."""

    def flush(self) -> None:
        """Have all of them safe.

        Raises:
            StoreError: they are not.
        """

    def close(self) -> None:
        """Have them safe, and end."""


class Committer:
    """Collects until the batch is `full`; `commit` then writes it.

    Args:
        frontier, sink: where it goes; a crawl whose own database keeps no pages and records has no *sink*.
        database: the one that both live in, if they do.
        others: sinks elsewhere.
        archive: where the answers are that the batch was made of, if they are recorded; also those without a page.
        max_pages, max_seconds: the batch is full when it has this many pages, or its first is this old.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        frontier: Completes,
        sink: RecordSink | None,
        database: Transactional | None = None,
        *,
        others: RecordSink | None = None,
        archive: Archive | None = None,
        max_pages: int = 100,
        max_seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._frontier = frontier
        self._sink = sink
        self._others = others
        self._archive = archive
        self._database = database
        self._max_pages = max_pages
        self._max_seconds = max_seconds
        self._clock = clock
        self.on_commit: Callable[[Sequence[Visit]], None] | None = None
        """Called with the visits before they are written; embedded, in the same transaction."""
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
        return len(self._done)

    @property
    def full(self) -> bool:
        """Whether it is time to commit; not again after a failure, which ends the crawl: there is one more try then."""
        return not self._has_failed and self._is_large_or_old

    @property
    def _is_large_or_old(self) -> bool:
        return len(self._done) >= self._max_pages or (bool(self._done) and self.age_seconds >= self._max_seconds)

    @property
    def age_seconds(self) -> float:
        """How long the first page of the batch has waited; 0 for an empty one."""
        return self._clock() - self._since if self._done else 0.0

    @property
    def leases(self) -> list[Lease]:
        """What the pages of the batch were fetched under."""
        return [done.lease for done in self._done]

    def leave_out(self, tokens: Collection[int]) -> None:
        """Forget the pages that were fetched under leases with these *tokens*: they are others' to store."""
        self._visits = [visit for visit in self._visits if visit.lease.token not in tokens]
        self._done = [done for done in self._done if done.lease.token not in tokens]

    def commit(self) -> None:
        """Write the batch, if there is one.

        Raises:
            StoreError: nothing was moved on; the batch is kept, and the next call tries again.
        """
        if not self._done:
            return
        self._has_failed = True
        if self._archive is not None:
            self._archive.flush()
        if self._others is not None and self._visits:
            self._others.write(self._visits)
        with self._database.transaction() if self._database else nullcontext():
            if self.on_commit is not None:
                self.on_commit(self._visits)
            if self._sink is not None:
                self._sink.write(self._visits)
            self._frontier.complete(self._done)
        self._has_failed = False
        self._visits, self._done = [], []

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
