"""Part the pages of the target groups: target pages, and pages of other categories under the same URL form.

In: the pages, their marks, whether the keywords hold, the wrapper's findings. Out: a `Split`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean, median
from typing import TypeAlias

from gwc_crawler.learn.degrees import A_HANDFUL, FEW, HALF, HARDLY_ANY, MOST, NEARLY_ALL, SEVERAL
from gwc_crawler.learn.kinds.cuts import UNLIKE
from gwc_crawler.learn.kinds.feature_matrix import bits, union
from gwc_crawler.learn.lookalikes.probe import ListsOn, Probe, are_apart, lists_of, no_lists, strangers_in_lists

_KEPT_COVERAGE = 0.45
"""Pages with this share of the fields that the others have lack optional ones."""
_CHANCE = 1e-4
"""How likely it may be that pages of one kind all lack a field. Of two such fields: that one alone is never there makes
sorts of goods (recall .47 for 1.0; `python -m tests.eval.targets cloudchem --kind all`)."""
_MANY_SHARED = 8
"""Minimum number of lists expected to have pages of both, where the pages are rather like the core."""
MANY_FIELDS = 4
"""Minimum number of usual fields for a page with all but one of them to be a sparse target."""
_NAMES = re.compile(r"[.#][^>]*")
_CLASS = re.compile(r"\.[^.#>]*")
_ID = re.compile(r"#[^>]*")


class ProbeMatrix:
    """Which marks stand on which probes, as bit sets: bit n is probe n. Marks on the same probes are kept together."""

    def __init__(
        self, probes: Sequence[Probe], places: Mapping[str, frozenset[str]], lists_on: ListsOn = no_lists
    ) -> None:
        self.probes = probes
        self.places = places
        self._lists_on = lists_on
        self.everywhere = (1 << len(probes)) - 1
        self.sampled = self._bits(probe.is_sample for probe in probes)
        self.failing = self._bits(probe.keywords is False for probe in probes)
        self._pages = pages = bits([probe.marks for probe in probes])
        self._asked = frozenset[str]().union(*(probe.shown for probe in probes))
        self._labels = Counter(_labels(pages).values())
        counts = Counter(pages.values())
        self.strange = [(on, count) for on, count in counts.items() if not on & self.sampled]
        self.shared = [(on, count) for on, count in counts.items() if on & self.sampled == self.sampled]

    def _bits(self, flags: Iterable[bool]) -> int:
        return sum(1 << bit for bit, flag in enumerate(flags) if flag)

    def members(self, mask: int) -> list[Probe]:
        """Return the probes of a set."""
        return [probe for bit, probe in enumerate(self.probes) if mask >> bit & 1]

    def mask(self, probes: Iterable[Probe]) -> int:
        """Return the set of some probes."""
        urls = {probe.url for probe in probes}
        return self._bits(probe.url in urls for probe in self.probes)

    def with_own(self, mask: int, most: float, least: float) -> int:
        """The pages of *mask* with a mark that no sample has, the share *least* of them, and *most* of the others at
        most."""
        rest = self.everywhere & ~mask
        having = 0
        for on, _ in self.strange:
            inside = on & mask
            is_common = inside.bit_count() >= max(SEVERAL, least * mask.bit_count())
            if is_common and (on & rest).bit_count() <= most * rest.bit_count():
                having |= inside
        return having

    def candidates(self) -> set[int]:
        """Return sets of pages without a sample that might be a category: with a strange mark, without a shared one."""
        found = {on for on, _ in self.strange} | {self.everywhere & ~on for on, _ in self.shared}
        if not self.failing & self.sampled:
            found.add(self.failing)
        return {mask for mask in found if SEVERAL <= mask.bit_count() < len(self.probes)}

    def reason(self, mask: int) -> str:
        """Return the reason why the pages of *mask* are of another category, or ""."""
        rest = self.everywhere & ~mask
        own = sum(count for on, count in self.strange if _match(on, mask))
        lost = sum(count for on, count in self.shared if _match(on, rest) and _is_rare(on, mask))
        if not own or (not lost and own < SEVERAL):
            return ""
        inside, outside = self.members(mask), self.members(rest)
        hits, misses = mean_keywords(outside), mean_keywords(inside)
        if hits is not None and misses is not None and hits >= NEARLY_ALL and misses <= HARDLY_ANY:
            return f"the keywords hold on {hits:.0%} of the other pages and {misses:.0%} of these"
        if own < SEVERAL or lost < SEVERAL:
            return ""
        if others := self._other_fields(mask):
            return others
        if self.likeness(mask) > UNLIKE * self.likeness(rest):
            return ""
        telling = sum(count for on, count in self.shared if not _match(on, self.everywhere))
        usual = _usual(outside)
        # a trait without methods lacks one field of many, though it leads to all types that implement it
        full = sum(len(usual & probe.fields) >= len(usual) - 1 for probe in inside)
        are_sparse = len(usual) >= MANY_FIELDS and full >= NEARLY_ALL * len(inside)
        many, few = (median(len(probe.leads_to) for probe in some) for some in (inside, outside))
        if lost >= HALF * telling and not are_sparse and many >= list_links(few):
            return f"they lead to {many:.0f} pages of their own, the other pages to {few:.0f}"
        kept, found = _mean_found(outside, usual), _mean_found(inside, usual)
        if kept is not None and found is not None:
            # pages with more than a title and a date just lack optional fields
            if found >= _KEPT_COVERAGE * kept or found * len(usual) > 2:
                return ""
            return f"{found:.0%} of the fields are found, on the other pages {kept:.0%}"
        if lost >= HALF * telling and own >= lost / 2:
            return f"{lost} marks that all samples have are missing, {own} others are there instead"
        return ""

    def _other_fields(self, mask: int) -> str:
        """Name the sign of another kind: the pages are lists, or fields stand elsewhere and one is missing."""
        rest, told = self.everywhere & ~mask, "other labels stand in the place of those that all samples have"
        inside, outside = self.members(mask), self.members(rest)
        if (rest & ~self.sampled).bit_count() < SEVERAL:  # the samples alone are no measure
            return ""
        wanted = _always(probe.fields for probe in outside)
        if listed := _always(probe.several for probe in inside) & wanted:
            return f"{min(listed)} stands there several times, on the other pages once"
        lacking = sorted(wanted.difference(*(probe.fields for probe in inside)))
        if len(lacking) == len(wanted) > 1 and self.likeness(mask) <= HALF * self.likeness(rest):
            return f"{', '.join(lacking)} are never found, on the other pages always"
        moved, known = self._moved(mask)
        if not moved:
            return ""
        if lacking:
            return f"{lacking[0]} is never found, on the other pages always"
        if len(often := _never_by_chance(inside, outside)) > 1:
            return f"{' and '.join(often[:2])} are never found, on the other pages often"
        own = any(_match(on, mask) and not on & self.sampled for on in self._labels)
        are_swapped = own and any(_match(on, rest) and _is_rare(on, mask) for on in self._labels)
        # with fewer only a part of the page differs, as an author's portrait
        return told if len(moved) >= FEW * known and are_swapped else ""

    def renamed(self) -> Iterator[tuple[int, list[int]]]:
        """Yield for each field that stands in one element of the samples: the pages that have it, and further pages by
        the element's other names. Only pages where this is true of most such fields count.

        Beside `h1.class` stands `h1.class.private`, beside `div.issue.closed.late` `div.issue`: the same name. Where
        the price alone is called otherwise, goods are sold by the piece.
        """
        only = ((name, next(iter(places))) for name, places in self.places.items() if len(places) == 1)
        fields = [(name, *self._named_by(place)) for name, place in only]
        known = [
            (name, core, parts)
            for name, core, parts in fields
            if (core & ~self.sampled).bit_count() >= SEVERAL and self._has_always(core, name)
        ]
        named = [union(parts) for _, _, parts in known]
        most = self._bits(2 * sum(on >> bit & 1 for on in named) >= len(named) for bit in range(len(self.probes)))
        for name, core, parts in known:
            there = [on & most & ~core for on in parts]
            found = _disjoint(on for on in there if self._has_always(on, name))
            # where most pages that lack the samples' name have no other one, they lack the element
            if found and union(found).bit_count() >= HALF * (self.everywhere & ~core).bit_count():
                yield core, found

    def _named_by(self, place: str) -> tuple[int, list[int]]:
        """Return the pages on which an element has the samples' name, and a set of pages for each other name."""
        tags = _tags_of(place)
        named = {mark: on for mark, on in self._pages.items() if _tags_of(mark) == tags and mark != tags}
        core = union(on for mark, on in named.items() if mark == place or is_mostly(mark, place))
        others = {on & ~core for on in named.values() if not on & self.sampled}
        return core, _disjoint(others)

    def _has_always(self, mask: int, name: str) -> bool:
        """Say whether nearly all pages of *mask* have a field; one that strangers have as well is not asked for."""
        return name not in self._asked or name in _always(probe.shown for probe in self.members(mask))

    def without_own(self, mask: int, core: int, others: int) -> int:
        """Return the pages of *mask* that have nothing which most of *core* has, and hardly a page of the *others*."""
        own = (on for on, _ in self.shared if _is_rare(on, others))
        least = MOST * core.bit_count()
        return mask & ~union(on for on in own if (on & core).bit_count() >= least)

    def is_another(self, mask: int, core: int) -> bool:
        """Tell whether *mask* is less like the samples than *core*, and the site lists the two apart.

        The more alike they are, the more has to speak for it.
        """
        likeness = self.likeness(mask) / max(1e-9, self.likeness(core))
        ones, others = map(list, lists_of((self.members(mask), self.members(core)), self._lists_on))
        if not are_apart(ones, others, SEVERAL if likeness <= HALF else _MANY_SHARED):
            return False
        strangers, expected = strangers_in_lists(ones, others)
        return likeness <= MOST or strangers <= HARDLY_ANY * expected

    def refined(self, mask: int) -> int:
        """Return *mask* without pages where fields stand in the samples' places, and without pages that have some mark
        which others in *mask* lack, but no mark which they have: these pages only lack something."""
        rest = self.everywhere & ~mask
        own = having = 0
        for on, _ in self.strange:
            own |= on if _match(on, mask) else 0
        for on, _ in self.shared:
            is_common = (on & rest).bit_count() >= MOST * rest.bit_count()
            having |= on if is_common and 2 * (on & mask).bit_count() < mask.bit_count() else 0
        mask &= own | ~having
        for places in self._moved(mask)[0].values():
            for on in places:
                mask &= ~on
        return mask

    def _moved(self, mask: int) -> tuple[dict[str, list[int]], int]:
        """Field that is always found, there in other elements than on the rest → the pages with each of the samples'
        elements; and how many fields are always found on both.

        An element counts that nearly all other pages have; the field must not have another one that *mask* has, too.
        """
        rest = self.everywhere & ~mask
        inside, outside = (_always(probe.fields for probe in self.members(some)) for some in (mask, rest))
        found = {}
        for name in inside & outside:
            places = [self._pages.get(place, 0) for place in self.places.get(name, ())]
            if not any(2 * (on & mask).bit_count() > mask.bit_count() for on in places):
                found[name] = [on for on in places if _match(on, rest)]
        return {name: places for name, places in found.items() if places}, len(inside & outside)

    def likeness(self, mask: int) -> float:
        """The mean over some pages of the share of the samples' marks that they have, each weighing −log₂ of its own.

        Marks that all pages have weigh nothing.
        """
        whole = len(self.probes)
        weights = [(on, -log2(on.bit_count() / whole) * count) for on, count in self.shared]
        had = sum(weight * (on & mask).bit_count() for on, weight in weights)
        return had / max(1e-9, mask.bit_count() * sum(weight for _, weight in weights))


