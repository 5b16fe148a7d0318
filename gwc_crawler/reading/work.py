"""What a reading process does with one page: the same steps, in the same order, as the crawl does by itself."""

from __future__ import annotations

from hashlib import sha1

from gwc_crawler.extract import extract_target
from gwc_crawler.items import Page, PageKind, Record, RejectionReason
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.page import PageReader, ReadOptions, content_signature
from gwc_crawler.reading.condensing import Condenser
from gwc_crawler.reading.orders import Order, ReadAnswer, ReadPlan


def shown_mark(text: str, signature: int) -> int:
    """Return a number that stands for what a target page shows, equal in every process of a crawl.

    SHA-1 because processors have it built in: less than half the time of blake2b, and nobody gains by two equal marks.
    """
    digest = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    digest.update(signature.to_bytes(8, "big", signed=True))
    return int.from_bytes(digest.digest()[:8], "big")


SHOWING = frozenset({PageKind.TARGET, PageKind.ALIAS})
"""Pages that show a record, which others may have shown."""


class PageWork:
    """Reads pages by a plan; holds what is bound to it: the knowledge, and the caches of links."""

    def __init__(self, plan: ReadPlan) -> None:
        self._plan = plan
        self._knowledge = Knowledge.from_bytes(plan.knowledge, "the crawl's knowledge")
        options = ReadOptions(
            obey_nofollow=plan.obey_nofollow,
            cached_links=plan.cached_links,
            limits=plan.limits,
            form_links=plan.form_links,
            sitemaps=plan.sitemaps,
            follows_file=plan.files.follows,
        )
        self._reader = PageReader(self._knowledge, sites=plan.sites, options=options)
        self._reader.on_rejection = self._note
        self._condenser = Condenser(plan.strip, plan.main, plan.groups)
        self._left_out: list[tuple[RejectionReason, str]] = []

    def read(self, order: Order) -> ReadAnswer:
        """Read one page."""
        self._left_out = []
        page = self._reader.read(order.url, order.body, order.content_type, order.status)
        record = extract_target(page, self._knowledge, order.fetched_at) if self._plan.makes_records else None
        shows = page.kind in SHOWING and record is not None
        signature = content_signature(page, record) if shows or self._plan.signs else None
        mark = shown_mark(page.text, signature) if shows and signature is not None else None
        stripped, abstract = self._condenser.condense(page)
        return self._answer(order.number, page, record, signature, mark, stripped, abstract)

    def _note(self, reason: RejectionReason, url: str) -> None:
        self._left_out.append((reason, url))

    def _answer(
        self,
        number: int,
        page: Page,
        record: Record | None,
        signature: int | None,
        mark: int | None,
        stripped: str,
        abstract: str,
    ) -> ReadAnswer:
        if len(page.admitted) == len(page.links):
            admitted = list(range(len(page.links)))
        else:
            places = {url: place for place, url in enumerate(page.links)}
            admitted = [places[url] for url in page.admitted]
        return ReadAnswer(
            number,
            True,
            page.url,
            page.charset,
            page.kind,
            page.relevant,
            page.title,
            page.text,
            list(page.links),
            admitted,
            list(page.outside),
            list(page.flaws),
            list(page.sitemaps),
            dict(page.listed),
            record,
            signature,
            mark,
            stripped,
            abstract,
            self._left_out,
            page.canonical,
        )
