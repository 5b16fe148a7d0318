"""How much URL groups have to do with the target group: page shape, double addresses, common lists.

In: the pre-crawl's index and groups of it. Out: figures between 0 and 1, by which `targets` decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from math import log2

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import A_DOZEN, ENOUGH, MOST, SEVERAL
from gwc_crawler.learn.kinds.near_duplicates import find_near_duplicates
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex


class Shape:
    """The marks that pages of a group share and other groups lack, with weights in bits."""

    def __init__(self, index: PrecrawlIndex, group: PatternGroup) -> None:
        self.index, self.pages = index, group.spread(ENOUGH)

    @cached_property
    def core(self) -> dict[str, float]:
        """Marks on at least four in five of the pages, each with its weight: the rarer elsewhere, the more."""
        counts = Counter(mark for page in self.pages for mark in self.index.features(page))
        common = self.index.commonness
        return {
            mark: max(0.0, -log2(max(common[mark], 1e-3)))
            for mark, count in counts.items()
            if count >= MOST * len(self.pages)
        }

    def likeness(self, page: StoredPage) -> float:
        """Return the weighted share of the core that a page has; 0 if the core says nothing."""
        total = sum(self.core.values())
        marks = self.index.features(page)
        return sum(weight for mark, weight in self.core.items() if mark in marks) / total if total else 0.0

    @cached_property
    def own(self) -> float:
        """The mean likeness of its own pages, to which another group's is compared."""
        return sum(map(self.likeness, self.pages)) / len(self.pages)

    def of_group(self, group: PatternGroup) -> float:
        """Return the mean likeness of a group's pages, relative to `own`, at most 1."""
        pages = group.spread(SEVERAL)
        return min(1.0, sum(map(self.likeness, pages)) / len(pages) / self.own) if self.own else 0.0


def is_alias(index: PrecrawlIndex, group: PatternGroup, target: PatternGroup) -> bool:
    """Say whether most pages of a group repeat pages of *target*, which have shorter addresses."""
    tried, mains = group.spread(A_DOZEN), {page.url for page in target.pages}
    pages = [*tried, *target.pages]
    mains_of = find_near_duplicates(pages, index.clean, lambda page: (-len(page.url),), index.long_texts)
    return 2 * sum(mains_of.get(page.url) in mains for page in tried) > len(tried)


def take_turns(index: PrecrawlIndex, ones: Collection[str], others: Collection[str]) -> int:
    """Count the pages on which links to the *ones* and to the *others* take turns, as in one mixed list.

    Links on most pages, like those of menus and sidebars, are left out: they surround all lists.
    """
    return sum(map(_are_mixed, _turns(index, ones, others)))


def are_listed_apart(index: PrecrawlIndex, ones: Collection[str], others: Collection[str]) -> bool:
    """Say whether there are lists of the ones and lists of the others, and none of both."""
    lists = _turns(index, ones, others)
    alone = {turns[0] for turns in lists if len(set(turns)) == 1}
    return len(alone) > 1 and sum(map(_are_mixed, lists)) < 2


def _turns(index: PrecrawlIndex, ones: Collection[str], others: Collection[str]) -> list[list[bool]]:
    """Tell for each page with several links to the ones or the others which links lead to the ones."""
    lists = ([link in ones for link in links if link in ones or link in others] for links in index.listed)
    return [turns for turns in lists if len(turns) > SEVERAL]


def _are_mixed(turns: Sequence[bool]) -> bool:
    return sum(one != two for one, two in pairwise(turns)) >= SEVERAL
