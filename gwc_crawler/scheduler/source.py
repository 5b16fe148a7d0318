"""What the scheduler takes URLs from: all it knows of a crawl."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from scrapy import Request

from gwc_crawler.items import Lease


class Source(Protocol):
    """Leases go out, and come back where they were not begun.

    `stopping` is set when nothing more shall be leased, `paused` while nothing shall be; `changes` counts what may have
    brought new URLs, so that an empty frontier is not asked again in vain; `tick` is to be called each `tick_seconds`.
    """

    stopping: bool
    changes: int
    tick_seconds: float
    lease_anew: Callable[[], None] | None
    """Set by the scheduler: hands back what is leased and not begun."""

    @property
    def paused(self) -> bool:
        """Whether somebody asked for a pause."""

    @property
    def stop_asked(self) -> bool:
        """Whether somebody asked for a stop."""

    @property
    def uncommitted(self) -> int:
        """Pages that were read and not committed yet."""

    @property
    def batch_is_full(self) -> bool:
        """Whether a commit is due."""

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the best *count* URLs, none of *busy_hosts*."""

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL."""

    def hand_back(self, leases: Sequence[Lease]) -> None:
        """Return leases that were not begun."""

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease still holds, as far as is known here."""

    def commit(self) -> None:
        """Commit what was read; raises StoreError."""

    def has_work(self) -> bool:
        """Say whether the crawl has anything to wait for."""

    def seconds_to_next(self) -> float | None:
        """Return how long until a waiting URL becomes due; None when none waits."""

    def tick(self) -> None:
        """Do what has to be done now and then."""

    def flush(self) -> None:
        """Forget a shared crawl."""
