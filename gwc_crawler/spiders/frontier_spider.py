"""What pre-crawl and crawl have in common: a lease comes back as a page, an error, or a redirect that ends here."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import Response
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure as TwistedFailure

from gwc_crawler.download.middlewares import PageGone, RedirectElsewhere
from gwc_crawler.download.retry import retry_after_seconds
from gwc_crawler.errors import GwcError, SiteError, StoreError
from gwc_crawler.frontier.hosts import BACK_OFF_STATUSES
from gwc_crawler.frontier.scheduler import META_LEASE, META_REVISIT
from gwc_crawler.frontier.weights import page_weight
from gwc_crawler.items import Failure, Lease, Page, PageKind, Record, Revisit, Visit
from gwc_crawler.page import PageReader
from gwc_crawler.sites import Site
from gwc_crawler.spiders.looks import NOT_FOUND_STATUSES, Looks
from gwc_crawler.spiders.workbench import Workbench

logger = logging.getLogger(__name__)


class FrontierSpider(Spider):
    """A spider whose Requests come from a frontier and whose pages go to a store.

    A subclass opens `workbench` and `reader` in `open_parts` and says in `parse` what becomes of a page. Every lease
    ends in `parse` (a page), in `failed` (an error), or by expiry.
    """

    site: Site
    workbench: Workbench
    looks: Looks
    reader: PageReader
    pages_done = 0
    pages_limit = 0
    entry_error: str = ""

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> FrontierSpider:
        """Make the spider and open its parts; a GwcError here ends the command with a clear line."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.looks = Looks(crawler.settings)
        spider.open_parts()
        spider.workbench.keeps_revisits = spider.looks.keeps
        spider.workbench.request_factory = spider.request
        crawler.signals.connect(spider.on_idle, signals.spider_idle)
        crawler.signals.connect(spider.on_spider_error, signals.spider_error)
        crawler.signals.connect(spider.on_closed, signals.spider_closed)
        return spider

    @cached_property
    def passing_errors(self) -> tuple[type[BaseException], ...]:
        """Download errors that may go away by themselves (RETRY_EXCEPTIONS); loaded when the first one is met."""
        return tuple(load_object(name) for name in self.settings.getlist("RETRY_EXCEPTIONS"))

    def open_parts(self) -> None:
        """Set `workbench` and `reader`."""
        raise TypeError(f"{type(self).__name__} has to open its workbench")  # an abstract method of a Scrapy class

    async def start(self) -> AsyncIterator[Any]:
        """Nothing to yield: the start URLs are in the frontier, and are fetched once like any other."""
        return
        yield

    def request(self, lease: Lease, meta: dict[str, Any]) -> Request:
        """Make the Request of a lease."""
        conditions = self.looks.conditions(meta[META_REVISIT])
        return Request(
            lease.url, callback=self.parse, errback=self.failed, headers=conditions, meta=meta, dont_filter=True
        )

    def parse(self, response: Response, **_: Any) -> list[Any]:
        """Read a page and send it on its way to the store; an error page ends the lease."""
        if response.status >= 400 or response.status == 304:
            self._answered_without_page(lease_of(response), response)
            return []
        page = self.read(response)
        return [] if self._is_gone(response, page) else [self.visit(response, page)]

    def read(self, response: Response) -> Page:
        """Read the response: charset → links → kind → relevance → text."""
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        page = self.reader.read(response.url, response.body, content_type, status=response.status)
        if page.url != lease_of(response).url and response.meta.get(META_REVISIT) is None:
            response.meta[META_REVISIT] = self.workbench.revisit_of(page.url)  # it may be known by its own address
        return page

    def visit(self, response: Response, page: Page, record: Record | None = None) -> Visit:
        """Make the visit that the pipelines take to the store, and count it."""
        lease = lease_of(response)
        revisit = self.looks.at_page(response, page, record)
        self._count_page()
        return Visit(
            lease,
            page,
            record,
            page_weight(lease.weight, relevant=page.relevant, start=lease.depth == 0),
            fetched_at=time.time(),
            revisit=revisit,
            stale=revisit is not None and revisit.unchanged,
        )

    def _count_page(self) -> None:
        self.pages_done += 1
        if self.pages_limit and self.pages_done >= self.pages_limit:
            self.stop("page limit reached")

    def failed(self, failure: TwistedFailure) -> list[Any]:
        """End a lease that gave no response."""
        lease: Lease | None = failure.request.meta.get(META_LEASE)  # type: ignore[attr-defined]
        error = failure.value
        if lease is None:
            logger.error("request failed url=%s error=%s", failure.request.url, error)  # type: ignore[attr-defined]
            return []
        if isinstance(error, RedirectElsewhere):
            return [self._redirect_visit(lease, error)]
        if isinstance(error, PageGone):
            self._end(lease, Failure(str(error)), is_gone=True)
            return []
        reason = str(error) if isinstance(error, IgnoreRequest) else f"{type(error).__name__}: {error}"
        passing = isinstance(error, self.passing_errors)
        self._end(lease, self.workbench.retry.after_error(reason, lease.attempt, time.time(), passing=passing))
        return []

    def stop(self, reason: str) -> None:
        """Lease nothing more and close when what is under way has ended."""
        if not self.workbench.stopping:
            self.workbench.stopping = True
            logger.info("stopping reason=%r", reason)
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))

    def fail(self, error: GwcError) -> None:
        """Remember the error that ends this crawl, and stop."""
        self.workbench.fatal = self.workbench.fatal or error
        self.stop(str(error))

    def on_idle(self) -> None:
        """Keep the spider open while a batch waits for its commit or URLs wait for their time."""
        if len(self.workbench.committer):
            try:
                self.workbench.commit()
            except StoreError as error:
                self.fail(error)
                return
            raise DontCloseSpider

    def on_spider_error(self, failure: TwistedFailure, response: Any) -> None:
        """End the lease of a page whose reading raised: it will not read better the next time."""
        request = getattr(response, "request", None)
        if request is not None and META_LEASE in request.meta:
            self._end(
                request.meta[META_LEASE], Failure(f"reading failed: {type(failure.value).__name__}: {failure.value}")
            )

    def on_closed(self) -> None:
        """Close the workbench and look whether the site gave anything at all."""
        if self.workbench.fatal is None and self.entry_error and not self.pages_done:
            self.workbench.fatal = SiteError(self.entry_error)
        if self.looks.looked_again:
            for outcome, count in self.looks.outcomes.items():
                self.crawler.stats.set_value(f"gwc/recrawl/{outcome}", count)
        self.workbench.close()
        self.count_figures()

    def count_figures(self) -> None:
        """Bring the workbench's figures into the stats."""
        for name, value in self.workbench.figures().items():
            self.crawler.stats.set_value(f"gwc/frontier/{name}", value)
        if self.workbench.gate is not None:
            for reason, count in self.workbench.gate.tally.total.items():
                self.crawler.stats.set_value(f"gwc/cut/{reason.value}", count)

    def _is_gone(self, response: Response, page: Page) -> bool:
        """Say whether a page that used to be there says now that it is not (a soft 404), and end its lease."""
        old: Revisit | None = response.meta.get(META_REVISIT)
        if page.kind is not PageKind.MISSING or old is None or old.kind is PageKind.MISSING:
            return False
        self._end(lease_of(response), Failure("the page says there is no such page"), is_gone=True)
        return True

    def _answered_without_page(self, lease: Lease, response: Response) -> None:
        if response.status == 304 and (revisit := self.looks.at_not_modified(response)) is not None:
            self._count_page()
            try:
                self.workbench.keep_unread(lease, self.reader.clean_url(response.url), revisit)
            except StoreError as error:
                self.fail(error)
            return
        now = time.time()
        header = response.headers.get(b"Retry-After")
        wait = retry_after_seconds(header.decode("latin-1") if header else None, now)
        failure = self.workbench.retry.after_status(response.status, lease.attempt, now, wait)
        if failure.retry_at is not None and response.status in BACK_OFF_STATUSES:
            self.workbench.pause_host(lease.url, failure.retry_at)
        self._end(lease, failure, is_gone=response.status in NOT_FOUND_STATUSES)

    def _redirect_visit(self, lease: Lease, error: RedirectElsewhere) -> Visit:
        if error.off_site and lease.depth == 0:
            self.entry_error = (
                f"{lease.url} redirects to {error.target}, off the site; "
                f"make that the entry, or name its host in `hosts` of the site file"
            )
        page = Page(
            url=lease.url, status=302, body=b"", content_type="", charset="", kind=PageKind.REDIRECT, relevant=False,
            title=error.target,
        )  # fmt: skip
        return Visit(lease, page, None, lease.weight, fetched_at=time.time())

    def _end(self, lease: Lease, failure: Failure, *, is_gone: bool = False) -> None:
        if failure.retry_at is None:
            failure = self.looks.at_failure(self.workbench.revisit_of(lease.url), failure, is_gone=is_gone)
            self.crawler.stats.inc_value("gwc/frontier/errors")
            if lease.depth == 0:
                self.entry_error = (
                    f"{lease.url} can't be fetched: {failure.reason} ({lease.attempt} attempts); "
                    f"check the address, or try later"
                )
        else:
            self.crawler.stats.inc_value("gwc/frontier/retries")
        try:
            self.workbench.give_up(lease, failure)
        except StoreError as error:
            self.fail(error)


def lease_of(response: Response) -> Lease:
    """Return the lease that a response answers."""
    lease: Lease = response.meta[META_LEASE]
    return lease
