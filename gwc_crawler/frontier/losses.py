"""Leases that ran out without a word: their worker may have died, and one of its pages may have killed it.

Of those that were leased when a worker died most had not even been begun, so a death among many convicts nobody: a
suspect comes back with ever fewer others, until it is alone. `SqliteFrontier` asks here; lua/lease.lua has the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

LEASES_LOST = "%d leases lost without a word"
"""The reason of a URL that is given up for it."""

SUSPECT_AFTER_LOSSES = 2
"""A URL whose leases were lost this often comes back with few others: a page that kills its worker takes few along."""

SUSPECT_GROUP = 8
"""So many suspects come back together after these losses, then 4, 2, 1."""

SUSPECT_SPACING_SECONDS = 0.5
"""Time between two groups of suspects."""


def convicted(losses: Mapping[int, int], max_lost: int) -> int | None:
    """Return the URL that is given up of those that were lost now: the one with most losses, if it has no peer.

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
