"""The rows of a crawl's feeds: from the commit that stores a page, or out of the store, into each feed that owes them.

An `Outbox` of the page store: `note` is called in the transaction of a commit, `release` after it. An item that comes
out of the pipelines waits here for its page's commit; a page whose item is still on its way is waited for.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.extensions.feedexport import FeedSlot, StdoutFeedStorage
from scrapy.http import Response

from gwc_crawler.extensions.feeds.feed_files import (
    GrowingFile,
    GrowingStorage,
    Way,
    is_stream,
    is_untouched,
    postprocessed,
    regular_path,
    size_of,
    unwritable,
)
from gwc_crawler.items import META_LEASE, META_ROW, Visit
from gwc_crawler.store.batcher import Outbox
from gwc_crawler.store.reading import RECORDS_AT_ONCE
from gwc_crawler.store.sink import stored_record
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import FeedBook, FeedState
from gwc_crawler.store.sqlite.stats import ItemReader

logger = logging.getLogger(__name__)


# --- One feed in one run: begun, continued, or begun again; its written rows, and the noted ones ----------------------


DOCUMENTS = ("json", "xml")
"""Formats whose files hold one document: two of them in a row are not valid."""


@dataclass(eq=False)
class FeedRecord:
    """A record on its way into the feeds. `skip` are those that have it already, or never wanted it."""

    number: int
    skip: set[Track]
    replayed: bool = False
    came: bool = False
    """Whether it came out of the pipelines."""
    failed: bool = False
    """A pipeline raised an error."""


@dataclass(eq=False)
class Track:
    """One feed.

    `written` are the rows that are written, or settled otherwise, and not yet noted; `batch` those of the present
    file, if a feed has many.
    """

    state: FeedState
    way: Way
    slot: FeedSlot
    options: Mapping[str, Any]
    written: list[int] = field(default_factory=list)
    batch: list[int] = field(default_factory=list)
    recorded: int = 0
    """How many of them stand in the transaction that is under way."""
    broken: bool = False

    @property
    def name(self) -> str:
        """Its address, for messages."""
        state = self.state
        return state.uri.rstrip(":")  # of `stdout:`

    @property
    def is_noted_by_commit(self) -> bool:
        """Whether rows count as written as soon as they are; else when the file is delivered."""
        gone = self.way is Way.MORE and is_stream(self.slot.storage) and not self.options["batch_item_count"]
        return self.way is Way.GROW or gone

    def record(self, book: FeedBook) -> None:
        """Write the pending rows, and note them. Raises OSError: the file can't be written."""
        self.recorded = 0
        if self.broken:
            return
        self.flush()
        state, file = self.state, self.slot.file
        if isinstance(file, GrowingFile):
            state.length, state.crc = file.length, file.crc
        state.items, state.seen_at = self.slot.itemcount, time.time()
        book.sent(state.number, self.written, delivered=self.is_noted_by_commit)
        book.save(state)
        self.recorded = len(self.written)

    def settle(self, number: int) -> None:
        """Note that a row is written, or need not be."""
        self.written.append(number)
        if self.options["batch_item_count"]:
            self.batch.append(number)

    def unsettle(self, number: int) -> None:
        """Note that the row could not be written after all."""
        for rows in (self.written, self.batch):
            if rows and rows[-1] == number:
                rows.pop()

    def mark(self) -> tuple[int, int] | None:
        """Return where a file that grows is now, its length and checksum; None if it is not open yet."""
        file = self.slot.file
        return (file.length, file.crc) if isinstance(file, GrowingFile) else None

    def go_back(self, mark: tuple[int, int] | None) -> None:
        """Take back the part of an item that an exporter has written before it failed, if possible.

        Raises OSError: the file can't be written.
        """
        slot, file = self.slot, self.slot.file
        if isinstance(file, GrowingFile):
            if mark is None:  # it was opened for this item: the next one shall begin it
                file.go_back(self.state.length, self.state.crc)
                file.close()
                slot.file, slot._fileloaded, slot._exporting = None, False, False
            else:
                file.go_back(*mark)

    def next_file(self, slot: FeedSlot) -> list[int]:
        """Go on in another file; returns the rows of the one that is full."""
        rows, self.batch = self.batch, []
        self.written, self.recorded = [], 0
        self.slot, state = slot, self.state
        state.batch, state.uri, state.items, state.start = slot.batch_id, slot.uri, 0, first_place(slot)
        return rows

    def forget_recorded(self) -> None:
        """Forget the recorded rows: their transaction holds."""
        del self.written[: self.recorded]
        self.recorded = 0

    def flush(self) -> None:
        """Write the pending rows, if that can be done before the end."""
        if self.slot.file is not None and not (self.broken or postprocessed(self.options)):
            self.slot.file.flush()

    def let_go(self) -> None:
        """Close a file that is not to be delivered."""
        if isinstance(self.slot.storage, StdoutFeedStorage):
            with suppress(OSError):  # output pending for a reader that has gone raises nothing at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        elif self.slot.file is not None:
            with suppress(OSError):
                self.slot.file.close()

    def end(self, book: FeedBook, *, is_complete: bool) -> None:
        """Note how the run left the feed; *is_complete*: nothing is left to crawl."""
        state = self.state
        owes = book.count(state.number, sent=False)
        if owes and not self.broken:
            told = "feed %s: %d rows are missing; they stay owed, and the next run writes them"
            logger.warning(told, self.name, owes)
        state.finished = is_complete and not owes and not self.broken
        state.is_open = self.broken
        if self.options["batch_item_count"] and self.slot.itemcount and not self.broken:
            state.batch += 1
        book.save(state)

    def open_at(self, slot: FeedSlot) -> None:
        """Use *slot* from now on, and bring its exporter to where the feed stands."""
        self.slot = slot
        path = regular_path(slot.storage)
        if self.way is not Way.GROW or path is None:
            return
        slot.storage = GrowingStorage(path, self.state)
        if self.state.length != self.state.start or self.state.items:
            self._take_up()

    def _take_up(self) -> None:
        """Let an exporter write head and first row again, into nothing: then it is in the state in which it was left.

        Raises StoreError: the file can't be written, or another process is writing it.
        """
        slot, state = self.slot, self.state
        storage: Any = slot.storage  # a GrowingStorage
        try:
            storage.is_muted = True
            slot.start_exporting()
            if state.names is not None and slot.exporter is not None:
                slot.exporter.export_item(dict.fromkeys(state.names))
        except OSError as error:
            raise unwritable(state.uri, error) from error
        finally:
            storage.is_muted = False
            if isinstance(slot.file, GrowingFile):
                slot.file.muted = False
        slot.itemcount = state.items

    def begin_anew(self, book: FeedBook, slot: FeedSlot) -> None:
        """Write the feed from its beginning, with all of its rows."""
        self.let_go()
        state = self.state
        state.batch, state.items, state.length, state.crc = 1, 0, state.start, 0
        state.names, state.outdated = None, False
        self.written.clear()
        book.owe_again(state.number)
        book.save(state)
        self.open_at(slot)


