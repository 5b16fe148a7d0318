"""What the scheduler takes URLs from, and obeys: all it knows of a crawl."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from scrapy import Request

from gwc_crawler.errors import GwcError
from gwc_crawler.items import Lease


class LeaseSource(Protocol):
    """Leases go out, and come back where they were not begun.

    `changes` counts what may have brought new URLs, so that an empty frontier is not asked again in vain.
    """

    changes: int
    lease_anew: Callable[[], None] | None
    """Set by the scheduler: hands back what is leased and not begun."""
    wake: Callable[[], None] | None
    """Set by the scheduler: looks at once whether something is to be asked for."""
    pages_left: int | None
    """So many pages may still be read, those under way among them; None: any number."""

    def lease(self, count: int, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Lease the best *count* URLs, none of *busy_hosts*."""

    def request(self, lease: Lease) -> Request:
        """Make the Request of a leased URL."""

    def hand_back(self, leases: Sequence[Lease]) -> None:
        """Return leases that were not begun."""

    def holds(self, lease: Lease) -> bool:
        """Say whether a lease still holds, as far as is known here."""

    def has_work(self) -> bool:
        """Say whether the crawl has anything to wait for."""

    def seconds_to_next(self) -> float | None:
        """Return how long until a waiting URL becomes due; None when none waits."""

    def flush(self) -> None:
        """Forget a shared crawl."""


class Batch(Protocol):
    """Pages on their way into the store, which may hold the next URLs."""

    @property
    def uncommitted(self) -> int:
        """Pages that were read and not committed yet."""

    @property
    def full(self) -> bool:
        """Whether a commit is due."""

    @property
    def is_behind(self) -> bool:
        """Whether a sink takes its time, so that nothing more should be leased until it has answered."""

    def commit(self) -> None:
        """Commit what was read, or begin to; raises StoreError."""

    def on_answer(self, notify: Callable[[], None]) -> None:
        """Have *notify* called, in another thread, when a commit that was begun can be ended by `commit`."""


class Orders(Protocol):
    """What the scheduler obeys.

    `stopping` is set when nothing more shall be leased, `paused` while nothing shall be; `tick` is to be called each
    `tick_seconds`.
    """

    stopping: bool
    stop_asked: bool
    tick_seconds: float

    @property
    def paused(self) -> bool:
        """Whether somebody asked for a pause."""

    def tick(self) -> None:
        """Do what has to be done now and then."""


class CrawlingSpider(Protocol):
    """What the scheduler tells a spider that crawls from a frontier."""

    def end_crawl(self, error: GwcError) -> None:
        """End the crawl by *error*."""

    def stop(self, reason: str) -> None:
        """Lease nothing more, and end when what is under way has ended."""

    def count_stats(self) -> None:
        """Bring the counts of leases and admission into Scrapy's stats."""


class Crawl(Protocol):
    """The parts of a crawl that a scheduler needs."""

    @property
    def leases(self) -> LeaseSource:
        """Where URLs come from."""

    @property
    def store(self) -> Batch:
        """Where pages go."""

    @property
    def control(self) -> Orders:
        """What is asked of the crawl."""

    def begin(self) -> None:
        """From now on the event loop runs, and stands still while a part is asked."""

    async def farewell(self) -> None:
        """Wait a few seconds for a queue that is away just now: leases shall end there before the crawl closes."""

    @property
    def is_closed(self) -> bool:
        """Whether its parts are closed: nothing may be asked of them any more."""
