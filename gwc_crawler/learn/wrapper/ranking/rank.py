"""Rank the candidates that fit all samples, judged on further pages without labels.

A candidate's score depends on its agreement with the others (one voice per family), how often it finds something,
whether its values are of the samples' kind and differ from page to page, and the features its address relies on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.fields import is_blank, kind_of, value_key
from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, FEW, HARDLY_ANY, MANY, MOST, NEARLY_ALL, OFTEN
from gwc_crawler.learn.places.steps import quoted_in, room_of
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.wrapper.ranking.candidates import (
    COUNTED,
    MOST_COST,
    NEAR_LABEL_COST,
    Candidate,
    ChosenLocators,
    Ranked,
    is_named,
    is_right_behind_label,
    is_under_header,
    says_what_pages_are_called,
    voice,
    weight,
)
from gwc_crawler.learn.wrapper.ranking.corrections import corrected
from gwc_crawler.learn.wrapper.ranking.named import letters

_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
MOST_RANKED = 48
MOST_PER_END = 6
"""Maximum number of candidates with the same last step that go before others of their family."""
LABEL_COVERAGE = 0.4
"""Score for finding a field that all samples have, for an address by a label that stands beside the value."""
RATHER_KIND = 0.69
"""Likeness to the samples' kind from which on a find costs candidates that find nothing on any page their gain."""


def choose(
    candidates: Sequence[Candidate],
    read: Callable[[Any, int], Any],
    pages: int,
    wanted: Sequence[Any],
    doubt: Callable[[Any, int], bool] | None = None,
    called: Sequence[str] = (),
    field: str = "",
) -> ChosenLocators:
    """Rank *candidates* and take the best with fallbacks of other families.

    Args:
        read: gives a candidate's value on further page number n.
        pages: the number of further pages.
        wanted: the samples' values, which show the field's kind.
        doubt: tells whether a candidate reads something else on page n; asked if candidates differ.
        called: the names of further pages in their URLs, if the samples' values are their names there.
    """
    ranked = _read_all(_shortlist(candidates), read, pages)
    if doubt is not None:
        _refute(ranked, pages, doubt)
    optional = any(map(is_blank, wanted))
    _judge(ranked, pages, kind_of(wanted), optional, len(wanted))
    _add_names(ranked, called)
    ranked.sort(key=lambda one: -one.score)
    ranked = _never_refuted_first(ranked)
    best = corrected(ranked, wanted, field)
    others = [one for one in ranked if one is not best]
    around = [ranked[0]] if str(best.locator.path).startswith(f"{ranked[0].locator.path}/") else []
    chosen = [best, *around, *(one for one in fallbacks(best, others, optional) if one not in around)]
    evidence = {
        "candidates": len(candidates),
        "family": best.locator.family,
        "pages": pages,
        "coverage": round(best.coverage, 3),
        "agreement": round(best.agreement, 3),
        "distinct": len({*best.values} - {None}),
    }
    return ChosenLocators([one.locator for one in chosen], evidence)


def _never_refuted_first(ranked: list[Ranked]) -> list[Ranked]:
    """The candidates; if the best was seen to read something else, first one with a name that never was and says the
    same: "the first span.since" gives a method's where the page has none, one in the page's heading does not."""
    best = ranked[0]
    sure = (one for one in ranked if not one.refuted and one.values == best.values)
    told = (one for one in sure if is_named(one.locator) or is_right_behind_label(one.locator))
    first = next(told, best) if best.refuted else best
    return [first, *(one for one in ranked if one is not first)]


def names_in_urls(name: str, samples: Sequence[ExampleContext], pages: Sequence[LearnPage]) -> list[str]:
    """Return the names of further pages in their URLs, if the samples' values are their names there; else [].

    Only for a field that names a page: two packages may each have their own family, but the family is no name.
    """
    if not says_what_pages_are_called(name):
        return []
    called = [(letters(one.wanted).casefold(), _file_of(one.at)) for one in samples if isinstance(one.wanted, str)]
    same = len(called) == len(samples) and all(value == name != "" for value, name in called)
    return [_file_of(one) for one in pages] if same else []


def _file_of(page: LearnPage) -> str:
    """Return the letters and digits of the last segment of a page's URL, without its extension."""
    segment = unquote(urlsplit(page.url).path).rstrip("/").rpartition("/")[2]
    return letters(_EXTENSION.sub("", segment)).casefold()


