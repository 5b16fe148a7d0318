"""Figures that take longer than a page may wait: counted in a thread, kept for a while, shown with their age.

    background.found(key, count, patience_seconds=0.1) → what was counted last, and whether it is being counted anew

What took long to count is counted anew so rarely that counting never takes more than a fiftieth of the time.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

SHARE = 50
"""What took a second is counted anew after so many seconds, if somebody looks."""

LEAST_SECONDS = 2.0

MOST_KEPT = 512


@dataclass(frozen=True, slots=True)
class AgedFigure(Generic[T]):
    """A figure with its age. `value` is None while it is counted for the first time."""

    value: T | None
    age_seconds: float = 0.0
    counting: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Kept:
    value: Any = None
    problem: str = ""
    ended_at: float = 0.0
    took: float = 0.0
    running: Future[None] | None = None


class Background:
    """Counts in at most *threads* threads, each thing once at a time."""

    def __init__(self, threads: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="counting")
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._clock = clock

    def found(
        self,
        key: Hashable,
        count: Callable[[], T],
        *,
        patience_seconds: float = 0.1,
        least_seconds: float = LEAST_SECONDS,
        again: bool = True,
    ) -> AgedFigure[T]:
        """Return what *count* gave last under *key*; it is called where that is too old.

        Args:
            patience_seconds: so long a first result is waited for.
            least_seconds: so long a result is good, at least.
            again: False: what was counted once is not counted anew, but what failed is.
        """
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            fresh = max(least_seconds, SHARE * kept.took)
            old = self._clock() - kept.ended_at > fresh
            due = not kept.ended_at or (old and (again or bool(kept.problem)))
            if due and kept.running is None:
                kept.running = self._pool.submit(self._count, kept, count)
            running = kept.running
        if running is not None and not kept.ended_at:
            wait([running], patience_seconds)
        with self._lock:
            age = self._clock() - kept.ended_at if kept.ended_at else 0.0
            return AgedFigure(kept.value, age, kept.running is not None, kept.problem)

    def forget(self, *start: Hashable) -> None:
        """Have what is kept under keys (tuples) that begin so counted anew."""
        with self._lock:
            for key in [key for key in self._kept if isinstance(key, tuple) and key[: len(start)] == start]:
                del self._kept[key]

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _count(self, kept: _Kept, count: Callable[[], Any]) -> None:
        began = self._clock()
        value, problem = None, ""
        try:
            value = count()
        except Exception as error:  # noqa: BLE001  # it is shown where the figure would stand
            problem = f"{type(error).__name__}: {error}"
        with self._lock:
            kept.value, kept.problem = (value, "") if not problem else (kept.value, problem)
            kept.ended_at = self._clock()
            kept.took = kept.ended_at - began
            kept.running = None
