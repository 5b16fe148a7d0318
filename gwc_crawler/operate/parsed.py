"""What a crawl would make of one page: verdict, record, links; data first, lines for a terminal beside it.

Called by `scrapy parse` with what it fetched. Nothing is read but the knowledge, and which classes a crawl has closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gwc_crawler.admission import LimitsState, closed_text
from gwc_crawler.extract import extract_target, field_sources
from gwc_crawler.items import Page, PageKind, Record
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.operate.why import CrawlLimits, UrlRuling, rule_of
from gwc_crawler.page import PageReader, charset_evidence
from gwc_crawler.sites import Site

NEITHER = (PageKind.INDEX, PageKind.INFORMATION)

READS_LIKE = {PageKind.INDEX: "it reads like a list of links", PageKind.INFORMATION: "it reads like an article"}


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """What came of the request: a response, or the `error` for which there is none."""

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
    """What filters and limits say of one link."""

    url: str
    admitted: bool
    verdict: str
    regex: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ParseReport:
    """All that a crawl would find out about the page."""

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
        """What chose the page's charset, in words; "" where it has none."""
        if self.page is None or not self.page.charset:
            return ""
        return charset_evidence(self.answer.body, self.answer.content_type).why

    def item(self) -> dict[str, Any] | None:
        """Return the item that the crawl would give for it; None where it gives none."""
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
    limits: CrawlLimits | None = None,
    state: LimitsState | None = None,
) -> ParseReport:
    """Read what was fetched, as the crawl would.

    Args:
        limits: beyond which a URL is taken for a trap.
        state: what a crawl of the site knows of classes it has closed.
    """
    reader = PageReader(knowledge, site.sites, (limits or CrawlLimits()).reading)
    url = reader.clean_url(answer.url)
    rule = rule_of(url, site, knowledge, reader)
    if answer.error is not None:
        return ParseReport(answer, url, rule, "error", (answer.error, _of_rule(rule)))
    page = reader.read(answer.url, answer.body, answer.content_type, answer.status or 200)
    record = extract_target(page, knowledge, answer.fetched_at) if site.field_names else None
    verdict = "neither" if page.kind in NEITHER else page.kind.value
    links = tuple(
        _judged(link, rule_of(link, site, knowledge, reader), state or LimitsState())
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


def _judged(url: str, rule: UrlRuling, state: LimitsState) -> LinkVerdict:
    one = state.classes.get(rule.regex or "")
    if rule.admitted and one is not None and one.closed is not None:
        closed = closed_text(rule.regex or "", one, one.closed)
        return LinkVerdict(url, False, rule.verdict, rule.regex, f"its class is closed: {closed}")
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
