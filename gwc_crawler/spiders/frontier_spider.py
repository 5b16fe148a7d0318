"""The common base of pre-crawl and crawl: opens its parts, and decides what becomes of each answer, or of none.

A lease comes back as a page, an error, or a redirect that ends here; hosts that don't answer are given up.
"""

from __future__ import annotations

import asyncio
import glob
import logging
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure as TwistedFailure

from gwc_crawler.crawl.context import CrawlContext, CrawlControl
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.limits import start_problem
from gwc_crawler.crawl.silent_hosts import RobotsUnreachable, Silence, SilentHosts, kind_of
from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.errors import GwcError, SilentHostError, SiteError, StoreError
from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.order import page_weight
from gwc_crawler.frontier.queues import RoleQueues
from gwc_crawler.frontier.recrawl import Recrawl
from gwc_crawler.items import (
    META_IN_DOUBT,
    META_LEASE,
    META_REVISIT,
    Failure,
    Lease,
    Page,
    PageKind,
    Record,
    Revisit,
    UrlState,
    Visit,
    context_of,
    weight_meta,
)
from gwc_crawler.knowledge.model import Knowledge, RecordShape
from gwc_crawler.middlewares.headers import NotAsked
from gwc_crawler.middlewares.login import LoggedOut
from gwc_crawler.middlewares.redirects import PageGone, RedirectElsewhere
from gwc_crawler.modes import KeepHtml
from gwc_crawler.network.politeness.limiter import BACK_OFF_STATUSES
from gwc_crawler.network.politeness.retry import RetryPolicy, wait_asked_for
from gwc_crawler.network.politeness.robots import origin_of
from gwc_crawler.network.wire import DATALOSS, OVERLONG
from gwc_crawler.page.outline import NOFOLLOW, header_says_nofollow
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.due_pages import NOT_FOUND_STATUSES, Looks, Sitemaps
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.kept_files import given_name
from gwc_crawler.urls import UrlCleaner, host_of, without_trackers
from gwc_crawler.wiring.access import hide_secrets, proxy_in, through_proxy
from gwc_crawler.wiring.blame import reason_of, what_helps
from gwc_crawler.wiring.check import settle
from gwc_crawler.wiring.components import wire
from gwc_crawler.wiring.options import keeps_exchanges, partition_policy, retry_policy

logger = logging.getLogger(__name__)

FLAWS = {
    DATALOSS: "taken though the body is not all there (DOWNLOAD_FAIL_ON_DATALOSS)",
    OVERLONG: "the server sent more than the length it had announced, which was left out",
}
"""Flag of a response → what is said of the page."""


