"""Scrapy's feed exports, for crawls that continue: after the last run each record is in the feed, once.

A row is written after the commit that stores its page. The next commit notes that it is written, and how long the file
is then (`FeedBook`). So after Ctrl-C, `kill -9` or a full disk it is known which rows are whole and which are owed;
these come out of the store, through the item pipelines, before the crawl goes on. How a feed goes on depends on its
format and storage: see `Way`. Feeds of other spiders are Scrapy's own.
"""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, apply_uri_params
from scrapy.http import Response
from scrapy.utils.defer import ensure_awaitable

from gwc_crawler.crawl.context import CrawlControl
from gwc_crawler.errors import GwcError, InputError, StoreError
from gwc_crawler.extensions.feeds.feed_files import GrowingStorage, Way, feed_key, options_text, unwritable, way_of
from gwc_crawler.extensions.feeds.feed_rows import (
    FeedRows,
    Track,
    cut_leftovers,
    first_place,
    goes_on,
    meta_of,
    say_how,
)
from gwc_crawler.items import META_ROW, UrlState, Visit
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import FeedBook, FeedState, site_state
from gwc_crawler.store.sqlite.stats import ItemReader
from gwc_crawler.wiring.options import chosen_sinks, is_in_redis

logger = logging.getLogger(__name__)


