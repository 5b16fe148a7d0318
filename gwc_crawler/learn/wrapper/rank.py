"""Ranking: which of the candidates that fit all samples to trust, judged on further pages without labels.

A candidate scores by how far it agrees with the others (each family has one voice), how often it finds something,
whether what it finds is of the samples' kind and differs from page to page, and by what its address relies on.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from gwc_crawler.extract import BESIDES, Finder
from gwc_crawler.extract.fields import is_empty, kind_of, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import room_of


class Candidate(Protocol):
    """What is ranked."""

    @property
    def family(self) -> Family:
        """What it relies on."""

    @property
    def cost(self) -> float:
        """How much can break."""


C = TypeVar("C", bound=Candidate)

MOST_RANKED = 48
MOST_PER_FAMILY = 12
MOST_PER_END = 6
"""Of candidates whose paths end in the same step, so many go before others of their family."""
MOST_FALLBACKS = 5
MOST_LABELS = 4
MOST_SAME_LABEL = 2
MOST_COST = 3.2
"""A fallback with more that can break would break together with the best one."""
MOST_COST_NAMED = 2.1
NAMED_COVERAGE = 0.8
"""What finding a field that all samples have is worth, for an address by name."""
POSITION_COVERAGE = 0.25
"""The same for an address by position, which always finds something."""
LABEL_COVERAGE = 0.4
"""The same for an address by a label that stands beside the value: more than a position, less than a name."""
NEAR_LABEL_COST = 2.0
OPTIONAL_COVERAGE = 0.1
"""The same for an optional field: a wrong neighbour that is always there would find more than the right label."""
MOST_COST_UNSEEN = 1.9
"""The same where no further page could show that the fallback keeps silent when it should."""
SELDOM = 0.45
"""A required field's candidate that finds so much less than another one gains nothing where it is silent."""
SHOWN_SAME = 0.95
SHOWN_MOSTLY = 0.8
SHOWN_LESS = 0.1
"""What a page shows is taken instead of its data if it is equal on this share of pages, and there on nearly as many."""
LONG_DATA = 60
"""Letters from which on the data may have the beginning of a text alone."""
REFUTED = 1.0
"""What a candidate loses that reads something else on every page."""
RIGHT_KIND = 0.9
"""How far what is of the samples' kind is like them."""
NOTHING_SEEN = 0.8
"""How far an optional field's candidate that finds nothing on the further pages is taken to give the right kind."""
NOTHING_SEEN_PAGES = 5
"""So many pages that counts as: what is found on two pages says little, and an address that hits two by chance less."""
SURE_PAGES = 5
"""A field that was there on all of so many further pages is taken to be on every page."""
TRUST = {"id": 0.30, "label": 0.30, "class": 0.28, "attribute": 0.28, "tag": 0.16, "path": 0.08} | {
    "thing": 0.40,  # structured data of what the page is about; the rest of it:
    "structured": 0.26,
}
"""What an address that relies on … is worth beforehand; calibrated as a set on the development corpora."""

LATER_TEXT = re.compile(r"/text\(\)\[normalize-space\(\)\]\[(?:[2-9]|\d\d|last\(\))\]$")
"""How the path of a text ends that is counted among others of its element."""


@dataclass(slots=True)
class Ranked:
    """A candidate with its values on the further pages (in a form to compare, and as read) and its score."""

    finder: Any
    values: list[Any]
    raw: list[Any]
    score: float = 0.0
    agreement: float = 1.0
    coverage: float = 1.0
    kind: float = 1.0
    distinct: float = 0.0
    refuted: int = 0
    """Pages on which it read something else."""
    excused: int = 0
    """Pages on which nothing was to be found."""


@dataclass(slots=True)
class ChosenFinders:
    """The chosen candidates, best first, and the evidence for the report."""

    finders: list[Any]
    evidence: dict[str, Any] = field(default_factory=dict)


