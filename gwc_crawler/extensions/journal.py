"""Heritrix's two logs of one crawl, in its data directory: `crawl.log`, `progress-statistics.log`."""

from __future__ import annotations

import logging
import resource
import time
from pathlib import Path

from gwc_crawler.errors import StoreError
from gwc_crawler.frontier import FrontierCounts
from gwc_crawler.monitor import (
    STATISTICS_HEAD,
    FinishedRequest,
    Statistics,
    Totals,
    crawl_line,
    rotated,
    statistics_line,
)

STATISTICS_SECONDS = 20.0
"""Between two lines of statistics, as in Heritrix."""


class Journal:
    """Writes both, and continues what is there.

    Raises:
        StoreError: they can't be written.
    """

    def __init__(self, directory: Path, max_bytes: int, totals: Totals) -> None:
        try:
            self._handlers = [rotated(directory / name, max_bytes) for name in ("crawl.log", "progress-statistics.log")]
        except OSError as error:
            raise StoreError(f"{error.filename}: can't be written ({error.strerror}); GWC_HERITRIX_LOGS") from error
        self._crawl, self._statistics = map(_log, self._handlers)
        self._totals = totals
        self._began = time.time()
        self._last = (self._began, 0, 0)
        self._depths = self._deepest = 0
        self._says_head = True
        self._counts: FrontierCounts | None = None

    def write(self, one: FinishedRequest) -> None:
        """Add a line for an exchange."""
        self._deepest = max(self._deepest, one.depth)
        self._depths += one.depth
        self._crawl.info("%s", crawl_line(one, time.time()))

    def tick(self, counts: FrontierCounts, pages: int) -> None:
        """Add a line of statistics, if it is time."""
        self._counts = counts
        if self._says_head:
            self._says_head = False
            self._statistics.info("%s CRAWL RUNNING - Running", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
            self._statistics.info("%s", STATISTICS_HEAD)
        elif time.time() - self._last[0] >= STATISTICS_SECONDS:
            self._tell(counts, pages)

    def close(self, pages: int, reason: str) -> None:
        """Add the last line, and how it ended; the frontier is closed by now."""
        if self._counts is not None:
            self._tell(self._counts, pages)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._statistics.info("%s CRAWL ENDED - %s", now, " ".join(reason.split()))
        for handler in self._handlers:
            handler.close()

    def _tell(self, counts: FrontierCounts, pages: int) -> None:
        now, totals = time.time(), self._totals
        since, pages_before, bytes_before = self._last
        passed, whole = max(1e-3, now - since), max(1e-3, now - self._began)
        self._last = (now, pages, totals.bytes)
        told = Statistics(
            discovered=counts.waiting + counts.running + counts.complete + counts.error,
            queued=counts.waiting,
            downloaded=counts.complete,
            docs_per_second=(pages - pages_before) / passed,
            docs_per_second_all=pages / whole,
            kb_per_second=(totals.bytes - bytes_before) / 1000 / passed,
            kb_per_second_all=totals.bytes / 1000 / whole,
            failures=totals.failures,
            busy=counts.running,
            memory_kb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            max_depth=self._deepest,
            average_depth=self._depths / max(1, totals.exchanges),
        )
        self._statistics.info("%s", statistics_line(told, now))


def _log(handler: logging.Handler) -> logging.Logger:
    """A logger of its own, beside all others: its lines go to *handler* alone."""
    log = logging.Logger("journal", logging.INFO)
    log.addHandler(handler)
    return log
