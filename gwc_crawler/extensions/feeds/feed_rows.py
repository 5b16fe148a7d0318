"""The rows of a crawl's feeds: from the commit that stores a page, or out of the store, into each feed that owes them.

An `Outbox` of the page store: `note` is called in the transaction of a commit, `release` after it. An item that comes
out of the pipelines waits here for its page's commit; a page whose item is still on its way is waited for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request
from scrapy.http import Response

from gwc_crawler.extensions.feeds.tracks import FeedRecord, Track
from gwc_crawler.items import Visit
from gwc_crawler.request_meta import META_LEASE, META_ROW
from gwc_crawler.store import stored_record
from gwc_crawler.store.sqlite import CrawlDatabase, ItemReader
from gwc_crawler.store.state import FeedBook

logger = logging.getLogger(__name__)

ROWS_AT_A_TIME = 100

Key = tuple[str, int]
"""A lease: its URL and token."""


@dataclass
class FeedRows:
    """Hands items to the feeds of one crawl, each record once.

    Args:
        put: writes an item into a feed, and says whether it could; what went wrong is its own business.
        broken: told of a feed whose file can't be written.
        process: takes an item through the pipelines; it comes back by `scraped`.
        is_over: whether the crawl is ending.
    """

    database: CrawlDatabase
    book: FeedBook
    tracks: list[Track]
    reader: ItemReader
    put: Callable[[Track, Any], bool]
    broken: Callable[[Track, OSError], None]
    process: Callable[[Any, Response], Awaitable[None]]
    is_over: Callable[[], bool]
    _pending: dict[Key, list[Any]] = field(default_factory=dict)
    """Items whose pages are not stored yet."""
    _noted: dict[Key, FeedRecord | None] = field(default_factory=dict)
    _recent: dict[Key, FeedRecord | None] = field(default_factory=dict)
    """Leases of the last commit → the rows of their records."""
    _late: dict[Key, FeedRecord] = field(default_factory=dict)
    """Records that are stored, and still on their way through the pipelines."""
    _live: set[int] | None = None
    """Records of this run, while those of earlier runs are emitted."""
    _failing: set[Key] = field(default_factory=set)
    """Pages that are not stored yet, and at whose record a pipeline failed."""
    _in_vain: set[int] = field(default_factory=set)
    """Records that a pipeline or a feed failed at in this run: the next one tries them again."""
    _told_of_none: bool = False

    # --- from the commit into the feeds ---------------------------------------------------------------------------

    def note(self, visits: Sequence[Visit]) -> None:
        """Note, in the transaction in which they are stored, what came of these pages."""
        database = self.database
        with database.transaction():
            for track in self.tracks:
                try:
                    track.record(self.book)
                except OSError as error:
                    self.broken(track, error)
            expected = [visit for visit in visits if stored_record(visit) is not None and not visit.stale]
            numbers = database.urls.ids([visit.page.url for visit in expected])
            has = {track: self.book.owe(track.state.number, numbers) for track in self.tracks} if numbers else {}
        self._noted = dict.fromkeys((visit.lease.url, visit.lease.token) for visit in visits)
        for visit, number in zip(expected, numbers, strict=True):
            skip = {track for track, present in has.items() if number in present}
            self._noted[visit.lease.url, visit.lease.token] = FeedRecord(number, skip)
        if self._live is not None:
            self._live.update(numbers)

    def release(self) -> None:
        """The transaction holds: hand on what was noted."""
        for track in self.tracks:
            track.forget_recorded()
        self._recent, self._noted = self._noted, {}
        for key, row in self._recent.items():
            items = self._pending.pop(key, None)
            if row is not None and key in self._failing:
                self._fail(row)
            if items:
                self._export(items, row)
            elif row is not None and not row.failed:
                self._late[key] = row
        self._failing.difference_update(self._recent)
        for track in self.tracks:
            try:
                track.flush()
            except OSError as error:
                self.broken(track, error)

    def scraped(self, item: Any, response: Response | None) -> None:
        """Write an item if its page is stored, else keep it until then."""
        row, key = _origin(response)
        if item is None:
            self._returned_none(response)
        elif row is not None:
            row.came = True
            self._export([item], row)
        elif key is None:
            self._export([item], None)
        elif key in self._late:
            self._export([item], self._late.pop(key))
        elif key in self._recent:
            self._export([item], self._recent[key])
        else:
            self._pending.setdefault(key, []).append(item)

    def failed(self, response: Response | None) -> None:
        """What a pipeline failed at stays owed."""
        row, key = _origin(response)
        if row is None and key is not None:
            row = self._late.pop(key, None) or self._recent.get(key)
            if row is None:
                self._failing.add(key)
        if row is not None:
            self._fail(row)

    def _fail(self, row: FeedRecord) -> None:
        row.failed = True
        self._in_vain.add(row.number)

    def _returned_none(self, response: Response | None) -> None:
        if not self._told_of_none:
            self._told_of_none = True
            logger.error(
                "an item pipeline returned None for %s, and perhaps for more: its process_item has to return the item, "
                "or to raise DropItem; the rows stay owed, and the next run writes them",
                getattr(response, "url", "an item"),
            )
        self.failed(response)

    def _export(self, items: Sequence[Any], row: FeedRecord | None) -> None:
        for track in self.tracks:
            if row is not None and track in row.skip:
                track.state.outdated |= not (row.replayed or track.state.changes)
            elif not track.broken:
                if row is not None and not row.failed:
                    track.settle(row.number)  # first: `put` may begin the next file
                written = [self.put(track, item) for item in items]
                if row is not None and not all(written):
                    track.unsettle(row.number)
                    self._in_vain.add(row.number)

    # --- out of the store -----------------------------------------------------------------------------------------

    async def emit(self) -> None:
        """Hand on what earlier runs left, but for what is fetched again in this run.

        Raises:
            StoreError: the database can't be read or written.
        """
        self._live = set()
        await self.emit_owed(also_waiting=False)
        self._live = None

    async def emit_owed(self, *, also_waiting: bool) -> None:
        """Emit what is owed, a few records at a time; *also_waiting*: also of pages that wait to be fetched again."""
        after = 0
        while not self.is_over() and (numbers := self.owed(after, also_waiting=also_waiting)):
            after = numbers[-1]
            await self._emit_rows(numbers)
            self.checkpoint()

    def owed(self, after: int = 0, *, also_waiting: bool = True) -> list[int]:
        """Return the next records that a feed owes, by number."""
        found = {
            number
            for track in self.tracks
            if not track.broken
            for number in self.book.owed(track.state.number, after, ROWS_AT_A_TIME, also_waiting=also_waiting)
        }
        return sorted(found)[:ROWS_AT_A_TIME]

    async def _emit_rows(self, numbers: Sequence[int]) -> None:
        owing = {track: self.book.owed_among(track.state.number, numbers) for track in self.tracks}
        items = self.reader.read(numbers)
        self.book.forget([number for number in numbers if number not in items])
        for number, item in items.items():
            if self.is_over():
                return
            if number in self._in_vain or (self._live is not None and number in self._live):
                continue
            row = FeedRecord(number, {track for track in self.tracks if number not in owing[track]}, replayed=True)
            request = Request(item["url"], meta={META_ROW: row})
            await self.process(item, Response(item["url"], request=request))
            if not row.came:
                self._settle(row)

    def settle_late(self) -> None:
        """Nothing is on its way any more: what has not come was dropped by a pipeline."""
        for row in self._late.values():
            self._settle(row)
        self._late.clear()

    def _settle(self, row: FeedRecord) -> None:
        if not row.failed:
            for track in self.tracks:
                if track not in row.skip:
                    track.settle(row.number)

    def checkpoint(self) -> None:
        """Note what is written, between two commits."""
        self.note(())
        self.release()


def meta_of(response: Response | None) -> dict[str, Any]:
    """Return the meta of the request that an item comes from."""
    request = getattr(response, "request", None)
    return request.meta if request is not None else {}


def _origin(response: Response | None) -> tuple[FeedRecord | None, Key | None]:
    """Return where an item comes from: a row out of the store, or a lease."""
    meta = meta_of(response)
    lease = meta.get(META_LEASE)
    return meta.get(META_ROW), (lease.url, lease.token) if lease is not None else None
