"""What tells target pages from other pages of the same URL form: `Knowledge.page_check` (the paper's open problem).

In: pages of the target groups, their marks, whether the keywords hold, what the wrapper finds. Out: a page check for
`extract.page_check.page_agrees`, and which pages it counts as targets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, TypeAlias

from gwc_crawler.learn.kinds import UNLIKE
from gwc_crawler.learn.targets.similarity import are_apart

_NAMES = re.compile(r"[.#][^>]*")

_LEAST_FOREIGN = 3
"""Pages of another category that must be seen before they count as one."""
_OWN_MARKS = 3
_LOST_MARKS = 3
_TOGETHER = 0.8
_REQUIRED_MARKS = 32
_REQUIRED_ON = (1.0, 0.97, 0.9)
"""Shares of the good pages that have to have a required mark: the first with which there are some marks, and the check
loses no page."""
_FORBIDDEN_MARKS = 12
_KEPT_COVERAGE = 0.45
"""Pages with this share of the fields that the others have lack optional ones."""
_ALWAYS = 0.9
_NAMED_APART = 0.5
"""Several kinds that the name of an element tells apart have together so much of the others' likeness at most."""
_RENAMED = "the element that holds a field has another name there"
_OTHER_TEMPLATE = 0.6
"""Without a wrapper, a group is of another kind if it lacks this share of the marks that all samples have."""


@dataclass(frozen=True)
class Probe:
    """One page of a target group.

    `marks` are its page features, `keywords` tells whether they hold outside links (None: there are none), `found` the
    share of the samples' fields that the wrapper finds (None: no wrapper), `fields` which these are, `several` those
    that stand on it several times, as in a list, `linked_from` the pages that link to it.
    """

    url: str
    marks: frozenset[str]
    is_sample: bool
    keywords: bool | None = None
    found: float | None = None
    fields: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    linked_from: frozenset[str] = frozenset()


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
    return Split(good, foreign, reasons)


def page_check(
    split: Split, common: Mapping[str, float], keywords: str, places: Mapping[str, frozenset[str]] | None = None
) -> dict[str, Any]:
    """The page check that tells the good pages of *split* from the foreign ones, and from pages without any mark.

    Args:
        common: mark → in which share of the site's URL groups it stands.
        keywords: the site file's expression.
        places: field → the nesting marks of its element on the samples; where other categories were seen, one of them
            is enough to tell.
    """
    telling = frozenset().union(*(places or {}).values()) if split.foreign else frozenset()
    shares = _shares(split.good)
    others = [_shares(group) for group in split.foreign]
    least = 0.5 if split.foreign else 0.34
    required: list[str] = []
    for share in _REQUIRED_ON:
        required = [
            mark
            for mark in _marks_of_all_samples(split.good)
            if shares[mark] >= share
            and (common.get(mark, 0) <= 0.5 or split.foreign)
            and all(other.get(mark, 0) <= 0.1 for other in others)
        ]
        lost = any(len(probe.marks.intersection(required)) < least * len(required) for probe in split.good)
        enough = len(required) >= _LOST_MARKS or not telling.isdisjoint(required)
        if enough and not lost:
            break
    check: dict[str, Any] = {}
    if enough:
        check = {"required": _spread(required, _REQUIRED_MARKS), "least_required": least}
    if forbidden := [] if _suffices(check, split) else _forbidden(shares, others):
        check |= {"forbidden": forbidden, "most_forbidden": round(0.5 / len(others), 3)}
    if keywords and _keywords_part(split):
        check["keywords"] = keywords
    return check


def _suffices(check: Mapping[str, Any], split: Split) -> bool:
    """Whether the required marks alone tell all pages of other categories: then no mark need be forbidden."""
    required = check.get("required", ())
    found = (len(probe.marks.intersection(required)) for group in split.foreign for probe in group)
    return bool(required) and all(count < check["least_required"] * len(required) for count in found)


_Group: TypeAlias = tuple[list[Probe], str]


def _foreign_groups(probes: Sequence[Probe], places: Mapping[str, frozenset[str]]) -> list[_Group]:
    """Several groups of other categories side by side; else the largest one; or none."""
    board = _Board(probes, places)
    if groups := _groups_beside(board):
        return groups
    for mask in sorted(board.candidates(), key=_by_size):
        if board.reason(mask):
            mask = board.refined(mask)
            if mask.bit_count() >= _LEAST_FOREIGN and (reason := board.reason(mask)):
                return [(board.members(mask), reason)]
    return []


def _groups_beside(board: _Board) -> list[_Group]:
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


