"""Corrections of the ranking, in one list: further pages show that the best-ranked candidate is not meant.

In: candidates, best first. Out: the one to take. Each correction is a pass that can be left out to see its effect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES, is_like_number
from gwc_crawler.extract.fields import value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_HANDFUL, FEW, HALF, HARDLY_ANY, LABEL_LENGTH, MANY, MOST, SHORT_WORD, SLIPS
from gwc_crawler.learn.places.steps import NEXT_TEXT
from gwc_crawler.learn.wrapper.ranking.candidates import (
    MOST_COST,
    Ranked,
    is_hidden,
    is_named,
    is_right_behind_label,
    path_of,
    voice,
)
from gwc_crawler.learn.wrapper.ranking.named import calls, has_name

_SUMMARY = re.compile(r"^(?:meta:|//meta\[@\w+=\")(?:og:|twitter:)?description")
_RANGE = re.compile(r"\s*[–—~-]\s*(\S.*)")


def corrected(ranked: Sequence[Ranked], wanted: Sequence[Any], field: str) -> Ranked:
    """Return the best candidate, or the one that the first applicable correction takes instead.

    Args:
        wanted: the samples' values.
        field: the name of the field.
    """
    for correction in (what_varies, what_is_shown, what_ranges, what_parts):
        if (one := correction(ranked, wanted, field)) is not ranked[0]:
            return one
    return ranked[0]


def what_varies(ranked: Sequence[Ranked], wanted: Sequence[Any], field: str) -> Ranked:
    """Return the best candidate, or one that varies, if the samples share a value by chance and the best never varies.

    Another element must say the same on each page: then both vary because the field does. A value right behind a
    label needs none: menus say the same on all pages.
    """
    usual = value_key(wanted[0])
    if {value_key(one) for one in wanted} != {usual} or len(wanted) < 2 or not isinstance(usual, str):
        return ranked[0]
    if {*ranked[0].values} - {None} != {usual} or len(ranked[0].values) < A_HANDFUL:
        return ranked[0]
    meant = [one for one in ranked if one.coverage >= MOST and not one.refuted]
    varying = [one for one in meant if {*one.values} - {None} != {usual}]
    for one in (one for one in varying if one.values.count(usual) >= HARDLY_ANY * len(one.values)):
        least = HALF if has_name(field, path_of(one.locator)) else MOST
        # Right behind a label or next to it, or before the field's name: "3 comments".
        is_next = one.locator.family is Family.LABEL and path_of(one.locator).endswith(NEXT_TEXT)
        is_led = is_next or is_right_behind_label(one.locator)
        if (is_led or calls(field, getattr(one.locator, "cut", NO_AFFIXES).after)) and one.kind >= least:
            return one
    least = FEW if is_like_number(usual) else HARDLY_ANY
    varying = [one for one in varying if one.kind >= MOST and one.values.count(usual) >= least * len(one.values)]
    for number, one in enumerate(varying):
        also = (other for other in varying[number + 1 :] if _element(one) != _element(other))
        if any(one.values == other.values for other in also):
            return one
    return ranked[0]


def _element(one: Ranked) -> str:
    """Return the name of the element that a candidate reads."""
    steps = re.findall(r"/([a-z][a-z0-9]*)(?=\[|/|$)", path_of(one.locator))
    return str(steps[-1]) if steps else path_of(one.locator)


def what_is_shown(ranked: Sequence[Ranked], wanted: Sequence[Any], _: str) -> Ranked:
    """Return the best candidate, or the page's own text, if the best is data or an attribute that writes it otherwise.

    "Vape Mat - Small" in the data, "Vape Mat – Small" on the page: the same values, now and then with other signs.

    If a sample gives a list of several items in the page's order, the data may have another order. And if data and page
    contradict each other, the data are about another thing, whatever their name.
    """
    best, in_order = ranked[0], any(isinstance(one, list) and len(one) > 1 for one in wanted)
    if not is_hidden(best.locator):
        return best
    silent = [n for n, value in enumerate(best.values) if value is None]
    shown = [one for one in ranked[1:] if _shows(one, best, in_order=in_order)]
    if not shown:
        return _contradicting(best, ranked[1:]) or best
    return min(
        shown, key=lambda one: (sum(one.values[n] is not None for n in silent), _is_cut(one.locator)), default=best
    )


def _contradicting(data: Ranked, ranked: Sequence[Ranked]) -> Ranked | None:
    """Return the first candidate with a name that another one agrees with and that contradicts the data.

    Data that some text of the page repeats on every page are not contradicted.
    """
    shown = [one for one in ranked if not is_hidden(one.locator) and not one.refuted and one.kind >= MOST]
    if any(one.values == data.values for one in shown):
        return None
    for one in (one for one in shown if is_named(one.locator)):
        both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
        otherwise = sum(not _is_shown(one.values[n], data.values[n], False) for n in both)
        agree = (other for other in shown if voice(other.locator) != voice(one.locator) and other.values == one.values)
        if len(both) >= A_HANDFUL and otherwise >= FEW * len(both) and any(agree):
            return one
    return None


def _shows(one: Ranked, data: Ranked, *, in_order: bool) -> bool:
    """Say whether a candidate reads from the text the value that another reads from data, maybe in other signs.

    Hardly a page may lack it. Half may lack a summary for search engines: where no one wrote one, it is the beginning
    of the text.
    """
    locator = one.locator
    in_row = path_of(locator).startswith("./")  # where a cell is told by its place
    is_safe = in_row or (locator.family is not Family.PATH and locator.cost <= MOST_COST)
    if is_hidden(locator) or not is_safe or one.refuted:
        return False
    both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
    same = sum(_is_shown(one.values[n], data.values[n], in_order) for n in both)
    is_safer = is_named(locator) or (_is_cut_within(data.locator) and not _is_cut_within(locator))
    is_safer = is_safer or (_is_cut(data.locator) and not _is_cut(locator) and is_right_behind_label(locator))
    otherwise = any(one.raw[n] != data.raw[n] for n in both) or (is_safer and same == len(both) >= A_HANDFUL)
    is_summary = _SUMMARY.search(path_of(data.locator)) is not None and is_safer and same == len(both) >= A_HANDFUL
    least = HALF if is_summary else data.coverage - HARDLY_ANY
    return bool(both) and otherwise and len(both) - same <= SLIPS * len(both) and one.coverage >= least


def _is_cut(locator: Any) -> bool:
    return bool(getattr(locator, "cut", NO_AFFIXES) != NO_AFFIXES)


def _is_cut_within(locator: Any) -> bool:
    """Say whether a candidate's value ends at words within a text, " by ", which a value may have itself."""
    cut = getattr(locator, "cut", NO_AFFIXES)
    return not cut.whole_after and any(map(str.isalpha, cut.after))


