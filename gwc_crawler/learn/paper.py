"""Target and directory classes as the paper finds them (GWC, *Initialise* 2 and 3): the "paper" mode.

In: a task and its pre-crawled pages. Out: a `Choice`. Kept beside the better mode for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import UrlClass
from gwc_crawler.learn.targets.decisions import Choice, class_row, compile_target, examples, given_class
from gwc_crawler.learn.targets.directories import PAPER_DIRECTORIES
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.clustering import UrlCluster, cluster_urls
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.modes import LearnMode


def choose_classes(task: LearnTask, pages: Sequence[StoredPage], samples: Sequence[StoredPage]) -> Choice:
    """Find targets by link count and size, directories by size.

    Args:
        samples: the pages of *task.samples*; they vote for the cluster they are in.
    """
    mean_links = sum(len(page.links) for page in pages) / len(pages)
    entry_links = _entry_links(task, pages)
    candidates = [page.url for page in pages if entry_links - len(page.links) > entry_links - mean_links]
    targets, warnings = _target_classes(task, pages, candidates, [page.url for page in samples])
    is_target = pattern_of(one.regex for one in targets).fullmatch
    clusters = cluster_urls((page.url for page in pages if not is_target(page.url)), mode=LearnMode.PAPER)
    directories = tuple(_url_class(cluster, len(pages)) for cluster in clusters[:PAPER_DIRECTORIES])
    rest = [_url_class(cluster, len(pages)) for cluster in clusters[PAPER_DIRECTORIES:]]
    roles = [("target", targets), ("directory", directories), ("neither", rest)]
    evidence = {
        "links": {
            "entry": round(entry_links, 1),
            "mean": round(mean_links, 2),
            "difference_threshold": round(entry_links - mean_links, 2),
            "candidates": len(candidates),
        },
        "clusters": [class_row(role, one) for role, classes in roles for one in classes],
    }
    return Choice(targets, directories, evidence=evidence, warnings=warnings)


def _entry_links(task: LearnTask, pages: Sequence[StoredPage]) -> float:
    """Links on the entry page; the mean of several. It cancels out of the candidates, but belongs in the report."""
    entries = [page for page in pages if page.depth == 0 or page.requested in task.entry] or pages[:1]
    return sum(len(page.links) for page in entries) / len(entries)


def _target_classes(
    task: LearnTask, pages: Sequence[StoredPage], candidates: Sequence[str], samples: Sequence[str]
) -> tuple[tuple[UrlClass, ...], tuple[str, ...]]:
    """Return the site file's class, else the candidate clusters with samples, else the largest; and doubts."""
    if pattern := compile_target(task):
        return (given_class(pattern, [page.url for page in pages]),), ()
    clusters = cluster_urls([*candidates, *samples], mode=LearnMode.PAPER)
    chosen = [cluster for cluster in clusters if not set(samples).isdisjoint(cluster.urls)] or clusters[:1]
    if not chosen:
        raise LearnError(
            f"{task.site}: no target class: all {len(pages)} fetched pages have as many links as the entry page; "
            "give samples, or [learn] target"
        )
    doubts = []
    if len(chosen) > 1:
        doubts.append(f"the samples fall into {len(chosen)} URL clusters; each became a target class")
    if clusters[0] not in chosen:
        doubts.append("the samples are not in the largest cluster of pages with few links; the samples decided")
    return tuple(_url_class(cluster, len(candidates)) for cluster in chosen), tuple(doubts)


def _url_class(cluster: UrlCluster, whole: int) -> UrlClass:
    size = len(cluster.urls)
    return UrlClass(cluster.regex, size, examples(cluster.urls), min(1.0, size / max(1, whole)))
