"""Judge an answer by itself: whether it is a page, its flaws, and which lease it ends."""

from __future__ import annotations

import glob
import logging
import time
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure as TwistedFailure

from gwc_crawler.crawl.context import CrawlContext, CrawlControl
from gwc_crawler.crawl.leases import Leases
from gwc_crawler.crawl.page_store import PageStore
from gwc_crawler.crawl.silent_hosts import Silence, SilentHosts
from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.errors import GwcError, SilentHostError, SiteError, StoreError
from gwc_crawler.extract.page_check import mostly_empty
from gwc_crawler.extract.record import extract_target
from gwc_crawler.frontier.same_pages import SAME_PAGE, SamePage, key_of, plain_text
from gwc_crawler.items import (
    META_IN_DOUBT,
    META_LEASE,
    META_WEIGHT,
    Failure,
    Lease,
    Page,
    PageKind,
    Record,
    UrlState,
    weight_meta,
)
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.network.politeness.retry import RetryPolicy
from gwc_crawler.network.wire import DATALOSS, OVERLONG
from gwc_crawler.page.outline import NOFOLLOW, header_says_nofollow
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.access import proxy_in
from gwc_crawler.wiring.blame import what_helps

logger = logging.getLogger(__name__)

FLAWS = {
    DATALOSS: "taken though the body is not all there (DOWNLOAD_FAIL_ON_DATALOSS)",
    OVERLONG: "the server sent more than the length it had announced, which was left out",
}
"""Flag of a response → what is said of the page."""


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


# --- What a crawl does about silent hosts -----------------------------------------------------------------------------


class AskingSpider(Protocol):
    """The members of the asking spider that are used here; see `FrontierSpider`."""

    context: CrawlContext
    leases: Leases
    store: PageStore
    control: CrawlControl
    contact: SilentHosts
    crawler: Any
    entry_error: str
    pages_done: int

    def is_there(self, response: Response) -> None:
        """Take in that a host has answered."""

    def on_failure(self, failure: TwistedFailure) -> list[Any]:
        """Take in that it has not."""

    def end_crawl(self, error: GwcError) -> None:
        """End the crawl by *error*."""


def look_whether_there(spider: AskingSpider, lease: Lease, why: Failure) -> Request:
    """Ask for a file that any host answers, before a URL is given up whose host has answered nothing else either."""
    url = urljoin(lease.url, "/robots.txt")
    meta = {**weight_meta(lease), META_IN_DOUBT: why, "dont_obey_robotstxt": True}
    return Request(url, callback=spider.is_there, errback=spider.on_failure, meta=meta, dont_filter=True)


def give_up_host(spider: AskingSpider, host: str, silence: Silence, url: str, reason: str) -> None:
    """Report a host that does not answer; if nothing else can be had, end the crawl: waiting URLs go on waiting."""
    contact, leases = spider.contact, spider.leases
    why = silence.value
    limiter = limiter_of(spider.crawler)
    if limiter is not None and not why.somebody and not contact.has_sibling(host):
        limiter.forget(limiter.key_of(f"{host}/"))
    try:
        if _has_ever_answered(spider.context, host):
            contact.leave_alone(host)
        is_over = contact.nobody_answers and not contact.left_alone and _has_nothing_else(spider)
    except StoreError as error:
        spider.end_crawl(error)
        return
    if host in contact.left_alone:
        go_on_without(leases, host, contact.told()[host])
        return
    proxy = proxy_in(reason)
    words = why.words if proxy is None else why.through_proxy.format(proxy=proxy)
    told = f"{url} can't be fetched: {words} ({reason}); asked {why.tries} times; "
    told += what_helps(reason, why.help)
    if is_over:
        spider.end_crawl(SiteError(told))
    else:
        logger.warning("no answer from host=%s, others are crawled: %s", host, told)


def tell_of_wait(crawler: Any, url: str, status: int, seconds: float) -> None:
    """Warn that a host answers that it is asked too much, or has no time. Once for each status."""
    counted = f"gwc/download/asked_to_wait/{status}"
    if not crawler.stats.get_value(counted):
        logger.warning(
            "host=%s answers HTTP %d: it is asked again after seconds=%.0f, then one page at a time; where that "
            "happens often, ask less of it: DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN, the profile polite",
            *(host_of(url), status, seconds),
        )
    crawler.stats.inc_value(counted)


