"""Counts of rejected URLs by reason, with examples; and the state of the classes of URLs.

A trap has no end, so rejected URLs are not stored one by one. `RejectionTally` counts in memory, `LimitsState` is
shared by all workers of a crawl, `LimitsBook` keeps it in the crawl's file; `scrapy status` and `why` read it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from gwc_crawler.frontier.same_pages import SamePage
from gwc_crawler.items import RejectionReason
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import LimitRows
from gwc_crawler.urls import KEPT_URLS

# --- The yield of a class of URLs, and when it is closed --------------------------------------------------------------
# A class is a directory filter; it yields if a page of it brings the URL of a target that was not known before. This
# tells calendars and endless paging from directories.
SHARES = {RejectionReason.FRUITLESS: 0.1, RejectionReason.ECHO: 0.5}
"""Beside `YieldLimits.fruitless`: the pages in a row without yield have to be this share of all of their class."""


@dataclass(frozen=True, slots=True)
class YieldLimits:
    """Limits at which a class is closed; 0: never. `fruitless`: pages in a row without yield. `pages`: pages in all."""

    fruitless: int = 500
    pages: int = 0


class Event(NamedTuple):
    """An event of a class: a page was read, or failed for good; or a URL entered though the class is closed (`kept`).

    `yielded`: the page brought new targets; `leads`: the classes of its other new URLs. `without`: the reason recorded
    if the class keeps yielding nothing. For a class of targets (ECHO), a page yields if it has content of its own.
    """

    name: str
    read: int = 0
    yielded: bool = False
    kept: int = 0
    leads: frozenset[str] = frozenset()
    without: RejectionReason = RejectionReason.FRUITLESS


@dataclass(slots=True)
class ClassState:
    """One class: its pages read, and how many since the last yield of it or of a class that it leads to (`barren`).

    `closed`: the reason, None while it is open; `kept`: URLs entered since then, waiting in state E for it to reopen.
    """

    pages: int = 0
    barren: int = 0
    closed: RejectionReason | None = None
    kept: int = 0
    leads: set[str] = field(default_factory=set)

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON values, for `from_json`."""
        return {**asdict(self), "leads": sorted(self.leads)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> ClassState:
        """Read a state from the values of `as_json`."""
        closed = RejectionReason(row["closed"]) if row["closed"] else None
        return cls(row["pages"], row["barren"], closed, row["kept"], set(row["leads"]))


class ClassYield:
    """The classes of one site.

    A class of directories is closed when it and all classes that it leads to have been tried in vain: months lead to
    days and days to months, and neither brings a target; but categories are not closed before their lists were read. A
    class of targets is closed when its pages only repeat content already seen at other URLs. A yield anywhere below a
    class opens it again. *classes*, their known states, are not changed.
    """

    def __init__(self, limits: YieldLimits, classes: Mapping[str, ClassState] | None = None) -> None:
        self.limits = limits
        self.classes = {name: replace(one, leads=set(one.leads)) for name, one in (classes or {}).items()}
        self._above: dict[str, set[str]] = {}

    def apply(self, events: Iterable[Event]) -> set[str]:
        """Process events; return the classes that are open again."""
        reopened = set()
        for event in events:
            reopened |= self._apply(event)
        return reopened

    @property
    def any_closed(self) -> bool:
        """Whether any class is closed."""
        return any(state.closed is not None for state in self.classes.values())

    def closed(self, name: str) -> RejectionReason | None:
        """Return why a class is closed, None for an open one."""
        state = self.classes.get(name)
        return state.closed if state is not None else None

    def relax(self) -> set[str]:
        """Open classes that were closed by limits which no longer hold; return all open ones of these."""
        reopened = set()
        for name, state in self.classes.items():
            limit, used = (
                (self.limits.pages, state.pages)
                if state.closed is RejectionReason.BUDGET
                else (self.limits.fruitless, state.barren)
            )
            if state.closed is not None and (limit == 0 or used < limit):
                state.closed, state.kept = None, 0
                reopened.add(name)
        return reopened

    def _apply(self, event: Event) -> set[str]:
        state = self.classes.get(event.name)
        if state is None:
            state = self.classes[event.name] = ClassState()
        state.kept += event.kept
        state.pages += event.read
        if 0 < self.limits.pages <= state.pages and event.without is RejectionReason.FRUITLESS:
            state.closed = RejectionReason.BUDGET
        if not event.read:
            return set()
        if not event.leads <= state.leads:
            self._lead(event.name, event.leads - state.leads)
        if event.yielded:
            return self._credit(event.name)
        state.barren += event.read
        least = max(self.limits.fruitless, SHARES[event.without] * state.pages)
        if state.closed is None and self.limits.fruitless and state.barren >= least:
            self._close_what_is_tried(event.name, event.without)
        return set()

    def _lead(self, name: str, below: Set[str]) -> None:
        self.classes[name].leads |= below
        above = set(self._leading_to(name))
        for found in self._above.values():
            if not below.isdisjoint(found):
                found |= above

    def _credit(self, name: str) -> set[str]:
        reopened = set()
        for above in self._leading_to(name):
            state = self.classes[above]
            state.barren = 0
            if state.closed in (RejectionReason.FRUITLESS, RejectionReason.ECHO):
                state.closed, state.kept = None, 0
                reopened.add(above)
        return reopened

    def _close_what_is_tried(self, name: str, why: RejectionReason) -> None:
        below = _reached(name, lambda one: self.classes[one].leads if one in self.classes else ())
        states = [self.classes.get(one) for one in below]
        if all(one is not None and (one.closed or one.barren >= self.limits.fruitless) for one in states):
            for one in states:
                if one is not None and one.closed is None:
                    one.closed = why

    def _leading_to(self, name: str) -> set[str]:
        if name not in self._above:
            leading: dict[str, list[str]] = {}
            for one, state in self.classes.items():
                for led in state.leads:
                    leading.setdefault(led, []).append(one)
            self._above[name] = _reached(name, lambda led: leading.get(led, ()))
        return self._above[name]


def _reached(name: str, onward: Callable[[str], Collection[str]]) -> set[str]:
    found, todo = {name}, [name]
    while todo:
        new = set(onward(todo.pop())) - found
        found |= new
        todo += new
    return found


EXAMPLES = 3  # how many of many a message tells


@dataclass(slots=True)
class RejectionRow:
    """The number of URLs rejected for one reason. `pattern`: the regex of their class, or "" for no class."""

    reason: RejectionReason
    pattern: str
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def take_in(self, count: int, examples: Iterable[str]) -> None:
        """Add *count* more; only the first examples are kept."""
        self.count += count
        for url in examples:
            if len(self.examples) < EXAMPLES and url not in self.examples:
                self.examples.append(url)


Rejections = dict[tuple[str, str], RejectionRow]  # (reason, pattern) → row


class RejectionTally:
    """Counts what this process rejects."""

    def __init__(self) -> None:
        self.total: dict[RejectionReason, int] = {}
        self._new: Rejections = {}
        self._seen: set[int] = set()

    def add(self, reason: RejectionReason, url: str, pattern: str = "") -> None:
        """Count *url*, unless it was counted lately."""
        key = hash((reason, url))
        if key in self._seen:
            return
        if len(self._seen) >= KEPT_URLS:
            self._seen.clear()
        self._seen.add(key)
        self.total[reason] = self.total.get(reason, 0) + 1
        merge(self._new, [RejectionRow(reason, pattern, 1, [url])])

    def add_many(self, reason: RejectionReason, count: int, example: str) -> None:
        """Count *count* URLs that are not looked at one by one."""
        self.total[reason] = self.total.get(reason, 0) + count
        merge(self._new, [RejectionRow(reason, "", count, [example])])

    def example(self, pattern: str) -> str | None:
        """Return a URL of this class that was counted and is not written down; None: there is none."""
        return next((row.examples[0] for row in self._new.values() if row.pattern == pattern and row.examples), None)

    def take(self) -> Rejections:
        """Return the counts since the last call."""
        new, self._new = self._new, {}
        return new

    def put_back(self, rejections: Rejections) -> None:
        """Take *rejections* back: they could not be written down."""
        merge(rejections, self._new.values())
        self._new = rejections


def merge(into: Rejections, rows: Iterable[RejectionRow]) -> None:
    """Add *rows* to *into*."""
    for row in rows:
        known = into.setdefault((row.reason, row.pattern), RejectionRow(row.reason, row.pattern))
        known.take_in(row.count, row.examples)


@dataclass(slots=True)
class LimitsState:
    """The state that all workers of a crawl share: rejections, classes, and pages at many addresses (by hash)."""

    rejections: Rejections = field(default_factory=dict)
    classes: dict[str, ClassState] = field(default_factory=dict)
    pages: dict[str, SamePage] = field(default_factory=dict)

    @property
    def recognised(self) -> list[SamePage]:
        """The pages that are no answers, wherever they stand."""
        return [page for page in self.pages.values() if page.is_recognised]

    def as_json(self) -> str:
        """Return the state as text, for `from_json`."""
        rejections = [[row.reason, row.pattern, row.count, row.examples] for row in self.rejections.values()]
        classes = {name: state.as_json() for name, state in self.classes.items()}
        pages = {key: asdict(page) for key, page in self.pages.items()}
        return json.dumps({"cuts": rejections, "classes": classes, "pages": pages}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> LimitsState:
        """Read a state from the text of `as_json`."""
        data: Mapping[str, Any] = json.loads(text)
        state = cls(classes={name: ClassState.from_json(row) for name, row in data["classes"].items()})
        merge(state.rejections, (RejectionRow(RejectionReason(reason), *rest) for reason, *rest in data["cuts"]))
        state.pages = {key: SamePage(**row) for key, row in data.get("pages", {}).items()}  # none before there were any
        return state


class LimitsBook:
    """The state of a crawl that no other worker shares, in its file; written inside the transaction that is open."""

    def __init__(self, database: CrawlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._rows = LimitRows(database)
        self._clock = clock
        self._state: LimitsState | None = None
        self._version = -1
        self._written: dict[Any, Any] = {}
        self._pages: dict[str, str] = {}
        database.on_rollback(self._forget)

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        """Let *step* change the state, and keep it; it may be called more than once."""
        version = self._rows.version()
        if self._state is None or version != self._version:  # another process wrote
            self._state, self._version = read_limits(self._database), version
        step(self._state)
        self.write(self._state)
        return self._state

    def _forget(self) -> None:
        self._state = None
        self._written.clear()
        self._pages = {}

    def write(self, state: LimitsState) -> None:
        """Write the parts of the state to the file that are not there yet."""
        pages = {key: json.dumps(asdict(page), ensure_ascii=False) for key, page in state.pages.items()}
        if pages != self._pages:
            self._rows.write_same_pages(dict(pages.items() - self._pages.items()), self._pages.keys() - pages.keys())
            self._pages = pages
        rows = state.rejections.items()
        cuts = [(*key, row.count, row.examples) for key, row in rows if self._written.get(key) != row.count]
        states = {name: one.as_json() for name, one in state.classes.items()}
        classes = {name: told for name, told in states.items() if self._written.get(name) != told}
        if cuts or classes:
            self._rows.write(cuts, classes, now=self._clock())
            self._written |= {(reason, pattern): count for reason, pattern, count, _ in cuts}
            self._written |= classes


def read_limits(database: CrawlDatabase) -> LimitsState:
    """Read the state of a crawl from its file; empty if the file was made before there were limits."""
    rows = LimitRows(database)
    state = LimitsState(classes={name: ClassState.from_json(row) for name, row in rows.classes().items()})
    merge(state.rejections, (RejectionRow(RejectionReason(cut[0]), *cut[1:]) for cut in rows.cuts()))
    state.pages = {key: SamePage(**row) for key, row in rows.same_pages().items()}
    return state


UNASKED = (RejectionReason.ERRORS, RejectionReason.DOUBTFUL, RejectionReason.LINKS)  # why a pre-crawl leaves URLs out


def forget_rejections(database: CrawlDatabase, reasons: Iterable[RejectionReason]) -> None:
    """Reset the counts of rejections for these *reasons*; before the state is read."""
    LimitRows(database).forget_cuts(reasons)


def unasked(database: CrawlDatabase) -> list[dict[str, Any]]:
    """Return the URLs that a pre-crawl left out, most first: reason, pattern ("" for no class), count, examples."""
    rows = [row for row in read_limits(database).rejections.values() if row.reason in UNASKED]
    rows.sort(key=lambda row: -row.count)
    return [
        {"reason": row.reason.value, "pattern": row.pattern, "count": row.count, "examples": row.examples}
        for row in rows
    ]


def rejections_text(rows: Iterable[RejectionRow]) -> str:
    """Say in one line how many URLs were cut off, and why.

    >>> fruitless = RejectionRow(RejectionReason.FRUITLESS, ".*/cal/.*", 1100)
    >>> rejections_text([RejectionRow(RejectionReason.REPEATED, "", 104), fruitless])
    '1,204 URLs: 1,100 fruitless class, 104 repeated segments'
    """
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.reason] = counts.get(row.reason, 0) + row.count
    parts = sorted(counts.items(), key=lambda part: -part[1])
    told = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in parts)
    return f"{sum(counts.values()):,} URLs: {told}"
