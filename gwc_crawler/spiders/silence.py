"""What a crawl does about silent hosts: looks whether one is there, gives one up, says at the end what waits for them.

Called by `FrontierSpider`; which hosts are silent is known by `SilentHosts`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy import Request

from gwc_crawler.errors import SilentHostError, SiteError, StoreError
from gwc_crawler.items import Failure, Lease
from gwc_crawler.middlewares import Silence
from gwc_crawler.politeness import Limiter
from gwc_crawler.request_meta import META_IN_DOUBT, weight_meta

if TYPE_CHECKING:
    from gwc_crawler.spiders.frontier_spider import FrontierSpider

logger = logging.getLogger(__name__)


def look_whether_there(spider: FrontierSpider, lease: Lease, why: Failure) -> Request:
    """Before a URL is given up whose host has answered nothing else either: ask for what any host has a word on."""
    url = urljoin(lease.url, "/robots.txt")
    meta = {**weight_meta(lease), META_IN_DOUBT: why, "dont_obey_robotstxt": True}
    return Request(url, callback=spider.is_there, errback=spider.failed, meta=meta, dont_filter=True)


def give_up_host(spider: FrontierSpider, host: str, silence: Silence, text: str) -> None:
    """Report a host that does not answer; where nothing else can be had, end the crawl: what waits, waits on."""
    contact, context = spider.contact, spider.context
    limiter: Limiter | None = getattr(spider.crawler.engine.downloader, "limiter", None)
    if limiter is not None and not silence.value.somebody and not contact.has_sibling(host):
        limiter.forget(limiter.key_of(f"{host}/"))
    told = f"{text}; asked {silence.value.tries} times; {silence.value.help}"
    try:
        if context.has_answered(host):
            contact.leave_alone(host)
        is_over = contact.nobody_answers and not contact.left_alone and context.has_nothing_else()
    except StoreError as error:
        spider.fail(error)
        return
    if host in contact.left_alone:
        logger.warning("given up for this run, others are crawled: %s %s", host, contact.told()[host])
        if context.lease_anew is not None:
            context.lease_anew()
    elif is_over:
        spider.fail(SiteError(told))
    else:
        logger.warning("no answer from host=%s, others are crawled: %s", host, told)


def tell_silence(spider: FrontierSpider) -> None:
    """Where nothing was left to do but what waits for silent hosts: that ends the crawl, and is said."""
    context = spider.context
    if not spider.contact.left_alone or context.stopping or context.fatal is not None:
        return
    try:
        if not context.has_work() and (told := context.silent_text()):
            context.fatal = SilentHostError(f"{told}; all else is done; try later: the same command continues")
    except StoreError as error:
        context.fatal = error
