"""The crawl of one site: its knowledge decides which links to follow and what to read on a page; on several cores."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.settings.default_settings import SCRAPER_SLOT_MAX_ACTIVE_SIZE
from scrapy.utils.misc import load_object

from gwc_crawler.crawl.context import TICK_SECONDS
from gwc_crawler.crawl.data_files import KNOWLEDGE_FILE, SITE_FILE_KEY, learning_digest, load_knowledge, site_directory
from gwc_crawler.crawl.limits import cuts_information, depth_limit, groups_of, read_options, run_limit, yield_limits
from gwc_crawler.crawl.opening import open_context
from gwc_crawler.errors import DriftError, InputError, KnowledgeError, StoreError, advice
from gwc_crawler.extract.reading.orders import ReadPlan, plan_of
from gwc_crawler.extract.reading.process import SHOWING, shown_mark
from gwc_crawler.extract.reading.readers import Readers, auto_count, worker_count
from gwc_crawler.extract.record import extract_target
from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.recrawl import recrawl_choice
from gwc_crawler.items import Page, PageKind, Record, Visit
from gwc_crawler.knowledge.model import Knowledge, Sureness, Verdict
from gwc_crawler.modes import KeepHtml, OnDrift
from gwc_crawler.operate.drift import DriftWatch, expected_coverage
from gwc_crawler.page.links import leads_to_binary
from gwc_crawler.page.reader import PageReader, is_html
from gwc_crawler.page.text import Sentences, content_signature
from gwc_crawler.spiders.due_pages import Sitemaps
from gwc_crawler.spiders.frontier_spider import FrontierSpider, content_type_of, is_page, lease_of
from gwc_crawler.spiders.same_pages import ends_as_same_page
from gwc_crawler.store.kept_files import FileChoice, file_urls
from gwc_crawler.store.sink import PRUNED_KINDS
from gwc_crawler.wiring.components import COMPONENTS, OURS, path_of
from gwc_crawler.wiring.options import chosen_files, condenser_of, setting_choice

logger = logging.getLogger(__name__)

DRIFT = "drift"
"""The reason of a pause until the knowledge changes."""

ARGUMENTS = ("recrawl", "workers")
"""Names that `-a NAME=…` can set for a site's spider; `-a site=PATH` belongs to the command."""


