"""How many processes a crawl may have: what a person writes (`2`, `auto`) → a number."""

from __future__ import annotations

import os

from gwc_crawler.errors import InputError

AUTO = "auto"
"""As many as there are cores for this process."""

MOST = 256
"""A larger number is a slip: no machine has so many cores to give."""


def worker_count(value: object, source: str) -> int | None:
    """Return how many processes *value* asks for, the fetching one among them; None for `auto`.

    Args:
        source: what the value was given as, e.g. "-a workers=many".
    Raises:
        InputError: it is no such number.

    >>> worker_count("2", "-a workers=2"), worker_count("auto", "")
    (2, None)
    """
    text = str(value).strip().lower()
    if text == AUTO:
        return None
    if text.isascii() and text.isdecimal() and 1 <= (count := int(text)) <= MOST:
        return count
    raise InputError(
        f"{source}: it can be the number of processes, 1 to {MOST}, or {AUTO}: one for each core of this machine"
    )


def auto_count() -> int:
    """Return how many cores this process may use; 1 where that can't be said."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
