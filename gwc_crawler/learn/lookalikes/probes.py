"""Part the pages of the target groups: target pages, and pages of other categories under the same URL form.

In: the pages, their marks, whether the keywords hold, the wrapper's findings. Out: a `Split`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.lookalikes.probe import ListsOn, Probe, no_lists
from gwc_crawler.learn.lookalikes.probe_matrix import ProbeMatrix, by_size, union

RENAMED = "the element that holds a field has another name there"


@dataclass(frozen=True)
class Split:
    """The probes that are target pages, the groups of other categories, and the reason for each group."""

    good: list[Probe]
    foreign: list[list[Probe]]
    reasons: list[str]


def split_probes(
    probes: Sequence[Probe], places: Mapping[str, frozenset[str]] | None = None, lists_on: ListsOn = no_lists
) -> Split:
    """Part target pages from pages of other categories.

    Args:
        places: field → the nesting marks of its element on the samples.
        lists_on: gives the numbers of the lists on a page in which each of its links stands.

    A category of its own shows in marks that go together: several that its pages have and no sample, and several that
    all samples have and none of its pages. If the keywords part them, the former are enough. (Optional parts of a
    target page come and go one by one, or bring nothing in exchange.) Besides, the wrapper must find far less there,
    or the keywords fail, or the page be built otherwise: a list, or with fields in other elements and a field missing
    or other labels.
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
    matrix = ProbeMatrix(probes, places, lists_on)
    if groups := _groups_beside(matrix):
        return groups
    for mask in sorted(matrix.candidates(), key=by_size):
        if matrix.reason(mask):
            mask = matrix.refined(mask)
            if mask.bit_count() >= SEVERAL and (reason := matrix.reason(mask)):
                return [(matrix.members(mask), reason)]
    return []


def _groups_beside(matrix: ProbeMatrix) -> list[_Group]:
    """Return the groups of pages on which the element that holds a field has another name than on the samples.

    [] unless the site lists them apart from the pages with the samples' name: a state ("sold out") is listed with the
    rest. With them goes what has neither name, nor anything else that tells the samples' kind.
    """
    best, same = list[int](), 0
    for core, parts in matrix.renamed():
        if sum(map(int.bit_count, parts)) > sum(map(int.bit_count, best)) and matrix.is_another(union(parts), core):
            best, same = parts, core
    if not best:
        return []
    rest = matrix.everywhere & ~(same | union(best) | matrix.sampled)
    return [(matrix.members(part), RENAMED) for part in (*best, matrix.without_own(rest, same, union(best))) if part]
