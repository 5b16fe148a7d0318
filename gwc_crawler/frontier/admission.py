"""Admission of a crawl: it decides which URLs enter the frontier and which leases are used, beyond the URL filters.

A frontier's `complete` asks it for new links and tells it the URLs that entered; the crawl's `Leases` show it the
leases. Refused URLs are counted (`rejections`), not stored one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from gwc_crawler.errors import OutageError, advice
from gwc_crawler.frontier.queues import share_of_column
from gwc_crawler.frontier.rejections import (
    ClassState,
    ClassYield,
    Event,
    LimitsState,
    RejectionTally,
    YieldLimits,
    merge,
)
from gwc_crawler.items import Done, Lease, Link, Refusal, RejectionReason
from gwc_crawler.network.politeness.robots import FORBIDDEN, ForbiddenSieve, Robots
from gwc_crawler.urls import KEPT_URLS, host_of

logger = logging.getLogger(__name__)

SAMPLED = 10
"""URLs of a closed class per one that is fetched all the same: if it yields something, the class opens again."""

KEPT_TIMES = 10
"""URLs that a closed class still takes in, per URL of its limit: they return if it reopens. Others only count."""

OWN_FAULTS = ("HTTP 4", FORBIDDEN)  # how reasons begin that say something of the URL itself
LIMIT = "limit: "  # how the reasons of URLs begin that a limit has put into state E; `recall` brings them back

Readmit: TypeAlias = Callable[[str, Callable[[str], bool]], int]
Screened: TypeAlias = tuple[list[Lease], dict[str, list[Lease]]]  # leases to use; reason → leases to give up


@dataclass(frozen=True, slots=True)
class UrlGroup:
    """The role of a URL in admission: `wanted` if it is a target or continues one; `name` of its class, if any.

    `any_depth`: it is exempt from the depth limit, as files of records are: they lead no further.
    """

    wanted: bool = False
    name: str | None = None
    any_depth: bool = False


class Book(Protocol):
    """Keeps the state that the workers of a crawl share."""

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        """Let *step* change the state, and keep it; *step* may be called more than once."""


class Admission:
    """Decides what one worker admits.

    Args:
        group_of: URL → `UrlGroup`.
        columns: the share of the site's columns that is crawled, and the number of shares; None: all columns.
        recall, readmit: as the frontier's; they bring back what was kept out.
    """

    def __init__(
        self,
        book: Book,
        group_of: Callable[[str], UrlGroup],
        recall: Callable[[str], int],
        *,
        limits: YieldLimits | None = None,
        max_depth: int | None = None,
        columns: tuple[int, int] | None = None,
        robots: Robots | None = None,
        readmit: Readmit | None = None,
    ) -> None:
        self.tally = RejectionTally()
        self.limits = limits or YieldLimits(fruitless=0)
        self.max_depth = max_depth
        self._columns = columns
        self._book = book
        self._group_of = lru_cache(maxsize=4096)(group_of)
        self._recall = recall
        self.robots = robots
        self._sieve = ForbiddenSieve(robots)
        self._readmit = readmit
        self._patterns: set[str] = set()  # patterns of links that may be forbidden no more
        self._events: list[Event] = []
        self._reasons: set[str] = set()  # reasons of URLs that may wait again
        self._shown: set[int] = set()
        self.given_up = 0  # URLs that the frontier itself has cut off
        self._screened = 0
        self._yield = ClassYield(self.limits)
        self._take_over()

    def use(self, group_of: Callable[[str], UrlGroup]) -> None:
        """Tell classes by another knowledge from now on."""
        self._group_of = lru_cache(maxsize=4096)(group_of)

    def _take_over(self) -> None:
        def step(state: LimitsState) -> None:
            class_yield = ClassYield(self.limits, state.classes)
            self._reasons |= {reason for name in class_yield.relax() for reason in _reasons_of(name)}
            state.classes = class_yield.classes

        self._yield = ClassYield(self.limits, self._book.change(step).classes)
        self._recall_reopened()

    # --- asked by the frontier ------------------------------------------------------------------------------------

    @property
    def forbidden(self) -> list[Link]:
        """Links refused by robots.txt since the last save. The caller stores them and clears the list."""
        return self._sieve.forbidden

    def forget_forbidden(self) -> None:
        """Forget which links were refused lately: they may not have been saved."""
        self._sieve.forget()

    def admit(self, urls: Sequence[str], depth: int, weight: int = 0) -> list[str]:
        """Return the *urls*, links at *depth* on a page of *weight*, that may enter."""
        if self.max_depth is not None and depth > self.max_depth:
            deep = [url for url in urls if self._is_too_deep(url, depth)]
            for url in deep:
                self.tally.add(RejectionReason.DEPTH, url)
            urls = [url for url in urls if not self._is_too_deep(url, depth)]
        urls, forbidden = self._sieve.sift(urls, depth, weight)
        for url in forbidden:
            self.tally.add(RejectionReason.ROBOTS, url)
        if not self._yield.any_closed:
            return list(urls)
        return [url for url in urls if self._may_enter(url)]

    def _is_too_deep(self, url: str, depth: int) -> bool:
        return self.max_depth is not None and depth > self.max_depth and not self._group_of(url).any_depth

    def _may_enter(self, url: str) -> bool:
        name = self._group_of(url).name
        state = self._yield.classes.get(name) if name is not None else None
        if name is None or state is None or state.closed is None:
            return True
        limit = self.limits.pages if state.closed is RejectionReason.BUDGET else self.limits.fruitless
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
        yielded = any(one.wanted and (one.name is None or self._yield.closed(one.name) is None) for one in groups)
        leads = frozenset(one.name for one in groups if one.name is not None and one.name != name and not one.wanted)
        again = page.unread or (page.revisit is not None and page.revisit.checks > 0)
        if yielded or not again:
            self._note(Event(name, read=1, yielded=yielded, leads=leads))

    def showed(self, url: str, content: int) -> None:
        """Note the content of a target page, as a number: with sessions in addresses, targets show the same again."""
        name = self._group_of(url).name
        if name is None or not self.limits.fruitless:
            return
        new = content not in self._shown
        if len(self._shown) >= KEPT_URLS:
            self._shown.clear()
        self._shown.add(content)
        self._note(Event(name, read=1, yielded=new, without=RejectionReason.ECHO))

    def cut_off(self, reason: RejectionReason, url: str) -> None:
        """Count a URL that the frontier itself has given up."""
        self.tally.add(reason, url)
        self.given_up += 1

    def failed(self, url: str, reason: str) -> None:
        """Learn that a URL was given up: it has brought nothing, if it is its own fault and not the server's."""
        if reason == FORBIDDEN:
            self.tally.add(RejectionReason.ROBOTS, url)
        if not reason.startswith(OWN_FAULTS):
            return
        group = self._group_of(url)
        if group.name is not None and not group.wanted:
            self._note(Event(group.name, read=1))

    def _note(self, event: Event) -> None:
        if self.limits.fruitless or self.limits.pages:
            self._events.append(event)
            before = self._yield.closed(event.name)
            self._note_reopened(self._yield.apply([event]))
            if before is None and (why := self._yield.closed(event.name)) is not None:
                told = closed_text(event.name, self._yield.classes[event.name], why)
                logger.warning("class of URLs closed: %s; %s", told, advice("`scrapy why SITE URL` tells more"))

    def _note_reopened(self, names: set[str]) -> None:
        for name in names:
            logger.info("class of URLs open again, it has brought something new pattern=%s", name)
            self._reasons |= _reasons_of(name)

    # --- asked by the crawl -------------------------------------------------------------------------------------

    def refusal(self, url: str, depth: int = 0) -> Refusal | None:
        """Say why *url*, which is no start and which the filters take, is not crawled at this *depth*; None: it is.

        What robots.txt files say is asked of `robots`. Nothing is counted.
        """
        if self._is_too_deep(url, depth):
            limit = f"limit {self.max_depth} (max_depth, DEPTH_LIMIT)"
            return Refusal(RejectionReason.DEPTH, f"too deep: {depth} clicks from a start, {limit}")
        if (other := self._other_share(url)) is not None:
            return other
        state = self._yield.classes.get(name := self._group_of(url).name or "")
        if state is None or state.closed is None:
            return None
        cut = self.tally.example(name)
        example = f"; cut off was e.g. {cut}" if cut else ""
        return Refusal(state.closed, f"its class is closed: {closed_text(name, state, state.closed)}{example}")

    def _other_share(self, url: str) -> Refusal | None:
        if self._columns is None or (share := share_of_column(url, self._columns[1])) == self._columns[0]:
            return None
        mine = f"this fleet crawls share {self._columns[0]}"
        text = f"its column is of share {share} of {self._columns[1]}, and {mine} (`scrapy work --part`)"
        return Refusal(RejectionReason.COLUMN, text)

    def of_share(self, urls: Sequence[str], others: Collection[str] = ()) -> tuple[str, ...]:
        """Return those of *urls* that no other share of the fleet crawls, and *others* among them."""
        refused = {url for url in urls if url not in others and self._other_share(url) is not None}
        for url in refused:
            self.tally.add(RejectionReason.COLUMN, url)
        return tuple([url for url in urls if url not in refused])

    def screen(self, leases: Sequence[Lease], fetched: Collection[str] = ()) -> Screened:
        """Split *leases* into those to use, and by reason the others; starts and *fetched* heed only robots.txt."""
        if not self._yield.any_closed and self.max_depth is None and self.robots is None:
            return list(leases), {}
        used: list[Lease] = []
        cut: dict[str, list[Lease]] = {}
        for lease in leases:
            reason = None
            if lease.url not in fetched:
                reason = self._robots_against(lease) or (self._reason_against(lease) if lease.depth else None)
            (used if reason is None else cut.setdefault(reason, [])).append(lease)
        return used, cut

    def _robots_against(self, lease: Lease) -> str | None:
        if self.robots is None:
            return None
        reason = self.robots.reason_against(lease.url, is_start=not lease.depth)
        if reason == FORBIDDEN:
            self.tally.add(RejectionReason.ROBOTS, lease.url)
        return reason

    def _reason_against(self, lease: Lease) -> str | None:
        if self._is_too_deep(lease.url, lease.depth):
            self.tally.add(RejectionReason.DEPTH, lease.url)
            return f"{LIMIT}depth over {self.max_depth} (max_depth, DEPTH_LIMIT)"
        name = self._group_of(lease.url).name
        why = self._yield.closed(name) if name is not None else None
        if name is None or why is None:
            return None
        if why is not RejectionReason.BUDGET:
            self._screened += 1
            if self._screened % SAMPLED == 0:
                return None
        self.tally.add(why, lease.url, name)
        return _reason(name, why)

    def rules_changed(self, pattern: str) -> None:
        """Have URLs that match a shell pattern judged anew by robots.txt, which says something else now."""
        self._reasons.add(FORBIDDEN)
        self._patterns.add(pattern)
        self._recall_reopened()

    @property
    def rejected(self) -> Mapping[RejectionReason, int]:
        """How many URLs this run did not let in, and why."""
        return self.tally.total

    def settle(self) -> None:
        """Write down what happened, and read what other workers have written; call it after each commit."""
        rejections, events = self.tally.take(), self._events
        self._events = []
        if rejections or events:
            reopened: set[str] = set()

            def step(state: LimitsState) -> None:
                nonlocal reopened
                merge(state.rejections, rejections.values())
                class_yield = ClassYield(self.limits, state.classes)
                reopened = class_yield.apply(events)
                state.classes = class_yield.classes

            try:
                state = self._book.change(step)
            except OutageError:
                self.tally.put_back(rejections)
                self._events = events + self._events
                return
            was_closed, self._yield = self._closed_names(), ClassYield(self.limits, state.classes)
            reopened |= was_closed - self._closed_names()  # by others, while URLs were still given up here
            self._note_reopened(reopened)
        self._recall_reopened()

    def _closed_names(self) -> set[str]:
        return {name for name, one in self._yield.classes.items() if one.closed is not None}

    def _recall_reopened(self) -> None:
        with suppress(OutageError):  # the rest is tried after the next commit
            for reason in list(self._reasons):
                count = self._recall(reason)
                self._reasons.discard(reason)
                if count:
                    logger.info("URLs wait again count=%d reason=%r", count, reason)
            for pattern in list(self._patterns):
                if self.robots is not None and self._readmit is not None:
                    count = self._readmit(pattern, self.robots.forbids)
                    logger.info("links enter that robots.txt kept out count=%d pattern=%s", count, pattern)
                self._patterns.discard(pattern)


