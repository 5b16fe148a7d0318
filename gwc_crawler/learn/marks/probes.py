"""Which pages of the target groups are target pages, and which are of other categories under the same URL form.

In: pages of the target groups, their marks, whether the keywords hold, what the wrapper finds. Out: a `Split`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gwc_crawler.learn.kinds import UNLIKE
from gwc_crawler.learn.marks.board import LEAST_FOREIGN, ProbeBoard, by_size
from gwc_crawler.learn.marks.listings import ListsOn, no_lists
from gwc_crawler.learn.marks.probe import Probe

_RENAMED = "the element that holds a field has another name there"


@dataclass(frozen=True)
class Split:
    """The probes that are target pages, those of other categories, and why each group is one."""

    good: list[Probe]
    foreign: list[list[Probe]]
    reasons: list[str]


def split_probes(
    probes: Sequence[Probe], places: Mapping[str, frozenset[str]] | None = None, lists_on: ListsOn = no_lists
) -> Split:
    """Part target pages from pages of other categories.

    Args:
        places: field → the nesting marks of its element on the samples.
        lists_on: tells in which lists on a page its links stand.

    A category of its own shows in marks that go together: several that its pages have and no sample, several that all
    samples have and none of its pages; where the keywords part them, the former are enough.
    (Optional parts of a target page come and go one by one, or bring nothing in
    exchange.) Besides, the wrapper must find far less there, or the keywords fail there, or the page be built
    otherwise: a list, or what the wrapper finds stands in other elements, and a field is missing or labels are others.
    """
    good, foreign, reasons = list(probes), [], []
    while any(probe.is_sample for probe in good) and (groups := _foreign_groups(good, places or {}, lists_on)):
        for members, reason in groups:
            foreign.append(members)
            reasons.append(reason)
            good = [probe for probe in good if probe not in members]
    return Split(good, foreign, reasons)


_Group: TypeAlias = tuple[list[Probe], str]


def _foreign_groups(probes: Sequence[Probe], places: Mapping[str, frozenset[str]], lists_on: ListsOn) -> list[_Group]:
    """Several groups of other categories side by side; else the largest one; or none."""
    board = ProbeBoard(probes, places, lists_on)
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

    [] if they are listed with the core or much like it, if it is one alone and at all like it, or if many such pages
    have names of their own. Beside them what is hardly like the core at all goes, too, though it lacks the field; and
    what else has such names, but where one kind alone was told: a product without a review has `p.empty`.
    """
    best, most_named = list[int](), 0
    for core, parts in board.parted():
        same = board.much_named(core)
        named = [other for part in parts if (other := part & ~same) and board.is_renamed(other, core)]
        rest = board.namesakes(core) & ~(sum(named) | same)
        count = sum(named).bit_count()
        if count < max(most_named + 1, 2 * rest.bit_count()):
            continue
        least = UNLIKE * board.likeness(core)
        if (len(named) > 1 or board.likeness(named[0]) <= least) and board.is_another(sum(named), core):
            unlike = [part & ~rest for part in parts if part not in named and board.likeness(part) <= least]
            goes = len(named) > 1 or board.likeness(rest) <= least
            best, most_named = [*named, *unlike, *([rest] if goes else [])], count
    return [(board.members(part), _RENAMED) for part in best if part]