class SiteSpider(FrontierSpider):
    """Brings every record of one site home. The loader makes one subclass for each site file."""

    name = "site"
    files: FileChoice
    """Which bodies that are no pages are kept as files."""
    admission: Admission
    drift: DriftWatch
    recrawl: str | None = None
    """`-a recrawl=…`: what is looked at again, besides fetching what waits."""
    workers: str | None = None
    """`-a workers=…`: how many processes work at it, this one among them."""
    readers: Readers | None = None
    """Processes that read for this one."""
    _readers_begin_at: int | None = None
    """At how many pages they are started; None: they are."""

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        check_arguments(arguments)
        super().__init__(name, **arguments)
        self.looks_again_at = None if self.recrawl is None else recrawl_choice(self.recrawl)

    def open_parts(self) -> None:
        self.knowledge = load_knowledge(self.settings, self.site)
        self.clean = self.knowledge.clean
        if self.knowledge.evidence.get(SITE_FILE_KEY, learning_digest(self.site)) != learning_digest(self.site):
            logger.warning(
                advice(
                    "the site file has changed since it was learned site=%s; `scrapy learn %s` learns anew (with "
                    "--offline from the stored pages)"
                ), self.site.name, self.site.name,
            )  # fmt: skip
        self._tell_of_a_guess()
        crawl, which = self.site.crawl, self.looks.which
        self.pages_limit = run_limit(self.settings, self.site)
        self.max_weight = crawl.max_weight if crawl.max_weight is not None else self.knowledge.max_weight
        self.shape = self.knowledge.record_shape(self.site.field_names)
        self.keep_html = setting_choice(self.settings, "GWC_KEEP_HTML", KeepHtml)
        self.reuses_samples = which is None
        context = open_context(self)
        self.take(context)
        self.admission = self.leases.guard(
            groups_of(self.knowledge),
            yield_limits(self.settings, self.knowledge),
            depth_limit(self.settings, self.site),
            self.site.columns,
        )
        if which is not None:
            count = context.frontier.recrawl(which, self.looks.limits)
            logger.info("looking again site=%s recrawl=%s urls=%d", self.site.name, which.value, count)
        self.reading = read_options(self.settings, self.site)
        self._cuts = cuts_information(self.settings, self.site)
        self._told = Sentences()
        self.sitemaps = Sitemaps(self.reading.sitemaps, self.leases, self.looks)
        self._read_by(self.knowledge)
        self._open_readers()

    def _tell_of_a_guess(self) -> None:
        certainty = self.knowledge.evidence.get("certainty", {})
        if certainty.get("targets") == Sureness.UNSURE:
            logger.warning(
                advice(
                    "which pages are targets is a guess site=%s because=%r; mend what makes it one, or set [learn] "
                    "target, then `scrapy learn %s` (with --offline from the stored pages)"
                ), self.site.name, certainty.get("because", ""), self.site.name,
            )  # fmt: skip

    def use(self, knowledge: Knowledge) -> None:
        """Judge, read and extract by *knowledge* from now on."""
        self.admission.use(groups_of(knowledge))
        self._read_by(knowledge)
        if self.readers is not None:
            self.readers.use(self._plan())

    def _plan(self) -> ReadPlan:
        return plan_of(
            self.knowledge,
            self.site.sites,
            self.reading,
            self.files,
            condenser_of(self.settings),
            makes_records=self.makes_records,
            signs=self.keeps_revisits,
            collect_after=self.settings.getint("GWC_GC_THRESHOLD"),
        )

    def _read_by(self, knowledge: Knowledge) -> None:
        self.knowledge, self.clean = knowledge, knowledge.clean
        self.makes_records = bool(self.site.field_names)
        self._file_fields = knowledge.file_fields
        self.files = chosen_files(self.settings, of_fields=bool(knowledge.file_fields))
        self.reader = PageReader(knowledge, self.site.sites, self.reading, self.admission.tally.add)
        self.queues.is_target = knowledge.is_target if knowledge.targets else None
        self.drift = DriftWatch(expected_coverage(knowledge))

    def _open_readers(self) -> None:
        """Make the reading processes that the crawl is to have, not started yet. InputError: no such number."""
        count = wanted(self.settings, self.workers)
        is_auto = count is None
        count = auto_count() if count is None else count
        if count < 2:
            return
        if why := alone_because(self):
            level = logging.INFO if is_auto else logging.WARNING
            logger.log(level, "workers: all is done in one process, because %s", why)
            return
        active_bytes = min(SCRAPER_SLOT_MAX_ACTIVE_SIZE * count, MOST_ACTIVE_BYTES)
        self.settings.set("SCRAPER_SLOT_MAX_ACTIVE_SIZE", active_bytes, OURS)
        self.readers = Readers(count - 1, self._plan(), self.admission.tally.add)
        self._readers_begin_at = AUTO_BEGINS_AFTER if is_auto else 0

    def may_keep_file(self, url: str) -> bool:
        """Say whether a file at *url* may be kept: GWC_KEEP_FILES, fields of type file."""
        files = self.files
        of_target = files.targets and self.knowledge.is_target(url)
        return bool(of_target or files.types or files.of_fields) or super().may_keep_file(url)

    def renders(self, url: str) -> bool:
        return self.knowledge.verdict(url) in (Verdict.TARGET, Verdict.CONTINUATION)

    def parse(self, response: Response, **_: Any) -> Iterator[Visit | Request] | Awaitable[Iterable[Visit | Request]]:
        if self.readers is not None and self._is_for_others(self.readers, response):
            return self._have_read(self.readers, response)
        return self._read_here(response)

    def _read_here(self, response: Response) -> Iterator[Visit | Request]:
        if not self.end_unless_page(response):
            return
        page = self.read(response)
        if self._end_if_gone(response, page):
            return
        record = extract_target(page, self.knowledge, time.time(), self._stands_in) if self.makes_records else None
        if (asked := ends_as_same_page(self, response, page, record)) is not None:
            yield from asked
            return
        visit = self._visit_of(response, page, record)
        if page.kind in SHOWING and record is not None:
            known = visit.revisit
            signature = known.signature if known is not None else content_signature(page, record)
            self._show(visit, shown_mark(page.text, signature))
        yield visit

    def _is_for_others(self, readers: Readers, response: Response) -> bool:
        if self._readers_begin_at is not None and self.pages_done >= self._readers_begin_at:
            self._readers_begin_at = None
            readers.start()
        return readers.has_room() and is_page(response.status) and is_html(response.body, content_type_of(response))

    async def _have_read(self, readers: Readers, response: Response) -> Iterable[Visit | Request]:
        self._note_answer(response)
        kind = content_type_of(response)
        answer = await readers.read(response.url, response.status, kind, time.time(), response.body)
        if answer is None:
            return self._read_here(response)
        page = answer.whole_page(response.body)
        if page.kind is PageKind.ALIAS and self._stands_in(page.url, page.canonical):
            return self._read_here(response)
        page = self.understood(response, page)
        if self._end_if_gone(response, page):
            return ()
        if (asked := ends_as_same_page(self, response, page, answer.record)) is not None:
            return asked
        visit = self._visit_of(response, page, answer.record, answer.signature)
        visit.stripped_html, visit.abstract, visit.condensed = answer.stripped_html, answer.abstract, True
        if answer.mark is not None:
            self._show(visit, answer.mark)
        return (visit,)

    def _visit_of(self, response: Response, page: Page, record: Record | None, signature: int | None = None) -> Visit:
        self._count(page, record)
        if self._cuts and page.kind in PRUNED_KINDS and lease_of(response).depth:
            goes_on = self.knowledge.verdict  # what belongs to the page stays: the next part of its list, a file
            page.admitted = tuple(
                [
                    url
                    for url in page.admitted
                    if url == page.canonical or leads_to_binary(url) or goes_on(url) is Verdict.CONTINUATION
                ]
            )
        if self.knowledge.is_whole and page.text:
            self.admission.showed(page.url, self._told.mark(page.text))
        if self.site.columns is not None:
            page.admitted = self.admission.of_share(page.admitted, page.sitemaps)
        if record is not None and record.parent:
            page.admitted = tuple(dict.fromkeys((record.parent, *page.admitted)))  # from page 2 one needs page 1
        elif record is not None and not record.rejected:
            self._watch(record)
        if record is not None and not record.rejected and (files := file_urls(record.fields, self._file_fields)):
            page.admitted = tuple(dict.fromkeys((*page.admitted, *files)))
        return self.visit(response, page, record, signature)

    def _stands_in(self, url: str, main: str) -> bool:
        """Say whether the page at *url* is read in the place of *main*, which it names as its canonical address."""
        frontier = self.context.frontier
        try:
            return frontier.stands_in(url, main)
        except StoreError as error:
            self.end_crawl(error)
            return False

    def _show(self, visit: Visit, mark: int) -> None:
        """Tell admission what a target page shows, unless it is known to have shown it before."""
        if visit.revisit is None or not visit.revisit.checks:
            self.admission.showed(visit.page.url, mark)

    def on_closed(self) -> None:
        """End the processes that read for this one, then close as every crawl does."""
        if (readers := self.readers) is not None and not self.is_closed:
            readers.close()
            self.crawler.stats.set_value("gwc/workers/reading", readers.count)
            self.crawler.stats.set_value("gwc/workers/pages", readers.pages)
            if readers.deaths:
                self.crawler.stats.set_value("gwc/workers/died", readers.deaths)
        super().on_closed()

    def _watch(self, record: Record) -> None:
        """Report a field that vanishes, once and loudly; then act by GWC_ON_DRIFT."""
        for alarm in self.drift.see(record):
            logger.error("drift site=%s %s", self.site.name, alarm)
            self.crawler.stats.inc_value("gwc/drift")
            on_drift = setting_choice(self.settings, "GWC_ON_DRIFT", OnDrift)
            if on_drift is OnDrift.STOP:
                self.end_crawl(DriftError(f"{self.site.name}: {alarm}; the same command continues the crawl"))
            elif on_drift is OnDrift.PAUSE:
                self._pause()

    def _pause(self) -> None:
        """Lease nothing more until the knowledge file changes; then continue with the new knowledge."""
        if DRIFT in self.control.pauses:
            return
        path = site_directory(self.settings, self.site.name) / KNOWLEDGE_FILE
        seen = path.stat().st_mtime_ns if path.exists() else 0
        self.control.pause(DRIFT, f"by drift, until {path} changes (learn again, edit or touch it)")
        self._pause_task = asyncio.ensure_future(self._resume_when_changed(path, seen))

    async def _resume_when_changed(self, path: Path, seen: int) -> None:
        while not self.control.stopping:
            await asyncio.sleep(TICK_SECONDS)
            try:
                changed_at = path.stat().st_mtime_ns
            except OSError:  # it is being put in place
                continue
            if changed_at == seen:
                continue
            seen = changed_at
            try:
                knowledge = Knowledge.load(path).with_selectors(self.site.fields)
            except KnowledgeError as error:
                logger.error("still paused: %s", error)
                continue
            self.use(knowledge)
            self.control.resume(DRIFT)
            return

    def _count(self, page: Page, record: Record | None) -> None:
        stats = self.crawler.stats
        stats.inc_value(f"gwc/pages/{page.kind.value}")
        if page.page_kind is not None:
            stats.inc_value(f"gwc/page_kinds/{page.page_kind.value}")
        if record is not None and not record.rejected:
            if not record.parent:
                stats.inc_value("gwc/records")
            if record.problems:
                stats.inc_value("gwc/exceptions", len(record.problems))


