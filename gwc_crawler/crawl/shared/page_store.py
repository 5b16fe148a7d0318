"""Where a worker that shares its crawl puts its pages: into its own file, before the shared frontier moves on."""

from __future__ import annotations

import logging
from collections import Counter

from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.frontier.redis import RetryingFrontier
from gwc_crawler.frontier.sqlite import RevisitMirror
from gwc_crawler.items import Lease, Revisit, Visit
from gwc_crawler.store import Committer, SharedSqliteSink
from gwc_crawler.urls import host_of

logger = logging.getLogger(__name__)


class SharedPageStore(PageStore):
    """The batch of one worker.

    Args:
        sink: what `committer` writes pages to; takes the frontier's counts at the end, too.
        mirror: where each look at a page is noted, also by `leases`.
    """

    def __init__(
        self,
        committer: Committer,
        leases: Leases,
        frontier: RetryingFrontier,
        sink: SharedSqliteSink,
        mirror: RevisitMirror,
    ) -> None:
        super().__init__(committer, leases)
        self.found: Counter[str] | None = None
        """Where links to hosts of other sites are counted, if anybody wants to know."""
        self._frontier = frontier
        self._mirror = mirror
        self._shared = frontier.shared
        self._sink = sink

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch, and count its links to other sites."""
        page = visit.page
        if self.found is not None:
            self.found.update(map(host_of, page.outside))
        self._mirror.note(page.url, visit.revisit)
        super().keep(visit)

    def keep_unread(self, lease: Lease, url: str, revisit: Revisit) -> None:
        """Put a page into the batch that has not changed."""
        self._mirror.note(url, revisit)
        super().keep_unread(lease, url, revisit)

    def commit(self) -> None:
        """Commit the batch. Pages whose leases others have taken over are left to them."""
        if late := self._frontier.late(self._committer.leases):
            self._shared.outdated += len(late)
            self._committer.leave_out(late)
            logger.warning("leases ran out, other workers fetch their pages pages=%d", len(late))
        self._mirror.write()
        super().commit()

    def leave_counts(self) -> None:
        """Write the frontier's counts into the file, where the summary looks for them.

        Raises:
            StoreError: the file can't be written.
        """
        counts = self._frontier.counts()
        if not self._frontier.away:
            self._mirror.write()
            self._sink.write_counts({"U": counts.waiting, "R": counts.running, "C": counts.complete, "E": counts.error})
