"""Corrections of the ranking, in one list: further pages show that the best-ranked candidate is not meant.

In: candidates, best first. Out: the one to take. Each correction is a pass that can be left out to see its effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES, is_like_number
from gwc_crawler.extract.fields import squeeze, value_key
from gwc_crawler.extract.locator import RUN, Locator, select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import (
    A_HANDFUL,
    ENOUGH,
    FEW,
    HALF,
    HARDLY_ANY,
    LABEL_LENGTH,
    MANY,
    MOST,
    SHORT_WORD,
    SLIPS,
)
from gwc_crawler.learn.places.places import READ_WHOLE
from gwc_crawler.learn.places.steps import NEXT_TEXT
from gwc_crawler.learn.wrapper.ranking.candidates import (
    MOST_COST,
    Ranked,
    is_hidden,
    is_named,
    is_right_behind_label,
    voice,
    weight,
)
from gwc_crawler.learn.wrapper.ranking.named import calls, has_name

_SUMMARY = re.compile(r"^(?:meta:|//meta\[@\w+=\")(?:og:|twitter:)?description")
_RANGE = re.compile(r"\s*[–—~-]\s*(\S.*)")


def corrected(ranked: Sequence[Ranked], wanted: Sequence[Any], field: str) -> Ranked:
    """Return the best candidate, or the one that the first applicable correction takes instead."""
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
        least = HALF if has_name(field, one.locator.path) else MOST
        # Right behind a label or next to it, or before the field's name: "3 comments".
        is_next = one.locator.family is Family.LABEL and str(one.locator.path).endswith(NEXT_TEXT)
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
    steps = re.findall(r"/([a-z][a-z0-9]*)(?=\[|/|$)", one.locator.path)
    return str(steps[-1]) if steps else one.locator.path


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
    in_row = locator.path.startswith("./")  # where a cell is told by its place
    is_safe = in_row or (locator.family is not Family.PATH and locator.cost <= MOST_COST)
    if is_hidden(locator) or not is_safe or one.refuted:
        return False
    both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
    same = sum(_is_shown(one.values[n], data.values[n], in_order) for n in both)
    is_safer = is_named(locator) or (_is_cut_within(data.locator) and not _is_cut_within(locator))
    is_safer = is_safer or (_is_cut(data.locator) and not _is_cut(locator) and is_right_behind_label(locator))
    otherwise = any(one.raw[n] != data.raw[n] for n in both) or (is_safer and same == len(both) >= A_HANDFUL)
    is_summary = _SUMMARY.search(data.locator.path) is not None and is_safer and same == len(both) >= A_HANDFUL
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


COST_MORE = 0.6
"""Maximum cost by which a tighter address exceeds the chosen one."""
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")
_WORDS = frozenset({"abstract", "brief", "excerpt", "lead", "lede", "summary", "tagline", "teaser"})
_SIGNS = ("摘要", "导语", "導語", "导读", "導讀", "概要")
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset({"article", "blockquote", "dd", "div", "dt", "li", "p", "section", "td"})


def as_it_should_be(
    chosen: Sequence[Locator],
    fitting: Sequence[Locator],
    pages: Sequence[PageView],
) -> list[Locator]:
    """Return the *chosen* addresses, or a tighter one, which has a name and gives a part of their items.

    It gives all of them on half the pages.
    """
    others = sorted((one for one in fitting if one not in chosen), key=lambda one: -weight(one))[:ENOUGH]
    cost = chosen[0].cost + COST_MORE
    tried = [one for one in (*chosen[1:], *others) if goes_by_name(one) and one.cost <= cost]
    best, *read = ([list(map(squeeze, one.every(page) or ())) for page in pages] for one in (chosen[0], *tried))
    found = (one for one, lists in zip(tried, read, strict=True) if _is_tighter(lists, best))
    return [one] if (one := next(found, None)) is not None else list(chosen)


def _is_tighter(lists: Sequence[list[str]], wide: Sequence[list[str]]) -> bool:
    speaking = [(one, other) for one, other in zip(lists, wide, strict=True) if one or other]
    equal = sum(one == other for one, other in speaking)
    within = all(one and not Counter(one) - Counter(other) for one, other in speaking)
    varies = len({tuple(one) for one, _ in speaking}) > 1  # what many pages have is a part of their lists by chance
    return within and varies and HALF * len(speaking) <= equal < len(speaking)


def goes_by_name(locator: Locator) -> bool:
    """Say whether a locator goes by a name or a label, and by no position."""
    return (locator.family.is_name or locator.family is Family.LABEL) and _POSITION.search(locator.path) is None


def asks_for_beginning(name: str) -> bool:
    """Tell whether a field's name asks for the beginning of a longer text.

    >>> [asks_for_beginning(name) for name in ("summary", "post_lead", "文章摘要", "leader", "description")]
    [True, True, True, False, False]
    """
    folded = name.casefold()
    return not _WORDS.isdisjoint(_WORD.findall(folded)) or any(sign in folded for sign in _SIGNS)


def beginning_first(
    name: str,
    chosen: list[Locator],
    locators: Sequence[Locator],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
) -> list[Locator]:
    """Return the *chosen* locators; first one of the block with which their text begins, if the field's name asks so.

    On the samples that is all. Rather one inside what they read: where they are silent, it is, too. On most further
    pages it must be there, and on some less than the whole. *locators*: those that fit the samples.
    """
    if not asks_for_beginning(name):
        return chosen
    whole, path = _texts(chosen[0], pages), chosen[0].path
    blocks = [replace(one, read="text") if one.read == RUN else one for one in (*chosen, *locators)]
    blocks = [one for one in blocks if one.read in READ_WHOLE and one.cut == NO_AFFIXES and not one.split]
    given = _texts(chosen[0], samples)
    blocks = [one for one in blocks if one.family is not Family.STRUCTURED and _texts(one, samples) == given]
    for one in sorted(dict.fromkeys(blocks), key=lambda one: (not one.path.startswith(path), -weight(one))):
        begun = _texts(one, pages)
        pairs = [(first, text) for first, text in zip(begun, whole, strict=True) if first != text]
        missing = sum(not first for first, _ in pairs)
        nodes = (node for page in pages for node in select(one.path, page, None, first=True))
        is_there = len(pairs) > missing and len(pages) - missing >= MOST * len(pages)
        begins = is_there and all(text.startswith(first) for first, text in pairs)
        if begins and all(getattr(node, "tag", "") in _BLOCKS for node in nodes):
            return [one, *(other for other in chosen if _texts(other, pages) == begun)]
    return chosen


def _texts(locator: Locator, pages: Sequence[PageView]) -> list[str]:
    return [squeeze(locator.first(page) or "") for page in pages]