def go_on_without(leases: Leases, host: str, words: str) -> None:
    """Say that a host is left alone for this run, and hand back what was leased of it."""
    logger.warning("given up for this run, others are crawled: %s %s", host, words)
    leases.lease_anew()


def _has_ever_answered(context: CrawlContext, origin: str) -> bool:
    if (robots := context.common.robots) is not None:
        return robots.text_of(origin) is not None
    return bool(context.frontier.select(f"{glob.escape(origin)}/*", [UrlState.COMPLETE], 1))


def _has_nothing_else(spider: AskingSpider) -> bool:
    """Say whether no page is stored and no URL waits but of hosts that are given up: others may have to rest."""
    frontier = spider.context.frontier
    counts = frontier.counts()
    given_up = {host_of(host) for host in spider.contact.given_up}
    return not counts.complete and not spider.store.uncommitted and counts.waiting <= frontier.waiting_of(given_up)


def tell_silence(spider: AskingSpider) -> None:
    """End the crawl, with a report, if only URLs of silent hosts are left."""
    control = spider.control
    if not spider.contact.left_alone or control.stopping or control.fatal is not None:
        return
    try:
        if spider.leases.has_work():
            return
        words, frontier = spider.contact.told(), spider.context.frontier
        waiting = {host: frontier.waiting_of((host_of(host),)) for host in sorted(spider.contact.left_alone)}
        told = [f"{host_of(host)} {words[host]}; {count} URLs of it wait" for host, count in waiting.items() if count]
        if told:
            text = f"{'; '.join(told)}; all else is done; try later: the same command continues"
            control.end_by(SilentHostError(text))
    except StoreError as error:
        control.end_by(error)


def tell_entry_error(spider: AskingSpider) -> None:
    """End the crawl by the error of a start if no page came in any run; a redirect off the site does not count."""
    if spider.control.fatal is not None or not spider.entry_error or spider.pages_done:
        return
    frontier = spider.context.frontier
    try:
        done = frontier.select("*", [UrlState.COMPLETE])
    except StoreError:
        done = []  # it is told when the context closes
    if all(one.kind is PageKind.REDIRECT for one in done):
        spider.control.end_by(SiteError(spider.entry_error))


# --- What a crawl does with a page that stands at many addresses instead of their records -----------------------------


LOOK = 2
"""Rounds from which on an address that has shown a record is looked at: if it does not now, the host is at fault."""

ROUNDS = 6
"""Rounds without anything else, between which the waits double, after which a host is left alone: about a minute
with the default waits."""

MOST_FILE_BYTES = 4096
"""Bytes up to which a file that is no HTML counts as an error's text."""

_AT_TARGETS = frozenset({PageKind.TARGET, PageKind.LOOKALIKE, PageKind.BINARY})
_LEAD_ON = frozenset({PageKind.DIRECTORY, PageKind.INDEX, PageKind.INFORMATION})


class ReadingSpider(AskingSpider, Protocol):
    """The members of the reading spider that are used here besides; see `SiteSpider`."""

    retries: RetryPolicy
    knowledge: Knowledge
    reader: PageReader
    site: Site

    def end_lease(self, lease: Lease, failure: Failure) -> None:
        """End a lease without a page."""


def ends_as_same_page(
    spider: ReadingSpider, response: Response, page: Page, record: Record | None
) -> Sequence[Request] | None:
    """End the lease of a page that is no answer, because it shows what stands at other addresses, too.

    Cost: a few look-ups for a page that gives what its address promises; else its text is hashed.
    Returns:
        None: it is a page like others. Else what is asked before its lease ends, if anything.
    """
    same = spider.leases.same_pages
    text = empty_text(page, record, spider.knowledge)
    if text is None:
        if "download_latency" in response.meta:  # else it is from the pre-crawl's store
            same.other(host_of(page.url), lease_of(response).url)
        if page.kind is PageKind.TARGET:
            same.with_record[host_of(page.url)] = page.url
        return None
    host = host_of(page.url)
    key = key_of(host, plain := plain_text(text, page.url))
    if (found := same.recognised(key)) is None:
        same.stored(key, host, plain, page.url, is_target=page.kind in _AT_TARGETS)
        return None
    try:
        if "download_latency" not in response.meta:
            spider.context.forget_sample(response.url)
            spider.leases.put_off(lease_of(response))
            return ()
        return _ask_again(spider, response, key, found, gives_record=page.kind is PageKind.TARGET)
    except StoreError as error:
        spider.end_crawl(error)
        return ()


