"""Find targets that the samples do not speak for: built otherwise than all others, elsewhere, or named otherwise.

In: the pages of the review. Out: their URLs. If there are two kinds with several pages each, `mixed` looks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from statistics import median
from urllib.parse import unquote

from gwc_crawler.knowledge.model import Verdict
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, ALL_BUT_SLIPS, ENOUGH, HARDLY_ANY, MANY, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.words import WordKind, words_of
from gwc_crawler.learn.lookalikes.probes import list_links
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.url_parts import row_of, split_url

_COMPARED = 60
"""Minimum number of pages to doubt a list among targets that are nearly all of them: the site may have none."""
_DELIMITERS = "._:"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Targets, *share* of all, outside of the `directory` of all samples, or not `called` as these are (`signal.…`,
    `…_signal`, "" for no such name). `example` is one of them; `urls` are all known ones."""

    directory: str
    share: float
    example: str
    called: str = ""
    urls: Sequence[str] = ()

    @property
    def of_samples(self) -> str:
        """Describe the samples' side of the difference."""
        return f"called {self.called}" if self.called else f"in {self.directory}"

    @property
    def of_others(self) -> str:
        """Describe the other targets' side of the difference."""
        return f"not called {self.called}" if self.called else f"outside of {self.directory}"


def odd_targets(pages: Pages) -> list[str]:
    """Return the few pages that lack several marks of all others, and have an element that no other has."""
    marks = pages.marks_of_targets(_COMPARED)
    if len(marks) < MANY:
        return []
    counts = Counter(mark for some in marks.values() for mark in some)
    most = min(A_HANDFUL, max(2, int(HARDLY_ANY * len(marks))))
    usual = {mark for mark, count in counts.items() if count >= len(marks) - most}
    odd = [
        url
        for url, some in marks.items()
        if len(usual - some) >= SEVERAL and any(">" in mark and counts[mark] <= most for mark in some)
    ]
    return odd if len(odd) <= most else []


def least_like(pages: Pages) -> str:
    """Return the target page that has the fewest of the marks that all samples have; "" for none."""
    own = {pages.clean(sample.url) for sample in pages.samples}
    shared = frozenset[str]().union(*map(pages.marks, pages.samples)).intersection(*map(pages.marks, pages.samples))
    others = {url: marks for url, marks in pages.marks_of_targets(A_DOZEN).items() if url not in own}
    return min(others, key=lambda url: (len(shared & others[url]), url), default="")


def list_among(pages: Pages) -> str:
    """Return the target that leads to far more targets than the others do, if nearly all pages are targets; "" for
    none. Samples of two kinds share hardly more than what all pages have, so that lists are taken, too."""
    inside = set(pages.inside)
    if len(pages.by_url) < ENOUGH or len(inside) < ALL_BUT_SLIPS * len(pages.by_url):
        return ""
    leads = {url: len(inside.intersection(map(pages.clean, pages.by_url[url].links))) for url in inside}
    url, most = max(sorted(leads.items()), key=lambda pair: pair[1])
    return url if most >= list_links(median(leads.values())) and not pages.look(url).refused else ""


def targets_elsewhere(pages: Pages) -> Elsewhere | None:
    """Find the targets outside of the directory of all samples, if there are some: it may be a topic's or the kind's.

    Else find targets whose names do not begin or end as all samples' do (`method.` of `method.Array.sort.html`).
    """
    above = [_directories(pages.clean(page.url)) for page in pages.samples]
    if len(above) < 2:
        return None
    shared = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*above, strict=False))]
    is_given = partial(pages.knowledge.is_given, verdict=Verdict.TARGET)
    known = sorted(url for url in pages.known if pages.knowledge.is_target(url) and not is_given(url))
    directory = f"/{'/'.join(shared)}/"
    outside = [url for url in known if _directories(url)[: len(shared)] != shared]
    if found := _where_many_are(pages, known, outside):
        return Elsewhere(directory, *found, urls=outside)
    called = frozenset.intersection(*(_called(pages.clean(page.url)) for page in pages.samples))
    for name in sorted(called):
        outside = [url for url in known if name not in _called(url)]
        if found := _where_many_are(pages, known, outside):
            return Elsewhere(directory, *found, name, outside)
    return None


def _where_many_are(pages: Pages, known: Sequence[str], some: Sequence[str]) -> tuple[float, str] | None:
    """Return the share of *some* targets, less those that the page check refuses, and an example; None if few."""
    looks = [pages.look(url) for url in spread([url for url in some if url in pages.by_url], A_DOZEN)]
    taken = [look.url for look in looks if not look.refused]
    count = len(some) * (len(taken) / len(looks) if looks else 1.0)
    if count < max(SEVERAL, SLIPS * len(known)):
        return None
    return count / len(known), (taken or some)[0]


def _called(url: str) -> frozenset[str]:
    """Return the beginnings and endings of a name that may tell kinds of pages: `signal.…`, `…_signal`."""
    words = words_of(row_of(url))
    starts = {f"{unquote(one.value)}…" for one in words if one.kind is WordKind.START and not one.is_topical()}
    ends = (unquote(one.value) for one in words if one.kind is WordKind.END and one.value[0] in _DELIMITERS)
    return frozenset(starts | {f"…{end}" for end in ends if end[1:].isalpha()})


def _directories(url: str) -> list[str]:
    return list(split_url(url).segments[:-1])