_SETTINGS = {
    RejectionReason.FRUITLESS: "GWC_FRUITLESS_PAGES",
    RejectionReason.ECHO: "GWC_FRUITLESS_PAGES",
    RejectionReason.BUDGET: "GWC_MAX_PAGES_PER_PATTERN",
}


def _reason(name: str, why: RejectionReason) -> str:
    return f"{LIMIT}class closed ({_SETTINGS[why]}): {name}"


def _reasons_of(name: str) -> set[str]:
    return {_reason(name, why) for why in _SETTINGS}


def closed_text(name: str, state: ClassState, why: RejectionReason) -> str:
    """Say for a person why a class is closed."""
    if why is RejectionReason.BUDGET:
        return f"{state.pages} pages of {name} were fetched, as many as may be ({_SETTINGS[why]})"
    what = "showed only what is known from other addresses" if why is RejectionReason.ECHO else "led to no new target"
    return (
        f"{state.barren} pages of {name} in a row {what} ({_SETTINGS[why]}); "
        f"one of {SAMPLED} of its URLs is still tried, and what that brings opens it again"
    )


# --- The maximum number of pages of a crawl, and of each of its hosts -------------------------------------------------
# A page counts once, however often it is looked at again. URLs over a limit become E; URLs that are over it only
# while others are being fetched wait until these have ended.

