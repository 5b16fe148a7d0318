"""Where a value stands, told by what is around it: whether a candidate reads something else on a further page.

Where a page lacks the field, a loose address ("the first span.since") gives a neighbour's value. Two things tell it:
the names of the elements around it are those in which the samples have other matches of the same address, or it
stands under a heading that the samples have, too, over something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from gwc_crawler.extract import STRUCTURED, PageView, select
from gwc_crawler.learn.places import HEADINGS, Context, LearnPage, Shared, heading_label
from gwc_crawler.learn.wrapper.rank import path_of

LEVELS = 5
"""Elements around a value whose names count."""
MOST_MATCHES = 200
HEADING_LEVELS = 6
MOST_BEFORE = 40
"""Siblings before a value, or before what it stands in, among which its heading is looked for."""

Names = tuple[tuple[str, ...], ...]


class Surroundings:
    """What stands around the values of one field on the sample pages."""

    def __init__(self, contexts: Sequence[Context], shared: Shared) -> None:
        self._contexts = contexts
        self._shared = shared
        self._known: dict[str, tuple[frozenset[Names], frozenset[Names], frozenset[str]]] = {}
        self._labels: frozenset[str] | None = None

    def are_strange(self, candidate: Any, page: LearnPage) -> bool:
        """Whether what the candidate selects on the page stands where the samples have something else."""
        if candidate.family == STRUCTURED or getattr(candidate, "parts", ()):
            return False
        nodes = self._nodes(candidate, page.page)
        if not nodes:
            return False
        if hasattr(candidate, "rows") and _nest(nodes) and not self._nest_on_samples(candidate):
            return True
        own, others, headings = self._around(candidate)
        strange = (one for node in nodes if (one := self._names(node)) not in own)
        if any(one in others or one in self._elsewhere for one in strange):
            return True
        return bool(headings) and any(label in self._other_headings(headings) for label in map(self._heading, nodes))

    def _nodes(self, candidate: Any, page: PageView) -> list[Any]:
        """The elements that the candidate reads: one for a text, else all."""
        many = hasattr(candidate, "rows") or not isinstance(self._value, str)
        return list(islice(map(_element, select(path_of(candidate), page, None, first=not many)), MOST_MATCHES))

    @property
    def _value(self) -> Any:
        return next(one.wanted for one in self._contexts if not one.empty)

    def _nest_on_samples(self, candidate: Any) -> bool:
        return any(_nest(self._nodes(candidate, one.at.page)) for one in self._contexts)

    def _around(self, candidate: Any) -> tuple[frozenset[Names], frozenset[Names], frozenset[str]]:
        """The names around what is wanted on the samples and around other matches there, and the wanted ones' headings.

        No headings where one of the wanted has none.
        """
        path = path_of(candidate)
        if path not in self._known:
            own: set[Names] = set()
            others: set[Names] = set()
            headings: set[str | None] = set()
            for one in self._contexts:
                if one.empty:
                    continue
                count = len(self._nodes(candidate, one.at.page))
                matches = map(_element, islice(one.at.select(path, None), MOST_MATCHES))
                for number, node in enumerate(matches):
                    if number < count:
                        own.add(self._names(node))
                        headings.add(self._heading(node))
                    else:
                        others.add(self._names(node))
            known = frozenset() if None in headings else frozenset(one for one in headings if one)
            self._known[path] = frozenset(own), frozenset(others), known
        return self._known[path]

    @cached_property
    def _elsewhere(self) -> frozenset[Names]:
        """The names around a single value's neighbours: all that the sample pages have."""
        if not isinstance(self._value, str):
            return frozenset()
        return frozenset(self._names(node) for one in self._contexts for node in one.at.elements)

    def _other_headings(self, own: frozenset[str]) -> frozenset[str]:
        """The labels that head something on a sample page."""
        if self._labels is None:
            self._labels = frozenset(
                label
                for one in self._contexts
                for node in one.at.elements
                if node.tag in HEADINGS and (label := heading_label(node, self._shared))
            )
        return self._labels - own

    def _names(self, node: Any) -> Names:
        """The names, ids and shared classes of an element and those around it."""
        around: list[tuple[str, ...]] = []
        while node is not None and len(around) < LEVELS:
            around.append((node.tag, *self._shared.telling_names(node)))
            node = node.getparent()
        return tuple(around)

    def _heading(self, node: Any) -> str | None:
        """The nearest shared label before an element, in a heading beside it or beside what it stands in."""
        return next((label for one in _headings_before(node) if (label := heading_label(one, self._shared))), None)


def _nest(rows: Sequence[Any]) -> bool:
    """Whether a row stands inside another."""
    every = set(rows)
    return len({row.getparent() for row in rows}) > 1 and any(
        one in every for row in rows for one in row.iterancestors()
    )


def _headings_before(node: Any) -> Iterator[Any]:
    for _ in range(HEADING_LEVELS):
        if node is None:
            return
        for beside in islice(node.itersiblings(preceding=True), MOST_BEFORE):
            if beside.tag in HEADINGS:
                yield beside
        node = node.getparent()


def _element(node: Any) -> Any:
    return node.getparent() if isinstance(node, str) else node  # type: ignore[attr-defined]  # lxml's smart strings
