"""An extension that says how long the event loop of a crawl stood still at the most, as a thread beside it counts."""

from __future__ import annotations

import threading
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler

PACE_SECONDS = 0.05


class Ticking:
    """Both count; a machine that is busy holds both up, a wait in the loop's thread only the loop.

    The setting TICKS names a file; what is written there at the end is the most beats between two ticks of the loop.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.beats = 0
        self.heard = 0
        self.longest = 0
        self.ended = threading.Event()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Ticking:
        extension = cls(Path(crawler.settings["TICKS"]))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        threading.Thread(target=self._beat, daemon=True).start()
        self._tick()

    def spider_closed(self) -> None:
        self.ended.set()
        self.path.write_text(str(self.longest))

    def _beat(self) -> None:
        while not self.ended.wait(PACE_SECONDS):
            self.beats += 1

    def _tick(self) -> None:
        from twisted.internet import reactor

        self.longest = max(self.longest, self.beats - self.heard)
        self.heard = self.beats
        if not self.ended.is_set():
            reactor.callLater(PACE_SECONDS, self._tick)  # type: ignore[attr-defined]