def goes_on(state: FeedState, slot: FeedSlot, way: Way, *, is_new_round: bool, is_recrawl: bool) -> bool:
    """Say whether a feed of an earlier run goes on, or another one begins; *is_new_round*: nothing was left to do."""
    is_other = state.uri != slot.uri and not slot.feed_options["batch_item_count"]
    if (state.finished or is_new_round) and (is_recrawl or state.changes or is_other):
        return False
    path = regular_path(slot.storage) if state.uri == slot.uri else Path(state.uri)
    if way is Way.GROW and path is not None and not is_untouched(path, state):
        what = "is not as the last run left it" if path.exists() else "is gone"
        logger.warning("feed %s %s: all its rows are written anew", state.uri, what)
        return False
    return True


def first_place(slot: FeedSlot) -> int:
    """Return the start of our part of a fresh feed's file: behind its old content, if that is kept."""
    path = regular_path(slot.storage)
    if path is None or slot.storage.write_mode == "wb":  # type: ignore[attr-defined]  # a FileFeedStorage
        return 0
    return size_of(path)


def cut_leftovers(state: FeedState) -> None:
    """Cut off the rest that a killed run left in a local file of which nothing was noted."""
    path = Path(state.uri.removeprefix("file://"))
    if state.is_open and path.is_file() and size_of(path) > state.start:
        with path.open("r+b") as file:
            file.truncate(state.start)
        if not state.start:
            path.unlink()


