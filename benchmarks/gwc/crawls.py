"""A site learned as the paper does, and crawled with each weight threshold: what is found, what is fetched, how long.

In: a stored site. Out: a `SiteResult`. A job's keywords are taken where both of its sample pages have them; else pages
count as relevant that have the form of the samples' URLs or a link to such a page, as with a site file without
keywords.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.gwc.similarity import ClassScore, sweep
from benchmarks.gwc.simulation import Crawled, ReadPages, crawl, precrawl
from benchmarks.gwc.stored_site import Job, StoredSite
from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.reader import PageReader, ReadOptions

THRESHOLDS = (1, 2, 3, 4, None)
"""Weight thresholds that are tried; None: every page is followed."""


@dataclass
class SiteResult:
    """What one site gave. Times are CPU seconds, all stages without network.

    `crawls` holds a crawl for each of THRESHOLDS and for the one that was `chosen`; `message` says why there is none.
    """

    site: str
    job: Job
    pages: int
    keywords: bool
    classes: list[ClassScore] = field(default_factory=list)
    mean_weight: float = 0.0
    chosen: int = 0
    crawls: dict[int | None, Crawled] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    message: str = ""

    def found(self, threshold: int | None) -> int:
        """Targets that the crawl with this threshold found."""
        return len(self.crawls[threshold].files & self.job.targets)

    def completeness(self, threshold: int | None) -> float:
        """Share of all targets."""
        return self.found(threshold) / len(self.job.targets)

    @property
    def precision(self) -> float:
        """Targets, each once, among all pages that the chosen crawl took for targets."""
        return self.found(self.chosen) / (self.crawls[self.chosen].taken or 1)


def measure(site: StoredSite, most: int, losses: Sequence[float]) -> SiteResult:
    """Pre-crawl up to *most* pages, sweep c over *losses*, learn the site's first job, crawl with each threshold."""
    job = site.jobs[0]
    keywords = _serve(site, job)
    options = ReadOptions(keywords=job.keywords if keywords else "", target=url_regex(job.samples))
    starts = [url for one in site.jobs for url in one.samples]
    result = SiteResult(site.name, job, 0, keywords)
    with _timed(result, "pre-crawl"):
        pages = precrawl(site, starts, options, most)
    result.pages = len(pages)
    result.classes = list(sweep(site, pages, losses))
    task = LearnTask(
        *(site.name, (site.entry,), job.keywords if keywords else "", tuple((url, {}) for url in job.samples)),
        mode=LearnMode.PAPER,
    )
    try:
        with _timed(result, "learn"):
            knowledge = learn_site(task, pages)
    except LearnError as error:
        result.message = str(error)
        return result
    _crawl(site, job, knowledge, pages, result)
    return result


def _serve(site: StoredSite, job: Job) -> bool:
    """Whether both sample pages have the job's keywords."""
    reader = PageReader(None, options=ReadOptions(keywords=job.keywords))
    answers = [site.answer(url) for url in job.samples]
    return all(one and reader.read(one.url, one.file.read_bytes(), "text/html").relevant for one in answers)


def _crawl(site: StoredSite, job: Job, knowledge: Knowledge, pages: Sequence[StoredPage], result: SiteResult) -> None:
    """Crawl with the chosen threshold, which is timed, and with the others, which read no page a second time."""
    result.chosen = knowledge.max_weight
    result.mean_weight = sum(page.weight for page in pages) / len(pages)
    read = ReadPages(site, knowledge)
    starts = [site.entry, *job.samples]
    with _timed(result, "crawl"):
        result.crawls[result.chosen] = crawl(read, starts, result.chosen)
    for threshold in THRESHOLDS:
        if threshold not in result.crawls:
            result.crawls[threshold] = crawl(read, starts, threshold)


@contextmanager
def _timed(result: SiteResult, stage: str) -> Iterator[None]:
    began = time.process_time()
    yield
    result.seconds[stage] = time.process_time() - began
