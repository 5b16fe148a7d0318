"""What a crawl does with a page that stands at many addresses instead of their records.

`frontier.same_pages` recognises it. Its URLs wait, and its host is left alone in the end, if that shows nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus

from scrapy import Request
from scrapy.http import Response

from gwc_crawler.downloader.politeness import limiter_of
from gwc_crawler.errors import StoreError
from gwc_crawler.extract.page_check import mostly_empty
from gwc_crawler.extract.record import extract_target
from gwc_crawler.frontier.same_pages import SAME_PAGE, SamePage, key_of, plain_text
from gwc_crawler.items import META_WEIGHT, Failure, Page, PageKind, Record
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.spiders.frontier_spider import FrontierSpider, attempts, content_type_of, is_page, lease_of
from gwc_crawler.urls import host_of

LOOK = 2
"""Rounds from which on an address that has shown a record is looked at: if it does not now, the host is at fault."""

ROUNDS = 6
"""Rounds without anything else, between which the waits double, after which a host is left alone: about a minute
with the default waits."""

MOST_FILE_BYTES = 4096
"""Bytes up to which a file that is no HTML counts as an error's text."""

_AT_TARGETS = frozenset({PageKind.TARGET, PageKind.LOOKALIKE, PageKind.BINARY})
_LEAD_ON = frozenset({PageKind.DIRECTORY, PageKind.INDEX, PageKind.INFORMATION})


def ends_as_same_page(
    spider: FrontierSpider, response: Response, page: Page, record: Record | None
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
    spider: FrontierSpider, response: Response, key: str, found: SamePage, *, gives_record: bool
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


def _look_at_record(spider: FrontierSpider, host: str, key: str) -> Sequence[Request]:
    same = spider.leases.same_pages
    url = same.with_record.get(host) or next((one.url for one in spider.site.samples if host_of(one.url) == host), None)
    if host in same.looked_at or url is None:
        return ()
    same.looked_at.add(host)
    judge = partial(_judge, spider, url, key)
    meta = {META_WEIGHT: -1}  # before leased URLs
    return (Request(url, callback=judge, errback=lambda _: judge(None), meta=meta, dont_filter=True),)


def _judge(spider: FrontierSpider, url: str, key: str, response: Response | None) -> None:
    """Blame the text's page itself if *url* shows its record; else in the end leave its host alone."""
    same, host = spider.leases.same_pages, host_of(url)
    same.looked_at.discard(host)
    if response is not None and is_page(response.status) and _shows_record(spider, response):
        same.other(host, "")
        same.beside_records.add(key)
    elif same.rounds(host) >= ROUNDS and (found := same.recognised(key)) is not None:
        words = f"gives nothing but one page any more ({found.excerpt!r})"
        if spider.contact.refuse(url, words):
            spider.go_on_without(host, words)


def _shows_record(spider: FrontierSpider, response: Response) -> bool:
    page = spider.reader.read(response.url, response.body, content_type_of(response), response.status)
    record = extract_target(page, spider.knowledge)
    return page.kind is PageKind.TARGET and empty_text(page, record, spider.knowledge) is None


def _rest(spider: FrontierSpider, url: str, latency: float, until: float) -> None:
    """Have the host rest, and be asked one thing at a time after that, for all workers."""
    leases, limiter = spider.leases, limiter_of(spider.crawler)
    leases.pause_host(url, until)
    leases.same_pages.rest(host_of(url), until)
    if limiter is not None:
        limiter.answered(
            limiter.key_of(url), HTTPStatus.SERVICE_UNAVAILABLE, limiter.clock() - latency, latency, until - time.time()
        )
