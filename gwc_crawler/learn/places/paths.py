"""XPath addresses of a node, in several families, from one sample page; learning chooses among them.

Each address is relative to a scope (a record's element, written with a leading ".") or to the page. Most of them will
not fit the other sample; they are made generously and tested there. Families: "label" starts at a text that stands
near the node on every page, "id"/"class"/"attribute" at a named element, "tag" at the element's name, "path" counts
positions from the top as the paper does. In records that are runs of siblings, a run's first element is the scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

from gwc_crawler.extract.locator import Run
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_DOZEN, LABEL_LENGTH, MANY, PART_COST
from gwc_crawler.learn.places.steps import (
    AFTER,
    BESIDE,
    IN_TRAIL,
    Address,
    Anchor,
    attribute_test,
    bounds_under,
    comes_before,
    next_text,
    only_child,
    outside_of,
    pair_rank,
    quote,
    rooms_around,
    step_name,
    steps_between,
    text_count,
    text_place,
    ways_beside,
    where_label,
)
from gwc_crawler.learn.texts.columns import cell_around, column_in_table, column_of, header_over
from gwc_crawler.learn.texts.names import names_of
from gwc_crawler.learn.texts.shared import HEADINGS, Shared, heading_of
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, label_text, prefix_ends

FAR_CHUNKS = 80
AMBIGUOUS = 2
"""Chunks that a label counts as farther off for each doubt: the page has it twice, or no other page has it."""
INSIDE_COST = -0.2
"""Cost of a label found inside a named element: it is surer than the label alone."""
OUTSIDE_COST = -0.1
"""Cost of leaving out elements that hold such labels elsewhere: less than naming the element around this one."""
OUTSIDE_TOO_COST = 0.2
"""Cost if it is not known whether the label also stands elsewhere."""
_COUNTED = re.compile(r"\[[2-9]\]")
_SIGN_COST, _WORDS_COST = 1.6, 1.8
"""Cost of going by words up to a sign, and by words with no sign between them and the value."""


class PathMaker:
    """Makes addresses of nodes on one page.

    Args:
        index: the page's text index.
        shared: the statistics over all pages.
        scope: a record's element; None for the whole page.
    """

    def __init__(self, index: TextIndex, shared: Shared, scope: Any = None) -> None:
        self.index = index
        self.shared = shared
        self.scope = scope
        self.lead = "" if scope is None else "."
        self._labels = _LabelTests(shared, self.lead)

    def addresses(self, node: Any, *, many: bool = False) -> Iterator[Address]:
        """Yield all addresses of an element; with *many* those that also give its likes."""
        yield from self._by_anchor(node, many)
        yield from self._by_label(node, self.index.first_chunk(node), many)
        yield from self._by_column(node, many)
        yield from self._by_position(node, many)

    def text_addresses(self, chunk: Chunk, *, many: bool = False) -> Iterator[Address]:
        """Yield addresses of a text node: its parent's, then which of the parent's texts; or straight after a label."""
        step = "/text()[normalize-space()]"
        place = text_place(chunk)
        last = place == text_count(chunk.parent)
        for address in self._parent_addresses(chunk.parent, many):
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

    def _parent_addresses(self, parent: Any, many: bool) -> Iterator[Address]:
        if parent is self.scope:
            yield Address(Family.PATH, ".", 0)
        yield from self.addresses(parent, many=many)

    def _by_anchor(self, node: Any, many: bool) -> Iterator[Address]:
        own = list(self._anchors(node))
        for anchor in own:
            yield Address(anchor.family, anchor.start, anchor.cost)
        for level, outer in enumerate(self._outer(node), start=1):
            for anchor in self._anchors(outer):
                for down, cost in self._down(outer, node, many):
                    yield Address(anchor.family, anchor.start + down, anchor.cost + cost)
                    is_trail = not many and "crumb" in anchor.start.casefold() and _COUNTED.search(down)
                    for end in ("last()", "last()-1") if is_trail else ():  # a page is in the last of "Home / A / B"
                        up = _COUNTED.sub(f"[{IN_TRAIL}position()={end}]", down)
                        yield Address(anchor.family, anchor.start + up, anchor.cost + 1.0)
                if level <= 5:
                    for inner in own:
                        step = inner.start.removeprefix(self.lead)
                        yield Address(inner.family, anchor.start + step, anchor.cost + inner.cost + 0.1)
        tag = step_name(node)
        if tag != "*":
            yield Address(Family.TAG, f"{self.lead}//{tag}", 1.5)
            if (inner := only_child(node)) is not None and (name := step_name(inner)) != "*":
                yield Address(Family.TAG, f"{self.lead}//{tag}[{name}]", 1.6)

    def _anchors(self, element: Any) -> Iterator[Anchor]:
        """Yield the ways to find an element by a name, surer ones by a name that a person gave."""
        if element is self.scope:
            yield Anchor(Family.PATH, element, ".", 0.5)
            return
        tag = step_name(element)
        pairs = [pair for pair in names_of(element) if self.shared.is_name(pair)]
        pairs.sort(key=pair_rank)
        for name, value in pairs[:5]:
            test = attribute_test(name, value)
            if test:
                family = Family(name) if name in ("id", "class") else Family.ATTRIBUTE
                cost = 1.0 + (family is Family.ATTRIBUTE) * 0.1 + PART_COST * self.shared.is_made((name, value))
                yield Anchor(family, element, f"{self.lead}//{tag}[{test}]", cost)

    def _outer(self, node: Any) -> Iterator[Any]:
        if node is self.scope:
            return
        for level, outer in enumerate(node.iterancestors()):
            if level >= MANY:
                return
            yield outer
            if outer is self.scope:
                return

    def _down(self, outer: Any, node: Any, many: bool) -> Iterator[tuple[str, float]]:
        """Yield the ways from an element down to one inside it: child steps, or straight to the first of that name."""
        steps = steps_between(outer, node)
        tag = step_name(node)
        if many:
            plain = [name for name, _ in steps]
            for level, (name, place) in enumerate(steps):
                if place or len(steps) == 1:
                    path = "".join(f"/{one}{where}" for one, where in steps[:level])
                    path += f"/{name}" + "".join(f"/{one}{where}" for one, where in steps[level + 1 :])
                    yield path, len(steps) + 2.0 * sum(bool(where) for _, where in steps if where) - 2 * bool(place)
            yield "".join(f"/{one}" for one in plain), len(steps) * 1.0
        else:
            path = "".join(f"/{one}{where}" for one, where in steps)
            yield path, len(steps) + 2.0 * sum(bool(where) for _, where in steps)
        if tag != "*" and (many or len(steps) > 1 or steps[-1][1]):
            yield f"//{tag}", 1.5

    def headings(self, node: Any) -> Iterator[Address]:
        """Addresses of an element that is the heading of a section: by its own text, wherever within it that stands."""
        if (chunk := heading_of(node, self.index, self.shared)) is None:
            return
        start, climb, label = self._labels.start(chunk), 0, chunk.parent
        while label is not node:
            label, climb = label.getparent(), climb + 1
        if start is not None:
            doubts = self.shared.is_ambiguous(chunk)
            up = "/.." * (climb - 1) + f"/parent::{step_name(node)}" if doubts and climb else "/.." * climb
            yield Address(Family.LABEL, start + up, 1.2 + AMBIGUOUS * 0.3 * doubts)
            if climb and not doubts:
                yield Address(Family.LABEL, f"{self.lead}//{step_name(node)}[{self._labels.says(chunk)}]", 1.4)

    def _by_label(self, node: Any, first: int, many: bool) -> Iterator[Address]:
        for distance, chunk in self._labels_before(first):
            yield from self._in_rooms(chunk, node, list(self._from_label(chunk, node, distance, many)))

    def _in_rooms(
        self, chunk: Chunk, node: Any, addresses: Sequence[Address], cost: float = INSIDE_COST
    ) -> Iterator[Address]:
        """Yield the addresses; and of a label that some page has more than once, those within named elements."""
        yield from addresses
        if self.scope is not None or not self.shared.is_ambiguous(chunk):
            return
        for address in addresses:
            for inside in self._rooms(node):
                yield Address(Family.LABEL, inside.start + address.path, address.cost + cost)
        says, tests = self._labels.says(chunk), outside_of(self.shared.boxes_of_others(chunk))
        for address, test in product(addresses, tests):
            if says is not None and (path := where_label(address.path, says, test)):
                yield Address(Family.LABEL, path, address.cost + cost + OUTSIDE_COST)

    def _rooms(self, node: Any) -> list[Anchor]:
        return rooms_around(self._outer(node), self.index, self.shared)

    def _texts_behind(self, chunk: Chunk, target: Chunk, distance: float) -> Iterator[Address]:
        if (start := self._labels.start(chunk)) is None:
            return
        behind = self.index.chunks[self.index.chunk_at(chunk.start) + 1 : self.index.chunk_at(target.start) + 1]
        if self.scope is None and len(behind) == 1 and label_text(chunk).endswith((":", "：")):
            yield Address(Family.LABEL, next_text(str(self._labels.says(chunk))), 2.6)
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
        step = f"//{step_name(target.parent)}/text()"
        for words, cost in _beginnings(self.index, self.shared, target):
            if (quoted := quote(words)) is not None:
                path = f"{step}[starts-with(normalize-space(),{quoted})]"
                yield Address(Family.LABEL, f"{self.lead}{path}", cost)
                yield from self._where_it_begins(words, target, path, cost) if self.scope is None else ()

    def _where_it_begins(self, words: str, target: Chunk, path: str, cost: float) -> Iterator[Address]:
        """Yield paths of a text by its beginning: outside of elements that hold such texts elsewhere; in named ones."""
        for outside in outside_of(self.shared.boxes_of_others(target, words)):
            yield Address(Family.LABEL, f"{path}{outside}", cost + INSIDE_COST)
        for inside in self._rooms(target.parent):
            yield Address(Family.LABEL, f"{inside.start}{path}", cost + OUTSIDE_TOO_COST)

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
        if (start := self._labels.start(chunk)) is None:
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
            if beside is node:
                yield Address(Family.LABEL, up + across, cost + extra)
                continue
            for down, more in self._down(beside, node, many):
                yield Address(Family.LABEL, up + across + down, cost + extra + more * 0.6)
        if many and beside is not node:
            start = f"{up}/following-sibling::{step_name(beside)}"
            for likes, extra in ((True, 1.0), (False, 0.6)):
                for down, more in self._down(beside, node, likes):
                    yield Address(Family.LABEL, start + down, cost + extra + more * 0.6)

    def _loosely(self, chunk: Chunk, beside: Any, node: Any, cost: float, many: bool) -> Iterator[Address]:
        """After the label, however deep it stands: the next element of the right name."""
        says, name = self._labels.says(chunk), step_name(beside)
        if says is None or name == "*":
            return
        start = f"{self.lead}//text()[{says}]/ancestor::*[following-sibling::{name}][1]"
        for where, extra in (("[1]", 0.7), ("", 0.9)) if many else (("[1]", 0.7),):
            across = f"/following-sibling::{name}{where}"
            if beside is node:
                yield Address(Family.LABEL, start + across, cost + extra)
                continue
            for down, more in self._down(beside, node, many):
                yield Address(Family.LABEL, start + across + down, cost + extra + more * 0.6)

    def _inside_label(self, chunk: Chunk, node: Any, start: str, cost: float, many: bool) -> Iterator[Address]:
        if chunk.parent is node:
            yield Address(Family.LABEL, start, cost + 0.5)
            return
        for down, more in self._down(chunk.parent, node, many):
            yield Address(Family.LABEL, start + down, cost + more * 0.6)
        is_before = node.getparent() is chunk.parent and comes_before(chunk, node)
        if is_before and (says := self._labels.says(chunk)) is not None:
            text = f"{self.lead}//{step_name(chunk.parent)}/text()[{says}]"
            beside = f"/following-sibling::{step_name(node)}" + ("" if many else "[1]")
            yield Address(Family.LABEL, f"{text}{beside}", cost + 0.1)

    def _across(self, label: Any, beside: Any, many: bool) -> Iterator[tuple[str, float]]:
        name = step_name(beside)
        following = [one for one in label.itersiblings() if isinstance(one.tag, str)]
        if beside not in following:
            return
        names = sorted(filter(self.shared.is_name, names_of(beside)), key=pair_rank)[:2]
        tests = [f"[{test}]" for one in names if (test := attribute_test(*one))]
        if many:
            for bound, extra in bounds_under(label, beside):
                yield f"/following-sibling::{name}{bound}", extra
                yield from ((f"/following-sibling::{name}{test}{bound}", extra + 0.1) for test in tests)
            return
        yield from ways_beside(label.tag, following, beside, tests)

    def _by_column(self, node: Any, many: bool) -> Iterator[Address]:
        """Yield addresses of the cell under a header, in whichever column, in a row of that number or the scope's."""
        header = header_over(cell, self.index) if (cell := cell_around(node, self.scope)) is not None else None
        if header is None or not self.shared.is_label(header) or (says := self._labels.says(header)) is None:
            return
        start, least = column_in_table(says, cell) if self.scope is None else column_of(says, step_name(cell))
        for down, cost in [("", 0.0)] if cell is node else self._down(cell, node, many):
            yield Address(Family.LABEL, start + down, least + cost * 0.6)

    def _by_position(self, node: Any, many: bool) -> Iterator[Address]:
        top, start = (self.index.root, f"/{step_name(self.index.root)}") if self.scope is None else (self.scope, ".")
        if node is top:
            yield Address(Family.PATH, start, 1.0)
            return
        for down, cost in self._down(top, node, many):
            if not down.startswith("//"):
                yield Address(Family.PATH, start + down, 2.0 + cost)


