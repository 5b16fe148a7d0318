"""Pre-crawl, learn, crawl: the runs behind `scrapy learn` and `scrapy crawl`, one after the other in one process."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.conf import closest_scrapy_cfg

from gwc_crawler.crawl.data_files import CRAWL_DB, knowledge_path, make_site_directory, site_directory, template_first
from gwc_crawler.errors import EXIT_INTERRUPTED, GWC, GwcError, InputError, LearnError, StoreError, unwritten
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.modes import LearnMode
from gwc_crawler.operate.schedules import Launch
from gwc_crawler.operate.summary import Summary, read_summary
from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.crawler import SiteCrawler
from gwc_crawler.spiders.fleet.learning import together
from gwc_crawler.spiders.frontier_spider import FrontierSpider
from gwc_crawler.spiders.precrawl import PrecrawlSpider, precrawl_for
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.wiring.check import settings_of
from gwc_crawler.wiring.options import chosen_sinks

logger = logging.getLogger(__name__)

PRECRAWL_BATCH = 16
"""URLs that a pre-crawl leases at a time: of a dead class that many more may be requested before it is noticed."""

ENDED_FROM_OUTSIDE = ("shutdown", "memusage_exceeded")
"""Reasons of a crawl's end after which nothing else is begun: a signal, MEMUSAGE_LIMIT_MB."""

LEARNING_LOCK = "learning.lock"
"""Held by the one process that learns; processes that want to crawl afterwards wait for it."""


class Interrupted(GwcError):
    """Ctrl-C, SIGTERM or `scrapy stop` ended the run; it can be continued."""

    exit_code = EXIT_INTERRUPTED


def process_of(command: ScrapyCommand) -> AsyncCrawlerProcess:
    """Return the crawler process that Scrapy gave the command. Raises InputError: it is the Deferred-based one."""
    process = command.crawler_process
    if not isinstance(process, AsyncCrawlerProcess):
        raise InputError("this needs Scrapy's asyncio reactor; remove FORCE_CRAWLER_PROCESS and TWISTED_REACTOR")
    return process


