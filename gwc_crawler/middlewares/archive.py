"""The downloader middleware next to the network: it puts each answer into the archive (GWC_WARC), whatever it is.

Pages, redirects, errors, 304s and robots.txt; not pages stored by the pre-crawl, which were recorded when they came.
"""

from __future__ import annotations

import time
from http.client import responses

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from gwc_crawler.items import META_LOGIN, META_WIRE, context_of
from gwc_crawler.network.masking import masked_bytes
from gwc_crawler.store.archive import Archive, Exchange, message_head
from gwc_crawler.wiring.options import keeps_exchanges


class ArchiveMiddleware:
    """Records each exchange, as HTTP/1.1 even if it came another way; not those of a login."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArchiveMiddleware:
        if not keeps_exchanges(crawler.settings):
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        context = context_of(crawler.spider)
        self._archive: Archive | None = None if context is None else context.common.archive

    def process_response(self, request: Request, response: Response) -> Response:
        if self._archive is not None and META_LOGIN not in request.meta:
            sent, head, body, payload = request.meta.pop(META_WIRE, None) or _as_http1(request, response)
            address = "" if response.ip_address is None else str(response.ip_address)
            told = (response.url, time.time(), response.status)
            self._archive.record(Exchange(*told, masked_bytes(sent), head, body, payload, address))
        return response


def _as_http1(request: Request, response: Response) -> tuple[bytes, bytes, bytes, bytes]:
    url = urlparse_cached(request)
    target = f"{url.path or '/'}{'?' if url.query else ''}{url.query}"
    sent = [(b"Host", url.netloc.encode()), *_pairs(request)]
    first = f"HTTP/1.1 {response.status} {responses.get(response.status, '')}"
    asked = message_head(f"{request.method} {target} HTTP/1.1", sent) + request.body
    return asked, message_head(first, _pairs(response)), response.body, response.body


def _pairs(message: Request | Response) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in dict.items(message.headers) for value in values]
