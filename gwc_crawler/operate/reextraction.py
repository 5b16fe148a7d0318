"""Reading stored pages again by what is known now: their HTML in; records, exceptions and kinds of pages rewritten.

No request is made. Called by `scrapy extract`, after the knowledge was learned anew or edited.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from gwc_crawler.extract import extract_target
from gwc_crawler.files import FileChoice
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge import Knowledge, Verdict
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page import PageReader, ReadOptions
from gwc_crawler.sites import Site
from gwc_crawler.store import (
    CrawlDatabase,
    KeptPage,
    Revision,
    SqliteSink,
    pages_without_html,
    read_kept_pages,
    took_its_place,
)
from gwc_crawler.store.outlet import has_history
from gwc_crawler.store.state import outdate_feeds

logger = logging.getLogger(__name__)

AHEAD = 32
"""Pages that another process has at most; this one, which has little else to do, reads what they have no room for."""


@dataclass(slots=True)
class Reextraction:
    """What was done.

    Attributes:
        pages: stored pages that were looked at.
        changed: those of them whose kind is another now.
        unreadable: URLs whose page could not be read; they stay as they were.
        without_html: pages that could not be looked at, because their HTML was not kept.
        targets_without_html: those of them whose URL a target filter takes now (soft 404s aside).
    """

    pages: int = 0
    changed: int = 0
    unreadable: list[str] = field(default_factory=list)
    without_html: int = 0
    targets_without_html: int = 0


def extract_again(
    database: CrawlDatabase,
    site: Site,
    knowledge: Knowledge,
    *,
    workers: int = 1,
    advance: Callable[[int], object] = lambda pages: None,
) -> Reextraction:
    """Re-extract all pages of a crawl's database whose HTML was kept; one transaction for each batch.

    Args:
        database: locked by the caller, so that no crawl writes at the same time.
        workers: processes that read, this one among them.
        advance: told after each batch how many pages it had.
    Raises:
        StoreError: what was committed stays, and doing it again is safe.
    """
    done = Reextraction()
    reader = PageReader(knowledge, site.sites)
    shape = knowledge.record_shape(site.field_names)
    sink = SqliteSink(database, site=site.name, fields=shape, keep_history=has_history(database))
    outdate_feeds(database)

    def store(batch: Sequence[KeptPage], revisions: Sequence[Revision | None]) -> None:
        done.changed += sink.revise([one for one in revisions if one is not None])
        done.pages += len(batch)
        advance(len(batch))

    stands_in = partial(took_its_place, database)
    reads = partial(
        _revise,
        reader=reader,
        knowledge=knowledge,
        done=done,
        makes_records=bool(site.field_names),
        stands_in=stands_in,
    )
    if workers > 1:
        batches = read_kept_pages(database)
        asyncio.run(_by_several(batches, site, knowledge, workers - 1, done, reads, store, stands_in))
    else:
        for batch in read_kept_pages(database):
            store(batch, [reads(kept) for kept in batch])
    for url, kind in pages_without_html(database):
        done.without_html += 1
        if kind is not PageKind.MISSING and knowledge.verdict(reader.clean_url(url)) is Verdict.TARGET:
            done.targets_without_html += 1
    return done


async def _by_several(
    batches: Iterable[list[KeptPage]],
    site: Site,
    knowledge: Knowledge,
    others: int,
    done: Reextraction,
    reads: Callable[[KeptPage], Revision | None],
    store: Callable[[Sequence[KeptPage], Sequence[Revision | None]], None],
    stands_in: Callable[[str, str], bool],
) -> None:
    """Have other processes read, and read here what they have no room for; a batch is read while one is stored."""
    from gwc_crawler.reading import Condenser, ReaderDied, Readers, plan_of  # only where there are others

    plan = plan_of(
        knowledge,
        site.sites,
        ReadOptions(),
        FileChoice(),
        Condenser(Strip.NONE, MainText.NONE),
        makes_records=bool(site.field_names),
        signs=False,
    )
    readers = Readers(others, plan, lambda reason, url: None, ahead=AHEAD)

    async def revise(kept: KeptPage) -> Revision | None:
        try:
            answer = await readers.read(kept.url, kept.status, kept.content_type, kept.fetched_at, kept.html)
        except ReaderDied as error:
            _tell_unread(kept, error, done)
            return None
        if answer is None or (answer.kind is PageKind.ALIAS and stands_in(kept.url, answer.canonical)):
            return reads(kept)
        page = answer.page(kept.status, kept.content_type, kept.html)
        page.url = kept.url
        return Revision(page, answer.record, kept.fetched_at)

    async def deal(batch: Iterable[KeptPage]) -> list[asyncio.Future[Revision | None]]:
        """Give each page to another process that has room for it, or else read it; then look again who has."""
        dealt: list[asyncio.Future[Revision | None]] = []
        for kept in batch:
            if readers.has_room():
                dealt.append(asyncio.ensure_future(revise(kept)))
            else:
                dealt.append(asyncio.get_running_loop().create_future())
                dealt[-1].set_result(reads(kept))
            await asyncio.sleep(0)
        return dealt

    readers.start()
    try:
        before: tuple[list[KeptPage], list[asyncio.Future[Revision | None]]] | None = None
        for batch in batches:
            dealt = await deal(batch)
            if before is not None:
                store(before[0], await asyncio.gather(*before[1]))
            before = batch, dealt
        if before is not None:
            store(before[0], await asyncio.gather(*before[1]))
    finally:
        readers.close()


def _revise(
    kept: KeptPage,
    *,
    reader: PageReader,
    knowledge: Knowledge,
    done: Reextraction,
    makes_records: bool,
    stands_in: Callable[[str, str], bool],
) -> Revision | None:
    """Read one page as the crawl does; None where that fails."""
    try:
        page = reader.read(kept.url, kept.html, kept.content_type, kept.status)
        page.url = kept.url  # a query key that is ignored by now stands in the stored one still
        record = extract_target(page, knowledge, kept.fetched_at, stands_in) if makes_records else None
        page.tree = None
    except Exception as error:  # noqa: BLE001  # one page, like one in a crawl, does not end the work
        _tell_unread(kept, error, done)
        return None
    return Revision(page, record, kept.fetched_at)


def _tell_unread(kept: KeptPage, error: Exception, done: Reextraction) -> None:
    logger.warning("page not read again url=%s error=%s: %s", kept.url, type(error).__name__, error)
    done.unreadable.append(kept.url)