class SiteRun:
    """Runs the spiders of one site, one after the other, in a crawler process.

    A step is started before the process starts, or when the step before it has ended; the first error ends the run.
    """

    def __init__(
        self, process: AsyncCrawlerProcess, site: Site, settings: Settings, *, mode: LearnMode | None = None
    ) -> None:
        self.process = process
        self.site = site
        self.settings = settings_of(site, settings)
        self.mode = mode
        for warning in site.warnings:
            print(warning, file=sys.stderr)
        self.error: BaseException | None = None
        self.finished = False
        self.crawler: SiteCrawler | None = None
        self.began = 0.0
        self.together = together(site, self.settings)
        self._learning: int | None = None

    def __enter__(self) -> SiteRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the right to learn back, if this run still has it: others may wait for it."""
        if self.together is not None:
            failed = isinstance(error, GwcError) and not isinstance(error, Interrupted)
            try:
                self.together.drop(str(error) if failed else "")
            finally:
                self.together.close()

    @property
    def directory(self) -> Path:
        """The directory with the site's databases and knowledge."""
        return site_directory(self.settings, self.site.name)

    @property
    def learned(self) -> bool:
        """Whether there is knowledge to crawl with, here or in the fleet (it is fetched); a whole site needs none."""
        if self.site.is_whole:
            return True
        if self.together is not None:
            self.together.sync()
        return knowledge_path(self.settings, self.site) is not None

    def check_database(self) -> None:
        """Check that the crawl can use the present database, before long work. StoreError: another's, or read-only."""
        path = self.directory / CRAWL_DB
        if not has_tables(path):
            return
        # read-only: the last writer to close a file locks out processes that open it in that moment
        CrawlDatabase(path, read_only=True).close()
        if not os.access(path, os.W_OK):
            raise StoreError(f"{path}: can't be written (Permission denied); set GWC_DATA_DIR")

    def take_learning(self) -> bool:
        """Return whether this process has to learn; wait for another that is learning.

        InputError: the site is served by a template without knowledge. LearnError: another worker of the fleet could
        not learn it. StoreError: the directory can't be written.
        """
        if self.learned:
            return False
        self.refuse_members()
        make_site_directory(self.directory)
        try:
            self._learning = os.open(self.directory / LEARNING_LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritten(self.directory, error, "set GWC_DATA_DIR") from error
        try:
            fcntl.flock(self._learning, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            logger.info("waiting for another process to learn site=%s", self.site.name)
            fcntl.flock(self._learning, fcntl.LOCK_EX)
        if self.learned or (self.together is not None and not self.together.take_or_wait()):
            self._end_learning()
            return False
        return True

    def refuse_members(self) -> None:
        """Raise InputError if the site is served by a template without knowledge."""
        if self.site.template:
            raise template_first(self.site)

    def _end_learning(self) -> None:
        if self._learning is not None:
            os.close(self._learning)
            self._learning = None

    def precrawl(self, then: Callable[[], None]) -> None:
        """Fetch the pages to learn from."""
        self.refuse_members()
        if self.site.is_whole:
            raise InputError(
                f"{self.site.path} has nothing to learn from: `scrapy crawl {self.site.name}` brings the whole site; "
                "for records add two [[samples]], or keywords"
            )
        settings = self.settings.copy()
        batch = min(PRECRAWL_BATCH, settings.getint("GWC_LEASE_BATCH"))
        changed: dict[str, Any] = {"FEEDS": {}, "FEED_URI": None, "GWC_LEASE_BATCH": batch}  # a feed is for records
        settings.setdict(changed, priority=100)
        self.crawl(SiteCrawler(precrawl_for(self.site, self.mode), settings), {}, then)

    def learn(self, instead: Path | None = None) -> Knowledge:
        """Learn from the stored pages and save the knowledge, or write it into the file *instead*.

        Raises LearnError: the pages don't show what the site file describes.
        """
        from gwc_crawler.runs.learning import keep_learned, learn_stored  # a crawl that has learned needs none of it

        spider = self.crawler.spider if self.crawler is not None else None
        just_learned = spider.learned if isinstance(spider, PrecrawlSpider) else None
        knowledge = learn_stored(self.site, self.settings, self.mode, just_learned)
        if instead is not None:
            knowledge.save(instead)
            return knowledge
        keep_learned(knowledge, self.directory)
        if self.together is not None:
            self.together.publish()
        self._end_learning()
        return knowledge

    def run(self) -> None:
        """Run the process to its end. Raises GwcError: the error that ended it early."""
        self.process.start()
        if self.crawler is not None and isinstance(self.crawler.spider, FrontierSpider):
            self.crawler.spider.on_closed()  # a second Ctrl-C has ended the process's loop before Scrapy did it
        if self.error is not None:
            raise self.error
        if not self.finished:
            raise Interrupted(f"interrupted or stopped; the same command continues {self.site.name}")

    def crawl(self, crawler: SiteCrawler, arguments: dict[str, Any], then: Callable[[], None]) -> None:
        """Begin a step: run this crawler, and *then* do what is next."""
        self.crawler = crawler
        self.began = time.monotonic()
        task = self.process.crawl(crawler, **arguments)
        task.add_done_callback(lambda done: self._ended(done, crawler, then))

    def _ended(self, task: asyncio.Task[None], crawler: SiteCrawler, then: Callable[[], None]) -> None:
        if task.cancelled() or crawler.stopped_before_start:
            return
        error = crawler.error_after(task.exception())
        reason = crawler.stats.get_value("finish_reason") if crawler._stats is not None else None
        if error is None and (reason in ENDED_FROM_OUTSIDE or crawler.was_stopped):
            return
        if error is None:
            try:
                then()
            except GwcError as mistake:
                error = mistake
        self.error = error

    def finish(self) -> None:
        """Mark the run as complete; the last step's *then*."""
        self.finished = True


def summary_of(run: SiteRun, crawler: SiteCrawler) -> Summary:
    """Read the summary of the crawl from its database."""
    spider: Any = crawler.spider
    sinks = chosen_sinks(run.settings)
    reason = str(crawler.stats.get_value("finish_reason", ""))
    return read_summary(
        run.directory / CRAWL_DB,
        run.site.name,
        pages=spider.pages_done,
        seconds=time.monotonic() - run.began,
        reused=crawler.stats.get_value("gwc/download/reused_samples", 0),
        looks=spider.looks.outcomes if spider.looks.looked_again else None,
        keeps_records=sinks.own,
        sinks=[name for name, _ in sinks.others],
        ended="" if reason == "finished" else reason,
    )


def require_records(summary: Summary, site: Site) -> None:
    """Raise LearnError when a crawl that should make records has made none at all."""
    if site.field_names and summary.keeps_records and not summary.records and not summary.counts.waiting:
        raise LearnError(
            f"{site.name}: the crawl ended without a record: no page of the learned target class was found; "
            f'look at `scrapy learn {site.name}`\'s report, or name the class with `[learn] target = "regex"`'
        )


VARIABLES = ("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE")


def launch_of(settings: Settings) -> Launch:
    """Return the beginning of `crawl` as this command was begun; secrets are left to the machine's own variables."""
    module = "gwc_crawler" if Path(sys.argv[0]).stem == GWC else "scrapy"
    found = closest_scrapy_cfg()
    directory = Path(found).resolve().parent if found else Path.cwd()
    typed = SETTINGS_PRIORITIES["cmdline"]
    given = [name for name in ("GWC_DATA_DIR", "GWC_SITES_DIR") if settings.getpriority(name) == typed]
    options = [word for name in given for word in ("-s", f"{name}={settings[name]}")]
    return Launch(
        directory,
        [sys.executable, "-m", module],
        options,
        {name: os.environ[name] for name in VARIABLES if name in os.environ},
    )
