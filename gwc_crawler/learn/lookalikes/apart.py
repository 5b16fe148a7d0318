"""Set pages of other kinds under one form of URL apart: by fields, by the site's lists, by company, by quoted values.

In: a `Split`. Out: the same without the pages of the other kind, and the fields that tell, for the page check. A title
and a text stand on each page of a manual; if the site lists pages with a table apart from the others, pages with a
table are wanted. A record may lack any single field; a page that lacks three which nearly all others have, and has
things of its own instead, does not do so by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from gwc_crawler.items import Extracted
from gwc_crawler.learn.degrees import (
    A_DOZEN,
    A_HANDFUL,
    ENOUGH,
    FEW,
    HALF,
    HARDLY_ANY,
    MANY,
    MOST,
    NEARLY_ALL,
    NEXT_TO_NONE,
    OFTEN,
    SEVERAL,
    SLIPS,
)
from gwc_crawler.learn.kinds.cuts import UNLIKE
from gwc_crawler.learn.lookalikes.probe import ListsOn, Probe, lists_of, lists_with_both
from gwc_crawler.learn.lookalikes.probes import ProbeMatrix, Split


def set_listed_apart(split: Split, lists_on: ListsOn, taken: float) -> tuple[Split, list[str]]:
    """Set pages of *split* apart that lack a field of all samples, if the site lists pages with it apart. Also return
    the fields that hardly one of the pages set apart has, [] for none.

    This needs nearly all of a site, so that pages of other kinds are surely among them, or pages that lack several
    fields which the others have together and are hardly like the samples: the genus beside its species. Otherwise keep
    them: methods without parameters may be listed separately and are still records.

    Args:
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
        usual = [one for one in shared if _share(one, split.good) < NEARLY_ALL]
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
    told = [name for name in shared if _share(name, without) <= HARDLY_ANY]
    if len(told) < max(2, min(SEVERAL, len(shared) / 2)):  # of a catalogue's games half have no comment and no system
        return split, []
    reason = f"{', '.join(told)} not there, and the site lists these pages apart from those with it"
    return without_pages(split, without, reason), told


def _lack_together(names: Sequence[str], having: Sequence[Probe], without: Sequence[Probe]) -> tuple[bool, bool]:
    """Say whether pages lack several fields that the others have together; and whether these are half of all *names*.

    No sparse record lacks these: so do the news beside documents that state number, agency and date.
    """
    lacking = [name for name in names if _share(name, without) <= HARDLY_ANY]
    together = sum(_share(name, having) >= NEARLY_ALL for name in lacking)
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


# --- Fields that go together ------------------------------------------------------------------------------------------


def set_other_kind_apart(split: Split) -> tuple[Split, list[str]]:
    """Take the pages of another kind out of *split*, which lack several fields that go together on the others; and
    these fields, [] for none. The pages' marks, which had no part in it, have to say the same.
    """
    known = [probe for probe in split.good if probe.found is not None]
    samples = [probe.shown for probe in known if probe.is_sample]
    matrix = ProbeMatrix(split.good, {})
    told, without = list[str](), list[Probe]()
    for name in sorted(frozenset[str]().union(*samples).intersection(*samples)):
        having, others = ([one for one in known if (name in one.shown) is has] for has in (True, False))
        if len(having) >= MANY and len(others) >= A_HANDFUL:
            lacking = _are_of_another_kind(matrix, having, others)
            told, without = max((told, without), (lacking, others), key=lambda one: len(one[0]))
    if not told:
        return split, []
    return without_pages(split, without, f"{', '.join(told)} not there, which go together on the other pages"), told


def _are_of_another_kind(matrix: ProbeMatrix, having: Sequence[Probe], others: Sequence[Probe]) -> list[str]:
    """Return the fields that nearly all pages *having* one have, and hardly one of the *others*, if these are of
    another kind: they have something of their own, and little of what the samples have."""
    names = sorted(frozenset[str]().union(*(probe.shown for probe in having)))
    told = [name for name in names if _share(name, having) >= MOST and _share(name, others) <= FEW]
    is_strange = are_unlike(matrix, others, HARDLY_ANY)
    # a class page without members lacks as much, but has nothing instead; any page has a title and a field more
    kept = sum(_share(name, others) >= MOST for name in names)
    is_other = kept <= 2 and are_unlike(matrix, others, UNLIKE) and share_with_own(matrix, others) >= HALF
    return told if is_other and len(told) >= (2 if is_strange else SEVERAL) else []


def _share(name: str, probes: Sequence[Probe]) -> float:
    return sum(name in one.shown for one in probes) / len(probes)


# --- Pages that show the record of another one, in other places: an offer, a review, a picture alone ------------------


_LONG = 24
"""Characters of a text that two records don't share by chance."""

Values = Callable[[str], dict[str, Extracted]]


def set_quoting_apart(
    split: Split, links: Callable[[str], Sequence[str]], values: Values, marks: Callable[[str], Set[str]]
) -> Split:
    """Take pages out of *split* that lack some of the template, lead to a fuller target page and show its values.

    Args:
        links: gives the target pages, of *split* or others, that a page links to.
    """
    if len(split.good) < MANY:
        return split
    counts = Counter(mark for probe in split.good for mark in probe.marks)
    usual = {mark for mark, count in counts.items() if count >= NEARLY_ALL * len(split.good)}
    strangers = {probe.url for group in split.foreign for probe in group}
    quoting = []
    for probe in split.good:
        lost = len(usual - probe.marks)
        # of two pages built as records are, both may say the same of different things
        if probe.is_sample or lost <= NEXT_TO_NONE * len(usual):
            continue
        near = (url for url in links(probe.url)[:ENOUGH] if url not in strangers and len(usual - marks(url)) < lost)
        if any(_quotes(values(probe.url), values(url)) for url in near):
            quoting.append(probe)
    return without_pages(split, quoting, "they lead to a target page and show its values") if quoting else split


def _quotes(one: dict[str, Extracted], other: dict[str, Extracted]) -> bool:
    """Say whether all values of a page but one are another's, a long text among them."""
    found = {name: value for name, value in one.items() if value}
    same = [value for name, value in found.items() if other.get(name) == value]
    return len(same) >= max(2, len(found) - 1) and any(isinstance(value, str) and len(value) >= _LONG for value in same)
