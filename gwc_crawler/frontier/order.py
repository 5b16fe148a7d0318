"""The order of waiting URLs and their weights: the one rule for every place where URLs or Requests wait.

The lowest weight comes first; among the queues whose best URL has that weight, the one served longest ago; within a
queue, the URL that came first, so that a crawl goes breadth first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gwc_crawler.items import PageKind

TURN = 2**32  # how many turns a step in weight outweighs: more than a crawl ever gives


def place_of(weight: int, turn: int) -> int:
    """Return a queue's place among all, the least first: by the best weight in it, then by its turn.

    >>> place_of(0, 9) < place_of(1, 2) < place_of(1, 3)
    True
    """
    return weight * TURN + turn


def weight_at(place: int) -> int:
    """Return the weight of a place.

    >>> weight_at(place_of(3, 17))
    3
    """
    return place // TURN


# --- Tunnel weights as pure functions (GWC, *Crawl: supervised breadth first with tunnel weights*) --------------------
def page_weight(arrival_weight: int, *, relevant: bool, start: bool = False) -> int:
    """Return the weight of a fetched page, given the least weight of the pages that led here (a lease's `weight`).

    *relevant*: it holds a link to a target, or is one, or the keywords; *start*: it is an entry of the site (depth 0).

    >>> page_weight(1, relevant=False), page_weight(1, relevant=True), page_weight(0, relevant=False, start=True)
    (2, 0, 0)
    """
    return 0 if relevant or start else arrival_weight + 1


def is_followed(weight: int, max_weight: int | None) -> bool:
    """Say whether a page's links enter the frontier; pages at or above the threshold are kept, their links held back.

    >>> is_followed(1, 2), is_followed(2, 2), is_followed(9, None)
    (True, False, True)
    """
    return max_weight is None or weight < max_weight


def improved_weight(weight: int, kind: PageKind | None, arrival_weight: int) -> int:
    """Return a completed page's weight after a way to it with *arrival_weight* was found.

    A page of weight 0 can't improve. A redirect hands on its arrival weight unchanged.

    >>> improved_weight(3, PageKind.INDEX, 1), improved_weight(3, PageKind.REDIRECT, 1), improved_weight(0, None, 5)
    (2, 1, 0)
    """
    return min(weight, arrival_weight if kind is PageKind.REDIRECT else arrival_weight + 1)


def may_improve(weight: int, kind: PageKind | None, depth: int) -> bool:
    """Tell whether a better way to a completed page could still be found, so that its links are kept at hand.

    A redirect of weight 0 may turn out to be a start's, so that its target becomes a start.

    >>> may_improve(1, PageKind.INDEX, 3), may_improve(0, PageKind.INDEX, 3), may_improve(0, PageKind.REDIRECT, 3)
    (True, False, True)
    """
    return weight > 0 or (kind is PageKind.REDIRECT and depth > 0)


# --- Leases that ran out without a word: their worker may have died, and one of its pages may have killed it ----------
LEASES_LOST = "%d leases lost without a word"  # the reason of a URL that is given up for it

SUSPECT_AFTER_LOSSES = 2
"""Lost leases from which on a URL comes back with few others: a page that kills its worker takes few with it."""

SUSPECT_GROUP = 8  # suspects that come back together after these losses; after further losses 4, 2, 1
SUSPECT_SPACING_SECONDS = 0.5  # time between two groups of suspects


def convicted(losses: Mapping[int, int], max_lost: int) -> int | None:
    """Return the URL to give up: the one whose lease was lost most often, if no other was lost as often.

    >>> convicted({1: 5, 2: 4}, 5), convicted({1: 5, 2: 5}, 5), convicted({1: 4}, 5)
    (1, None, None)
    """
    most = max(losses.values(), default=0)
    worst = [url for url, lost in losses.items() if lost == most]
    return worst[0] if most >= max_lost and len(worst) == 1 else None


def groups(suspects: Mapping[int, int]) -> Iterator[tuple[int, float]]:
    """Yield each suspect, those with the fewest losses first, with the seconds that it has to wait.

    >>> list(groups({1: 5, 2: 2, 3: 5}))
    [(2, 0.0), (1, 0.5), (3, 1.0)]
    """
    wait = room = 0.0
    for url, lost in sorted(suspects.items(), key=lambda item: item[1]):
        share = 1 / max(1, SUSPECT_GROUP >> (lost - SUSPECT_AFTER_LOSSES))
        if room + share > 1:
            wait += SUSPECT_SPACING_SECONDS
            room = 0.0
        room += share
        yield url, wait
