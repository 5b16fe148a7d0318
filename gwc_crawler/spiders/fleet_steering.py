"""Pausing, resuming and stopping a whole fleet: each worker looks at the fleet's board, whatever site it is at.

`scrapy pause --all`, `scrapy resume --all` and `scrapy stop --all` write there; a single site has a board of its own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.redis_board import RedisBoard
from gwc_crawler.frontier.redis_scripts import Server
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.spiders.steering import Steering

LOOK_SECONDS = 1.0

FLEET = "fleet"
"""The reason of a pause that was asked of the whole fleet."""


def fleet_board(server: Server, fleet: str) -> RedisBoard:
    """Return the board of the fleet called so."""
    return RedisBoard(server, f"{{{fleet}}}:board")


class FleetSteering:
    """What people want of one of a fleet's workers; while Redis is away, what they wanted last."""

    def __init__(self, board: RedisBoard, owner: str) -> None:
        self._board = board
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
        """Report, take the wishes, and pause the site that the worker is at with the fleet."""
        bench = spider.workbench if isinstance(spider, SiteSpider) else None
        with suppress(OutageError):
            if self._steering is None:
                self._board.forget_the_vanished()
                self._steering = Steering("--all", self._board, self._owner, stays_paused=True)
            pages = self._pages_before + (bench.pages if bench else 0)
            under_way = bench.under_way() if bench else 0
            self._steering.heed(self._board.exchange(self._steering.report(pages, under_way, stopping=stopping)))
        if bench is None:
            return
        if self.paused:
            bench.steering.pause(FLEET, "with the fleet, until `scrapy resume --all`")
        else:
            bench.steering.resume(FLEET)

    def site_ended(self, spider: Any) -> None:
        """Count the pages of a site that the worker is not at any more."""
        if isinstance(spider, SiteSpider):
            self._pages_before += spider.workbench.pages

    def leave(self) -> None:
        """Take the report off the board: the worker ends."""
        if self._steering is not None:
            self._steering.leave()
