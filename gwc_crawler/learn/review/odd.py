"""Pages among the targets that the samples do not speak for: built otherwise than all others, or in other directories.

In: the pages of the review. Out: their URLs. Two kinds, of which several pages were met, are what `mixed` looks for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import takewhile

from gwc_crawler.learn.review.evidence import Pages, spread
from gwc_crawler.learn.urls import split_url

_COMPARED = 60
_LEAST_COMPARED = 12
_LOST_MARKS = 3
_MOST_ODD = 5
_ODD_SHARE = 0.08
_LEAST_ELSEWHERE = 3
_ELSEWHERE_SHARE = 0.05
_LOOKED_AT = 12
"""So many of them are tried: the page check may refuse some, or all."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Targets, *share* of all, outside of the `directory` in which all samples are: `example` is one of them."""

    directory: str
    share: float
    example: str


def odd_targets(pages: Pages) -> list[str]:
    """The few pages that lack several marks which all others have, and have an element that none of them has."""
    looks = [pages.look(url) for url in spread(pages.inside, _COMPARED)]
    marks = {look.url: pages.marks(pages.by_url[look.url]) for look in looks if not look.refused}
    if len(marks) < _LEAST_COMPARED:
        return []
    counts = Counter(mark for some in marks.values() for mark in some)
    most = min(_MOST_ODD, max(2, int(_ODD_SHARE * len(marks))))
    usual = {mark for mark, count in counts.items() if count >= len(marks) - most}
    odd = [
        url
        for url, some in marks.items()
        if len(usual - some) >= _LOST_MARKS and any(">" in mark and counts[mark] <= most for mark in some)
    ]
    return odd if len(odd) <= most else []


def targets_elsewhere(pages: Pages) -> Elsewhere | None:
    """The targets outside of the directory of all samples, where these are some: it may be a topic's, or the kind's."""
    above = [_directories(pages.clean(page.url)) for page in pages.samples]
    if len(above) < 2:
        return None
    shared = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*above, strict=False))]
    known = sorted(url for url in pages.known if pages.knowledge.is_target(url))
    outside = [url for url in known if _directories(url)[: len(shared)] != shared]
    looks = [pages.look(url) for url in spread([url for url in outside if url in pages.by_url], _LOOKED_AT)]
    taken = [look.url for look in looks if not look.refused]
    count = len(outside) * (len(taken) / len(looks) if looks else 1.0)
    if count < max(_LEAST_ELSEWHERE, _ELSEWHERE_SHARE * len(known)):
        return None
    return Elsewhere(f"/{'/'.join(shared)}/", count / len(known), (taken or outside)[0])


def _directories(url: str) -> list[str]:
    return list(split_url(url).segments[:-1])