def list_links(usual: float) -> float:
    """Return the number of own links from which on a page is a list, if other pages have *usual*."""
    return max(2 * usual, usual + A_HANDFUL)


def by_size(mask: int) -> tuple[int, int]:
    """Return the sort key by which the largest set comes first."""
    return -mask.bit_count(), mask


def _labels(pages: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for mark, on in pages.items():
        tag, colon, text = mark.partition(":")
        if colon and ">" not in tag:
            found[text] = found.get(text, 0) | on
    return found


def _match(one: int, two: int) -> bool:
    return (one & two).bit_count() >= MOST * (one | two).bit_count()


def _disjoint(sets: Iterable[int]) -> list[int]:
    """Sets of pages, the smallest first, each less what those before it have: `dl.method` before `dl` of several."""
    known, found = 0, []
    for on in sorted(sets, key=by_size, reverse=True):
        if (left := on & ~known).bit_count() >= SEVERAL:
            found.append(left)
            known |= left
    return found


def _is_rare(on: int, mask: int) -> bool:
    return 10 * (on & mask).bit_count() <= mask.bit_count()


def mean_keywords(probes: Sequence[Probe]) -> float | None:
    """Return the share of the probes on which the keywords hold, None if no probe tells."""
    known = [probe.keywords for probe in probes if probe.keywords is not None]
    return sum(known) / len(known) if known else None


def _usual(probes: Sequence[Probe]) -> frozenset[str]:
    """Return the fields that half of the probes have: pages without reviews are no other kind where few have some."""
    counts = Counter(name for probe in probes for name in probe.shown)
    return frozenset(name for name, count in counts.items() if 2 * count >= len(probes))


def _mean_found(probes: Sequence[Probe], names: frozenset[str]) -> float | None:
    """Return the mean share of the named fields that the probes have (no names: of all); None without findings."""
    if not names:
        return fmean(found) if (found := [probe.found for probe in probes if probe.found is not None]) else None
    known = [probe for probe in probes if probe.found is not None]
    return fmean(len(names & probe.shown) / len(names) for probe in known) if known else None


def _always(names: Iterable[frozenset[str]]) -> frozenset[str]:
    sets = list(names)
    counts = Counter(name for one in sets for name in one)
    return frozenset(name for name, count in counts.items() if count >= NEARLY_ALL * len(sets))


def _never_by_chance(inside: Sequence[Probe], outside: Sequence[Probe]) -> list[str]:
    """Return the fields that half of *outside* has and none of *inside*, if that is unlikely for pages of one kind."""
    counts = Counter(name for probe in outside for name in probe.fields)
    found = frozenset[str]().union(*(probe.shown for probe in inside))
    return sorted(
        name
        for name, count in counts.items()
        if name not in found and 2 * count >= len(outside) and (1 - count / len(outside)) ** len(inside) <= _CHANCE
    )


# --- What elements are called in nesting marks: their classes and ids -------------------------------------------------


def _tags_of(mark: str) -> str:
    return _NAMES.sub("", mark) if ">" in mark else mark


def is_mostly(mark: str, place: str) -> bool:
    """Say whether a nesting mark is another one with some further classes, or without some, as far as is known.

    >>> is_mostly("h1.class.private>code>a", "h1.class>code>a"), is_mostly("h1.module>code>a", "h1.class>code>a")
    (True, False)
    """
    if mark == place or _tags_of(mark) != _tags_of(place) or _ID.findall(mark) != _ID.findall(place):
        return False
    theirs, mine = ([_CLASS.findall(one) for one in some.split(">")] for some in (mark, place))
    return all(map(_are_close, theirs, mine))


def _are_close(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether one of two lists of classes, in alphabetical order, holds the other.

    A mark names the first three, so classes behind the third are unknown; but lists of three that differ only in the
    last one name kinds (`content node node-page`).
    """
    if one == other:
        return True
    if len(one) == len(other) == 3 and one[:-1] == other[:-1]:
        return False
    known, others = _up_to(one, other), _up_to(other, one)
    return bool(known & others) and (known >= others or known <= others)


def _up_to(names: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """Return those *names* of which it is known whether the *others* have them."""
    return frozenset(one for one in names if len(others) < 3 or one <= others[-1])


# --- The parting itself -----------------------------------------------------------------------------------------------


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