def choose(
    candidates: Sequence[C],
    read: Callable[[C, int], Any],
    pages: int,
    wanted: Sequence[Any],
    doubt: Callable[[C, int], bool] | None = None,
) -> ChosenFinders:
    """Rank *candidates* and take the best with fallbacks of other families.

    Args:
        read: gives a candidate's value on further page number n.
        pages: how many further pages there are.
        wanted: the samples' values, which show the field's kind.
        doubt: says whether what a candidate reads on page n is something else; asked where candidates differ.
    """
    pool = _shortlist(candidates)
    kind = kind_of(wanted)
    ranked = _without_twins([_read_all(one, read, pages) for one in pool])
    if doubt is not None:
        _refute(ranked, pages, doubt)
    _judge(ranked, pages, kind, any(map(is_empty, wanted)))
    ranked.sort(key=lambda one: -one.score)
    best = _as_shown(ranked)
    others = [one for one in ranked if one is not best]
    chosen = [best, *_fallbacks(best, others, any(map(is_empty, wanted)))]
    if len(chosen) == 1 and (shown := _shown_besides(best, others)) is not None:
        chosen.append(shown)
    evidence = {
        "candidates": len(candidates),
        "family": best.finder.family,
        "pages": pages,
        "coverage": round(best.coverage, 3),
        "agreement": round(best.agreement, 3),
        "distinct": len({*best.values} - {None}),
    }
    return ChosenFinders([one.finder for one in chosen], evidence)


def _read_all(candidate: C, read: Callable[[C, int], Any], pages: int) -> Ranked:
    values = [read(candidate, number) for number in range(pages)]
    return Ranked(candidate, list(map(value_key, values)), values)


