"""The gate of a crawl: which URLs may enter the frontier and which leases are used, beyond what the filters say.

`complete` of a frontier asks it for new links and tells it what entered; the workbench asks it for leases. Depth, and
classes of URLs that are closed (`harvest`), are decided here; what is cut is counted (`cuts`), not stored one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.cuts import CutTally, LimitsState, merge
from gwc_crawler.frontier.harvest import ClassState, Event, Harvest, HarvestLimits
from gwc_crawler.items import CutReason, Done, Lease

logger = logging.getLogger(__name__)

SAMPLED = 10
"""Of a closed class one URL of so many is fetched all the same: if it brings something, the class opens again."""

KEPT_TIMES = 10
"""A closed class takes in so many times its limit of URLs more: they come back if it opens again. Others only count."""

SHOWN = 200_000
"""So many contents of target pages are remembered; in an endless space the same come again sooner."""

OWN_FAULTS = ("HTTP 4", "Forbidden by robots.txt")
"""How reasons begin that say something of the URL itself."""

LIMIT = "limit: "
"""How the reasons of URLs begin that a limit has put into state E; `recall` brings them back."""


@dataclass(frozen=True, slots=True)
class UrlGroup:
    """What a URL is to the gate: `wanted` is a target, or goes on with one; `name`: its class, if it has one."""

    wanted: bool = False
    name: str | None = None


class Book(Protocol):
    """Where the state is kept that the workers of a crawl share."""

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        """Let *step* change the state, and keep it; *step* may be called more than once."""


class Gate:
    """One worker's gate.

    Args:
        group_of: URL → `UrlGroup`.
        max_depth: clicks from a start; None: no limit.
        recall: has the URLs wait again that were given up for a reason.
    """

    def __init__(
        self,
        book: Book,
        group_of: Callable[[str], UrlGroup],
        recall: Callable[[str], int],
        *,
        limits: HarvestLimits | None = None,
        max_depth: int | None = None,
    ) -> None:
        self.tally = CutTally()
        self.limits = limits or HarvestLimits(fruitless=0)
        self.max_depth = max_depth
        self._book = book
        self._group_of = lru_cache(maxsize=4096)(group_of)
        self._recall = recall
        self._events: list[Event] = []
        self._reasons: set[str] = set()
        """Of URLs that may wait again."""
        self._shown: set[int] = set()
        self.given_up = 0
        """URLs that the frontier itself has cut off."""
        self._screened = 0
        self._harvest = Harvest(self.limits)
        self._take_over()

    def use(self, group_of: Callable[[str], UrlGroup]) -> None:
        """Tell classes by another knowledge from now on."""
        self._group_of = lru_cache(maxsize=4096)(group_of)

    def _take_over(self) -> None:
        """Go on with what earlier runs and other workers know, by this run's limits."""

        def step(state: LimitsState) -> None:
            harvest = Harvest(self.limits, state.classes)
            self._reasons |= {reason for name in harvest.relax() for reason in _reasons_of(name)}
            state.classes = harvest.classes

        self._harvest = Harvest(self.limits, self._book.change(step).classes)
        self._recall_reopened()

    # --- asked by the frontier ------------------------------------------------------------------------------------

    def admit(self, urls: Sequence[str], depth: int) -> list[str]:
        """Return those of *urls*, links at *depth*, that may enter."""
        if self.max_depth is not None and depth > self.max_depth:
            for url in urls:
                self.tally.add(CutReason.DEPTH, url)
            return []
        if not self._harvest.any_closed:
            return list(urls)
        return [url for url in urls if self._may_enter(url)]

    def _may_enter(self, url: str) -> bool:
        name = self._group_of(url).name
        state = self._harvest.classes.get(name) if name is not None else None
        if name is None or state is None or state.closed is None:
            return True
        limit = self.limits.pages if state.closed is CutReason.BUDGET else self.limits.fruitless
        if state.kept < KEPT_TIMES * limit:
            self._note(Event(name, kept=1))
            return True
        self.tally.add(state.closed, url, name)
        return False

    def entered(self, page: Done, urls: Sequence[str]) -> None:
        """Learn which of its links *page* was the first to bring. A page looked at again may bring nothing."""
        name, wanted = self._group_of(page.url).name, self._group_of(page.url).wanted
        if name is None or wanted:
            return
        groups = [self._group_of(url) for url in urls]
        fruit = any(one.wanted and (one.name is None or self._harvest.closed(one.name) is None) for one in groups)
        leads = frozenset(one.name for one in groups if one.name is not None and one.name != name and not one.wanted)
        again = page.unread or (page.revisit is not None and page.revisit.checks > 0)
        if fruit or not again:
            self._note(Event(name, read=1, fruit=fruit, leads=leads))

    def showed(self, url: str, content: int) -> None:
        """Learn what a target page shows, as a number that stands for its record and text: sessions in the addresses of
        targets show the same again and again.
        """
        name = self._group_of(url).name
        if name is None or not self.limits.fruitless:
            return
        new = content not in self._shown
        if len(self._shown) >= SHOWN:
            self._shown.clear()
        self._shown.add(content)
        self._note(Event(name, read=1, fruit=new, without=CutReason.ECHO))

    def cut_off(self, reason: CutReason, url: str) -> None:
        """Count a URL that the frontier itself has given up."""
        self.tally.add(reason, url)
        self.given_up += 1

    def failed(self, url: str, reason: str) -> None:
        """Learn that a URL was given up: it has brought nothing, if it is its own fault and not the server's."""
        if not reason.startswith(OWN_FAULTS):
            return
        group = self._group_of(url)
        if group.name is not None and not group.wanted:
            self._note(Event(group.name, read=1))

    def _note(self, event: Event) -> None:
        if self.limits.fruitless or self.limits.pages:
            self._events.append(event)
            before = self._harvest.closed(event.name)
            self._note_reopened(self._harvest.apply([event]))
            if before is None and (why := self._harvest.closed(event.name)) is not None:
                self._say_closed(event.name, why)

    def _note_reopened(self, names: set[str]) -> None:
        for name in names:
            logger.info("class of URLs open again, it has brought something new pattern=%s", name)
            self._reasons |= _reasons_of(name)

    def _say_closed(self, name: str, why: CutReason) -> None:
        state = self._harvest.classes[name]
        logger.warning("class of URLs closed: %s; `scrapy why SITE URL` tells more", closed_text(name, state, why))

    # --- asked by the workbench -----------------------------------------------------------------------------------

    def screen(
        self, leases: Sequence[Lease], fetched: Collection[str] = ()
    ) -> tuple[list[Lease], dict[str, list[Lease]]]:
        """Part *leases* into those to use, and by reason those to give up. Always used are starts, and the URLs
        *fetched*, which are looked at again."""
        if not self._harvest.any_closed and self.max_depth is None:
            return list(leases), {}
        used: list[Lease] = []
        cut: dict[str, list[Lease]] = {}
        for lease in leases:
            reason = self._reason_against(lease) if lease.depth and lease.url not in fetched else None
            if reason is None:
                used.append(lease)
            else:
                cut.setdefault(reason, []).append(lease)
        return used, cut

    def _reason_against(self, lease: Lease) -> str | None:
        if self.max_depth is not None and lease.depth > self.max_depth:
            self.tally.add(CutReason.DEPTH, lease.url)
            return f"{LIMIT}depth over {self.max_depth} (max_depth, DEPTH_LIMIT)"
        name = self._group_of(lease.url).name
        why = self._harvest.closed(name) if name is not None else None
        if name is None or why is None:
            return None
        if why is not CutReason.BUDGET:
            self._screened += 1
            if self._screened % SAMPLED == 0:
                return None
        self.tally.add(why, lease.url, name)
        return _reason(name, why)

    def settle(self) -> None:
        """Write down what happened, take in what other workers have written; call it after each commit."""
        cuts, events = self.tally.take(), self._events
        self._events = []
        if cuts or events:
            reopened: set[str] = set()

            def step(state: LimitsState) -> None:
                nonlocal reopened
                merge(state.cuts, cuts.values())
                harvest = Harvest(self.limits, state.classes)
                reopened = harvest.apply(events)
                state.classes = harvest.classes

            try:
                state = self._book.change(step)
            except OutageError:
                self.tally.put_back(cuts)
                self._events = events + self._events
                return
            was_closed, self._harvest = self._closed_names(), Harvest(self.limits, state.classes)
            reopened |= was_closed - self._closed_names()  # by others, while URLs were still given up here
            self._note_reopened(reopened)
        self._recall_reopened()

    def _closed_names(self) -> set[str]:
        return {name for name, one in self._harvest.classes.items() if one.closed is not None}

    def _recall_reopened(self) -> None:
        for reason in list(self._reasons):
            try:
                count = self._recall(reason)
            except OutageError:
                return
            self._reasons.discard(reason)
            if count:
                logger.info("URLs wait again count=%d reason=%r", count, reason)


_SETTINGS = {
    CutReason.FRUITLESS: "GWC_FRUITLESS_PAGES",
    CutReason.ECHO: "GWC_FRUITLESS_PAGES",
    CutReason.BUDGET: "GWC_MAX_PAGES_PER_PATTERN",
}


def _reason(name: str, why: CutReason) -> str:
    return f"{LIMIT}class closed ({_SETTINGS[why]}): {name}"


def _reasons_of(name: str) -> set[str]:
    return {_reason(name, why) for why in _SETTINGS}


def closed_text(name: str, state: ClassState, why: CutReason) -> str:
    """Say for a person why a class is closed."""
    if why is CutReason.BUDGET:
        return f"{state.pages} pages of {name} were fetched, as many as may be ({_SETTINGS[why]})"
    what = "showed only what is known from other addresses" if why is CutReason.ECHO else "led to no new target"
    return (
        f"{state.barren} pages of {name} in a row {what} ({_SETTINGS[why]}); "
        f"one of {SAMPLED} of its URLs is still tried, and what that brings opens it again"
    )
