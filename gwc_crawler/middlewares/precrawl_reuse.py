"""Pages that the pre-crawl has just fetched are read from its store, and not asked for again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse

from gwc_crawler.items import META_LEASE, META_REVISIT, context_of

if TYPE_CHECKING:
    from gwc_crawler.crawl.common import StoredSamples


class SampleReuseMiddleware:
    """Answers a lease from the pre-crawl's store where that page was fetched not long ago: no page is fetched twice."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SampleReuseMiddleware:
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        context = context_of(crawler.spider)
        self._samples: StoredSamples | None = None if context is None else context.common.samples

    def process_request(self, request: Request) -> Any:
        samples = self._samples
        if samples is None or META_LEASE not in request.meta or request.meta.get(META_REVISIT) is not None:
            return None
        sample = samples.page(request.url)
        if sample is None:
            return None
        self.crawler.stats.inc_value("gwc/download/reused_samples")
        headers = {"Content-Type": sample.content_type or "text/html", **samples.validators(sample.url)}
        return HtmlResponse(sample.url, headers=headers, body=sample.html, request=request, encoding="utf-8")
