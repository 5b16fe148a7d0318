"""XPath addresses of a node, in several families, from one sample page; learning chooses among them.

Each address is relative to a scope (a record's element, written with a leading ".") or to the page. Most of them will
not fit the other sample; they are made generously and tested there. Families: "label" starts at a text that stands
near the node on every page, "id"/"class"/"attribute" at a named element, "tag" at the element's name, "path" counts
positions from the top as the paper does. In records that are runs of siblings, a run's first element is the scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise, product
from typing import Any

from gwc_crawler.extract.locator import Run
from gwc_crawler.extract.nodes import child_elements, only_child
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_DOZEN, LABEL_LENGTH, MANY, PART_COST
from gwc_crawler.learn.places.steps import (
    AFTER,
    BESIDE,
    IN_TRAIL,
    NEXT_TEXT,
    Address,
    bounds_under,
    cell_around,
    column_in_table,
    column_of,
    header_over,
    quote,
    rooms_around,
    step_name,
    steps_between,
    tests_of,
    text_place,
    ways_beside,
)
from gwc_crawler.learn.texts.shared import HEADINGS, Shared, heading_of
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, label_text, prefix_ends

FAR_CHUNKS = 80
AMBIGUOUS = 2
"""Chunks that a label counts as farther off for each doubt: the page has it twice, or no other page has it."""
INSIDE_COST = -0.2
"""Cost of a label found inside a named element: it is surer than the label alone."""
OUTSIDE_TOO_COST = 0.2
"""Cost if it is not known whether the label also stands elsewhere."""
_COUNTED = re.compile(r"\[[2-9]\]")
_SIGN_COST, _WORDS_COST = 1.6, 1.8
"""Cost of going by words up to a sign, and by words with no sign between them and the value."""


class PathMaker:
    """Makes addresses of nodes on one page, or in the element of a record there: its *scope*."""

    def __init__(self, index: TextIndex, shared: Shared, scope: Any = None) -> None:
        self.index = index
        self.shared = shared
        self.scope = scope
        self.lead = "" if scope is None else "."

    def addresses(self, node: Any, chunk: Chunk | None = None, *, many: bool = False) -> Iterator[Address]:
        """Yield all addresses of an element, or of a text node of it; with *many* those that also give its likes."""
        if chunk is not None:
            yield from self._text_addresses(chunk, many)
            return
        yield from self._by_anchor(node, many)
        for distance, label in self._labels_before(self.index.first_chunk(node)):
            yield from self._in_rooms(label, node, list(self._from_label(label, node, distance, many)))
        yield from self._by_column(node, many)
        yield from self._by_position(node, many)

    def _text_addresses(self, chunk: Chunk, many: bool) -> Iterator[Address]:
        """Yield addresses of a text node: its parent's, then which of the parent's texts; or straight after a label."""
        step = "/text()[normalize-space()]"
        place, last = text_place(chunk)
        own = [Address(Family.PATH, ".", 0)] if chunk.parent is self.scope else []
        for address in chain(own, self.addresses(chunk.parent, many=many)):
            if many:
                yield Address(address.family, address.path + step, address.cost + 1)
                if not last or place > 1:  # of each its first text, up to a line break
                    yield Address(address.family, f"{address.path}{step}[{place}]", address.cost + 1.2)
                continue
            yield Address(address.family, f"{address.path}{step}[{place}]", address.cost + 0.5 + place * 0.2)
            if last and place > 1:
                yield Address(address.family, f"{address.path}{step}[last()]", address.cost + 0.6)
        if not many:
            yield from self._text_by_label(chunk)

    def _by_anchor(self, node: Any, many: bool) -> Iterator[Address]:
        own = list(self._anchors(node))
        yield from own
        for level, outer in enumerate(self._outer(node), start=1):
            for anchor in self._anchors(outer):
                for down, cost in self._down(outer, node, many):
                    yield Address(anchor.family, anchor.path + down, anchor.cost + cost)
                    is_trail = not many and "crumb" in anchor.path.casefold() and _COUNTED.search(down)
                    for end in ("last()", "last()-1") if is_trail else ():  # a page is in the last of "Home / A / B"
                        up = _COUNTED.sub(f"[{IN_TRAIL}position()={end}]", down)
                        yield Address(anchor.family, anchor.path + up, anchor.cost + 1.0)
                if level <= 5:
                    for inner in own:
                        step = inner.path.removeprefix(self.lead)
                        yield Address(inner.family, anchor.path + step, anchor.cost + inner.cost + 0.1)
        tag = step_name(node)
        if tag != "*":
            yield Address(Family.TAG, f"{self.lead}//{tag}", 1.5)
            if (inner := only_child(node)) is not None and (name := step_name(inner)) != "*":
                yield Address(Family.TAG, f"{self.lead}//{tag}[{name}]", 1.6)

    def _anchors(self, element: Any) -> Iterator[Address]:
        """Yield the ways to find an element by a name, surer ones by a name that a person gave."""
        if element is self.scope:
            yield Address(Family.PATH, ".", 0.5)
            return
        for pair, family, test in tests_of(element, self.shared, 5):
            cost = 1.0 + (family is Family.ATTRIBUTE) * 0.1 + PART_COST * self.shared.is_made(pair)
            yield Address(family, f"{self.lead}//{step_name(element)}[{test}]", cost)

    def _outer(self, node: Any) -> Iterator[Any]:
        for outer in islice(node.iterancestors(), 0 if node is self.scope else MANY):
            yield outer
            if outer is self.scope:
                return

    def _down(self, outer: Any, node: Any, many: bool) -> Iterator[tuple[str, float]]:
        """Yield the ways from an element down to one inside it: child steps, or straight to the first of that name."""
        steps = steps_between(outer, node)
        tag = step_name(node)
        cost = len(steps) + 2.0 * sum(bool(where) for _, where in steps)
        if not many:
            yield "".join(f"/{one}{where}" for one, where in steps), cost
        else:
            for level, (_, place) in enumerate(steps):
                if place or len(steps) == 1:
                    path = "".join(f"/{one}{'' if n == level else where}" for n, (one, where) in enumerate(steps))
                    yield path, cost - 2 * bool(place)
            yield "".join(f"/{one}" for one, _ in steps), len(steps) * 1.0
        if tag != "*" and (many or len(steps) > 1 or steps[-1][1]):
            yield f"//{tag}", 1.5

    def headings(self, node: Any) -> Iterator[Address]:
        """Addresses of an element that is the heading of a section: by its own text, wherever within it that stands."""
        if (chunk := heading_of(node, self.index, self.shared)) is None:
            return
        start, climb, label = self._start(chunk), 0, chunk.parent
        while label is not node:
            label, climb = label.getparent(), climb + 1
        if start is not None:
            doubts = self.shared.is_ambiguous(chunk)
            up = "/.." * (climb - 1) + f"/parent::{step_name(node)}" if doubts and climb else "/.." * climb
            yield Address(Family.LABEL, start + up, 1.2 + AMBIGUOUS * 0.3 * doubts)
            if climb and not doubts:
                yield Address(Family.LABEL, f"{self.lead}//{step_name(node)}[{self._says(chunk)}]", 1.4)

    def _start(self, chunk: Chunk) -> str | None:
        """Return the XPath of the elements with a label's text; None where XPath can't quote it."""
        return (says := self._says(chunk)) and f"{self.lead}//{step_name(chunk.parent)}[text()[{says}]]"

    def _says(self, chunk: Chunk) -> str | None:
        """Return the XPath test for a label; None if XPath can't quote it."""
        return (quoted := quote(label_text(chunk))) and f"normalize-space()={quoted}"

    def _in_rooms(
        self, chunk: Chunk, node: Any, addresses: Sequence[Address], cost: float = INSIDE_COST
    ) -> Iterator[Address]:
        """Yield the addresses; and of a label that some page has more than once, those within named elements."""
        yield from addresses
        if self.scope is not None or not self.shared.is_ambiguous(chunk):
            return
        for address, inside in product(addresses, rooms_around(self._outer(node), self.index, self.shared)):
            yield Address(Family.LABEL, inside + address.path, address.cost + cost)

    def _texts_behind(self, chunk: Chunk, target: Chunk, distance: float) -> Iterator[Address]:
        if (start := self._start(chunk)) is None:
            return
        behind = self.index.chunks[self.index.chunk_at(chunk.start) + 1 : self.index.chunk_at(target.start) + 1]
        if self.scope is None and len(behind) == 1 and label_text(chunk).endswith((":", "：")):
            yield Address(Family.LABEL, f"//text()[{self._says(chunk)}]{NEXT_TEXT}", 2.6)
        element, climb = chunk.parent, ""
        while element is not None and element.getparent() is not target.parent and len(climb) < 9:
            element, climb = element.getparent(), climb + "/.."
        if element is not None and element.getparent() is target.parent and element is not self.scope:
            cost = 1.2 + distance * 0.3 + len(climb) * 0.2
            yield Address(Family.LABEL, f"{start}{climb}{AFTER}", cost)
            yield Address(Family.LABEL, f"{start}{climb}{BESIDE}", cost + 0.4)

    def _text_by_label(self, target: Chunk) -> Iterator[Address]:
        for distance, chunk in self._labels_before(self.index.chunk_at(target.start)):
            behind = list(self._texts_behind(chunk, target, distance))
            yield from self._in_rooms(chunk, target.parent, behind, OUTSIDE_TOO_COST)
        # The words before the value at the beginning of its text, up to a sign or without one: "Issued:", "ISO ".
        prefix = label_text(target)[:LABEL_LENGTH]
        leads = (prefix[:end].strip() for end in prefix_ends(prefix))
        begun = [(lead, _SIGN_COST) for lead in leads if self.shared.is_prefix(lead)]
        begun += [(words, _WORDS_COST) for words in self.shared.words_before(prefix)]
        for words, cost in begun:
            if (quoted := quote(words)) is None:
                continue
            path = f"//{step_name(target.parent)}/text()[starts-with(normalize-space(),{quoted})]"
            yield Address(Family.LABEL, f"{self.lead}{path}", cost)
            if self.scope is None:
                for inside in rooms_around(self._outer(target.parent), self.index, self.shared):
                    yield Address(Family.LABEL, f"{inside}{path}", cost + OUTSIDE_TOO_COST)

    def _labels_before(self, number: int) -> Iterator[tuple[float, Chunk]]:
        """Yield labels before chunk *number*, whatever signs part them: the nearest few of any kind, then headings."""
        scope_start = self.index.spans.get(self.scope, (0, 0))[0]
        found = headings = between = 0
        for step in range(1, min(FAR_CHUNKS, number + 1)):
            chunk = self.index.chunks[number - step]
            if chunk.start < scope_start:
                return
            right_before, between = not between, between or any(map(str.isalnum, chunk.text))
            heading = chunk.parent.tag in HEADINGS
            near = step <= A_DOZEN and found < 4
            if not near and not (heading and headings < 2):
                continue
            if self.shared.is_label(chunk) or (right_before and self.shared.may_be_label(chunk)):
                found += 1
                headings += heading
                doubts = self.shared.is_ambiguous(chunk) + self.shared.is_rare(chunk)
                yield found - 1 + AMBIGUOUS * doubts, chunk

    def _from_label(self, chunk: Chunk, node: Any, distance: float, many: bool) -> Iterator[Address]:
        if (start := self._start(chunk)) is None:
            return
        label, above = chunk.parent, {node, *node.iterancestors()}
        cost = 1.2 + distance * 0.3
        if label in above:
            yield from self._inside_label(chunk, node, start, cost, many)
            return
        around = self.index.spans[label]
        cost += PART_COST * (around[0] < chunk.start and chunk.end < around[1])
        climb = 0
        while label.getparent() is not None and label.getparent() not in above:
            label, climb = label.getparent(), climb + 1
        if climb > 4 or label.getparent() is None or label is self.scope:
            return
        beside = next(one for one in (node, *node.iterancestors()) if one.getparent() is label.getparent())
        yield from self._loosely(chunk, beside, node, cost, many)
        yield from self._beside(start + "/.." * climb, label, beside, node, cost + 0.3 * climb, many)

    def _beside(self, up: str, label: Any, beside: Any, node: Any, cost: float, many: bool) -> Iterator[Address]:
        """Yield the ways from a label's block *label* across to the sibling *beside*, and down to the node."""
        for across, extra in self._across(label, beside, many and beside is node):
            yield from self._inside(up + across, beside, node, cost + extra, many)
        if many and beside is not node:
            start = f"{up}/following-sibling::{step_name(beside)}"
            yield from self._inside(start, beside, node, cost + 1.0, True)
            yield from self._inside(start, beside, node, cost + 0.6, False)

    def _inside(self, start: str, outer: Any, node: Any, cost: float, many: bool) -> Iterator[Address]:
        """Yield addresses by a label of an element that *start* gives, or of one inside it."""
        for down, more in [("", 0.0)] if outer is node else self._down(outer, node, many):
            yield Address(Family.LABEL, start + down, cost + more * 0.6)

    def _loosely(self, chunk: Chunk, beside: Any, node: Any, cost: float, many: bool) -> Iterator[Address]:
        """After the label, however deep it stands: the next element of the right name."""
        says, name = self._says(chunk), step_name(beside)
        if says is None or name == "*":
            return
        start = f"{self.lead}//text()[{says}]/ancestor::*[following-sibling::{name}][1]"
        for where, extra in (("[1]", 0.7), ("", 0.9)) if many else (("[1]", 0.7),):
            yield from self._inside(f"{start}/following-sibling::{name}{where}", beside, node, cost + extra, many)

    def _inside_label(self, chunk: Chunk, node: Any, start: str, cost: float, many: bool) -> Iterator[Address]:
        yield from self._inside(start, chunk.parent, node, cost, many)
        is_before = chunk.after is None or any(one is node for one in chunk.after.itersiblings())
        if node.getparent() is chunk.parent and is_before and (says := self._says(chunk)) is not None:
            text = f"{self.lead}//{step_name(chunk.parent)}/text()[{says}]"
            beside = f"/following-sibling::{step_name(node)}" + ("" if many else "[1]")
            yield Address(Family.LABEL, f"{text}{beside}", cost + 0.1)

    def _across(self, label: Any, beside: Any, many: bool) -> Iterator[tuple[str, float]]:
        name = step_name(beside)
        following = [one for one in label.itersiblings() if isinstance(one.tag, str)]
        if beside not in following:
            return
        tests = [f"[{test}]" for *_, test in tests_of(beside, self.shared, 2)]
        if many:
            for bound, extra in bounds_under(label, beside):
                yield f"/following-sibling::{name}{bound}", extra
                yield from ((f"/following-sibling::{name}{test}{bound}", extra + 0.1) for test in tests)
            return
        yield from ways_beside(label.tag, following, beside, tests)

    def _by_column(self, node: Any, many: bool) -> Iterator[Address]:
        """Yield addresses of the cell under a header, in whichever column, in a row of that number or the scope's."""
        header = header_over(cell, self.index) if (cell := cell_around(node, self.scope)) is not None else None
        if header is None or not self.shared.is_label(header) or (says := self._says(header)) is None:
            return
        start, least = column_in_table(says, cell) if self.scope is None else column_of(says, step_name(cell))
        yield from self._inside(start, cell, node, least, many)

    def _by_position(self, node: Any, many: bool) -> Iterator[Address]:
        top, start = (self.index.root, f"/{step_name(self.index.root)}") if self.scope is None else (self.scope, ".")
        if node is top:
            yield Address(Family.PATH, start, 1.0)
            return
        for down, cost in self._down(top, node, many):
            if not down.startswith("//"):
                yield Address(Family.PATH, start + down, 2.0 + cost)