def check_arguments(given: Mapping[str, Any]) -> None:
    """Refuse the first argument that no site's spider has (InputError); one with an underscore is a server's."""
    for name, value in given.items():
        if name not in ARGUMENTS and not name.startswith("_"):
            raise InputError(
                f"-a {name}={value}: the spider of a site file has no argument {name!r}; "
                "it has recrawl=due|all|errors, workers=N|auto and, instead of the site's name, site=PATH"
            )


# --- A crawl on several cores: this process fetches and stores, others read for it ------------------------------------


AUTO_BEGINS_AFTER = 200
"""Pages after which `auto` starts processes: a crawl that is done by then would only wait for them."""

MOST_ACTIVE_BYTES = 80_000_000
"""Scrapy's limit of the bytes read at a time holds for each process, up to this for all: no crawl needs more."""

STORE = "gwc_crawler.pipelines.store.StorePipeline"
"""Pipelines before it see pages, and may want their trees."""


def wanted(settings: BaseSettings, asked: str | None) -> int | None:
    """Return how many processes are wanted; None: as many as there are cores. Raises InputError: no such number."""
    if asked is not None:
        return worker_count(asked, f"-a workers={asked}")
    return worker_count(settings["GWC_WORKERS"], f"setting GWC_WORKERS is {settings['GWC_WORKERS']!r}")


def alone_because(spider: Any) -> str:
    """Return the reason why pages can't be read in other processes; "" if they can."""
    if own := [name for name in ("parse", "read", "visit") if _is_overridden(type(spider), name)]:
        return f"{type(spider).__name__} has its own {' and '.join(own)}"
    ours = COMPONENTS["ITEM_PIPELINES"]
    for key, order in spider.settings.get_component_priority_dict_with_base("ITEM_PIPELINES").items():
        if order is not None and order <= ours[STORE] and path_of(load_object(key)) not in ours:
            return f"the pipeline {path_of(key)} stands before the store, where pages have their parse trees"
    return ""


def _is_overridden(kind: type, name: str) -> bool:
    owner = next(one for one in kind.__mro__ if name in vars(one))
    return not owner.__module__.startswith("gwc_crawler.")
