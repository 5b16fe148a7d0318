"""Settings of a worker that leases from some parts of the queue alone, named in PARTS ("0,4,8"): the cluster profile's.

`benchmarks.queues` deals the parts out evenly, as `scrapy work` does, and keeps them so, to compare queue policies.
"""

from __future__ import annotations

import os

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from settings_profiles.cluster import *  # noqa: F403


class TakeParts:
    """Tells the worker's frontier which parts are its own."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TakeParts:
        extension = cls()
        crawler.signals.connect(extension.take, signals.spider_opened)
        return extension

    def take(self, spider: Spider) -> None:
        """Called before anything is leased."""
        spider.leases.parts = tuple(int(part) for part in os.environ["PARTS"].split(","))  # type: ignore[attr-defined]


EXTENSIONS = {"benchmarks.part_worker.TakeParts": 5}