# --- Addresses of and inside records that are runs of siblings: relative to a run's first element, its head -----------


class RunPathMaker:
    """Makes addresses of nodes inside a run: through the head, or through a sibling that follows it."""

    def __init__(self, index: TextIndex, shared: Shared, run: Run) -> None:
        self.index = index
        self.shared = shared
        self.run = run

    def addresses(self, node: Any, chunk: Chunk | None = None, *, many: bool = False) -> Iterator[Address]:
        """Yield all addresses of an element, or of a text node of it."""
        head = self.run.head
        if chunk is not None and chunk.parent is head.getparent():
            yield from self._loose_text(chunk)
            return
        member = self._member(node)
        if member is None:
            return
        for lead, cost in self._leads(member, many):
            if node is member and chunk is None:
                yield Address(Family.PATH, lead, cost)
                continue
            inner = PathMaker(self.index, self.shared, member)
            for address in inner.addresses(node, chunk, many=many):
                yield Address(address.family, lead + address.path[1:], cost + address.cost)

    def _member(self, node: Any) -> Any:
        while node is not None and node not in self.run.members:
            node = node.getparent()
        return node

    def _leads(self, member: Any, many: bool) -> Iterator[tuple[str, float]]:
        head = self.run.head
        if member is head:
            yield ".", 0.0
            return
        name = step_name(member)
        before = [one for one in head.itersiblings() if one in self.run.members]
        same = [one for one in before if one.tag == member.tag]
        place = "" if many else f"[{same.index(member) + 1}]"
        for *_, test in tests_of(member, self.shared, 3):
            yield f"./following-sibling::{name}[{test}]" + ("" if many else "[1]"), 0.6
        yield f"./following-sibling::{name}{place}", 0.8 + 0.5 * same.index(member)

    def _loose_text(self, chunk: Chunk) -> Iterator[Address]:
        if chunk.after is not None and chunk.after in self.run.members:
            for lead, cost in self._leads(chunk.after, False):
                yield Address(Family.PATH, f"{lead}{AFTER}", cost + 1)
                yield Address(Family.PATH, f"{lead}{BESIDE}", cost + 1.4)


def turn_addresses(maker: PathMaker, heads: Sequence[Any]) -> Iterator[Address]:
    """Yield addresses of heads that differ only by their turn from the elements after them: each third div of a grid.

    In a grid with a single record, the headers tell how many cells a record has.
    """
    parent = heads[0].getparent()
    likes = [one for one in child_elements(parent) if one.tag == heads[0].tag] if parent is not None else []
    places = [likes.index(one) + 1 for one in heads if one in likes]
    steps = {after - before for before, after in pairwise(places)}
    if len(places) == 1 and 1 < places[0] == len(likes) - places[0] + 2:
        steps = {places[0] - 1}
    if len(places) < len(heads) or len(steps) != 1 or (step := steps.pop()) < 2:
        return
    turn = f"[position() mod {step}={places[0] % step} and position()>={places[0]}]"
    for address in maker.addresses(parent):
        yield Address(address.family, f"{address.path}/{heads[0].tag}{turn}", address.cost + PART_COST)
