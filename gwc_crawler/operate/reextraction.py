"""Read stored pages again by the present knowledge: HTML in; rewritten records, exceptions and kinds of pages out.

No request is made. Called by `scrapy extract`, after the knowledge was learned again or edited.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

from gwc_crawler.extract.record import extract_target, field_sources
from gwc_crawler.frontier.admission import Admission
from gwc_crawler.items import Page, PageKind, Record
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.operate.why import UrlRuling, rule_of
from gwc_crawler.page.charset import charset_evidence
from gwc_crawler.page.reader import PageReader, ReadOptions
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.kept_files import FileChoice
from gwc_crawler.store.sink import RecordSinks, Revision
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader, has_history
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import outdate_feeds
from gwc_crawler.store.sqlite.stats import KeptPage, pages_without_html, read_kept_pages

logger = logging.getLogger(__name__)


AHEAD = 32
"""Pages that another process has at most; this one, which has little else to do, reads what they have no room for."""


@dataclass(slots=True)
class Reextraction:
    """The counts of a re-extraction.

    Attributes:
        changed: pages whose kind is different now.
        unreadable: URLs whose page could not be read; they stay as they were.
        without_html: pages that could not be looked at, because their HTML was not kept.
        targets_without_html: those among them whose URL a target filter takes now (except soft 404s).
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
    others: RecordSinks | None = None,
) -> Reextraction:
    """Re-extract all pages of a crawl's database whose HTML was kept; one transaction for each batch.

    Args:
        database: locked by the caller, so that no crawl writes at the same time.
        workers: processes that read, this one among them.
        others: sinks elsewhere that have the pages, too.
    Raises:
        StoreError: the committed part stays, and doing it again is safe.
    """
    again = _Again(database, site, knowledge, advance, others)
    done, batches = again.done, read_kept_pages(database)
    outdate_feeds(database)
    if workers > 1:
        asyncio.run(again.by_several(batches, workers - 1))
    else:
        for batch in batches:
            again.store(batch, [again.read(kept) for kept in batch])
    for url, kind in pages_without_html(database):
        done.without_html += 1
        if kind is not PageKind.MISSING and knowledge.verdict(again.reader.clean_url(url)) is Verdict.TARGET:
            done.targets_without_html += 1
    return done


class _Again:
    """What reads pages again, and what stores them."""

    def __init__(
        self,
        database: CrawlDatabase,
        site: Site,
        knowledge: Knowledge,
        advance: Callable[[int], object],
        others: RecordSinks | None,
    ) -> None:
        self.done = Reextraction()
        self.reader = PageReader(knowledge, site.sites)
        self._site, self._knowledge, self._advance, self._others = site, knowledge, advance, others
        shape = knowledge.record_shape(site.field_names)
        self._sink = SqliteSink(database, site=site.name, fields=shape, keep_history=has_history(database))
        self._stands_in = SqliteReader(database, site.name).took_its_place

    def store(self, batch: Sequence[KeptPage], revisions: Sequence[Revision | None]) -> None:
        read = [one for one in revisions if one is not None]
        self.done.changed += self._sink.revise(read)
        if self._others is not None and (answer := self._others.revise(read)) is not None:
            answer.result()
        self.done.pages += len(batch)
        self._advance(len(batch))

    def read(self, kept: KeptPage) -> Revision | None:
        """Read one page as the crawl does; None where that fails."""
        knowledge = self._knowledge
        try:
            page = self.reader.read(kept.url, kept.html, kept.content_type, kept.status)
            page.url = kept.url  # a query key that is ignored by now stands in the stored one still
            makes_record = bool(self._site.field_names)
            record = extract_target(page, knowledge, kept.fetched_at, self._stands_in) if makes_record else None
            page.tree = None
        except Exception as error:  # noqa: BLE001  # one page, like one in a crawl, does not end the work
            self._tell_unread(kept, error)
            return None
        return Revision(page, record, kept.fetched_at)

    def _tell_unread(self, kept: KeptPage, error: Exception) -> None:
        logger.warning("page not read again url=%s error=%s: %s", kept.url, type(error).__name__, error)
        unreadable = self.done.unreadable
        unreadable.append(kept.url)

    async def by_several(self, batches: Iterable[list[KeptPage]], others: int) -> None:
        """Have other processes read, and read here what they have no room for; a batch is read while one is stored."""
        from gwc_crawler.extract.condenser import Condenser
        from gwc_crawler.extract.reading.orders import plan_of
        from gwc_crawler.extract.reading.readers import ReaderDied, Readers

        site, condenser = self._site, Condenser(Strip.NONE, MainText.NONE)
        makes = bool(site.field_names)
        plan = plan_of(
            self._knowledge, site.sites, ReadOptions(), FileChoice(), condenser, makes_records=makes, signs=False
        )
        readers = Readers(others, plan, lambda reason, url: None, ahead=AHEAD)

        async def revise(kept: KeptPage) -> Revision | None:
            try:
                answer = await readers.read(kept.url, kept.status, kept.content_type, kept.fetched_at, kept.html)
            except ReaderDied as error:
                self._tell_unread(kept, error)
                return None
            if answer is None:
                return self.read(kept)
            page = answer.whole_page(kept.html)
            if page.kind is PageKind.ALIAS and self._stands_in(kept.url, page.canonical):
                return self.read(kept)
            page.url = kept.url
            return Revision(page, answer.record, kept.fetched_at)

        async def deal(batch: Iterable[KeptPage]) -> list[asyncio.Future[Revision | None]]:
            """Give each page to another process that has room for it, or read it here; then look for room again."""
            dealt: list[asyncio.Future[Revision | None]] = []
            for kept in batch:
                if readers.has_room():
                    dealt.append(asyncio.ensure_future(revise(kept)))
                else:
                    dealt.append(asyncio.get_running_loop().create_future())
                    dealt[-1].set_result(self.read(kept))
                await asyncio.sleep(0)
            return dealt

        readers.start()
        try:
            before: list[KeptPage] = []
            reading: list[asyncio.Future[Revision | None]] = []
            for batch in chain(batches, [[]]):
                dealt = await deal(batch)
                if before:
                    self.store(before, await asyncio.gather(*reading))
                before, reading = batch, dealt
        finally:
            readers.close()