def _is_shown(shown: Any, data: Any, in_order: bool) -> bool:
    """Say whether a page shows what its data say, but for signs; of a long text the data may have the beginning alone.

    Of a list that a page has *in_order* the data may have the items in another one.
    """
    text, said = _letters(shown), _letters(data)
    if in_order and isinstance(text, tuple) and isinstance(said, tuple):
        return sorted(map(str, text)) == sorted(map(str, said))
    if not (isinstance(text, str) and isinstance(said, str)):
        return bool(text == said)
    least = MANY if str(data).endswith(("...", "…")) else LABEL_LENGTH
    return text == said or (text.startswith(said) and sum(SHORT_WORD if one >= "⺀" else 1 for one in said) >= least)


def _letters(value: Any) -> Any:
    """Return a value in the form to compare without its signs."""
    if isinstance(value, tuple):
        return tuple(map(_letters, value))
    return "".join(filter(str.isalnum, value)) if isinstance(value, str) else value


def what_ranges(ranked: Sequence[Ranked], wanted: Sequence[Any], _: str) -> Ranked:
    """Return the best candidate, or one that gives the same, and all of a range that the best begins: "$3.00 – $7.50".

    Mostly ranges count: of a reduced price, "$9 $7", the first number alone is as wrong as both.
    """
    best = ranked[0]
    for one in ranked[1:] if not is_hidden(best.locator) else ():
        pairs = [(mine, theirs) for mine, theirs in zip(best.raw, one.raw, strict=True) if mine != theirs]
        begin_so = pairs and all(str(theirs).startswith(str(mine)) for mine, theirs in pairs)
        if begin_so and not one.refuted and 2 * sum(_is_range(*pair) for pair in pairs) > len(pairs):
            return one
    return best


def _is_range(first: Any, whole: Any) -> bool:
    """Say whether a text is one from a number to another, and begins with the *first*.

    >>> _is_range("$3.00", "$3.00 – $7.50"), _is_range("$3.00", "$3.00 - was $7.50"), _is_range("1", "12")
    (True, False, False)
    """
    if not (isinstance(first, str) and isinstance(whole, str) and whole.startswith(first)):
        return False
    other = _RANGE.fullmatch(whole[len(first) :])
    if other is None:
        return False
    one, two = (list(filter(str.isalpha, text)) for text in (first, other[1]))
    return one == two


def what_parts(ranked: Sequence[Ranked], wanted: Sequence[Any], _: str) -> Ranked:
    """Return the best one; or, if each sample's list has one item, a candidate that gives several for one of the best.

    `<dd><a>Ann</a></dd>` on the samples, `<dd><a>Ann</a>, <a>Bob</a></dd>` elsewhere: the links are the items.
    """
    best, lists = ranked[0], [value_key(one) for one in wanted]
    if not all(one is None or (isinstance(one, tuple) and len(one) == 1) for one in lists):
        return best
    for one in ranked[1:]:
        pairs = [(mine, theirs) for mine, theirs in zip(best.values, one.values, strict=True) if mine != theirs]
        left = [_besides(mine, theirs) for mine, theirs in pairs]
        if any(left) and None not in left and one.refuted <= best.refuted:
            return one
    return best


def _besides(whole: Any, parts: Any) -> bool | None:
    """Tell whether a text consists of several parts, in order, and a short word at most; None if a part is missing."""
    if not isinstance(whole, tuple) or not isinstance(parts, tuple) or len(whole) != 1:
        return None
    if not all(isinstance(one, str) for one in (*whole, *parts)):
        return None
    left, text = "", whole[0]
    for part in parts:
        before, found, text = text.partition(part)
        if not found:
            return None
        left += before
    return len(parts) > 1 and sum(map(str.isalnum, left + text)) <= SHORT_WORD
