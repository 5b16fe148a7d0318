"""The batch of a crawl's pages, committed as one, upon which the frontier moves on.

The store pipeline adds visits, the spider adds unchanged pages; scheduler and spider commit when nothing else does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from gwc_crawler.crawl.leases import Leases
from gwc_crawler.errors import StoreError
from gwc_crawler.items import Done, Lease, PageKind, Revisit, Visit
from gwc_crawler.store.batcher import Committer
from gwc_crawler.store.sink import Standing

logger = logging.getLogger(__name__)


class Outbox(Protocol):
    """Sends stored records on."""

    def note(self, visits: Sequence[Visit]) -> None:
        """Note the records of these pages, in the transaction in which they are stored."""

    def release(self) -> None:
        """Send the noted records: the transaction is committed."""

    async def emit(self) -> None:
        """Send records that earlier runs left, before the crawl begins."""


class PageStore:
    """The batch of one crawl; it informs others of stored pages, the *leases* under which they were fetched, too."""

    def __init__(self, committer: Committer, leases: Leases) -> None:
        self.pages = 0
        """Pages that were put in, in this run."""
        self._committer = committer
        self._leases = leases
        self._outbox: Outbox | None = None

    @property
    def uncommitted(self) -> int:
        """Pages that were read and not committed yet."""
        return len(self._committer)

    @property
    def full(self) -> bool:
        """Whether a commit is due."""
        return self._committer.full

    @property
    def is_behind(self) -> bool:
        """Whether a sink takes its time, so that nothing more should be leased until it has answered."""
        return self._committer.is_behind

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch; commits when the batch is full."""
        page = visit.page
        self.pages += 1
        main = page.canonical if page.kind is PageKind.ALIAS else ""
        done = Done(visit.lease, page.url, page.kind, page.relevant, page.admitted, visit.revisit, main=main)
        self._committer.add(visit, done)
        if self._committer.full:
            self.commit()

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        """Put a page into the batch that has not changed (304): nothing of it is read or written anew."""
        self.pages += 1
        self._committer.add(None, Done(lease, url, revisit.kind, revisit.relevant, revisit=revisit, unread=True))
        if self._committer.full:
            self.commit()

    def commit(self) -> None:
        """Commit the batch: pages, links and records, then the frontier; after a sink's answer if that comes later.

        Raises StoreError: the batch stays for a later try; nothing of it is half written.
        """
        if self._committer.commit():
            if self._outbox is not None:
                self._outbox.release()
            self._leases.settle()

    def on_answer(self, notify: Callable[[], None]) -> None:
        """Have *notify* called, in another thread, when a sink has answered and a commit is due."""
        self._committer.on_answer = notify

    def hand_on_to(self, outbox: Outbox) -> None:
        """Tell *outbox* of stored pages."""
        self._outbox = outbox
        self._committer.on_commit = outbox.note

    async def emit_the_rest(self) -> None:
        """Before the crawl begins: hand on what earlier runs left."""
        if self._outbox is not None:
            await self._outbox.emit()

    def commit_last(self) -> None:
        """Commit the remaining pages at the end. Raises StoreError: they are not stored, and will be fetched again."""
        try:
            if not self.uncommitted:
                self._leases.settle()
            while self.uncommitted:
                self._committer.wait()
                self.commit()
        except StoreError:
            logger.error("last batch not stored, its pages will be fetched again pages=%d", self.uncommitted)
            raise

    def tell(self, standing: Standing) -> None:
        """Let the sinks know how the run leaves its site; StoreError as `close`."""
        self._committer.tell(standing)

    def close(self) -> None:
        """Close the sinks; pages not committed are fetched again. Raises StoreError: one can't be, the others were."""
        self._committer.close()

    def leave_counts(self) -> None:
        """Write the frontier's counts where the summary looks for them; an embedded frontier keeps them there."""
