"""The output of a running crawl for others: Heritrix's logs, metrics, alerts. Loaded only if a setting asks for one."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from gwc_crawler.crawl.data_files import site_directory
from gwc_crawler.errors import InputError, StoreError, unwritten
from gwc_crawler.frontier.protocol import Frontier, FrontierCounts
from gwc_crawler.items import PageKind, context_of, is_empty
from gwc_crawler.middlewares.exchanges import Listener
from gwc_crawler.operate.monitor import (
    STATISTICS_HEAD,
    WORDS,
    Alert,
    Alerts,
    FinishedRequest,
    Gauges,
    Totals,
    crawl_line,
    families,
    rotated,
    senders,
    serve_metrics,
    statistics_line,
)
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.options import dns_cache

logger = logging.getLogger(__name__)


# --- Heritrix's two logs of one crawl, in its data directory: `crawl.log`, `progress-statistics.log` ------------------


STATISTICS_SECONDS = 20.0
"""Between two lines of statistics, as in Heritrix."""


class Journal:
    """Writes both logs, and continues existing ones. Raises StoreError: they can't be written."""

    def __init__(self, directory: Path, max_bytes: int, totals: Totals) -> None:
        try:
            self._handlers = [rotated(directory / name, max_bytes) for name in ("crawl.log", "progress-statistics.log")]
        except OSError as error:
            raise unwritten(error.filename, error, "mend it, or change GWC_HERITRIX_LOGS") from error
        self._crawl, self._statistics = (logging.Logger("journal", logging.INFO) for _ in self._handlers)
        self._crawl.addHandler(self._handlers[0])
        self._statistics.addHandler(self._handlers[1])
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
        line = statistics_line(
            now,
            counts,
            totals,
            docs=((pages - pages_before) / passed, pages / whole),
            kilobytes=((totals.bytes - bytes_before) / 1000 / passed, totals.bytes / 1000 / whole),
            depth=(self._deepest, self._depths / max(1, totals.exchanges)),
        )
        self._statistics.info("%s", line)


TICK_SECONDS = 5.0
FAREWELL_SECONDS = 15.0
"""Seconds that the end of a crawl waits for its last alerts to be sent."""

MOST_ERRORS = 10
"""Errors of the log that are sent in one run; the end says how many there were."""


