"""What people want of a worker, and what it says of itself: once a tick a report goes out, and what is wanted comes in.

Each crawl has a `Steering` (`CrawlControl`), which the scheduler obeys; a worker of a fleet has one more.
"""

from __future__ import annotations

import logging
import time

from gwc_crawler.control.channel import SILENT_SECONDS, Activity, Channel, DesiredState, Pace, Report
from gwc_crawler.errors import StoreError
from gwc_crawler.program import advice

logger = logging.getLogger(__name__)

BY_HAND = "by hand"
"""The reason of a pause that somebody asked for; other reasons have words of their own."""


class Steering:
    """Why a worker pauses, whether it was asked to stop, how fast it is.

    Args:
        site: the name that people steer it by.
        channel: where they meet.
        owner: this worker's name.
        stays_paused: whether a pause that was asked for before this worker began holds for it. Else whoever begins a
            crawl ends its pause, unless other workers are at it.
    """

    def __init__(self, site: str, channel: Channel, owner: str, *, stays_paused: bool = False) -> None:
        self.site = site
        self.channel = channel
        self.owner = owner
        self.pauses: dict[str, str] = {}
        """Reason → in words; while there is any, nothing is leased."""
        self.stop_asked = False
        self._pace = Pace()
        self._pace.note(time.monotonic(), 0)
        self._started_at = channel.now()
        self._stops_seen = channel.desired().stops
        if not stays_paused and not self._others():
            self._end_old_pause()
        self.heed(channel.desired())

    def _others(self) -> bool:
        latest = self.channel.now() - SILENT_SECONDS
        return any(one.seen_at >= latest and one.owner != self.owner for one in self.channel.reports())

    def _end_old_pause(self) -> None:
        if (pause := self.channel.resume()) is not None:
            logger.warning("resumed site=%s by its start; it was paused by %s", self.site, pause.by)

    @property
    def paused(self) -> bool:
        """Whether nothing shall be leased for now."""
        return bool(self.pauses)

    def report(self, pages: int, under_way: int, *, stopping: bool, silent: tuple[str, ...] = ()) -> Report:
        """Say how this worker does: *pages* read so far, leases *under_way*, *silent* hosts in words."""
        self._pace.note(time.monotonic(), pages)
        paused = Activity.PAUSED if self.pauses else Activity.RUNNING
        return Report(
            owner=self.owner,
            activity=Activity.STOPPING if stopping or self.stop_asked else paused,
            reasons=tuple(self.pauses.values()),
            pages=pages,
            last_minute=self._pace.last(60.0),
            last_ten_minutes=self._pace.last(600.0),
            under_way=under_way,
            started_at=self._started_at,
            seen_at=self.channel.now(),
            silent=silent,
        )

    def heed(self, desired: DesiredState) -> None:
        """Pause, go on or stop as people want."""
        if desired.stops > self._stops_seen:
            self.stop_asked = True
        self._stops_seen = desired.stops
        if desired.pause is not None:
            self.pause(BY_HAND, advice(f"by {desired.pause.by}, until `scrapy resume {self.site}`"))
        else:
            self.resume(BY_HAND)

    def pause(self, reason: str, words: str) -> None:
        """Lease nothing more until this *reason* is gone; what is under way goes on."""
        if reason not in self.pauses:
            self.pauses[reason] = words
            logger.warning("paused site=%s %s", self.site, words)

    def resume(self, reason: str) -> None:
        """Take a reason to pause away; without any left the crawl goes on."""
        if self.pauses.pop(reason, None) is not None:
            still = "; still paused " + "; ".join(self.pauses.values()) if self.pauses else ""
            logger.warning("resumed site=%s%s", self.site, still)

    def leave(self) -> None:
        """Take the report off the channel: this worker ends in order."""
        try:
            self.channel.leave(self.owner)
        except StoreError as error:
            logger.info("the last report stays in the channel: %s", error)
