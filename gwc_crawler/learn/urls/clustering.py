"""URLs → classes of URLs, each with its regex: the paper's one pass, or the pattern tree.

In: URLs. Out: `UrlCluster`s, largest first. `targets` and `learn_site` call it; so may anybody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gwc_crawler.learn.urls.paper_similarity import cluster_one_pass
from gwc_crawler.learn.urls.regex import tight_regex, url_regex
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.modes import LearnMode


@dataclass(frozen=True, slots=True)
class UrlCluster:
    """URLs of one class and the regex (for `re.fullmatch`) that was generalised from them."""

    urls: tuple[str, ...]
    regex: str


def cluster_urls(urls: Iterable[str], *, mode: LearnMode | str = LearnMode.BEST) -> list[UrlCluster]:
    """Cluster *urls*; repeats count once.

    Args:
        mode: "paper" for similarity and one pass (GWC), "best" for the pattern tree.
    Returns:
        Clusters, largest first; equal sizes in order of their first URL.
    """
    distinct = list(dict.fromkeys(urls))
    if mode == LearnMode.PAPER:
        clusters = [UrlCluster(tuple(group), url_regex(group)) for group in cluster_one_pass(distinct)]
    else:
        groups = split_into_groups(distinct)
        clusters = [UrlCluster(tuple(row.url for row in rows), tight_regex(rows)) for rows in groups]
    return sorted(clusters, key=lambda cluster: -len(cluster.urls))