OVER_TEXT = f"{LIMIT}%d pages of %s (%s)"
WHOLE_SITE = "the site"

CUT_AT_ONCE = 1000  # maximum number of URLs that become E in one lease


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Pages at most, by the names of `LIMIT_KINDS`; 0: no limit."""

    site: int = 0
    host: int = 0

    @classmethod
    def read(cls, most_of: Callable[[str], int]) -> PageLimits:
        """Make the limits, each from the number that *most_of* gives for its setting."""
        return cls(**{kind.name: most_of(kind.setting) for kind in LIMIT_KINDS})

    def __bool__(self) -> bool:
        return any(most > 0 for _, most in self.set())

    def set(self) -> Iterator[tuple[LimitKind, int]]:
        """Yield the kinds that have a limit, with it."""
        for kind in LIMIT_KINDS:
            if (most := getattr(self, kind.name)) > 0:
                yield kind, most


@dataclass(frozen=True, slots=True)
class LimitKind:
    """One kind of limit. `counted_with`: a URL → what its page counts with; "": with all others of the site."""

    name: str
    reason: RejectionReason
    setting: str
    counted_with: Callable[[str], str]

    def text(self, most: int, url: str) -> str:
        """Return the reason why *url* is given up.

        >>> LIMIT_KINDS[1].text(100, "http://a.example/p/1")
        'limit: 100 pages of a.example (GWC_MAX_PAGES_PER_HOST)'
        """
        return OVER_TEXT % (most, self.counted_with(url) or WHOLE_SITE, self.setting)


LIMIT_KINDS = (
    LimitKind("site", RejectionReason.SITE, "GWC_MAX_PAGES_PER_SITE", lambda _: ""),
    LimitKind("host", RejectionReason.HOST, "GWC_MAX_PAGES_PER_HOST", host_of),
)
"""All kinds; where several are reached, the first counts."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit that stops a URL. `for_good`: the pages there suffice for it; else those under way are counted, too."""

    kind: LimitKind
    most: int
    for_good: bool


def limit_against(url: str, limits: PageLimits, pages: Mapping[str, int], running: Mapping[str, int]) -> Reached | None:
    """Return the limit that is reached for *url*, given the counts of pages; one for good first.

    >>> limit_against("http://a.example/3", PageLimits(site=9, host=2), {"a.example": 1}, {"a.example": 1}).for_good
    False
    """
    for under_way in ({}, running):
        for kind, most in limits.set():
            name = kind.counted_with(url)
            if pages.get(name, 0) + under_way.get(name, 0) >= most:
                return Reached(kind, most, under_way is not running)
    return None