def say_how(track: Track, *, fresh: bool, sent: int, owed: int) -> None:
    """Report, before the crawl goes on, how a feed continues."""
    state, way, kind, name = track.state, track.way, track.slot.format, track.name
    if fresh:
        if state.start and kind in DOCUMENTS:
            logger.warning("feed %s: this adds a second %s document to the file; -O overwrites it", name, kind)
    elif way is Way.MORE and sent:
        logger.warning("feed %s: %d rows went out in earlier runs; it %s", name, sent, way.value)
        is_all = state.finished and not owed
        if kind in DOCUMENTS and not (is_all or track.options["batch_item_count"]):
            logger.warning("feed %s: further rows become a second %s document of their own", name, kind)
    elif sent or owed:
        logger.info("feed %s %s (%d rows)", name, way.value, sent)
    if owed:
        logger.info("feed %s gets %d records out of the store", name, owed)


Key = tuple[str, int]
"""A lease: its URL and token."""


@dataclass
class FeedRows(Outbox):
    """Hands items to the feeds of one crawl, each record once.

    *put* writes an item into a feed, and returns whether it could; *broken* is called with a feed whose file can't be
    written; *process* takes an item through the pipelines, and it comes back by `scraped`.
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
    """Pages not stored yet at whose record a pipeline failed."""
    _in_vain: set[int] = field(default_factory=set)
    """Records that a pipeline or a feed failed at in this run: the next one tries them again."""
    _told_of_none: bool = False

    def note(self, visits: Sequence[Visit]) -> None:
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
        row, key = _origin(response)
        if item is None:
            self._returned_none(response)
        elif row is not None or key is None:
            if row is not None:
                row.came = True
            self._export([item], row)
        elif key in self._late:
            self._export([item], self._late.pop(key))
        elif key in self._recent:
            self._export([item], self._recent[key])
        else:
            self._pending.setdefault(key, []).append(item)

    def failed(self, response: Response | None) -> None:
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

    async def emit(self) -> None:
        """Emit the rows that earlier runs left, except of pages that are fetched again in this run.

        Raises StoreError: the database can't be read or written.
        """
        self._live = set()
        await self.emit_owed(also_waiting=False)
        self._live = None

    async def emit_owed(self, *, also_waiting: bool) -> None:
        """Emit the owed rows, a few records at a time; *also_waiting*: also of pages that wait to be fetched again."""
        after = 0
        while not self.is_over() and (numbers := self.owed(after, also_waiting=also_waiting)):
            after = numbers[-1]
            await self._emit_rows(numbers)
            self.checkpoint()

    def owed(self, after: int = 0, *, also_waiting: bool = True) -> list[int]:
        found = {
            number
            for track in self.tracks
            if not track.broken
            for number in self.book.owed(track.state.number, after, RECORDS_AT_ONCE, also_waiting=also_waiting)
        }
        return sorted(found)[:RECORDS_AT_ONCE]

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
        """Settle late rows: no item is on its way, so those missing were dropped by a pipeline."""
        for row in self._late.values():
            self._settle(row)
        self._late.clear()

    def _settle(self, row: FeedRecord) -> None:
        if not row.failed:
            for track in self.tracks:
                if track not in row.skip:
                    track.settle(row.number)

    def checkpoint(self) -> None:
        self.note(())
        self.release()


def meta_of(response: Response | None) -> dict[str, Any]:
    """Return the meta of the request that an item comes from."""
    request = getattr(response, "request", None)
    return request.meta if request is not None else {}


def _origin(response: Response | None) -> tuple[FeedRecord | None, Key | None]:
    meta = meta_of(response)
    lease = meta.get(META_LEASE)
    return meta.get(META_ROW), (lease.url, lease.token) if lease is not None else None
