"""Whether what a pre-crawl has fetched settles what is to be learned; looked at now and then, beside the crawl.

In: the pages in the pre-crawl's file. Out: a verdict, which is kept in that file, so that a resumed pre-crawl goes on
from there. The judging itself is `gwc_crawler.learn.precrawl`'s.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gwc_crawler.store import CrawlDatabase, count_stored_pages, read_stored_pages
from gwc_crawler.store.state import DraftRow, DraftTable

if TYPE_CHECKING:
    from gwc_crawler.learn.precrawl import Judgement
    from gwc_crawler.learn.targets import LearnTask


class Settling:
    """The looks at one pre-crawl.

    Args:
        database: its file.
        task: what is to be learned.
        digest: stands for the task; looks that were made for another one don't count.
        most: so many pages are fetched at most.
    """

    def __init__(self, database: CrawlDatabase, task: LearnTask, digest: str, most: int) -> None:
        from gwc_crawler.learn.precrawl import FilterDraft, Judge, next_look  # only a pre-crawl needs the learner

        self._database, self._digest = database, digest
        self._table = DraftTable(database)
        rows = self._table.rows(digest)
        self._judge = Judge(task, [FilterDraft.from_json(row.draft) for row in rows])
        self._last = rows[-1] if rows else None
        self._first_look_over = partial(next_look, most=most)

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
        return planned if planned > stored else self._first_look_over(stored)

    async def look(self) -> Judgement:
        """Look at the pages that are stored, in a thread of its own, and keep what was seen.

        Raises:
            StoreError: the file can't be read or written.
        """
        verdict = await asyncio.to_thread(self._judged, self._database.path)
        draft = verdict.draft
        self._last = DraftRow(draft.pages, verdict.next_at, verdict.doubt, verdict.since, draft.to_json(), self._digest)
        self._table.keep(self._last)
        return verdict

    def _judged(self, path: Path) -> Judgement:
        with CrawlDatabase(path, read_only=True) as database:
            return self._judge.judge(list(read_stored_pages(database)))