# --- Labels: within a text, before the value; by their words, whatever their number or count --------------------------


def _beginnings(index: TextIndex, shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """Yield the words before the value at the beginning of its text, and the cost of using them: "Issued:", "ISO "."""
    prefix = label_text(target)[:LABEL_LENGTH]
    for end in prefix_ends(prefix):
        if shared.is_prefix(lead := prefix[:end].strip()):
            yield lead, _SIGN_COST
    yield from ((words, _WORDS_COST) for words in shared.words_before(prefix))


class _LabelTests:
    """Makes tests for labels.

    Args:
        shared: the statistics over all pages.
        lead: begins all paths.
    """

    def __init__(self, shared: Shared, lead: str) -> None:
        self._shared, self._lead = shared, lead

    def start(self, chunk: Chunk) -> str | None:
        """Return the XPath of the elements with a label's text; None where XPath can't quote it."""
        return (says := self.says(chunk)) and f"{self._lead}//{step_name(chunk.parent)}[text()[{says}]]"

    def says(self, chunk: Chunk) -> str | None:
        """Return the XPath test for a label; of "See also: this" the beginning.

        None for both quotes.
        """
        text, shared = label_text(chunk), self._shared
        lead = next((text[:end] for end in prefix_ends(text)), text)
        if lead != text and shared.is_rare(chunk) and shared.is_shared_text(lead) and (quoted := quote(lead)):
            return f"starts-with(normalize-space(),{quoted})"
        return (quoted := quote(text)) and f"normalize-space()={quoted}"


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
            found = inner.text_addresses(chunk, many=many) if chunk is not None else inner.addresses(node, many=many)
            for address in found:
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
        for pair in sorted(filter(self.shared.is_name, names_of(member)), key=pair_rank)[:3]:
            if test := attribute_test(*pair):
                yield f"./following-sibling::{name}[{test}]" + ("" if many else "[1]"), 0.6
        yield f"./following-sibling::{name}{place}", 0.8 + 0.5 * same.index(member)

    def _loose_text(self, chunk: Chunk) -> Iterator[Address]:
        after = chunk.after
        if after is self.run.head:
            yield Address(Family.PATH, "./following-sibling::node()[normalize-space()][1][self::text()]", 1.0)
            yield Address(Family.PATH, "./following-sibling::text()[normalize-space()][1]", 1.4)
        elif after is not None and after in self.run.members:
            for lead, cost in self._leads(after, False):
                yield Address(
                    Family.PATH, f"{lead}/following-sibling::node()[normalize-space()][1][self::text()]", cost + 1
                )
                yield Address(Family.PATH, f"{lead}/following-sibling::text()[normalize-space()][1]", cost + 1.4)


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
