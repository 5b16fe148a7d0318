"""The frontier's promise: which URLs are known, which one is fetched next, which are done.

The behaviour suite in tests/frontier says what each implementation must do. URLs live U → R → C or E (`UrlState`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.recrawl import Intervals, Recrawl
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, Revisit, UrlState

Chosen: TypeAlias = str | Sequence[str]  # a shell pattern for whole URLs (`*`, `?`, `[…]`), or the URLs themselves

FAILED = (UrlState.ERROR,)  # the states that `retry` takes URLs from as a rule
DROPPED = "dropped"  # the reason of a URL that a person gave up


@dataclass(frozen=True, slots=True)
class FrontierCounts:
    """How far the crawl is; cheap enough to ask for every second.

    `ready_now`: `lease` would give something; else `next_ready_at` is when it may (epoch seconds), None: nothing waits.
    `outdated` counts completions, failures and releases with an outdated token since this frontier was opened.
    """

    waiting: int
    running: int
    complete: int
    error: int
    ready_now: bool
    next_ready_at: float | None
    outdated: int = 0

    @property
    def finished(self) -> bool:
        """Nothing waits and nothing is leased."""
        return not self.waiting and not self.running


@dataclass(frozen=True, slots=True)
class UrlInfo:
    """All facts about one URL. `state` is None for a URL that was seen in a link but not admitted (or held back).

    `through` is the way of least weight that led here, from a start to the page before, as (URL, page weight); only
    `find` tells it.
    """

    url: str
    state: UrlState | None
    kind: PageKind | None
    weight: int
    depth: int
    attempts: int
    lost: int
    reason: str | None
    host: str
    owner: str | None
    lease_until: float | None
    due_at: float | None
    added_at: float | None
    done_at: float | None
    through: tuple[tuple[str, int], ...] = ()


class Frontier(Protocol):
    """A shared, crash-proof queue of URLs. What takes a pattern, a reason or a round walks through all URLs."""

    admission: Admission | None  # asked by `complete`

    def add(self, links: Sequence[Link]) -> int:
        """Enter URLs that are new, lower the weight of known ones; returns how many were new."""

    def lease(self, n: int, owner: str, busy_hosts: Collection[str] = ()) -> list[Lease]:
        """Give out the best *n*, none of *busy_hosts*: least weight, then hosts in turns, first come first served."""

    def complete(self, done: Sequence[Done]) -> None:
        """Mark pages C and enter their links in one step; a page with an outdated lease is left out and counted.

        An alias waits again if it `stands_in` for its canonical URL by now.
        """

    def fail(self, lease: Lease, why: Failure) -> None:
        """End a lease without a page: U at `why.retry_at`, or E for good; then its stand-in (`stands_in`) waits."""

    def cut_off(self, leases: Sequence[Lease], reason: str) -> None:
        """End leases that a limit cuts off: state E with *reason*.

        With `robots.FORBIDDEN` those that are no starts, and never were fetched, leave the queue: see `readmit`.
        """

    def release(self, leases: Sequence[Lease]) -> None:
        """Hand leases back unused; the attempts don't count."""

    def extend(self, leases: Sequence[Lease]) -> None:
        """Start the lease time anew from now."""

    def redirect(self, lease: Lease, url: str) -> bool:
        """Have the lease cover *url* too. False: it is complete or leased to another; complete as REDIRECT then."""

    def stands_in(self, url: str, main: str) -> bool:
        """Say whether the page at *url* is read in the place of *main*, which it names as its canonical address.

        It is where *main* is in error and never gave a page, and *url* is the first to name it.
        """

    def pause_host(self, host: str, until: float) -> None:
        """Give out nothing of *host* before *until* (epoch seconds). A later time wins over an earlier one."""

    def counts(self) -> FrontierCounts:
        """Return the counts of the crawl."""

    def waiting_of(self, hosts: Collection[str]) -> int:
        """Return how many URLs of *hosts* could be leased now. Cost: O(those), a few ms for a million."""

    def find(self, url: str) -> UrlInfo | None:
        """Return all about *url*, or None if it was never seen."""

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """URLs that match a shell pattern (`*`, `?`, `[…]`; case counts) in one of *states* (none named: any)."""

    def drop(self, pattern: Chosen, *, count_only: bool = False) -> int:
        """Give up the waiting URLs that match: state E, reason "dropped". Returns how many (would be)."""

    def retry(self, pattern: Chosen = "*", states: Collection[UrlState] = FAILED, *, count_only: bool = False) -> int:
        """Let URLs wait again, without their attempts; for those in error also links that robots.txt kept out.

        Returns the number. Completed ones are fetched as if for the first time: what is kept of their looks is dropped.
        """

    def recrawl(self, which: Recrawl, limits: Intervals) -> int:
        """Let fetched pages wait again, with all data kept; return how many. A broken-off round is continued."""

    def hasten(self, urls: Collection[str]) -> int:
        """Let fetched URLs among *urls* wait again now, with all data kept of them; return how many."""

    def revisits(self, urls: Collection[str]) -> dict[str, Revisit]:
        """Return URL → the data kept for looking at it again, for fetched URLs among *urls*."""

    def recall(self, reason: str) -> int:
        """Let URLs wait again that were given up for exactly this *reason*; returns how many."""

    def readmit(self, pattern: str, forbids: Callable[[str], bool] | None = None) -> int:
        """Let matching links enter that robots.txt kept out and *forbids* does not name; return how many were new."""

    def close(self) -> None:
        """Release the frontier; leased URLs return to U when it is opened again or when the leases run out."""
