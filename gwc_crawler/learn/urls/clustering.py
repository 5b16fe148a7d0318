"""URLs → classes of URLs, each with its regex: the paper's one pass, or the pattern tree.

In: URLs. Out: `UrlCluster`s, largest first. `targets` and `learn_site` call it; so may anybody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from gwc_crawler.learn.urls.regex import tight_regex, url_regex
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.learn.urls.url_parts import split_url
from gwc_crawler.modes import LearnMode

_ALLOWED_LOSS = 0.40
"""c: share of m that a pair may lose against identity, see `threshold`."""


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


# --- The one pass, as published: a similarity over path segments (GWC, *URL similarity*) ------------------------------


def similarity(first: str, second: str) -> float:
    """Compare two URLs: s = Σ_{k=1..m} (m−k+1) · 1 / (1 + edit_k / maxedit_k).

    Returns:
        0.0 for different hosts or different numbers m of segments, else a value in m(m+1)/4 … m(m+1)/2; the
        query takes no part. Two URLs of one host without any segment give 1.0, so that they count as alike.
    Source:
        GWC, *URL similarity*.
    """
    one, two = split_url(first), split_url(second)
    count = len(one.segments)
    if one.host != two.host or count != len(two.segments):
        return 0.0
    if count == 0:
        return 1.0
    pairs = zip(one.segments, two.segments, strict=True)
    return sum((count - place) * _alike(a, b) for place, (a, b) in enumerate(pairs))


def threshold(count: int, allowed_loss: float = _ALLOWED_LOSS) -> float:
    """Return the least mean similarity for joining a cluster of URLs with *count* segments, h(m).

    The paper's formula is lost. Ours is h(m) = m(m+1)/2 − c·m with c = .40. What a URL loses when its first segment
    alone is another one grows with m, up to m/2; the allowed loss grows alike and stays below it, so that a section of
    another name does not join, while any file name (a loss up to 1/2) does from m = 2 on. Chosen on pre-crawls of
    eleven real sites (`python -m benchmarks.gwc`), as the middle of the best: the mean F1 of 19 target classes is .32
    at c = .10, .59 at .30, .64 from .35 to .45, .63 at .50. Smaller c split classes, larger ones mix sections with
    similar names.
    """
    if count == 0:
        return 1.0
    return count * (count + 1) / 2 - allowed_loss * count


def cluster_one_pass(urls: Iterable[str], *, allowed_loss: float = _ALLOWED_LOSS) -> list[list[str]]:
    """Cluster in one pass: a URL joins the first cluster whose mean similarity to it is ≥ h(m), else founds one.

    Args:
        allowed_loss: c of the threshold h(m), see `threshold`.
    Cost: quadratic in the worst case. Clusters are compared by the distinct segments they hold at each place,
    from the heaviest place on, and a comparison ends as soon as the outcome is certain; the result is exact.
    """
    buckets: dict[tuple[str, int], list[_Cluster]] = defaultdict(list)
    clusters: list[_Cluster] = []
    for url in urls:
        parts = split_url(url)
        bucket = buckets[parts.host, len(parts.segments)]
        for cluster in bucket:
            if cluster.accepts(parts.segments):
                cluster.add(url, parts.segments)
                break
        else:
            founded = _Cluster(len(parts.segments), allowed_loss)
            founded.add(url, parts.segments)
            bucket.append(founded)
            clusters.append(founded)
    return [cluster.urls for cluster in clusters]


class _Cluster:
    """Members of one cluster, with how often each segment text stands at each place."""

    def __init__(self, count: int, allowed_loss: float) -> None:
        self.urls: list[str] = []
        self.columns: list[Counter[str]] = [Counter() for _ in range(count)]
        self.least = threshold(count, allowed_loss)

    def add(self, url: str, segments: Sequence[str]) -> None:
        self.urls.append(url)
        for column, segment in zip(self.columns, segments, strict=True):
            column[segment] += 1

    def accepts(self, segments: Sequence[str]) -> bool:
        """Say whether the mean similarity of *segments* to all members is ≥ h(m)."""
        count = len(segments)
        if count == 0:
            return True
        sure = 0.0  # similarity of the places seen so far; every later one adds .5 to 1 times its weight
        open_weight = count * (count + 1) / 2
        for place, segment in enumerate(segments):
            weight = count - place
            open_weight -= weight
            sure += weight * self._mean_alike(place, segment)
            if sure + open_weight < self.least - 1e-9:
                return False
            if sure + open_weight / 2 >= self.least - 1e-9:
                return True
        return False

    def _mean_alike(self, place: int, segment: str) -> float:
        column = self.columns[place]
        return sum(times * _alike(segment, other) for other, times in column.items()) / len(self.urls)


def _alike(one: str, two: str) -> float:
    """1 / (1 + edit / maxedit): 1.0 for equal texts, .5 for texts without anything in common."""
    if one == two:
        return 1.0
    return 1.0 / (1.0 + Levenshtein.normalized_distance(one, two))
