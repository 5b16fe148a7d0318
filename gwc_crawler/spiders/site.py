"""The crawl of one site: what was learned decides which links to follow and what is on a page."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import Any

from scrapy.http import Response

from gwc_crawler.errors import DriftError, KnowledgeError
from gwc_crawler.extract import extract_target
from gwc_crawler.frontier import recrawl_choice
from gwc_crawler.items import PageKind, Record
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.ops.drift import DriftWatch, expected_coverage
from gwc_crawler.page import PageReader, ReadOptions, content_signature
from gwc_crawler.spiders.choices import setting_choice
from gwc_crawler.spiders.frontier_spider import FrontierSpider
from gwc_crawler.spiders.learned import load_knowledge
from gwc_crawler.spiders.learning import SITE_FILE_KEY, learning_digest
from gwc_crawler.spiders.limits import depth_limit, groups_of, harvest_limits, url_limits
from gwc_crawler.spiders.looks import Looks
from gwc_crawler.spiders.opening import open_workbench
from gwc_crawler.spiders.site_files import CRAWL_DB, KNOWLEDGE_FILE, site_directory

logger = logging.getLogger(__name__)

PAUSE_LOOK_SECONDS = 1.0
"""How often a paused crawl looks whether its knowledge has changed."""

DRIFT = "drift"
"""The reason of a pause until the knowledge changes."""


class SiteSpider(FrontierSpider):
    """Brings every record of one site home. The loader makes one subclass for each site file."""

    name = "site"
    knowledge: Knowledge
    drift: DriftWatch
    stays_paused = False
    """Whether a pause that was asked for before this crawl began holds for it: see `Steering`."""
    recrawl: str | None = None
    """`-a recrawl=…`: what is looked at again, besides fetching what waits."""

    def open_parts(self) -> None:
        """Load the knowledge, open the store, put in the start URLs."""
        self.knowledge = load_knowledge(self.settings, self.site)
        if self.knowledge.evidence.get(SITE_FILE_KEY, learning_digest(self.site)) != learning_digest(self.site):
            logger.warning(
                "the site file has changed since it was learned site=%s; `scrapy learn %s` learns anew (with --offline "
                "from the stored pages)", self.site.name, self.site.name,
            )  # fmt: skip
        which = None if self.recrawl is None else recrawl_choice(self.recrawl)
        self.looks = Looks(self.settings, which)
        crawl = self.site.crawl
        self.on_drift = setting_choice(self.settings, "GWC_ON_DRIFT", ("warn", "pause", "stop"))
        self.pages_limit = self.settings.getint("GWC_MAX_PAGES") or crawl.max_pages or 0
        self.workbench = open_workbench(
            self.site,
            self.settings,
            database_name=CRAWL_DB,
            max_weight=crawl.max_weight if crawl.max_weight is not None else self.knowledge.max_weight,
            fields=self.knowledge.record_shape(self.site.field_names),
            keep_html=setting_choice(self.settings, "GWC_KEEP_HTML", ("all", "targets", "none")),
            stays_paused=self.stays_paused,
            reuse_samples=which is None,
        )
        self.workbench.guard(
            groups_of(self.knowledge),
            harvest_limits(self.settings, self.knowledge),
            depth_limit(self.settings, self.site),
        )
        if which is not None:
            count = self.workbench.frontier.recrawl(which, self.looks.limits)
            logger.info("looking again site=%s recrawl=%s urls=%d", self.site.name, which.value, count)
        self.use(self.knowledge)

    def use(self, knowledge: Knowledge) -> None:
        """Read and extract by *knowledge* from now on."""
        self.knowledge = knowledge
        self.makes_records = bool(self.site.field_names)
        self.reader = PageReader(
            knowledge, sites=self.site.sites, options=ReadOptions(limits=url_limits(self.settings, self.site))
        )
        self.workbench.queues.is_target = knowledge.is_target if knowledge.targets else None
        if self.workbench.gate is not None:
            self.workbench.gate.use(groups_of(knowledge))
            self.reader.on_cut = self.workbench.gate.tally.add
        self.drift = DriftWatch(expected_coverage(knowledge))

    def parse(self, response: Response, **_: Any) -> list[Any]:
        """Read a page, extract its record where it is a target, and send both to the store."""
        if response.status >= 400 or response.status == 304:
            return super().parse(response)
        page = self.read(response)
        if self._is_gone(response, page):
            return []
        record = extract_target(page, self.knowledge, time.time()) if self.makes_records else None
        self._count(page.kind, record)
        if record is not None and record.parent:
            page.admitted = tuple(dict.fromkeys((record.parent, *page.admitted)))  # who came in by page 2 needs page 1
        elif record is not None and not record.rejected:
            self._watch(record)
        visit = self.visit(response, page, record)
        if page.kind is PageKind.TARGET and record is not None and self.workbench.gate is not None:
            signature = visit.revisit.signature if visit.revisit is not None else content_signature(page, record)
            if visit.revisit is None or not visit.revisit.checks:
                self.workbench.gate.showed(page.url, hash((page.text, signature)))
        return [visit]

    def _watch(self, record: Record) -> None:
        """Report a field that falls away, once and loudly; then do what GWC_ON_DRIFT says."""
        for alarm in self.drift.see(record):
            logger.error("drift site=%s %s", self.site.name, alarm)
            self.crawler.stats.inc_value("gwc/drift")
            if self.on_drift == "stop":
                self.fail(DriftError(f"{self.site.name}: {alarm}; the same command continues the crawl"))
            elif self.on_drift == "pause":
                self._pause()

    def _pause(self) -> None:
        """Lease nothing more until the knowledge file changes; then go on with what it says."""
        if DRIFT in self.workbench.steering.pauses:
            return
        path = site_directory(self.settings, self.site.name) / KNOWLEDGE_FILE
        seen = path.stat().st_mtime_ns if path.exists() else 0
        self.workbench.steering.pause(DRIFT, f"by drift, until {path} changes (learn again, edit or touch it)")
        self._pause_task = asyncio.ensure_future(self._resume_when_changed(path, seen))

    async def _resume_when_changed(self, path: Path, seen: int) -> None:
        while not self.workbench.stopping:
            await asyncio.sleep(PAUSE_LOOK_SECONDS)
            if not path.exists() or path.stat().st_mtime_ns == seen:
                continue
            seen = path.stat().st_mtime_ns
            try:
                knowledge = Knowledge.load(path)
            except KnowledgeError as error:
                logger.error("still paused: %s", error)
                continue
            self.use(knowledge)
            self.workbench.steering.resume(DRIFT)
            return

    def _count(self, kind: PageKind, record: Record | None) -> None:
        stats = self.crawler.stats
        stats.inc_value(f"gwc/pages/{kind.value}")
        if record is not None and not record.rejected:
            if not record.parent:
                stats.inc_value("gwc/records")
            if record.problems:
                stats.inc_value("gwc/exceptions", len(record.problems))
