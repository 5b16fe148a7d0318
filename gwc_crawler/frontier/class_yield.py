"""Which classes of URLs still bring something: calendars and endless paging are told from directories by their yield.

In come pages of classes (a class is a directory filter) and what they brought; out comes which classes are closed. A
page yields something when it brings the URL of a target that nobody knew. Pure; `admission` asks it for each page and
each lease.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gwc_crawler.items import RejectionReason

SHARES = {RejectionReason.FRUITLESS: 0.1, RejectionReason.ECHO: 0.5}
"""Beside `YieldLimits.fruitless`: the pages in a row without yield have to be this share of all of their class."""


@dataclass(frozen=True, slots=True)
class YieldLimits:
    """When a class is closed; 0: never.

    `fruitless`: after so many of its pages in a row without yield. `pages`: after so many pages at all.
    """

    fruitless: int = 500
    pages: int = 0


class Event(NamedTuple):
    """What happened to a class: a page was read, or failed for good; or a URL entered though it is closed (`kept`).

    `yielded`: the page brought new targets; `leads`: the classes of its other new URLs. `without`: what the class is
    closed for when it goes on without; of a class of targets (ECHO) the yield is a page with something of its own.
    """

    name: str
    read: int = 0
    yielded: bool = False
    kept: int = 0
    leads: frozenset[str] = frozenset()
    without: RejectionReason = RejectionReason.FRUITLESS


@dataclass(slots=True)
class ClassState:
    """One class: pages read, and how many of them since the last yield of it or of what it leads to.

    `closed`: why, None while it is open; `kept`: URLs entered since then, which wait in state E for it to open again.
    """

    pages: int = 0
    without_yield: int = 0
    closed: RejectionReason | None = None
    kept: int = 0
    leads: set[str] = field(default_factory=set)

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {
            "pages": self.pages,
            "barren": self.without_yield,
            "closed": self.closed.value if self.closed else None,
            "kept": self.kept,
            "leads": sorted(self.leads),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> ClassState:
        """Read what `as_json` wrote."""
        closed = RejectionReason(row["closed"]) if row["closed"] else None
        return cls(row["pages"], row["barren"], closed, row["kept"], set(row["leads"]))


class ClassYield:
    """The classes of one site.

    A class of directories closes when it and all that it leads to have been tried in vain: months lead to days and
    days to months, and neither brings a target; but categories are not closed before the lists that they lead to were
    read. A class of targets closes when it has shown all that it has once more. A yield anywhere below a class opens it
    again.

    Args:
        classes: what is known of them; it stays as it is.
    """

    def __init__(self, limits: YieldLimits, classes: Mapping[str, ClassState] | None = None) -> None:
        self.limits = limits
        self.classes = {name: replace(one, leads=set(one.leads)) for name, one in (classes or {}).items()}
        self._above: dict[str, set[str]] = {}
        self.any_closed = any(state.closed is not None for state in self.classes.values())
        """Whether any class is closed."""

    def apply(self, events: Iterable[Event]) -> set[str]:
        """Take in what happened; returns the classes that are open again."""
        reopened = set()
        for event in events:
            reopened |= self._apply(event)
        if reopened:
            self.any_closed = any(state.closed is not None for state in self.classes.values())
        return reopened

    def closed(self, name: str) -> RejectionReason | None:
        """Return why a class is closed, None for an open one."""
        state = self.classes.get(name)
        return state.closed if state is not None else None

    def relax(self) -> set[str]:
        """Open what was closed by limits that hold no more; returns these classes, too."""
        reopened = set()
        for name, state in self.classes.items():
            limit, used = (
                (self.limits.pages, state.pages)
                if state.closed is RejectionReason.BUDGET
                else (self.limits.fruitless, state.without_yield)
            )
            if state.closed is not None and (limit == 0 or used < limit):
                state.closed, state.kept = None, 0
                reopened.add(name)
        self.any_closed = any(state.closed is not None for state in self.classes.values())
        return reopened

    def _apply(self, event: Event) -> set[str]:
        state = self.classes.get(event.name)
        if state is None:
            state = self.classes[event.name] = ClassState()
        state.kept += event.kept
        state.pages += event.read
        if 0 < self.limits.pages <= state.pages and event.without is RejectionReason.FRUITLESS:
            state.closed = RejectionReason.BUDGET
            self.any_closed = True
        if not event.read:
            return set()
        if not event.leads <= state.leads:
            self._lead(event.name, event.leads - state.leads)
        if event.yielded:
            return self._credit(event.name)
        state.without_yield += event.read
        least = max(self.limits.fruitless, SHARES[event.without] * state.pages)
        if state.closed is None and self.limits.fruitless and state.without_yield >= least:
            self._close_what_is_tried(event.name, event.without)
        return set()

    def _lead(self, name: str, below: Set[str]) -> None:
        """The class leads to those *below*, too: what led to it leads now to all that these lead to."""
        self.classes[name].leads |= below
        above = set(self._leading_to(name))
        for found in self._above.values():
            if not below.isdisjoint(found):
                found |= above

    def _credit(self, name: str) -> set[str]:
        """A yield counts for the class and for all that lead to it."""
        reopened = set()
        for above in self._leading_to(name):
            state = self.classes[above]
            state.without_yield = 0
            if state.closed in (RejectionReason.FRUITLESS, RejectionReason.ECHO):
                state.closed, state.kept = None, 0
                reopened.add(above)
        return reopened

    def _close_what_is_tried(self, name: str, why: RejectionReason) -> None:
        below = self._below(name)
        states = [self.classes.get(one) for one in below]
        if all(one is not None and (one.closed or one.without_yield >= self.limits.fruitless) for one in states):
            self.any_closed = True
            for one in states:
                if one is not None and one.closed is None:
                    one.closed = why

    def _below(self, name: str) -> set[str]:
        """The class and all that it leads to, directly or not."""
        found, todo = {name}, [name]
        while todo:
            state = self.classes.get(todo.pop())
            new = (state.leads if state is not None else set()) - found
            found |= new
            todo += new
        return found

    def _leading_to(self, name: str) -> set[str]:
        """The class and all that lead to it, directly or not."""
        if name not in self._above:
            leading: dict[str, list[str]] = {}
            for one, state in self.classes.items():
                for led in state.leads:
                    leading.setdefault(led, []).append(one)
            found, todo = {name}, [name]
            while todo:
                new = set(leading.get(todo.pop(), ())) - found
                found |= new
                todo += new
            self._above[name] = found
        return self._above[name]