class _Board:
    """Which marks stand on which probes, as bit sets: bit n is probe n. Marks on the same probes are kept together."""

    def __init__(self, probes: Sequence[Probe], places: Mapping[str, frozenset[str]]) -> None:
        self.probes = probes
        self.places = places
        self.everywhere = (1 << len(probes)) - 1
        self.sampled = self._bits(probe.is_sample for probe in probes)
        self.failing = self._bits(probe.keywords is False for probe in probes)
        pages: dict[str, int] = {}
        for bit, probe in enumerate(probes):
            for mark in probe.marks:
                pages[mark] = pages.get(mark, 0) | 1 << bit
        self._pages = pages
        self._labels = Counter(_labels(pages).values())
        counts = Counter(pages.values())
        self.strange = [(on, count) for on, count in counts.items() if not on & self.sampled]
        self.shared = [(on, count) for on, count in counts.items() if on & self.sampled == self.sampled]

    def _bits(self, flags: Iterable[bool]) -> int:
        return sum(1 << bit for bit, flag in enumerate(flags) if flag)

    def members(self, mask: int) -> list[Probe]:
        return [probe for bit, probe in enumerate(self.probes) if mask >> bit & 1]

    def candidates(self) -> set[int]:
        """Sets of pages without a sample that might be a category: with a strange mark, without a shared one."""
        found = {on for on, _ in self.strange} | {self.everywhere & ~on for on, _ in self.shared}
        if not self.failing & self.sampled:
            found.add(self.failing)
        return {mask for mask in found if _LEAST_FOREIGN <= mask.bit_count() < len(self.probes)}

    def parted(self) -> Iterator[tuple[int, list[int]]]:
        """Pages with a mark of all samples, each time with sets that have marks of their own and make up the others."""
        within = sorted({on for on, _ in self.strange if on.bit_count() >= _LEAST_FOREIGN}, key=_by_size)
        for core in sorted({on for on, _ in self.shared}, key=_by_size):
            left = others = self.everywhere & ~core
            if others.bit_count() < 2 * _LEAST_FOREIGN or (core & ~self.sampled).bit_count() < _LEAST_FOREIGN:
                continue
            parts = []
            for on in within:
                part = on & left
                if on & core or part.bit_count() < _LEAST_FOREIGN or not _match(part, on):
                    continue
                parts.append(part)
                left &= ~part
            if len(parts) > 1 and left.bit_count() <= (1 - _TOGETHER) * others.bit_count():
                yield core, parts

    def reason(self, mask: int) -> str:
        """Why the pages of *mask* are of another category, or ""."""
        rest = self.everywhere & ~mask
        own = sum(count for on, count in self.strange if _match(on, mask))
        lost = sum(count for on, count in self.shared if _match(on, rest) and _is_rare(on, mask))
        if not own or not lost:
            return ""
        inside, outside = self.members(mask), self.members(rest)
        hits, misses = _mean_keywords(outside), _mean_keywords(inside)
        if hits is not None and misses is not None and hits >= 0.9 and misses <= 0.1:
            return f"the keywords hold on {hits:.0%} of the other pages and {misses:.0%} of these"
        if own < _OWN_MARKS or lost < _LOST_MARKS:
            return ""
        if others := self._other_fields(mask):
            return others
        if self._likeness(mask) > UNLIKE * self._likeness(rest):
            return ""
        kept, found = _mean_found(outside), _mean_found(inside)
        if kept is not None and found is not None:
            return (
                f"{found:.0%} of the fields are found, on the other pages {kept:.0%}"
                if found < _KEPT_COVERAGE * kept
                else ""
            )
        telling = sum(count for on, count in self.shared if not _match(on, self.everywhere))
        if lost >= _OTHER_TEMPLATE * telling and own >= lost / 2:
            return f"{lost} marks that all samples have are missing, {own} others are there instead"
        return ""

    def _other_fields(self, mask: int) -> str:
        """Say what speaks for another kind: the pages are lists, or fields stand elsewhere and one is missing."""
        inside, outside = self.members(mask), self.members(self.everywhere & ~mask)
        if (self.everywhere & ~mask & ~self.sampled).bit_count() < _LEAST_FOREIGN:  # the samples alone are no measure
            return ""
        if listed := _always(probe.several for probe in inside) & _always(probe.fields for probe in outside):
            return f"{min(listed)} stands there several times, on the other pages once"
        if not self._moved(mask):
            return ""
        lacking = sorted(
            _always(probe.fields for probe in outside) - frozenset().union(*(probe.fields for probe in inside))
        )
        if lacking:
            return f"{lacking[0]} is never found, on the other pages always"
        return "other labels stand in the place of those that all samples have" if self._swaps_labels(mask) else ""

    def namesakes(self, core: int) -> int:
        """The pages beside *core* on which an element that holds a field has another name."""
        tags = {_tags(place) for _, place in self._only_places() if _match(self._pages.get(place, 0), core)}
        having = 0
        for mark, on in self._pages.items():
            if not on & (core | self.sampled) and _tags(mark) in tags:
                having |= on
        return having

    def is_renamed(self, part: int, core: int) -> bool:
        """Whether the element of a field that both sets always have, and but once, has other classes on *part*."""
        inside, outside = (_always(probe.fields for probe in self.members(some)) for some in (part, core))
        known = core | self.sampled
        names = {_tags(mark) for mark, on in self._pages.items() if not on & known and on & part == part}
        places = [place for name, place in self._only_places() if name in inside & outside and _tags(place) in names]
        having = [self._pages.get(place, 0) for place in places]
        return any(_match(on, core) and _is_rare(on, part) for on in having)

    def is_another(self, mask: int, core: int) -> bool:
        """Whether *mask* has little of what *core* has of the samples, and the site lists the two apart."""
        ones, others = ([probe.linked_from for probe in self.members(some)] for some in (mask, core))
        return self._likeness(mask) <= _NAMED_APART * self._likeness(core) and are_apart(ones, others)

    def _only_places(self) -> Iterator[tuple[str, str]]:
        """Each field that stands in one place of the samples alone, and the mark of its element."""
        return ((name, next(iter(places))) for name, places in self.places.items() if len(places) == 1)

    def refined(self, mask: int) -> int:
        """*mask* without pages on which fields stand where they stand on the samples: these only lack something."""
        for on in self._moved(mask):
            mask &= ~on
        return mask

    def _moved(self, mask: int) -> list[int]:
        """The pages with the samples' elements of fields that are always found, there in others than on the rest.

        An element counts that nearly all other pages have; the field must not have another one that *mask* has, too.
        """
        rest = self.everywhere & ~mask
        inside, outside = (_always(probe.fields for probe in self.members(some)) for some in (mask, rest))
        found = []
        for name in inside & outside:
            places = [self._pages.get(place, 0) for place in self.places.get(name, ())]
            if not any(2 * (on & mask).bit_count() > mask.bit_count() for on in places):
                found += [on for on in places if _match(on, rest)]
        return found

    def _swaps_labels(self, mask: int) -> bool:
        """Whether the pages of *mask* have a label, whatever its element, that the others lack, and the other way."""
        rest = self.everywhere & ~mask
        own = any(_match(on, mask) and not on & self.sampled for on in self._labels)
        return own and any(_match(on, rest) and _is_rare(on, mask) for on in self._labels)

    def _likeness(self, mask: int) -> float:
        """The mean over some pages of the share of the samples' marks that they have, each weighing −log₂ of its own.

        Marks that all pages have weigh nothing.
        """
        whole = len(self.probes)
        weights = [(on, -log2(on.bit_count() / whole) * count) for on, count in self.shared]
        had = sum(weight * (on & mask).bit_count() for on, weight in weights)
        return had / max(1e-9, mask.bit_count() * sum(weight for _, weight in weights))


