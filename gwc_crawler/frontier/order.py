"""Which of the URLs that wait is next: the one rule for every place where URLs or Requests wait.

The lowest weight first; of the queues whose best has that weight the one that was served longest ago; within a queue
the URL that came first. The places differ in how they keep the order, not in what it is: an SQL index and a heap
(`sqlite`), sorted sets and lists (`redis/lua/order.lua`), Requests in memory or on disk (the scheduler's queue).
"""

from __future__ import annotations

FIRST_IN_FIRST_OUT = True
"""Within a queue and weight: so a crawl goes breadth first. False: all places give out the newest first."""

TURN = 2**32
"""How many turns a step in weight outweighs: more than a crawl ever gives."""

WITHIN_QUEUE = "id" if FIRST_IN_FIRST_OUT else "id DESC"
"""The same in SQL: URLs are numbered as they come."""


def place_of(weight: int, turn: int) -> int:
    """Where a queue stands among all, the least first: by the best weight in it, then by its turn.

    >>> place_of(0, 9) < place_of(1, 2) < place_of(1, 3)
    True
    """
    return weight * TURN + turn


def weight_at(place: int) -> int:
    """The weight of a place.

    >>> weight_at(place_of(3, 17))
    3
    """
    return place // TURN
