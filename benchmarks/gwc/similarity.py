"""The threshold of the URL similarity, h(m) = m(m+1)/2 − c·m, swept over c: what becomes of the target class?

In: the pages of a pre-crawl. Out: for each c, precision and recall of the class that the samples fall into, judged by
the pages behind all URLs that the pre-crawl knows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gwc.stored_site import Job, StoredSite
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.urls.clustering import cluster_one_pass
from gwc_crawler.learn.urls.regex import url_regex


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How one target class came out at one c; `seconds` are CPU seconds of the clustering."""

    site: str
    job: str
    allowed_loss: float
    clusters: int
    seconds: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1.0)


def sweep(site: StoredSite, pages: Sequence[StoredPage], losses: Sequence[float]) -> Iterator[ClassScore]:
    """Cluster the URLs of *pages* with each c, and score the target class of each job of the site."""
    known = {
        url: answer.file
        for url in dict.fromkeys(url for page in pages for url in (page.url, *page.links))
        if (answer := site.answer(url)) is not None
    }
    for loss in losses:
        began = time.process_time()
        clusters = cluster_one_pass([page.url for page in pages], allowed_loss=loss)
        seconds = time.process_time() - began
        for job in site.jobs:
            precision, recall = score(job, clusters, known)
            yield ClassScore(site.name, job.name, loss, len(clusters), seconds, precision, recall)


def score(job: Job, clusters: Sequence[Sequence[str]], known: dict[str, Path]) -> tuple[float, float]:
    """Precision and recall of the regexes of the clusters that hold a sample, over the *known* URLs."""
    chosen = [url_regex(cluster) for cluster in clusters if not set(job.samples).isdisjoint(cluster)]
    takes = re.compile("|".join(f"(?:{one})" for one in chosen) or "(?!)").fullmatch
    taken = {url for url in known if takes(url)}
    wanted = {url for url, file in known.items() if file in job.targets}
    right = len(taken & wanted)
    return right / (len(taken) or 1), right / (len(wanted) or 1)