def _by_size(mask: int) -> tuple[int, int]:
    """The largest first."""
    return -mask.bit_count(), mask


def _labels(pages: Mapping[str, int]) -> dict[str, int]:
    """Text → the pages on which it stands alone in some element."""
    found: dict[str, int] = {}
    for mark, on in pages.items():
        tag, colon, text = mark.partition(":")
        if colon and ">" not in tag:
            found[text] = found.get(text, 0) | on
    return found


def _match(one: int, two: int) -> bool:
    """Do two sets of pages nearly coincide?"""
    return (one & two).bit_count() >= _TOGETHER * (one | two).bit_count()


def _is_rare(on: int, mask: int) -> bool:
    """Has hardly a page of *mask* a mark?"""
    return 10 * (on & mask).bit_count() <= mask.bit_count()


def _tags(mark: str) -> str:
    """A nesting mark without classes and ids; a text mark as it is."""
    return _NAMES.sub("", mark) if ">" in mark else mark


def _mean_keywords(probes: Sequence[Probe]) -> float | None:
    known = [probe.keywords for probe in probes if probe.keywords is not None]
    return sum(known) / len(known) if known else None


def _mean_found(probes: Sequence[Probe]) -> float | None:
    known = [probe.found for probe in probes if probe.found is not None]
    return sum(known) / len(known) if known else None


def _always(names: Iterable[frozenset[str]]) -> frozenset[str]:
    """The names that nearly all of the sets have."""
    sets = list(names)
    counts = Counter(name for one in sets for name in one)
    return frozenset(name for name, count in counts.items() if count >= _ALWAYS * len(sets))


def _shares(probes: Sequence[Probe]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for probe in probes:
        for mark in probe.marks:
            shares[mark] = shares.get(mark, 0.0) + 1 / len(probes)
    return shares


def _marks_of_all_samples(probes: Sequence[Probe]) -> list[str]:
    samples = [probe.marks for probe in probes if probe.is_sample] or [probe.marks for probe in probes]
    return sorted(frozenset.intersection(*samples))


def _forbidden(shares: Mapping[str, float], others: Sequence[Mapping[str, float]]) -> list[str]:
    """The same number of marks from each foreign group, those that most of its pages have and no good page."""
    chosen: list[str] = []
    for other in others:
        own = sorted(mark for mark, share in other.items() if share >= 0.7 and shares.get(mark, 0) <= 0.01)
        chosen += _spread(own, _FORBIDDEN_MARKS)
    return list(dict.fromkeys(chosen))


def _spread(marks: Sequence[str], count: int) -> list[str]:
    """At most *count* marks, spread over all: neighbours in order share ancestors, and come and go together."""
    step = max(1.0, len(marks) / count)
    return [marks[int(number * step)] for number in range(min(count, len(marks)))]


def _keywords_part(split: Split) -> bool:
    good, bad = _mean_keywords(split.good), _mean_keywords([probe for group in split.foreign for probe in group])
    return good is not None and bad is not None and good >= 0.98 and bad <= 0.1
