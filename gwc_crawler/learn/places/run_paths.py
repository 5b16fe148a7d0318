"""Addresses of and inside records that are runs of siblings: relative to a run's first element, its head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gwc_crawler.extract.finder import Run
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import Family
from gwc_crawler.learn.places.paths import PathMaker
from gwc_crawler.learn.places.steps import Address, attribute_test, pair_rank, step_name
from gwc_crawler.learn.texts.names import names_of
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex

TURN_COST = 1.0
"""What it costs to count heads' turns."""


class RunPathMaker:
    """Makes addresses of nodes inside a run: through the head, or through a sibling that follows it."""

    def __init__(self, index: TextIndex, shared: Shared, run: Run) -> None:
        self.index = index
        self.shared = shared
        self.run = run

    def addresses(self, node: Any, chunk: Chunk | None = None, *, many: bool = False) -> Iterator[Address]:
        """All addresses of an element, or of a text node of it."""
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
    """Addresses of heads that nothing but their turn tells from what follows them: each third div of a grid.

    Of a grid with a single record its headers tell how many cells that has.
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
        yield Address(address.family, f"{address.path}/{heads[0].tag}{turn}", address.cost + TURN_COST)
