"""What a crawl does about silent hosts: looks whether one is there, gives one up, says at the end what waits for them,
or that no page came at all.

Called by `FrontierSpider`; which hosts are silent is known by `SilentHosts`.
"""

from __future__ import annotations

import glob
import logging
from typing import Any, Protocol
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure as TwistedFailure

from gwc_crawler.crawl import CrawlContext, CrawlControl, Leases, PageStore, Silence, SilentHosts
from gwc_crawler.downloader import limiter_of
from gwc_crawler.errors import GwcError, SilentHostError, SiteError, StoreError
from gwc_crawler.frontier import Frontier
from gwc_crawler.items import Failure, Lease, PageKind, UrlState
from gwc_crawler.request_meta import META_IN_DOUBT, weight_meta
from gwc_crawler.urls import host_of
from gwc_crawler.wiring import proxy_in, what_helps

logger = logging.getLogger(__name__)


class AskingSpider(Protocol):
    """What is seen here of the spider that asks hosts; see `FrontierSpider`."""

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
    """Before a URL is given up whose host has answered nothing else either: ask for what any host has a word on."""
    url = urljoin(lease.url, "/robots.txt")
    meta = {**weight_meta(lease), META_IN_DOUBT: why, "dont_obey_robotstxt": True}
    return Request(url, callback=spider.is_there, errback=spider.on_failure, meta=meta, dont_filter=True)


def give_up_host(spider: AskingSpider, host: str, silence: Silence, url: str, reason: str) -> None:
    """Report a host that does not answer; where nothing else can be had, end the crawl: what waits, waits on."""
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
    told = f"{url} can't be fetched: {_words_of(silence, reason)} ({reason}); asked {why.tries} times; "
    told += what_helps(reason, why.help)
    if is_over:
        spider.end_crawl(SiteError(told))
    else:
        logger.warning("no answer from host=%s, others are crawled: %s", host, told)


def tell_of_wait(crawler: Any, url: str, status: int, seconds: float) -> None:
    """Say why nothing comes: a host says that it is asked too much, or has no time. Told once for each status."""
    counted = f"gwc/download/asked_to_wait/{status}"
    if not crawler.stats.get_value(counted):
        logger.warning(
            "host=%s answers HTTP %d: it is asked again after seconds=%.0f, then one page at a time; where that "
            "happens often, ask less of it: DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN, the profile polite",
            *(host_of(url), status, seconds),
        )
    crawler.stats.inc_value(counted)


def _words_of(silence: Silence, reason: str) -> str:
    """Say in words that there is no answer; where *reason* names a proxy, that it may be the proxy's fault."""
    proxy = proxy_in(reason)
    return silence.value.words if proxy is None else silence.value.through_proxy.format(proxy=proxy)


def go_on_without(leases: Leases, host: str, words: str) -> None:
    """Say that a host is left alone for this run, and hand back what was leased of it."""
    logger.warning("given up for this run, others are crawled: %s %s", host, words)
    if leases.lease_anew is not None:
        leases.lease_anew()


def _has_ever_answered(context: CrawlContext, origin: str) -> bool:
    """Say whether *origin* has answered in an earlier run."""
    if (robots := context.common.robots) is not None:
        return robots.was_read(origin)
    return bool(context.frontier.select(f"{glob.escape(origin)}/*", [UrlState.COMPLETE], 1))


def _has_nothing_else(spider: AskingSpider) -> bool:
    """Say whether no page is stored and no URL waits but of hosts that are given up: others may have to rest."""
    frontier = spider.context.frontier
    counts = frontier.counts()
    given_up = {host_of(host) for host in spider.contact.given_up}
    return not counts.complete and not spider.store.uncommitted and counts.waiting <= frontier.waiting_of(given_up)


def tell_silence(spider: AskingSpider) -> None:
    """Where nothing was left to do but what waits for silent hosts: that ends the crawl, and is said."""
    control = spider.control
    if not spider.contact.left_alone or control.stopping or control.fatal is not None:
        return
    try:
        if not spider.leases.has_work() and (told := _silent_text(spider.contact, spider.context.frontier)):
            control.end_by(SilentHostError(f"{told}; all else is done; try later: the same command continues"))
    except StoreError as error:
        control.end_by(error)


def _silent_text(contact: SilentHosts, frontier: Frontier) -> str:
    """Say of each host that was given up with URLs that wait since when it is silent, and how many; "": of none."""
    told = contact.told()
    waiting = {host: frontier.waiting_of((host_of(host),)) for host in sorted(contact.left_alone)}
    return "; ".join(
        f"{host_of(host)} {told[host]}; {count} URLs of it wait" for host, count in waiting.items() if count
    )


def tell_entry_error(spider: AskingSpider) -> None:
    """Where no page came, in any run, what went wrong with a start ends the crawl; a redirect off the site is none."""
    if spider.control.fatal is not None or not spider.entry_error or spider.pages_done:
        return
    frontier = spider.context.frontier
    try:
        done = frontier.select("*", [UrlState.COMPLETE])
    except StoreError:
        done = []  # it is told when the context closes
    if all(one.kind is PageKind.REDIRECT for one in done):
        spider.control.end_by(SiteError(spider.entry_error))