# --- What a crawl would make of one page: verdict, record, links; data first, lines for a terminal beside it ----------


NEITHER = (PageKind.INDEX, PageKind.INFORMATION)

READS_LIKE = {PageKind.INDEX: "it reads like a list of links", PageKind.INFORMATION: "it reads like an article"}


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """The result of the request: a response, or the `error` that prevented it."""

    asked: str
    url: str
    status: int | None = None
    body: bytes = b""
    content_type: str = ""
    redirected_through: tuple[str, ...] = ()
    error: str | None = None
    fetched_at: float = 0.0


@dataclass(frozen=True, slots=True)
class LinkVerdict:
    """The decision of filters and limits on one link."""

    url: str
    admitted: bool
    verdict: str
    regex: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ParseReport:
    """A crawl's findings about one page."""

    answer: RequestOutcome
    url: str
    rule: UrlRuling
    verdict: str
    why: tuple[str, ...]
    page: Page | None = None
    record: Record | None = None
    links: tuple[LinkVerdict, ...] = field(default=())
    sources: Mapping[str, str] = field(default_factory=dict)
    """How each field of the record is read."""

    @property
    def charset_evidence(self) -> str:
        """Describe the evidence for the page's charset; "" if it has none."""
        if self.page is None or not self.page.charset:
            return ""
        return charset_evidence(self.answer.body, self.answer.content_type).why

    def item(self) -> dict[str, Any] | None:
        """Return the item that the crawl would give for it; None if it gives none."""
        record = self.record
        if record is None or record.rejected or record.parent:
            return None
        return {"url": record.url, **record.fields}

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy parse --json`."""
        page, record = self.page, self.record
        return {
            "asked": self.answer.asked,
            "url": self.url,
            "redirected_through": list(self.answer.redirected_through),
            "status": self.answer.status,
            "content_type": self.answer.content_type,
            "charset": page.charset if page else "",
            "charset_evidence": self.charset_evidence,
            "title": page.title if page else "",
            "verdict": self.verdict,
            "kind": page.kind.value if page else None,
            "relevant": page.relevant if page else False,
            "why": list(self.why),
            "rule": asdict(self.rule),
            "record": dict(record.fields) if record is not None and not record.rejected else None,
            "read_by": dict(self.sources),
            "exceptions": [asdict(one) for one in record.problems] if record is not None else [],
            "links": [asdict(link) for link in self.links],
            "error": self.answer.error,
        }


def parse_answer(
    answer: RequestOutcome,
    site: Site,
    knowledge: Knowledge,
    *,
    reading: ReadOptions | None = None,
    admission: Admission | None = None,
) -> ParseReport:
    """Read a fetched page as the crawl would, whose *admission* knows the classes that it has closed."""
    reader = PageReader(knowledge, site.sites, reading)
    url = reader.clean_url(answer.url)
    rule = rule_of(url, site, knowledge, reader)
    if answer.error is not None:
        return ParseReport(answer, url, rule, "error", (answer.error, _of_rule(rule)))
    page = reader.read(answer.url, answer.body, answer.content_type, answer.status or 200)
    record = extract_target(page, knowledge, answer.fetched_at) if site.field_names else None
    verdict = "neither" if page.kind in NEITHER else page.kind.value
    links = tuple(
        _judged(link, rule_of(link, site, knowledge, reader), admission)
        for link in dict.fromkeys((*page.links, *page.outside))
    )
    reasons = tuple(_reasons(page, record, rule, knowledge))
    sources = field_sources(page, knowledge) if record is not None and not record.rejected else {}
    return ParseReport(answer, page.url, rule, verdict, reasons, page, record, links, sources)


def _of_rule(rule: UrlRuling) -> str:
    return rule.reason + (f": {rule.regex}" if rule.regex else "")


def _reasons(page: Page, record: Record | None, rule: UrlRuling, knowledge: Knowledge) -> Iterator[str]:
    yield _of_rule(rule)
    if page.kind is PageKind.LOOKALIKE and record is not None:
        yield f"the page check refuses it: {record.rejected}"
    elif page.kind is PageKind.ALIAS and record is not None:
        yield f"another address of a record: {record.rejected}"
    elif page.kind is PageKind.TARGET:
        yield "the page check agrees" if knowledge.page_check else "no page check was learned: the filter decides"
    elif page.kind is PageKind.CONTINUATION and record is not None:
        yield f"it goes on with the lists of {record.parent}"
    elif page.kind is PageKind.MISSING:
        yield "it says that there is no such page"
    elif page.kind is PageKind.SITEMAP:
        yield f"it is a sitemap that lists {len(page.listed)} URLs of the site"
    elif page.kind is PageKind.BINARY:
        yield f"it is not HTML ({page.content_type or 'no content type'})"
    elif page.kind in NEITHER:
        yield READS_LIKE[page.kind]
    yield "relevant: its links are followed" if page.relevant else "off the topic: one click more of tunnel weight"


def _judged(url: str, rule: UrlRuling, admission: Admission | None) -> LinkVerdict:
    if admission is not None and rule.admitted and not rule.start and (refused := admission.refusal(url)) is not None:
        return LinkVerdict(url, False, rule.verdict, rule.regex, refused.text)
    return LinkVerdict(url, rule.admitted, rule.verdict, rule.regex, rule.reason)


def parsed_lines(parsed: ParseReport, *, items: bool = True, links: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (label, text) lines for a terminal."""
    answer, page = parsed.answer, parsed.page
    yield "URL", parsed.url
    if answer.asked != parsed.url:
        yield "asked", answer.asked
    yield from (("through", one) for one in answer.redirected_through if one != answer.asked)
    if page is not None:
        shown = ", ".join(filter(None, [f"HTTP {answer.status}", page.charset or answer.content_type]))
        yield "page", f"{page.title!r}, {shown}"
        if parsed.charset_evidence:
            yield "charset", parsed.charset_evidence
    yield "verdict", parsed.verdict
    yield from (("why", one) for one in parsed.why)
    if (miss := parsed.rule.nearest) is not None:
        yield "nearest", f"{miss.verdict} filter {miss.regex}"
    if items and parsed.record is not None and not parsed.record.rejected:
        for name, value in parsed.record.fields.items():
            yield "record", f"{name} = {value if value is not None else '–'}"
            if name in parsed.sources:
                yield "read by", parsed.sources[name]
        for one in parsed.record.problems:
            yield "exception", f"{one.field}: {one.reason}" + (f"; closest: {one.closest}" if one.closest else "")
    if links:
        admitted = [link for link in parsed.links if link.admitted]
        if page is not None:
            yield "links", f"{len(admitted)} admitted, {len(parsed.links) - len(admitted)} refused"
        yield from ((link.verdict, link.url) for link in admitted)
        yield from (("refused", f"{link.url}  ({link.reason})") for link in parsed.links if not link.admitted)
