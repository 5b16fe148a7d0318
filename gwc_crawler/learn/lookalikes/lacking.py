"""Set pages of other kinds under one form of URL apart: by fields that they lack, and by the site's lists of each kind.

In: a `Split`. Out: the same without these, and the fields that tell, for the page check. A title and a text stand on
each page of a manual; if the site lists pages with a table apart from the others, pages with a table are wanted.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from gwc_crawler.learn.degrees import A_DOZEN, FEW, HALF, HARDLY_ANY, MANY, MOST, NEARLY_ALL, OFTEN, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.cuts import UNLIKE
from gwc_crawler.learn.lookalikes.probe import ListsOn, Probe, lists_of, lists_with_both
from gwc_crawler.learn.lookalikes.probe_matrix import ProbeMatrix
from gwc_crawler.learn.lookalikes.probes import Split


def set_listed_apart(split: Split, lists_on: ListsOn, taken: float) -> tuple[Split, list[str]]:
    """Set pages of *split* apart that lack a field of all samples, if the site lists pages with it apart. Also return
    the fields that hardly one of the pages set apart has, [] for none.

    This needs nearly all of a site, so that pages of other kinds are surely among them, or pages that lack several
    fields which the others have together and are hardly like the samples: the genus beside its species. Otherwise keep
    them: methods without parameters may be listed separately and are still records.

    Args:
        lists_on: gives the numbers of the lists on a page in which each of its links stands.
        taken: the share of the site's pages that the target filters take.
    """
    samples = [probe.shown for probe in split.good if probe.is_sample and probe.found is not None]
    if not samples:
        return split, []
    shared = sorted(frozenset.intersection(*samples))
    matrix = ProbeMatrix(split.good, {})
    found: list[tuple[float, list[Probe]]] = []
    for name in shared:
        having, without = ([one for one in split.good if (name in one.shown) is has] for has in (True, False))
        if min(len(having), len(without)) < MANY:
            continue
        lack_several, lack_half = _lack_together(shared, having, without)
        usual = [
            one for one in shared if sum(one in probe.shown for probe in split.good) < NEARLY_ALL * len(split.good)
        ]
        rich = sum(2 * len(one.shown.intersection(usual)) >= len(usual) for one in without)
        if not lack_several and len(usual) >= SEVERAL and 2 * rich > len(without):
            continue  # records: both samples have a rare field
        # no site has records alone: if most of it is taken, chapters and lists are among them
        others = taken >= OFTEN and (lack_half or share_with_own(matrix, without) >= MOST)
        is_other = others and are_unlike(matrix, without, HALF if lack_half else UNLIKE)
        if not is_other and not (lack_several and are_unlike(matrix, without, FEW)):
            continue
        both, expected = lists_with_both(*lists_of((without, having), lists_on))
        if expected >= A_DOZEN and both <= FEW * expected:
            found.append((both / expected, without))
    if not found:
        return split, []
    without = min(found, key=lambda one: one[0])[1]
    told = [name for name in shared if sum(name in one.shown for one in without) <= HARDLY_ANY * len(without)]
    if len(told) < max(2, min(SEVERAL, len(shared) / 2)):  # of a catalogue's games half have no comment and no system
        return split, []
    reason = f"{', '.join(told)} not there, and the site lists these pages apart from those with it"
    return without_pages(split, without, reason), told


def _lack_together(names: Sequence[str], having: Sequence[Probe], without: Sequence[Probe]) -> tuple[bool, bool]:
    """Say whether pages lack several fields that the others have together; and whether these are half of all *names*.

    No sparse record lacks these: so do the news beside documents that state number, agency and date.
    """
    lacking = [name for name in names if sum(name in one.shown for one in without) <= HARDLY_ANY * len(without)]
    together = sum(sum(name in one.shown for one in having) >= NEARLY_ALL * len(having) for name in lacking)
    return together >= SEVERAL, together >= SEVERAL and 2 * len(lacking) >= len(names)


def are_unlike(matrix: ProbeMatrix, probes: Sequence[Probe], most: float) -> bool:
    """Tell whether *probes* have at most the share *most* of the other pages' likeness to the samples."""
    mask = matrix.mask(probes)
    others = matrix.likeness(matrix.everywhere & ~mask)
    return others > 0 and matrix.likeness(mask) <= most * others


def share_with_own(matrix: ProbeMatrix, probes: Sequence[Probe]) -> float:
    """Return the share of some pages with something that the others have not."""
    return matrix.with_own(matrix.mask(probes), SLIPS, HARDLY_ANY).bit_count() / max(1, len(probes))


def without_pages(split: Split, probes: list[Probe], reason: str) -> Split:
    """Return the split with some of its good pages as a further group of another kind."""
    good = [probe for probe in split.good if probe not in probes]
    return replace(split, good=good, foreign=[*split.foreign, probes], reasons=[*split.reasons, reason])


# --- Stubs: "this event is over", "we sell this thing no more". Sparse records have their template --------------------


def set_bare_apart(split: Split, anywhere: Set[str]) -> Split:
    """Take the pages out of *split* that have no field which tells a record, and hardly anything of the template.

    Several: of a single one nothing can be learned that refuses others. And hardly like the samples: of pages only
    unlike them a third of a blog's posts would go (`python -m tests.eval.targets gitrknows/post`).

    Args:
        anywhere: fields that are found on the pages the crawl began with, too: they tell no record.
    """
    samples = [probe.shown for probe in split.good if probe.is_sample and probe.found is not None]
    telling = frozenset.intersection(*samples) - anywhere if samples else frozenset[str]()
    if not telling:
        return split
    matrix = ProbeMatrix(split.good, {})
    empty = [probe for probe in split.good if probe.found is not None and telling.isdisjoint(probe.shown)]
    shared = frozenset.intersection(*(probe.marks for probe in split.good if probe.is_sample))
    little = [probe for probe in empty if len(shared & probe.marks) <= OFTEN * len(shared)]
    bare = [probe for probe in little if are_unlike(matrix, [probe], HARDLY_ANY)]
    reason = f"none of {', '.join(sorted(telling))} there, nor what the other pages have in common"
    return without_pages(split, bare, reason) if len(bare) >= SEVERAL else split
