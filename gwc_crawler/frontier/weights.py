"""Tunnel weights as pure functions (GWC, *Crawl: supervised breadth first with tunnel weights*).

The weight of a page says how many irrelevant pages in a row led to it; `SqliteFrontier` and the spiders ask here.
The functions only fall when their input falls: so the final weights do not depend on the order of fetching.
"""

from __future__ import annotations

from gwc_crawler.items import PageKind


def page_weight(arrival_weight: int, *, relevant: bool, start: bool = False) -> int:
    """The weight of a fetched page.

    Args:
        arrival_weight: the least weight of the pages that led here (a lease's `weight`).
        relevant: it holds a link to a target, or is one, or the keywords.
        start: it is an entry of the site (depth 0).

    >>> page_weight(1, relevant=False), page_weight(1, relevant=True), page_weight(0, relevant=False, start=True)
    (2, 0, 0)
    """
    return 0 if relevant or start else arrival_weight + 1


def is_followed(weight: int, max_weight: int | None) -> bool:
    """Whether a page's links enter the frontier; pages at or above the threshold are kept, their links held back.

    >>> is_followed(1, 2), is_followed(2, 2), is_followed(9, None)
    (True, False, True)
    """
    return max_weight is None or weight < max_weight


def improved_weight(weight: int, kind: PageKind | None, arrival_weight: int) -> int:
    """A completed page's weight after a way with *arrival_weight* to it was found.

    A page of weight 0 can't improve. A redirect hands its arrival weight on as it is.

    >>> improved_weight(3, PageKind.INDEX, 1), improved_weight(3, PageKind.REDIRECT, 1), improved_weight(0, None, 5)
    (2, 1, 0)
    """
    return min(weight, arrival_weight if kind is PageKind.REDIRECT else arrival_weight + 1)


def may_improve(weight: int, kind: PageKind | None, depth: int) -> bool:
    """Whether a better way to a completed page could still be found, so that what it leads to is kept at hand.

    A redirect of weight 0 may turn out to be a start's, which makes a start of the page it leads to.

    >>> may_improve(1, PageKind.INDEX, 3), may_improve(0, PageKind.INDEX, 3), may_improve(0, PageKind.REDIRECT, 3)
    (True, False, True)
    """
    return weight > 0 or (kind is PageKind.REDIRECT and depth > 0)