class FrontierSpider(Spider):
    """A spider whose Requests come from a frontier and whose pages go to a store.

    A subclass opens `context` and `reader` in `open_parts` and handles pages in `parse`. Every lease ends with the
    commit of its page, is given up if there is none (`parse`, `on_failure`, `on_spider_error`), or runs out. Requests
    come from `leases`, pages go into `store`, `control` has the wishes for the crawl.
    """

    site: Site
    context: CrawlContext
    leases: Leases
    store: Batcher
    control: CrawlControl
    retries: RetryPolicy
    admission: Admission | None = None
    knowledge: Knowledge
    """A crawl's; a pre-crawl has none yet."""
    looks: Looks
    looks_again_at: Recrawl | None = None
    clean: UrlCleaner = without_trackers
    reader: PageReader
    sitemaps: Sitemaps
    contact: SilentHosts
    queues: RoleQueues
    max_weight: int | None = None
    shape = RecordShape()
    keep_html = KeepHtml.ALL
    reuses_samples = False
    stays_paused = False
    """Whether a pause that was asked for before this crawl began holds for it: see `Steering`."""
    pages_done = 0
    pages_limit = 0
    enough = "max_pages reached"
    """Why a run ends that has `pages_limit` pages (0: any number)."""
    entry_error: str = ""
    is_closed = False

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        hide_secrets(settings)
        wire(settings)

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> FrontierSpider:
        """Make the spider and open its parts; a GwcError here ends the command with a clear line."""
        hide_secrets(crawler.settings)  # a crawler process has put its own settings over what was there
        wire(crawler.settings)
        settle(crawler.settings, cls.site)
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings, retries = crawler.settings, retry_policy(crawler.settings)
        spider.retries = retries
        spider.contact = SilentHosts(retries.base_seconds / 2, settings.getfloat("GWC_SILENT_HOST_SECONDS"))
        spider.queues = RoleQueues(partition_policy(settings))
        spider.looks = Looks(settings, spider.looks_again_at)
        try:
            spider.open_parts()
        except BaseException:
            if (context := context_of(spider)) is not None:
                context.close()
            raise
        spider.leases.pages_left = spider.pages_limit or None
        crawler.signals.connect(spider.on_idle, signals.spider_idle)
        crawler.signals.connect(spider.on_spider_error, signals.spider_error)
        crawler.signals.connect(spider.on_closed, signals.spider_closed)
        return spider

    @cached_property
    def passing_errors(self) -> tuple[type[BaseException], ...]:
        """Download errors that may go away by themselves (RETRY_EXCEPTIONS); loaded when the first one is met."""
        return tuple(map(load_object, self.settings.getlist("RETRY_EXCEPTIONS")))

    def open_parts(self) -> None:
        """Call `take` with an open context, and set `reader`."""
        raise TypeError(f"{type(self).__name__} has to open its context")  # an abstract method of a Scrapy class

    def take(self, context: CrawlContext) -> None:
        self.context = context
        self.leases, self.store, self.control = context.leases, context.store, context.control

    @property
    def keeps_revisits(self) -> bool:
        return self.looks.keeps

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the start URLs are in the frontier, and are fetched once like any other."""
        with self.ending_by_errors():
            if (outbox := self.store.outbox) is not None:
                await outbox.emit()
        return
        yield

    def may_keep_file(self, url: str) -> bool:
        return keeps_exchanges(self.settings)

    def parse(self, response: Response, **_: Any) -> Any:
        """Read a page and send it on its way to the store; an error page ends the lease.

        A generator: Scrapy runs it in the step before the pipelines. So of pages that arrive together, one is read and
        stored before the next, while its tree is still in the processor's cache.
        """
        if not self.end_unless_page(response):
            return
        page = self.read(response)
        if not self._end_if_gone(response, page):
            yield self.visit(response, page)

    def end_unless_page(self, response: Response) -> bool:
        """Say whether a response is to be read; if not, its lease is ended."""
        if is_page(response.status):
            return True
        return self._end_unless_page_despite(lease_of(response), response)

    def read(self, response: Response) -> Page:
        """Read the response: charset → links → kind → relevance → text."""
        self._note_answer(response)
        content_type = content_type_of(response)
        return self.understood(response, self.reader.read(response.url, response.body, content_type, response.status))

    def understood(self, response: Response, page: Page) -> Page:
        """Add to a page that was read what only its response says."""
        if page.kind is PageKind.BINARY:
            said = response.headers.get(b"Content-Disposition") or b""
            page.title = given_name(response.url, said.decode("latin-1"))
        page.flaws += tuple([FLAWS[flag] for flag in response.flags if flag in FLAWS])
        if page.kind is PageKind.SITEMAP or self.leases.is_named_sitemap(lease_of(response).url):
            with self.ending_by_errors():
                self.sitemaps.take(page, lease_of(response))
        if page.flaws:
            self.crawler.stats.inc_value("gwc/pages/flawed")
        if page.url != lease_of(response).url and response.meta.get(META_REVISIT) is None:
            response.meta[META_REVISIT] = self.leases.revisit_of(page.url)  # it may be known by its own address
        return page

    def visit(
        self, response: Response, page: Page, record: Record | None = None, signature: int | None = None
    ) -> Visit:
        """Make the visit that the pipelines take to the store, and count it."""
        lease = lease_of(response)
        revisit = self.looks.at_page(response, page, record, signature)
        if page.kind is not PageKind.SITEMAP:
            self._count_page()
        weight = page_weight(lease.weight, relevant=page.relevant, start=lease.depth == 0)
        stale = revisit is not None and revisit.unchanged
        return Visit(lease, page, record, weight, fetched_at=time.time(), revisit=revisit, stale=stale)

    def _count_page(self) -> None:
        self.pages_done += 1
        left = self.leases.pages_left = self.pages_limit - self.pages_done if self.pages_limit else None
        if left is not None and left <= 0:
            self.reached_limit()

    def reached_limit(self) -> None:
        """There are as many pages as `pages_limit` says."""
        self.stop(self.enough)

    def on_failure(self, failure: TwistedFailure) -> list[Any]:
        """End a lease that gave no response; a fault of the host does not count as an attempt of the URL."""
        request: Request = failure.request  # type: ignore[attr-defined]
        lease: Lease | None = request.meta.get(META_LEASE)
        error: Any = failure.value
        if lease is None:
            logger.error("request failed url=%s error=%s", request.url, error)
            return []
        if isinstance(error, NotAsked):
            self.leases.put_off(lease)
            return []
        host = origin_of(request.url)
        own = host_of(host) == host_of(lease.url)
        self.contact.moved(origin_of(lease.url), host)
        if isinstance(error, IgnoreRequest) and (
            "download_latency" in request.meta or not self.contact.has_answered(host)
        ):
            self.contact.answer(host)  # by a redirect, or its robots.txt, which else may be known from earlier
        if isinstance(error, RedirectElsewhere):
            return [self._redirect_visit(lease, error)]
        if isinstance(error, PageGone):
            self.end_lease(lease, Failure(str(error)), is_gone=True)
            return []
        if isinstance(error, RobotsUnreachable):
            self._without_rules(lease, error, host)
            return []
        reason = str(error) if isinstance(error, IgnoreRequest) else reason_of(error, self.settings)
        reason += through_proxy(request)
        passing = isinstance(error, (*self.passing_errors, LoggedOut)) or broke(failure, self.crawler)
        now = time.time()
        why = self.retries.after_error(reason, attempts(lease, request), now, passing=passing)
        silence = self.contact.note_failure(host, error)
        doubt: Failure | None = request.meta.get(META_IN_DOUBT)
        asked = []
        if own and (self.contact.is_to_blame(host, error) or (doubt is not None and kind_of(error) is not None)):
            self.leases.put_off(lease)
        elif doubt is not None:
            self.end_lease(lease, doubt)
        elif own and why.retry_at is None and self.contact.in_doubt(host, error):
            asked.append(self._look_whether_there(lease, why))
        else:
            self.end_lease(lease, why if lease.depth else self.contact.judge(why, host, now))
        if silence is not None:
            self._give_up_host(host, silence, lease.url, reason)
        return asked

    def is_there(self, response: Response) -> None:
        """Note that the host has answered: the doubtful failure was the URL's own fault."""
        self._note_answer(response)
        self.end_lease(lease_of(response), response.meta[META_IN_DOUBT])

    def _note_answer(self, response: Response) -> None:
        """Note which host has answered; a page from the pre-crawl's store is no answer."""
        if "download_latency" in response.meta:
            self.contact.answer(origin_of(response.url))

    def stop(self, reason: str) -> None:
        """Lease nothing more and close when what is under way has ended."""
        if not self.control.stopping:
            self.control.stopping = True
            logger.info("stopping reason=%r", reason)
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))

    def end_crawl(self, error: GwcError) -> None:
        self.control.end_by(error)
        self.stop(str(error))

    @contextmanager
    def ending_by_errors(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            self.end_crawl(error)

    def on_idle(self) -> None:
        """Keep the spider open while a batch waits for its commit or URLs wait for their time."""
        if len(self.store):
            with self.ending_by_errors():
                self.store.commit()
                raise DontCloseSpider

    def on_spider_error(self, failure: TwistedFailure, response: Any) -> None:
        """End the lease of a page whose reading raised an error: it would fail again."""
        if (request := getattr(response, "request", None)) is not None and META_LEASE in request.meta:
            self.end_lease(
                request.meta[META_LEASE], Failure(f"reading failed: {reason_of(failure.value, self.settings)}")
            )

    def on_closed(self) -> None:
        """Close the context, once, and look whether the site gave anything at all."""
        if self.is_closed:
            return
        self.is_closed = True
        self._tell_silence()
        self._tell_entry_error()
        for outcome, count in self.looks.outcomes.items() if self.looks.looked_again else ():
            self.crawler.stats.set_value(f"gwc/recrawl/{outcome}", count)
        self.context.close()
        self.count_stats()

    def count_stats(self) -> None:
        """Bring the counts of leases and admission into Scrapy's stats."""
        for name, value in self.leases.stats().items():
            self.crawler.stats.set_value(f"gwc/frontier/{name}", value)
        if self.admission is not None:
            for reason, count in self.admission.rejected.items():
                self.crawler.stats.set_value(f"gwc/cut/{reason.value}", count)

    def _end_if_gone(self, response: Response, page: Page) -> bool:
        """Say whether a page that used to be there says now that it is not (a soft 404), and end its lease."""
        old: Revisit | None = response.meta.get(META_REVISIT)
        if page.kind is not PageKind.MISSING or old is None or old.kind is PageKind.MISSING:
            return False
        self.end_lease(lease_of(response), Failure("the page says there is no such page"), is_gone=True)
        return True

    def _end_unless_page_despite(self, lease: Lease, response: Response) -> bool:
        """End the lease of an answer that is no page; True if it is one after all."""
        self._note_answer(response)
        if response.status == 304 and (revisit := self.looks.at_not_modified(response)) is not None:
            self._count_page()
            with self.ending_by_errors():
                self.store.keep_unread(lease, self.reader.clean_url(response.url), revisit)
            return False
        now = time.time()
        wait = wait_asked_for(response.headers.getlist(b"Retry-After"), now)
        failure = self.retries.after_status(response.status, attempts(lease, response), now, wait)
        if failure.retry_at is None and self._is_page_despite(response.status):
            return True
        if failure.retry_at is not None and response.status in BACK_OFF_STATUSES:
            self.leases.pause_host(lease.url, failure.retry_at)
            self._tell_of_wait(lease.url, response.status, failure.retry_at - now)
        self.end_lease(lease, failure, is_gone=response.status in NOT_FOUND_STATUSES)
        return False

    def _is_page_despite(self, status: int) -> bool:
        """Say whether Scrapy's settings take an answer with an error's status for a page."""
        accepted = map(int, self.settings.getlist("HTTPERROR_ALLOWED_CODES"))
        return (status >= 400 and self.settings.getbool("HTTPERROR_ALLOW_ALL")) or status in accepted

    def _tell_of_wait(self, url: str, status: int, seconds: float) -> None:
        """Warn that a host answers that it is asked too much, or has no time. Once for each status."""
        counted = f"gwc/download/asked_to_wait/{status}"
        if not self.crawler.stats.get_value(counted):
            logger.warning(
                "host=%s answers HTTP %d: it is asked again after seconds=%.0f, then one page at a time; where that "
                "happens often, ask less of it: DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN, the profile polite",
                *(host_of(url), status, seconds),
            )
        self.crawler.stats.inc_value(counted)

    def _redirect_visit(self, lease: Lease, error: RedirectElsewhere) -> Visit:
        if error.off_site and lease.depth == 0:
            self.entry_error = (
                f"{lease.url} redirects to {error.target}, off the site; "
                f"make that the entry, or name its host in `hosts` of the site file"
            )
            logger.warning("start URL not followed: %s", self.entry_error)
        page = Page(
            url=lease.url, status=302, body=b"", content_type="", charset="", kind=PageKind.REDIRECT, relevant=False,
            title=error.target,
        )  # fmt: skip
        return Visit(lease, page, None, lease.weight, fetched_at=time.time())

    def _without_rules(self, lease: Lease, error: RobotsUnreachable, host: str) -> None:
        """Have all URLs of a host wait while its robots.txt can't be had; give up a host that is not there."""
        silence = None
        if error.answered:
            self.contact.answer(host)
        else:
            silence = self.contact.note_failure(host, error)
        known = not error.answered and self.contact.is_to_blame(host, error)
        # a page's URL waits a while, unless another origin of its host's name had to, too
        is_over = host in self.contact.given_up and (not lease.depth or self.contact.has_sibling(host))
        if not known and (error.retry_at is None or is_over):
            self.end_lease(lease, Failure(str(error)))
        else:
            with self.ending_by_errors():
                if error.retry_at is not None:
                    self.leases.pause_host(lease.url, error.retry_at)
            self.leases.put_off(lease)
        if silence is not None:
            self._give_up_host(host, silence, lease.url, str(error))

    def start_given_up(self, lease: Lease, reason: str) -> None:
        """Remember why a start was not fetched, and say it; called with the first of several."""
        self.entry_error = start_problem(lease.url, reason, self.leases.robots) or (
            f"{lease.url} can't be fetched: {reason} ({lease.attempt} attempts); {what_helps(reason)}"
        )
        logger.warning("start URL given up: %s", self.entry_error)

    def end_lease(self, lease: Lease, failure: Failure, *, is_gone: bool = False) -> None:
        """End a lease without a page, for now or for good."""
        if failure.retry_at is None:
            failure = self.looks.at_failure(self.leases.revisit_of(lease.url), failure, is_gone=is_gone)
            self.crawler.stats.inc_value("gwc/frontier/errors")
            if lease.depth == 0:
                self.start_given_up(lease, failure.reason)
            self.sitemaps.missed(lease.url, failure.reason)
        else:
            self.crawler.stats.inc_value("gwc/frontier/retries")
        with self.ending_by_errors():
            self.leases.give_up(lease, failure)

    # --- silent hosts -------------------------------------------------------------------------------------------------

    def _look_whether_there(self, lease: Lease, why: Failure) -> Request:
        """Ask for a file that any host answers, before a URL is given up whose host answers nothing else either."""
        url = urljoin(lease.url, "/robots.txt")
        meta = {**weight_meta(lease), META_IN_DOUBT: why, "dont_obey_robotstxt": True}
        return Request(url, callback=self.is_there, errback=self.on_failure, meta=meta, dont_filter=True)

    def _give_up_host(self, host: str, silence: Silence, url: str, reason: str) -> None:
        """Report a host that does not answer; if nothing else can be had, end the crawl: waiting URLs go on waiting."""
        contact, why = self.contact, silence.value
        limiter = limiter_of(self.crawler)
        if limiter is not None and not why.somebody and not contact.has_sibling(host):
            limiter.forget(limiter.key_of(f"{host}/"))
        try:
            if self._has_ever_answered(host):
                contact.leave_alone(host)
            is_over = contact.nobody_answers and not contact.left_alone and self._has_nothing_else()
        except StoreError as error:
            self.end_crawl(error)
            return
        if host in contact.left_alone:
            self.go_on_without(host, contact.told()[host])
            return
        proxy = proxy_in(reason)
        words = why.words if proxy is None else why.through_proxy.format(proxy=proxy)
        told = f"{url} can't be fetched: {words} ({reason}); asked {why.tries} times; "
        told += what_helps(reason, why.help)
        if is_over:
            self.end_crawl(SiteError(told))
        else:
            logger.warning("no answer from host=%s, others are crawled: %s", host, told)

    def go_on_without(self, host: str, words: str) -> None:
        """Say that a host is left alone for this run, and hand back what was leased of it."""
        logger.warning("given up for this run, others are crawled: %s %s", host, words)
        self.leases.lease_anew()

    def _has_ever_answered(self, origin: str) -> bool:
        if (robots := self.leases.robots) is not None:
            return robots.text_of(origin) is not None
        frontier = self.context.frontier
        return bool(frontier.select(f"{glob.escape(origin)}/*", [UrlState.COMPLETE], 1))

    def _has_nothing_else(self) -> bool:
        """Say whether no page is stored and no URL waits but of hosts that are given up: others may have to rest."""
        frontier = self.context.frontier
        counts = frontier.counts()
        given_up = {host_of(host) for host in self.contact.given_up}
        return not counts.complete and not len(self.store) and counts.waiting <= frontier.waiting_of(given_up)

    def _tell_silence(self) -> None:
        control, contact = self.control, self.contact
        if not contact.left_alone or control.stopping or control.fatal is not None:
            return
        try:
            if self.leases.has_work():
                return
            words, frontier = contact.told(), self.context.frontier
            waiting = {host: frontier.waiting_of((host_of(host),)) for host in sorted(contact.left_alone)}
            told = [
                f"{host_of(host)} {words[host]}; {count} URLs of it wait" for host, count in waiting.items() if count
            ]
            if told:
                text = f"{'; '.join(told)}; all else is done; try later: the same command continues"
                control.end_by(SilentHostError(text))
        except StoreError as error:
            control.end_by(error)

    def _tell_entry_error(self) -> None:
        """End the crawl by the error of a start if no page came in any run; a redirect off the site does not count."""
        if self.control.fatal is not None or not self.entry_error or self.pages_done:
            return
        frontier = self.context.frontier
        try:
            done = frontier.select("*", [UrlState.COMPLETE])
        except StoreError:
            done = []  # it is told when the context closes
        if all(one.kind is PageKind.REDIRECT for one in done):
            self.control.end_by(SiteError(self.entry_error))


# --- an answer by itself ----------------------------------------------------------------------------------------------


def is_page(status: int) -> bool:
    """Say whether an answer of this status is a page; of redirects only the one that lists what there is to choose."""
    return 200 <= status <= 300


def content_type_of(response: Response) -> str:
    """Return the content type in an answer's header; "" if it has none.

    A nofollow in `X-Robots-Tag` is appended to it: so a page that is read again, from the store or by another process,
    gives no links either.
    """
    named = partial(dict.get, response.headers)  # by names as Scrapy keeps them, which it need not make sure of
    kind: str = (named(b"Content-Type") or [b""])[-1].decode("latin-1")
    tags = named(b"X-Robots-Tag")
    if tags and NOFOLLOW not in kind and any(header_says_nofollow(tag.decode("latin-1")) for tag in tags):
        return f"{kind}; {NOFOLLOW}"
    return kind


def attempts(lease: Lease, sent: Request | Response) -> int:
    """Return how often a URL was tried: by its leases, and by a retry middleware of the user's within this one."""
    retried: int = sent.meta.get("retry_times", 0)
    return lease.attempt + retried


def lease_of(response: Response) -> Lease:
    """Return the lease that a response answers."""
    lease: Lease = response.meta[META_LEASE]
    return lease


def broke(failure: TwistedFailure, crawler: Any) -> bool:
    """Say whether the code of a component failed, not the download; told once for each kind of error.

    A plug-in may fail at one answer of a URL and not at the next: a retry middleware fails at a 503.
    """
    error = failure.value
    if type(error).__module__ != "builtins" or isinstance(error, OSError):
        return False
    told = f"gwc/download/component_errors/{type(error).__name__}"
    if not crawler.stats.get_value(told):
        url = failure.request.url  # type: ignore[attr-defined]
        logger.error("a component failed, its URLs are tried again url=%s", url, exc_info=error)
    crawler.stats.inc_value(told)
    return True
