"""Queue assignment (BKDR-queue): the middleware that puts each Request into the download slot of its queue."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from gwc_crawler.items import META_LEASE
from gwc_crawler.wiring.options import partition_policy
from gwc_crawler.wiring.own_settings import of_any_project


class QueueMiddleware:
    """Puts a Request into the download slot of its queue, by GWC_QUEUE_POLICY; limits are each host's all the same."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> QueueMiddleware:
        return cls(crawler.settings)

    def __init__(self, settings: BaseSettings) -> None:
        policy = partition_policy(of_any_project(settings))
        if policy is None:
            raise NotConfigured  # Scrapy's slots are the hosts already
        self.queue_of = policy

    def process_request(self, request: Request) -> None:
        if META_LEASE in request.meta or "download_slot" not in request.meta:
            request.meta["download_slot"] = self.queue_of(request.url)