def _shortlist(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the weightiest of each family, not all of them ways to the same kind of element."""
    ends: Counter[tuple[str, str]] = Counter()
    first, later = list[Candidate](), list[Candidate]()
    for one in sorted(candidates, key=lambda one: -weight(one)):
        end = one.family, one.path.rpartition("/")[2]
        ends[end] += 1
        (first if ends[end] <= MOST_PER_END else later).append(one)
    counts: Counter[str] = Counter()
    short = []
    for one in [*first, *later]:
        counts[one.family] += 1
        if counts[one.family] <= A_DOZEN:
            short.append(one)
    return sorted(short, key=lambda one: -weight(one))[:MOST_RANKED]


def _read_all(candidates: Sequence[Candidate], read: Callable[[Any, int], Any], pages: int) -> list[Ranked]:
    """Return the candidates with their values; of those that differ only in how they read the same the first."""
    ranked: dict[Any, Ranked] = {}
    for one in candidates:
        raw = [read(one, number) for number in range(pages)]
        values = list(map(value_key, raw))
        ranked.setdefault((one.path, tuple(values)), Ranked(one, values, raw))
    return list(ranked.values())


def _judge(ranked: Sequence[Ranked], pages: int, kind: Callable[[Any], float], optional: bool, samples: int) -> None:
    for one in ranked:
        one.score = weight(one.locator)
    if not pages:
        return
    support = [_support(ranked, number) for number in range(pages)]
    for one in ranked:
        present = [value for value in one.values if value is not None]
        one.coverage = len(present) / max(1, pages - one.excused)
        # An optional field's kind is drawn towards that of no value.
        before = A_HANDFUL if optional else 0
        one.kind = (sum(map(kind, present)) + before * MOST) / max(1, len(present) + before)
        one.distinct = len(set(present)) / max(1, len(present))
    found_by_some = max((one.coverage for one in ranked if one.kind >= NEARLY_ALL), default=0.0)
    found_rather = max((one.coverage for one in ranked if one.kind >= RATHER_KIND), default=0.0)
    optional = optional or (samples > 1 and pages >= MANY and max(one.coverage for one in ranked) <= FEW)
    for one in ranked:
        is_never_there = not one.coverage and found_rather >= OFTEN
        silent = not optional and (one.coverage < OFTEN * found_by_some or is_never_there)
        heard = [(n, value) for n, value in enumerate(one.values) if value is not None or not silent]
        one.agreement = sum(support[n].get(value, 0.0) for n, value in heard) / pages
        # A position always finds something, as a wrong neighbour does, more than an optional field's right label.
        is_near = one.locator.family is Family.LABEL and one.locator.cost <= NEAR_LABEL_COST
        found = MOST if is_named(one.locator) else LABEL_COVERAGE if is_near else FEW
        found = HARDLY_ANY if optional else found
        one.score += one.agreement - one.refuted / pages + found * one.coverage + 0.5 * one.kind + 0.1 * one.distinct


def _add_names(ranked: Sequence[Ranked], called: Sequence[str]) -> None:
    """Raise candidates by how often they say what pages are called in their URLs.

    Not ids and addresses, which do so anyway, nor what may be a part of a text: the first word of "Fail Task" is one.
    """
    for one in ranked if called else ():
        is_part = getattr(one.locator, "cut", NO_AFFIXES).optional
        if not is_part and not str(getattr(one.locator, "read", "")).startswith("@"):
            one.score += fmean(
                letters(str(value)).casefold() == name for value, name in zip(one.values, called, strict=True)
            )


def _refute(ranked: Sequence[Ranked], pages: int, doubt: Callable[[Any, int], bool]) -> None:
    """Take back what candidates read where it is something else; excuse all if all that speak were wrong."""
    for number in range(pages):
        if len({one.values[number] for one in ranked}) < 2:
            continue
        speaking = [one for one in ranked if one.values[number] is not None]
        refuted = [one for one in speaking if doubt(one.locator, number)]
        for one in refuted:
            one.values[number] = None
            one.refuted += 1
        if refuted and len(refuted) == len(speaking):
            for one in ranked:
                one.excused += 1


def _support(ranked: Sequence[Ranked], number: int) -> dict[Any, float]:
    """Return the share of all voices for each value on a page: of each family the weightiest that gives it speaks."""
    voices: dict[Any, dict[str, float]] = defaultdict(dict)
    for one in ranked:
        if one.values[number] is None and _asks_for_words(one.locator):
            continue
        here, said = voices[one.values[number]], voice(one.locator)
        here[said] = max(here.get(said, 0.0), weight(one.locator))
    total = sum(sum(here.values()) for here in voices.values()) or 1.0
    return {value: sum(here.values()) / total for value, here in voices.items()}


def _asks_for_words(locator: Candidate) -> bool:
    """Tell whether a candidate cuts words off its text: where it is silent, they may stand in the next such element."""
    if not isinstance(locator, Locator) or "starts-with(" in locator.path:
        return False
    return locator.cut.whole_before and any(map(str.isalpha, locator.cut.before))


_NEXT_ROW = re.compile(r"/\.\./following-sibling::(?:\*\[1\]\[self::)?(?:dl|dt|li|tr)\b")
"""How a path goes from one row to another."""
MOST_COST_UNSEEN = 1.9
"""The same where no further page could show that the fallback keeps silent when it should."""


def fallbacks(best: Ranked, others: Sequence[Ranked], optional: bool) -> list[Ranked]:
    """Good candidates of other families that never speak where the best one rightly says "absent"."""
    chosen: list[Ranked] = []
    families, bases, labels = Counter([best.locator.family]), {_base(best)}, Counter([_label(best)])
    for one in others:
        by_label, base, label = one.locator.family is Family.LABEL, _base(one), _label(one)
        are_enough = len(chosen) >= A_HANDFUL or families[one.locator.family] >= (A_HANDFUL if by_label else 2)
        if are_enough or base in bases or (by_label and labels[label] >= 2):
            continue
        is_always = not optional and not any(isinstance(value, list) for value in best.raw)
        if not _leads_elsewhere(best.locator, one.locator, is_always) and _may_stand_in(best, one, optional):
            chosen.append(one)
            families[one.locator.family] += 1
            bases.add(base)
            labels[label] += 1
    return chosen


def _leads_elsewhere(best: Any, one: Any, is_always: bool) -> bool:
    """Tell whether a candidate may read another field or record where the best one finds nothing.

    If the best one's label or table header is missing, another label's value or the first cell is another field's; only
    a field that *is_always* there has its label written differently, and a row next to another label's is its own. If
    the label is missing in its room, it may stand elsewhere; if a row's cell is empty, the text behind another cell
    is the next row's; if a text is missing, another link's address is cut to pieces.
    """
    mine, theirs = best.path, one.path
    is_other_part = any(part(one) and not part(best) for part in (_runs_out, _is_part_of_address))
    is_elsewhere = room_of(mine) not in ("", room_of(theirs)) or (one.family is Family.PATH and is_under_header(best))
    if one.family is not Family.LABEL or is_other_part or is_elsewhere:
        return is_other_part or is_elsewhere
    by_another = best.family is Family.LABEL and set(quoted_in(mine)) != set(quoted_in(theirs))
    return by_another and not (is_always and _NEXT_ROW.search(theirs))


def _base(one: Ranked) -> str:
    """Return the address of the element that a candidate stands or falls with."""
    read = getattr(one.locator, "rows", one.locator).read
    return re.sub(r"/text\(\)\[normalize-space\(\)\](\[[^\]]*\])?$", "", one.locator.path) + str(read)


def _label(one: Ranked) -> str:
    """Return the label that a candidate starts from."""
    path = one.locator.path
    return path.split('"')[1] if one.locator.family is Family.LABEL and '"' in path else "-"


def _may_stand_in(best: Ranked, one: Ranked, optional: bool) -> bool:
    """Tell whether a candidate may speak where the best one finds nothing.

    It must have agreed before. If the field was absent on some page it must have been silent there, and count
    nothing: positions and first elements of a name always give something. A label beside a required field may speak,
    but not for an element counted behind it: without "Usage", the second `pre` behind "Syntax" is another field's.
    """
    pairs, by_label = list(zip(best.values, one.values, strict=True)), one.locator.family is Family.LABEL
    both = [(mine, theirs) for mine, theirs in pairs if mine is not None]
    same = sum(theirs is None or mine == theirs for mine, theirs in both)
    absent = [theirs for mine, theirs in pairs if mine is None]
    is_first_text = one.locator.family is Family.TAG and "/text()" in one.locator.path
    if one.refuted or same < NEARLY_ALL * len(both) or is_first_text:
        return False
    if absent and by_label and best.locator.family is not Family.LABEL and COUNTED.search(one.locator.path):
        return False
    if any(theirs is not None for theirs in absent):
        spoken = sum(theirs is not None for _, theirs in both)
        near = by_label and one.locator.cost <= NEAR_LABEL_COST and one.kind >= NEARLY_ALL
        return near and not optional and spoken == same >= A_HANDFUL and not getattr(one.locator, "split", "")
    always = by_label or (not absent and len(best.values) >= A_HANDFUL and not optional)
    return always and one.locator.cost <= (MOST_COST if best.values else MOST_COST_UNSEEN)


def _is_part_of_address(locator: Any) -> bool:
    return getattr(locator, "read", "") in ("@href", "@src") and locator.cut != NO_AFFIXES


def _runs_out(locator: Any) -> bool:
    """Tell whether a part of a record is read from the text after an element: it may go on into the next record."""
    return isinstance(locator, Locator) and locator.path.startswith(".") and locator.read.startswith("after:")