def empty_text(page: Page, record: Record | None, knowledge: Knowledge) -> str | None:
    """Return the text of a page that breaks its address's promise of a record or links; None if it keeps it.

    A record most of whose fields are empty does not count; a file that is no HTML counts if a target is expected.
    """
    if page.kind is PageKind.LOOKALIKE:
        return page.text
    if page.kind is PageKind.TARGET or page.kind is PageKind.CONTINUATION:
        return page.text if record is not None and mostly_empty(record.fields) else None
    if page.kind in _LEAD_ON:
        return None if page.admitted else page.text
    if page.kind is PageKind.BINARY and len(page.body) <= MOST_FILE_BYTES and knowledge.is_target(page.url):
        return "".join(one if one.isalnum() else " " for one in page.body.decode("utf-8", "replace"))
    return None


def _ask_again(
    spider: ReadingSpider, response: Response, key: str, found: SamePage, *, gives_record: bool
) -> Sequence[Request] | None:
    """End the lease, for now or for good; None where no tries are left and there is a record here after all."""
    same, lease, now = spider.leases.same_pages, lease_of(response), time.time()
    host, latency = host_of(response.url), response.meta["download_latency"]
    before, rounds = same.rounds(host), same.again(key, host, lease.url, now - latency)
    spider.crawler.stats.inc_value("gwc/same_page/answers")
    why = Failure(SAME_PAGE)
    if not same.stays(key, found):
        why = spider.retries.after_error(SAME_PAGE, attempts(lease, response), now, passing=True)
        if rounds > before and key not in same.beside_records:  # what was under way together is one round
            _rest(spider, response.url, latency, now + spider.retries.wait_seconds(rounds))
    if why.retry_at is None:
        same.ended(lease.url)
        if gives_record:
            return None
        spider.crawler.stats.inc_value("gwc/same_page/errors")
    spider.end_lease(lease, why)
    return () if key in same.beside_records or rounds < LOOK else _look_at_record(spider, host, key)


def _look_at_record(spider: ReadingSpider, host: str, key: str) -> Sequence[Request]:
    same = spider.leases.same_pages
    url = same.with_record.get(host) or next((one.url for one in spider.site.samples if host_of(one.url) == host), None)
    if host in same.looked_at or url is None:
        return ()
    same.looked_at.add(host)
    judge = partial(_judge, spider, url, key)
    meta = {META_WEIGHT: -1}  # before leased URLs
    return (Request(url, callback=judge, errback=lambda _: judge(None), meta=meta, dont_filter=True),)


def _judge(spider: ReadingSpider, url: str, key: str, response: Response | None) -> None:
    """Blame the text's page itself if *url* shows its record; else in the end leave its host alone."""
    same, host = spider.leases.same_pages, host_of(url)
    same.looked_at.discard(host)
    if response is not None and is_page(response.status) and _shows_record(spider, response):
        same.other(host, "")
        same.beside_records.add(key)
    elif same.rounds(host) >= ROUNDS and (found := same.recognised(key)) is not None:
        words = f"gives nothing but one page any more ({found.excerpt!r})"
        if spider.contact.refuse(url, words):
            go_on_without(spider.leases, host, words)


def _shows_record(spider: ReadingSpider, response: Response) -> bool:
    page = spider.reader.read(response.url, response.body, content_type_of(response), response.status)
    record = extract_target(page, spider.knowledge)
    return page.kind is PageKind.TARGET and empty_text(page, record, spider.knowledge) is None


def _rest(spider: ReadingSpider, url: str, latency: float, until: float) -> None:
    """Have the host rest, and be asked one thing at a time after that, for all workers."""
    leases, limiter = spider.leases, limiter_of(spider.crawler)
    leases.pause_host(url, until)
    leases.same_pages.rest(host_of(url), until)
    if limiter is not None:
        limiter.answered(
            limiter.key_of(url), HTTPStatus.SERVICE_UNAVAILABLE, limiter.clock() - latency, latency, until - time.time()
        )
