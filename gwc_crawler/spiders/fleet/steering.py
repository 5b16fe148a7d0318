"""Pausing, resuming and stopping a whole fleet: each worker looks at the fleet's channel, whatever site it is at.

`scrapy pause --all`, `scrapy resume --all` and `scrapy stop --all` write there; a single site has a channel of its own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from gwc_crawler.control import RedisChannel, Steering
from gwc_crawler.errors import OutageError
from gwc_crawler.program import advice
from gwc_crawler.redis_server import Server
from gwc_crawler.spiders.site import SiteSpider

LOOK_SECONDS = 1.0

FLEET = "fleet"
"""The reason of a pause that was asked of the whole fleet."""


def fleet_channel(server: Server, fleet: str) -> RedisChannel:
    """Return the channel of the fleet called so."""
    return RedisChannel(server, f"{{{fleet}}}:board")


class FleetSteering:
    """What people want of one of a fleet's workers; while Redis is away, what they wanted last."""

    def __init__(self, channel: RedisChannel, owner: str) -> None:
        self._channel = channel
        self._owner = owner
        self._steering: Steering | None = None
        self._pages_before = 0

    @property
    def paused(self) -> bool:
        """Whether no site shall be taken for now."""
        return self._steering is not None and self._steering.paused

    @property
    def stop_asked(self) -> bool:
        """Whether the worker is to leave."""
        return self._steering is not None and self._steering.stop_asked

    def look(self, spider: Any, *, stopping: bool) -> None:
        """Report, hear what is wanted, and pause the site that the worker is at with the fleet."""
        crawl = spider if isinstance(spider, SiteSpider) else None
        with suppress(OutageError):
            if self._steering is None:
                self._channel.forget_the_vanished()
                self._steering = Steering("--all", self._channel, self._owner, stays_paused=True)
            pages = self._pages_before + (crawl.store.pages if crawl else 0)
            under_way = crawl.leases.under_way() if crawl else 0
            self._steering.heed(self._channel.exchange(self._steering.report(pages, under_way, stopping=stopping)))
        if crawl is None:
            return
        if self.paused:
            crawl.control.pause(FLEET, advice("with the fleet, until `scrapy resume --all`"))
        else:
            crawl.control.resume(FLEET)

    def site_ended(self, spider: Any) -> None:
        """Count the pages of a site that the worker is not at any more."""
        if isinstance(spider, SiteSpider):
            store = spider.store
            self._pages_before += store.pages

    def leave(self) -> None:
        """Take the report off the channel: the worker ends."""
        if self._steering is not None:
            self._steering.leave()
