"""Which pages of the target groups are target pages, and which are of other categories under the same URL form.

In: pages of the target groups, their marks, whether the keywords hold, what the wrapper finds. Out: a `Split`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gwc_crawler.learn.marks.board import LEAST_FOREIGN, Probe, ProbeBoard, by_size

_ENOUGH_ALIKE = 10
_LONE = 0.5
"""A page that is like no other has at most so much of the likeness of the least like other, of ten others or more."""
_LOST_SHARE = 0.4
"""Or it lacks so much of what all others have, and a field."""
_RENAMED = "the element that holds a field has another name there"


@dataclass(frozen=True)
class Split:
    """The probes that are target pages, those of other categories, and why each group is one."""

    good: list[Probe]
    foreign: list[list[Probe]]
    reasons: list[str]


def split_probes(probes: Sequence[Probe], places: Mapping[str, frozenset[str]] | None = None) -> Split:
    """Part target pages from pages of other categories.

    Args:
        places: field → the nesting marks of its element on the samples.

    A category of its own shows in marks that go together: several that its pages have and no sample, several that all
    samples have and none of its pages. (Optional parts of a target page come and go one by one, or bring nothing in
    exchange.) Besides, the wrapper must find far less there, or the keywords fail there, or the page be built
    otherwise: a list, or what the wrapper finds stands in other elements, and a field is missing or labels are others.
    """
    good, foreign, reasons = list(probes), [], []
    while any(probe.is_sample for probe in good) and (groups := _foreign_groups(good, places or {})):
        for members, reason in groups:
            foreign.append(members)
            reasons.append(reason)
            good = [probe for probe in good if probe not in members]
    if lone := _lone(good):
        foreign.append(lone)
        reasons.append("each is built otherwise than all other pages are")
        good = [probe for probe in good if probe not in lone]
    return Split(good, foreign, reasons)


def _lone(probes: Sequence[Probe]) -> list[Probe]:
    """One or two pages that were written by hand: they lack what all others have, and are like none of them."""
    board = ProbeBoard(probes, {})
    like = sorted((board.likeness(1 << bit), bit) for bit, probe in enumerate(probes) if not probe.is_sample)
    for count in range(LEAST_FOREIGN - 1, 0, -1):
        few, rest = like[:count], like[count:]
        mask = sum(1 << bit for _, bit in few)
        others = board.everywhere & ~mask
        if len(rest) < _ENOUGH_ALIKE or not all(board.is_alone(1 << bit, others) for _, bit in few):
            continue
        is_unlike = few[-1][0] <= _LONE * rest[0][0] and board.lacks_fields(mask)
        has_all = any(probes[bit].found == 1 for _, bit in few)
        if is_unlike or (not has_all and all(board.lost_share(1 << bit, others) >= _LOST_SHARE for _, bit in few)):
            return board.members(mask)
    return []


_Group: TypeAlias = tuple[list[Probe], str]


def _foreign_groups(probes: Sequence[Probe], places: Mapping[str, frozenset[str]]) -> list[_Group]:
    """Several groups of other categories side by side; else the largest one; or none."""
    board = ProbeBoard(probes, places)
    if groups := _groups_beside(board):
        return groups
    for mask in sorted(board.candidates(), key=by_size):
        if board.reason(mask):
            mask = board.refined(mask)
            if mask.bit_count() >= LEAST_FOREIGN and (reason := board.reason(mask)):
                return [(board.members(mask), reason)]
    return []


def _groups_beside(board: ProbeBoard) -> list[_Group]:
    """The groups in which the element that holds a field is called otherwise than on a core of pages with the samples.

    [] if it is but one, much like the core or listed with it, or if many such pages have names of their own.
    """
    best = list[int]()
    for core, parts in board.parted():
        named = [part for part in parts if board.is_renamed(part, core)]
        rest = board.namesakes(core) & ~sum(named)
        most = max(sum(best[:-1]).bit_count() + 1, 2 * rest.bit_count())
        if len(named) > 1 and sum(named).bit_count() >= most and board.is_another(sum(named), core):
            best = [*named, rest]
    return [(board.members(part), _RENAMED) for part in best if part]