class MonitorExtension:
    """Counts what passes, and tells: to files, to Prometheus, to people."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MonitorExtension:
        if context_of(crawler.spider) is None:
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        spider: Any = crawler.spider
        settings, site = crawler.settings, spider.site
        self._name = spider.name if spider.name == site.name else f"{site.name} {spider.name}"
        self._port = settings.getint("GWC_METRICS_PORT")
        self._totals = Totals()
        self._fields: Counter[str] = Counter()
        self._items = 0
        self._silent: set[str] = set()
        self.exchange_listeners: list[Listener] = []
        self._journal: Journal | None = None
        self._server: Any = None
        self._alerts = alerts_of(crawler)
        self._errors: ErrorWatch | None = None
        self._loop: Any = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        if self._port or settings.getbool("GWC_HERITRIX_LOGS"):
            self.exchange_listeners.append(self._totals.add)
        if settings.getbool("GWC_HERITRIX_LOGS"):
            directory = site_directory(settings, site.name)
            self._journal = Journal(directory, settings.getint("GWC_LOG_MAX_BYTES"), self._totals)
            self.exchange_listeners.append(self._journal.write)
        if self._port:
            crawler.signals.connect(self.item_scraped, signals.item_scraped)

    def spider_opened(self, spider: Spider) -> None:
        """Begin to tell."""
        if self._port:
            host = self.crawler.settings["GWC_METRICS_HOST"]
            try:
                self._server = serve_metrics(host, self._port)
            except OSError as error:
                logger.warning("no metrics: %s:%s can't be used (%s); set GWC_METRICS_PORT", host, self._port, error)
        if self._alerts is not None:
            self._errors = ErrorWatch(self._alerts, self._name)
            logging.getLogger().addHandler(self._errors)
        self._loop = create_looping_call(self.tick, spider)
        self._loop.start(TICK_SECONDS, now=True)

    def tick(self, spider: Any) -> None:
        """Show how the crawl stands now."""
        with suppress(StoreError):  # a store that is away is told elsewhere
            if self._server is not None:
                self._server.shown[self._name] = list(families(self._name, self._gauges(spider), self._totals))
            if self._journal is not None:
                self._journal.tick(_counts(spider), spider.pages_done)
            if self._alerts is not None:
                self._look_for_silence(spider, self._alerts)

    async def spider_closed(self, spider: Any, reason: str) -> None:
        """Tell the end, and wait a little until it is told."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        if self._errors is not None:
            logging.getLogger().removeHandler(self._errors)
        if self._server is not None:
            self._server.shown.pop(self._name, None)
        if self._journal is not None:
            self._journal.close(spider.pages_done, reason)
        if self._alerts is not None:
            self._look_for_silence(spider, self._alerts)
            stats = self.crawler.stats
            made = f"{spider.pages_done} pages, {stats.get_value('gwc/records', 0)} records in this run"
            errors = f", {self._errors.seen} errors in the log" if self._errors and self._errors.seen else ""
            self._alerts.tell(Alert("end", self._name, f"{self._name}: {reason}; {made}{errors}"))
            await asyncio.to_thread(self._alerts.finish, FAREWELL_SECONDS)

    def item_scraped(self, item: Any) -> None:
        """Count which fields a record has."""
        if isinstance(item, dict):
            self._items += 1
            self._fields.update(name for name, value in item.items() if not is_empty(value))

    def _look_for_silence(self, spider: Any, alerts: Alerts) -> None:
        for host, words in spider.contact.told().items():
            if host not in self._silent:
                self._silent.add(host)
                alerts.tell(Alert("silence", self._name, f"{host_of(host)} {words}"))

    def _gauges(self, spider: Any) -> Gauges:
        stats, control = self.crawler.stats, spider.control
        counts = _counts(spider)
        return Gauges(
            pages=spider.pages_done,
            pages_by_kind={kind.value: stats.get_value(f"gwc/pages/{kind.value}", 0) for kind in PageKind},
            records=stats.get_value("gwc/records", 0),
            exceptions=stats.get_value("gwc/exceptions", 0),
            queue={"U": counts.waiting, "R": counts.running, "C": counts.complete, "E": counts.error},
            paused=control.paused,
            silent_hosts=len(spider.contact.told()),
            drifts=stats.get_value("gwc/drift", 0),
            dns=asdict(dns_cache(self.crawler.settings).counts),
            coverage={name: count / self._items for name, count in self._fields.items()} if self._items else {},
            workers=max(1, len(control.channel.reports())),
        )


def _counts(spider: Any) -> FrontierCounts:
    frontier: Frontier = spider.context.frontier
    return frontier.counts()


class ErrorWatch(logging.Handler):
    """Sends the errors of the log, the first of a run; a field that falls away is called drift."""

    def __init__(self, alerts: Alerts, site: str) -> None:
        super().__init__(logging.ERROR)
        self._alerts = alerts
        self._site = site
        self.seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(("apprise", "requests", "urllib3")):
            return
        told = record.getMessage()
        is_drift = told.startswith("drift ")
        self.seen += not is_drift
        if is_drift or self.seen <= MOST_ERRORS:
            self._alerts.tell(Alert("drift" if is_drift else "error", self._site, told))


def alerts_of(crawler: Crawler) -> Alerts | None:
    """Return the alerts to people; None if nobody is named. Raises InputError: an address or an event is invalid."""
    settings = crawler.settings
    addresses = settings.getlist("GWC_ALERTS") or os.environ.get("GWC_ALERTS", "").split()
    if not addresses:
        return None
    wanted = settings.getlist("GWC_ALERT_ON")
    if unknown := [word for word in wanted if word not in WORDS]:
        raise InputError(f"setting GWC_ALERT_ON has {unknown[0]!r}; it can have {', '.join(WORDS)}")
    return Alerts(senders(addresses), wanted)