class ContinuedFeeds(FeedExporter):
    """Scrapy's `FeedExporter`; where the spider is one of ours, its rows go by way of `FeedRows`."""

    rows: FeedRows | None = None
    spider: SiteSpider
    _control: CrawlControl
    _store: Batcher
    is_shared = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ContinuedFeeds:
        """Make it; a GwcError ends a crawl of ours before its first request."""
        spider = crawler.spider
        try:
            exporter = super().from_crawler(crawler)
        except NotConfigured:
            if isinstance(spider, SiteSpider) and crawler.settings.getdict("FEEDS"):
                raise InputError("a feed of FEEDS can't be used: the log says which, and why") from None
            raise
        if isinstance(spider, SiteSpider):
            try:
                exporter._prepare(spider)
            except BaseException:
                spider.context.close()
                raise
            crawler.signals.connect(exporter.on_idle, signals.spider_idle)
            crawler.signals.connect(exporter.on_item_error, signals.item_error)
        return exporter

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._full: dict[FeedSlot, tuple[Track, list[int]]] = {}
        """Full batches that are being delivered → their feed and rows."""
        self._emitting: asyncio.Task[None] | None = None
        self._is_closing = False

    @property
    def tracks(self) -> list[Track]:
        return [] if self.rows is None else self.rows.tracks

    def open_spider(self, spider: Spider) -> None:
        if self.rows is None:
            super().open_spider(spider)

    def _prepare(self, spider: SiteSpider) -> None:
        if not chosen_sinks(self.settings).own:
            raise InputError(
                f"a feed is made of the records in the crawl's own database, and setting GWC_SINK is "
                f"{self.settings['GWC_SINK']!r}; add sqlite to it, or leave the feed out"
            )
        self.spider = spider
        context = spider.context
        database = context.common.database
        self._control, self._store = spider.control, spider.store
        self._is_new_round = context.was_complete
        self.is_shared = is_in_redis(self.settings)
        book = FeedBook(database, spider.site.name)
        shape = spider.knowledge.record_shape(spider.site.field_names)
        super().open_spider(spider)
        with database.transaction():
            tracks = [self._begin(slot, book) for slot in self.slots]
        self.slots = [track.slot for track in tracks]
        self.rows = FeedRows(
            database,
            book,
            tracks,
            ItemReader(database, spider.site.name, shape, spider.site.text_columns),
            put=self._put,
            broken=self._break,
            process=self._process,
            is_over=self._is_over,
        )
        self._store.outbox = self.rows

    def _begin(self, slot: FeedSlot, book: FeedBook) -> Track:
        options = self.feeds[slot.uri_template]
        way = way_of(slot.storage, self.exporters[slot.format], options)
        key, looks = feed_key(slot.uri_template), options_text(options)
        state, is_recrawl = book.find(key), self.spider.recrawl is not None
        fresh = state is None or state.options != looks
        if (
            state is None
            or fresh
            or not goes_on(state, slot, way, is_new_round=self._is_new_round, is_recrawl=is_recrawl)
        ):
            start, fresh = first_place(slot), True
            state = FeedState(key, looks, slot.uri, start=start, length=start, changes=is_recrawl)
            book.begin(state)
            track = Track(state, way, slot, options)
            track.open_at(slot)
        else:
            track = self._go_on(Track(state, way, slot, options), book)
        if not (self.is_shared or state.changes):
            book.owe_all(state.number)
        say_how(track, fresh=fresh, sent=book.count(state.number, sent=True), owed=book.count(state.number, sent=False))
        state.finished, state.is_open = False, True
        book.save(state)
        return track

    def _go_on(self, track: Track, book: FeedBook) -> Track:
        state = track.state
        book.owe_undelivered(state.number)
        if track.way is Way.MORE:
            cut_leftovers(state)
            track.slot = self._slot_again(track, batch=state.batch)
            state.uri, state.start = track.slot.uri, first_place(track.slot)
            return track
        slot = self._slot_again(track, batch=1, uri=state.uri)
        if track.way is Way.ANEW or (not (state.changes or self.is_shared) and book.is_outdated(state)):
            track.begin_anew(book, slot)
        else:
            track.open_at(slot)
        return track

    def _slot_again(self, track: Track, *, batch: int, uri: str = "") -> FeedSlot:
        template, options = track.slot.uri_template, self.feeds[track.slot.uri_template]
        if not uri:
            before: Any = SimpleNamespace(batch_id=batch - 1)
            uri = apply_uri_params(template, self._get_uri_params(self.spider, options["uri_params"], before))
        return self._start_new_batch(
            batch_id=batch, uri=uri, feed_options=options, spider=self.spider, uri_template=template
        )

    def item_scraped(self, item: Any, spider: Spider, response: Response | None = None) -> None:
        if self.rows is None:
            super().item_scraped(item, spider)
        else:
            self.rows.scraped(item, response)

    def on_item_error(self, item: Any, response: Response | None = None) -> None:
        """Keep the row of a failed item owed; not of an item that a middleware has added, which can't be made again."""
        if self.rows is not None and (isinstance(item, Visit) or META_ROW in meta_of(response)):
            self.rows.failed(response)

    async def _process(self, item: Any, response: Response) -> None:
        """Take an item out of the store through the pipelines; the crawl may be told to end meanwhile."""
        scraper = self.crawler.engine.scraper
        try:
            await scraper.start_itemproc_async(item, response=response)
        finally:
            if self._is_ending():
                scraper._check_if_closing()  # it waits for this item, and only this call tells it

    def _is_over(self) -> bool:
        return self._is_closing or self._control.stopping or self._is_ending()

    def _is_ending(self) -> bool:
        slot = self.crawler.engine.scraper.slot
        return slot is None or slot.closing is not None

    def _put(self, track: Track, item: Any) -> bool:
        """Have Scrapy write an item into one feed (the next file, where a batch is full); say whether it could."""
        is_written, mark = False, track.mark()
        others, self.slots = self.slots, [track.slot]
        try:
            super().item_scraped(item, self.spider)
            is_written = True
        except OSError as error:
            self._break(track, error)
        except Exception as error:  # whatever an exporter raises
            logger.error(unwritable_item(track, item, error), exc_info=logger.isEnabledFor(logging.DEBUG))
            track.go_back(mark)
        (now,), self.slots = self.slots, others
        if track.state.names is None and (track.slot.itemcount or now is not track.slot):
            track.state.names = tuple(ItemAdapter(item).field_names())
        if now is not track.slot:
            self.slots = [now if slot is track.slot else slot for slot in others]
            full = track.slot
            self._full[full] = track, track.next_file(now)
            if (rows := self.rows) is not None:
                rows.book.save(track.state)
        return is_written

    def on_idle(self) -> None:
        """At the end, emit once all rows that are still owed: of unchanged pages, or for feeds with outdated rows."""
        rows = self.rows
        if rows is None or self._control.stopping or len(self._store):
            return
        if self._emitting is None:
            try:
                rows.settle_late()
                rows.checkpoint()
                self._renew_outdated(rows.book)
                if rows.owed():
                    self._emitting = asyncio.ensure_future(self._emit_rest(rows))
            except StoreError as error:
                self._fail(error)
        if self._emitting is not None and not self._emitting.done():
            raise DontCloseSpider

    async def _emit_rest(self, rows: FeedRows) -> None:
        try:
            await rows.emit_owed(also_waiting=True)
        except StoreError as error:
            self._fail(error)

    def _renew_outdated(self, book: FeedBook) -> None:
        for place, track in enumerate(self.tracks):
            if track.state.outdated and track.way is not Way.MORE and not (track.broken or self.is_shared):
                new = self._slot_again(track, batch=1, uri=track.state.uri)
                track.begin_anew(book, new)
                self.slots[place] = new

    async def close_spider(self, spider: Spider) -> None:
        rows = self.rows
        if rows is None:
            await super().close_spider(spider)
            return
        self._is_closing = True
        self.spider.on_closed()  # the last commit
        try:
            with CrawlDatabase(rows.database.path) as rows.database:  # the crawl has closed it
                rows.book = FeedBook(rows.database, self.spider.site.name)
                rows.settle_late()
                rows.checkpoint()
                await super().close_spider(spider)
                is_complete = site_state(rows.database, spider.name) is UrlState.COMPLETE
                for track in rows.tracks:
                    track.end(rows.book, is_complete=is_complete)
        except StoreError as error:
            self._fail(error)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        mine = self._full.pop(slot, None) or next(((one, one.batch) for one in self.tracks if one.slot is slot), None)
        rows = self.rows
        if mine is None or rows is None:
            await super()._close_slot(slot, spider)
            return
        track, batch = mine
        if track.broken:
            return
        try:
            if slot.itemcount or (slot.store_empty and slot.batch_id == 1):
                await self._deliver(slot)
            if track.options["batch_item_count"]:
                rows.book.sent(track.state.number, batch)
            else:
                rows.book.delivered(track.state.number)
        except StoreError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001  # whatever a storage raises
            self.crawler.stats.inc_value(f"feedexport/failed_count/{storage_name(slot)}")
            self._break(track, error)

    async def _deliver(self, slot: FeedSlot) -> None:
        slot.start_exporting()
        slot.finish_exporting()
        await ensure_awaitable(slot.storage.store(self._get_file(slot)))
        self.crawler.stats.inc_value(f"feedexport/success_count/{storage_name(slot)}")
        logger.info("Stored %s feed (%d items) in: %s", slot.format, slot.itemcount, slot.uri)
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _break(self, track: Track, error: BaseException) -> None:
        if not track.broken:
            track.broken = True
            track.let_go()
            self._fail(unwritable(track.state.uri, error))

    def _fail(self, error: GwcError) -> None:
        if self._is_closing:
            self._control.end_by(error)
        else:
            self.spider.end_crawl(error)


def unwritable_item(track: Track, item: Any, error: Exception) -> str:
    """Return the log message on an item that an exporter refuses."""
    url = ItemAdapter(item).get("url", item) if ItemAdapter.is_item(item) else item
    return (
        f"feed {track.name}: the item of {url} can't be written as {track.slot.format} "
        f"({type(error).__name__}: {error}); mend the pipeline or the exporter, and run again: its row stays owed"
    )


def storage_name(slot: FeedSlot) -> str:
    """Return the name under which Scrapy counts a feed's storage."""
    return "FileFeedStorage" if isinstance(slot.storage, GrowingStorage) else type(slot.storage).__name__