def _as_shown(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or what the page shows, where that is data or an attribute that writes values otherwise.

    "Vape Mat - Small" in the data, "Vape Mat – Small" on the page: the same values, and now and then other signs.
    """
    best = ranked[0]
    if not _is_hidden(best.finder):
        return best
    silent = [n for n, value in enumerate(best.values) if value is None]
    shown = [one for one in ranked[1:] if _shows(one, best)]
    return min(shown, key=lambda one: sum(one.values[n] is not None for n in silent), default=best)


def _shown_besides(data: Ranked, others: Sequence[Ranked]) -> Ranked | None:
    """Where a page lacks the data that others have: what mostly shows the same on those."""
    if not _is_hidden(data.finder) or all(value is not None for value in data.values):
        return None
    return next((one for one in others if _shows(one, data, SHOWN_MOSTLY)), None)


def _shows(one: Ranked, data: Ranked, share: float = SHOWN_SAME) -> bool:
    """Whether a candidate reads from the page's text what another one reads from its data, in other signs at times."""
    finder = one.finder
    if _is_hidden(finder) or finder.family is Family.PATH or finder.cost > MOST_COST or one.refuted:
        return False
    both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
    same = sum(_is_shown(one.values[n], data.values[n]) for n in both)
    otherwise = any(one.raw[n] != data.raw[n] for n in both)
    return bool(both) and otherwise and same >= share * len(both) and one.coverage >= data.coverage - SHOWN_LESS


def _is_hidden(finder: Any) -> bool:
    """Whether a candidate reads what a browser does not show."""
    return finder.family is Family.STRUCTURED or (isinstance(finder, Finder) and finder.read.startswith("@"))


def _is_shown(shown: Any, data: Any) -> bool:
    """Whether a page shows what its data say, but for signs; of a long text the data may have the beginning alone."""
    text, said = _letters(shown), _letters(data)
    cut_off = isinstance(text, str) and isinstance(said, str) and len(said) >= LONG_DATA and text.startswith(said)
    return bool(text == said or cut_off)


def _letters(value: Any) -> Any:
    """A value in the form to compare without its signs."""
    if isinstance(value, tuple):
        return tuple(map(_letters, value))
    return "".join(filter(str.isalnum, value)) if isinstance(value, str) else value


def _shortlist(candidates: Sequence[C]) -> list[C]:
    """The weightiest of each family, not all of them ways to the same kind of element."""
    ends: Counter[tuple[str, str]] = Counter()
    first: list[C] = []
    later: list[C] = []
    for one in sorted(candidates, key=lambda one: -weight(one)):
        end = one.family, path_of(one).rpartition("/")[2]
        ends[end] += 1
        (first if ends[end] <= MOST_PER_END else later).append(one)
    counts: Counter[str] = Counter()
    short = []
    for one in [*first, *later]:
        counts[one.family] += 1
        if counts[one.family] <= MOST_PER_FAMILY:
            short.append(one)
    return sorted(short, key=lambda one: -weight(one))[:MOST_RANKED]


def path_of(one: Any) -> str:
    """The XPath that a candidate starts with."""
    return str(getattr(one, "rows", one).path)


def weight(one: Candidate) -> float:
    """How much a candidate's word counts beforehand: what it relies on, and how little can break."""
    return TRUST.get(voice(one), 0.1) * math.exp(-one.cost / 2)


def voice(one: Candidate) -> str:
    """Whose word a candidate is: its family's; structured data of what the page is about is written apart."""
    about = one.family is Family.STRUCTURED and not BESIDES.match(getattr(one, "path", ""))
    return "thing" if about else one.family


def _without_twins(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Of candidates that differ only in how they read the same path, and gave the same, the first."""
    seen = set()
    kept = []
    for one in ranked:
        key = getattr(one.finder, "path", id(one)), tuple(one.values)
        if key not in seen:
            seen.add(key)
            kept.append(one)
    return kept


def _judge(ranked: Sequence[Ranked], pages: int, kind: Callable[[Any], float], optional: bool) -> None:
    support = [_support(ranked, number) for number in range(pages)]
    for one in ranked:
        present = [value for value in one.values if value is not None]
        if pages:
            one.coverage = len(present) / max(1, pages - one.excused)
            one.kind = _kind_of(present, kind, optional)
            one.distinct = len(set(present)) / len(present) if present else 0.0
    found_by_some = max((one.coverage for one in ranked if one.kind >= RIGHT_KIND), default=0.0)
    for one in ranked:
        if pages:
            silent = not optional and one.coverage < SELDOM * found_by_some
            one.agreement = (
                sum(
                    support[number].get(value, 0.0)
                    for number, value in enumerate(one.values)
                    if value is not None or not silent
                )
                / pages
            )
            found = OPTIONAL_COVERAGE if optional else _worth_of_finding(one.finder)
            one.score = (
                one.agreement
                - REFUTED * one.refuted / pages
                + found * one.coverage
                + 0.5 * one.kind
                + 0.1 * one.distinct
            )
        one.score += weight(one.finder)


def _kind_of(present: Sequence[Any], kind: Callable[[Any], float], optional: bool) -> float:
    """How far what was found is of the samples' kind; an optional field's is drawn to what nothing counts as."""
    before = NOTHING_SEEN_PAGES if optional else 0
    found = sum(map(kind, present)) + before * NOTHING_SEEN
    return found / (len(present) + before) if present or before else 0.0


def _refute(ranked: Sequence[Ranked], pages: int, doubt: Callable[[Any, int], bool]) -> None:
    """Take back what candidates read where it is something else; where all who speak do, nobody misses a value."""
    for number in range(pages):
        if len({one.values[number] for one in ranked}) < 2:
            continue
        speaking = [one for one in ranked if one.values[number] is not None]
        refuted = [one for one in speaking if doubt(one.finder, number)]
        for one in refuted:
            one.values[number] = None
            one.refuted += 1
        if refuted and len(refuted) == len(speaking):
            for one in ranked:
                one.excused += 1


def _worth_of_finding(finder: Candidate) -> float:
    """What it says for a required field's candidate that it finds something."""
    if _is_named(finder):
        return NAMED_COVERAGE
    return LABEL_COVERAGE if finder.family is Family.LABEL and finder.cost <= NEAR_LABEL_COST else POSITION_COVERAGE


def _is_named(finder: Candidate) -> bool:
    """Whether a name on the page says that this is the field: then finding it counts, where positions always find.

    Not the name of something larger out of which literals cut the value: a text, or an attribute.
    """
    if isinstance(finder, Finder):
        from_attribute = finder.read.startswith("@") and " " in finder.cut.before + finder.cut.after
        if from_attribute or (finder.cut.before and not finder.cut.whole_before):
            return False
    if LATER_TEXT.search(path_of(finder)):
        return False
    return (finder.family.is_name or finder.family is Family.STRUCTURED) and finder.cost <= MOST_COST_NAMED


def _support(ranked: Sequence[Ranked], number: int) -> dict[Any, float]:
    """The share of all voices for each value on a page: of each family the weightiest that gives it speaks."""
    voices: dict[Any, dict[str, float]] = defaultdict(dict)
    for one in ranked:
        if one.values[number] is None and _asks_for_words(one.finder):
            continue
        here = voices[one.values[number]]
        here[voice(one.finder)] = max(here.get(voice(one.finder), 0.0), weight(one.finder))
    total = sum(sum(here.values()) for here in voices.values()) or 1.0
    return {value: sum(here.values()) / total for value, here in voices.items()}


def _asks_for_words(finder: Any) -> bool:
    """Whether a candidate cuts words off what it finds: where it is silent, they may stand in the next of its likes."""
    if not isinstance(finder, Finder) or "starts-with(" in finder.path:
        return False
    return finder.cut.whole_before and any(map(str.isalpha, finder.cut.before))


def _fallbacks(best: Ranked, others: Sequence[Ranked], optional: bool) -> list[Ranked]:
    """Good candidates of other families that never speak where the best one rightly says "absent"."""
    chosen: list[Ranked] = []
    families = Counter([best.finder.family])
    bases = Counter([_base(best), _label(best)])
    for one in others:
        by_label = one.finder.family is Family.LABEL
        most = MOST_LABELS if by_label else 2
        if len(chosen) >= MOST_FALLBACKS or families[one.finder.family] >= most or bases[_base(one)] >= 1:
            continue
        if by_label and (bases[_label(one)] >= MOST_SAME_LABEL or _labels(one) < _labels(best)):
            continue  # with fewer of the same labels it would only speak where the others are rightly missing
        if (room := room_of(path_of(best.finder))) and room_of(path_of(one.finder)) != room:
            continue  # where the label is missing in the best one's room, it may stand elsewhere before another value
        if optional and by_label and best.finder.family is Family.LABEL and _labels(one) != _labels(best):
            continue  # where the label of an optional field is missing, the field is; what follows another is another
        if _may_stand_in(best, one, optional):
            chosen.append(one)
            bases.update((_base(one), _label(one)))
            families[one.finder.family] += 1
    return chosen


def _base(one: Ranked) -> str:
    """The address of the element that a candidate stands or falls with."""
    finder = getattr(one.finder, "rows", one.finder)
    return str(re.sub(r"/text\(\)\[normalize-space\(\)\](\[[^\]]*\])?$", "", finder.path)) + str(finder.read)


def _label(one: Ranked) -> str:
    """The label that a candidate starts from."""
    finder = getattr(one.finder, "rows", one.finder)
    return finder.path.split('"')[1] if one.finder.family is Family.LABEL and '"' in finder.path else "-"


def _labels(one: Ranked) -> set[str]:
    """All labels that a candidate asks for."""
    return set(getattr(one.finder, "rows", one.finder).path.split('"')[1::2])


def _may_stand_in(best: Ranked, one: Ranked, optional: bool) -> bool:
    """Whether a candidate may speak where the best one finds nothing.

    It must have agreed before. Where the field was absent on some page it must have been silent there, and count
    nothing: positions and first elements of a name always give something. A label beside a required field may speak.
    """
    pairs, by_label = list(zip(best.values, one.values, strict=True)), one.finder.family is Family.LABEL
    both = [(mine, theirs) for mine, theirs in pairs if mine is not None]
    same = sum(theirs is None or mine == theirs for mine, theirs in both)
    absent = [theirs for mine, theirs in pairs if mine is None]
    if one.refuted or same < 0.9 * len(both) or (one.finder.family is Family.TAG and "/text()" in path_of(one.finder)):
        return False
    if any(theirs is not None for theirs in absent):
        spoken = sum(theirs is not None for _, theirs in both)
        near = by_label and one.finder.cost <= NEAR_LABEL_COST and one.kind >= RIGHT_KIND
        return near and not optional and spoken == same >= SURE_PAGES
    always = by_label or (not absent and len(best.values) >= SURE_PAGES and not optional)
    return always and one.finder.cost <= (MOST_COST if best.values else MOST_COST_UNSEEN)
