"""The parts of a pre-crawl: start URLs first, then others while pages are missing and enough may be asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request

from gwc_crawler.crawl.common import Common
from gwc_crawler.crawl.first_records import FirstRecords
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.errors import LearnError
from gwc_crawler.frontier.admission import Book
from gwc_crawler.frontier.rejections import forget_rejections
from gwc_crawler.frontier.sampling import PUT_OFF, SamplingAdmission
from gwc_crawler.frontier.sqlite.precrawl import Direction, PrecrawlFrontier
from gwc_crawler.items import META_WEIGHT, Failure, Lease, PageKind, RejectionReason, Visit
from gwc_crawler.network.politeness.robots import origin_of
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import FIRST_RECORDS, ChannelRows, DraftRow, DraftTable
from gwc_crawler.store.sqlite.stats import count_stored_pages, read_stored_pages

if TYPE_CHECKING:
    from gwc_crawler.learn.precrawl.watch import Judgement
    from gwc_crawler.learn.targets.task import LearnTask


ASKED_A_PAGE = 3
"""Maximum number of URLs that a pre-crawl requests for each page it wants, beside ASKED_BESIDES more in all."""

ASKED_BESIDES = 20


class PrecrawlLeases(Leases):
    """The leases of a pre-crawl."""

    def __init__(self, common: Common, frontier: PrecrawlFrontier, book: Book) -> None:
        super().__init__(common, frontier, book)
        self.missing = 0
        """Pages to fetch besides those that are stored."""
        self.asks_left = 0
        """URLs that may still be requested, over all runs; starts count, and are requested in any case."""
        self._precrawl = frontier
        self._sampling: SamplingAdmission | None = None
        self._starts = common.site.starts
        self._is_directed = False

    def look_what_is_missing(self, pages: int, fresh_since: float) -> tuple[int, int, int]:
        """Let pages fetched before *fresh_since* wait again, and note how many of *pages* are still missing.

        Returns how many are stored, how many were too old, and how many start URLs are not settled.
        """
        old = self._precrawl.let_old_wait(fresh_since)
        stored = self.stored
        self.missing = max(0, pages - stored)
        return stored, old, self._precrawl.unsettled(self._starts)

    def sample(self, pages: int, is_wanted: Callable[[str], bool]) -> SamplingAdmission:
        """Put admission before the frontier, with the outcomes of earlier runs; *pages* are wanted in all."""
        frontier = self._precrawl
        self.asks_left = max(0, ASKED_A_PAGE * pages + ASKED_BESIDES - frontier.asked())
        if self.wants_more:
            frontier.take_up_again()
            forget_rejections(self._database, (RejectionReason.ERRORS, RejectionReason.DOUBTFUL))
        self._sampling = admission = SamplingAdmission(
            self._book,
            frontier.recall,
            found_on=frontier.found_on,
            is_wanted=is_wanted,
            robots=self.robots,
            readmit=frontier.readmit,
        )
        admission.learn(frontier.outcomes())
        self._put(admission)
        return admission

    def direct(self, order: Direction) -> None:
        """Lease by *order* besides the weight, from now on."""
        self._is_directed = True
        self._precrawl.direct(order)

    def want(self, urls: Sequence[str]) -> None:
        self._precrawl.want(urls)
        self.changes += 1

    @property
    def stored(self) -> int:
        """How many pages are fetched. Cost: walks the table of URLs."""
        return self._precrawl.pages()

    @property
    def wants_more(self) -> bool:
        """Whether anything but start URLs is to be asked for."""
        return self.missing > 0 and self.asks_left > 0

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the start URLs that are ready, and others; no more than may be asked for."""
        used = super().lease(count, busy_hosts)
        wanted = max(min(count, self.asks_left), sum(not lease.depth for lease in used))
        self._frontier.release(used[wanted:])
        return used[:wanted]

    def _take(self, count: int, busy_hosts: Collection[str]) -> list[Lease]:
        leases = self._precrawl.lease_first(self._wanted_starts, self._owner)
        if self.wants_more:
            leases += super()._take(count - len(leases), busy_hosts)
        return leases

    def has_work(self) -> bool:
        return super().has_work() if self.wants_more else self._precrawl.unsettled(self._wanted_starts) > 0

    @property
    def _wanted_starts(self) -> Sequence[str]:
        """The start URLs, except those of hosts that are given up."""
        left_alone = self._silent.left_alone
        return [url for url in self._starts if origin_of(url) not in left_alone] if left_alone else self._starts

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL, and count it."""
        self.asks_left -= 1
        request = super().request(lease)
        if self._is_directed:
            request.meta[META_WEIGHT] = 0  # in the order of the leases, else a form of great weight never has its turn
        return request

    def hand_back(self, leases: Sequence[Lease]) -> None:
        self.asks_left += len(leases)
        super().hand_back(leases)

    def give_up(self, lease: Lease, why: Failure) -> None:
        super().give_up(lease, why)
        self.note_outcome(lease, why)

    def note_outcome(self, lease: Lease, failure: Failure | None) -> None:
        """Note the outcome of a lease: a page of the site, or a *failure*."""
        if self._sampling is not None and self._sampling.came_of(lease, failure):
            self.lease_anew()

    def take_up(self) -> bool:
        """Let postponed URLs wait again, those linked on several pages first, then a share; False: there are none."""
        admission = self._sampling
        if not self.wants_more or admission is None or not admission.put_off:
            return False
        self.changes += 1
        if linked := self._precrawl.take_up_linked(PUT_OFF):
            admission.trust(linked)
            return True
        return admission.try_some(self.asks_left)

    def stats(self) -> dict[str, Any]:
        return {"asks_left": self.asks_left}


class PrecrawlStore(Batcher):
    """The batch of a pre-crawl."""

    note_outcome: Callable[[Lease, Failure | None], None]

    def keep(self, visit: Visit) -> None:
        """Put a read page into the batch. A soft 404, or a redirect to a known page, counts as no page."""
        kind = visit.page.kind
        without_yield = kind in (PageKind.MISSING, PageKind.REDIRECT)
        self.note_outcome(visit.lease, Failure(kind.value) if without_yield else None)
        super().keep(visit)


GLIMPSES = (25, 50, 100)
"""Numbers of pages after which the first records are shown: most sites have the first right one after 25
(`python -m tests.eval.first_record`)."""


class Settling:
    """The looks at one pre-crawl, of *most* pages; those made for a task with another *digest* don't count."""

    def __init__(self, database: CrawlDatabase, task: LearnTask, digest: str, most: int) -> None:
        from gwc_crawler.learn.precrawl.judge import Judge
        from gwc_crawler.learn.precrawl.watch import FilterDraft, next_look  # only a pre-crawl needs the learner

        self._database, self._digest = database, digest
        self._table = DraftTable(database)
        self._board = ChannelRows(database)
        if (first := self._board.first_records()) and first["task"] != digest:
            self._board.remove(FIRST_RECORDS)
        rows = self._table.rows(digest)
        self._judge = Judge(task, [FilterDraft.from_json(row.draft) for row in rows])
        self._last = rows[-1] if rows else None
        self._first_look_over = partial(next_look, most=most)
        self._samples = frozenset(url for url, _ in task.samples)
        self._glimpses: tuple[int, ...] = GLIMPSES if self._samples else ()

    def forget(self) -> None:
        """Count no earlier look: the pages are fetched anew."""
        self._table.clear()
        self._judge.forget()
        self._last = None

    @property
    def is_settled(self) -> bool:
        """Whether an earlier run has found that no more pages are needed than are stored."""
        last = self._last
        return last is not None and not last.doubt and last.pages <= count_stored_pages(self._database)

    def next_at(self, stored: int) -> int:
        """Return at how many pages the next look is, where *stored* are fetched."""
        planned = self._last.next_at if self._last is not None else 0
        glimpses = (pages for pages in self._glimpses if pages > stored)
        return min((planned if planned > stored else self._first_look_over(stored), *glimpses))

    def takes_glimpse(self) -> bool:
        """Tell whether the first records may be shown: too few pages are stored for a look. Once for each number."""
        is_early = bool(self._glimpses) and count_stored_pages(self._database) < self._first_look_over(0)
        self._glimpses = self._glimpses[is_early:]
        return is_early

    async def glimpse(self) -> FirstRecords:
        """Read the first records from the stored pages, in a thread of its own, and keep them for whoever asks."""
        first = await asyncio.to_thread(self._first_records, self._database.path)
        self._board.put(FIRST_RECORDS, json.dumps({"task": self._digest, **first.told()}, ensure_ascii=False))
        return first

    async def look(self) -> Judgement:
        """Look at the stored pages in a thread, and keep the result. Raises StoreError: the file can't be used."""
        verdict = await asyncio.to_thread(self._judged, self._database.path)
        draft = verdict.draft
        self._last = DraftRow(draft.pages, verdict.next_at, verdict.doubt, verdict.since, draft.to_json(), self._digest)
        self._table.keep(self._last)
        return verdict

    def _first_records(self, path: Path) -> FirstRecords:
        with CrawlDatabase(path, read_only=True) as database:
            pages = list(read_stored_pages(database))
        try:
            knowledge = self._judge.learn(pages)
        except LearnError as error:
            return FirstRecords(len(pages), {}, str(error))
        return FirstRecords.of(pages, knowledge, but=self._samples)

    def _judged(self, path: Path) -> Judgement:
        with CrawlDatabase(path, read_only=True) as database:
            return self._judge.judge(list(read_stored_pages(database)))
