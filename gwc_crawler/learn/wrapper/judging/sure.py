"""What was never seen to read something else goes before what was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from lxml import etree

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, first_step, select, text_of
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in, quote
from gwc_crawler.learn.wrapper.judging.candidates import (
    OFTEN_FOUND,
    RIGHT_KIND,
    Ranked,
    is_hidden,
    is_named,
    is_right_behind,
    is_right_behind_label,
    path_of,
)
from gwc_crawler.learn.wrapper.judging.named import is_called
from gwc_crawler.learn.wrapper.judging.optional import in_its_own_box

COUNTED = re.compile(r"\[(?:\d+|last\(\))\](?:/text\(\).*)?$")
"""How paths end that count elements."""


def never_refuted_first(ranked: list[Ranked]) -> list[Ranked]:
    """The candidates; if the best was seen to read something else, first a named one that never was and says the same.

    "The first span.since" gives a method's where the page has none: one in the page's heading does not. Nor does one
    right behind its label, where "the first pre" gives the next section's on pages without this one; of several labels
    the one that ranks best, which may say more. Where the best one
    is a position, "the last p", that may say less; where it is found as often and others say it, too, another thing.
    """
    best = ranked[0]
    if not best.refuted:
        return ranked
    sure_ones = [one for one in ranked if not one.refuted]
    same = [one for one in sure_ones if one.values == best.values]
    behind = [one for one in sure_ones if is_right_behind_label(one) and _says_no_other(one, best)]
    labelled = behind if best.refuted > 1 and COUNTED.search(path_of(best.finder)) else []
    named = (one for one in same if is_named(one.finder))
    better = [one for one in sure_ones if is_right_behind_label(one) and best.refuted > 1 and _is_no_worse(one, best)]
    led = [one for one in sure_ones if is_right_behind_label(one) and _says_it_too(one, best)]
    led = led if any(map(is_right_behind_label, same)) else []
    sure = next(chain(named, led, labelled, better), best)
    return [sure, *(one for one in ranked if one is not sure)]


def _says_it_too(one: Ranked, best: Ranked) -> bool:
    """Whether a candidate gives what the best one does wherever that was not seen to read something else."""
    return all(theirs is None or mine == theirs for mine, theirs in zip(one.values, best.values, strict=True))


def _is_no_worse(one: Ranked, best: Ranked) -> bool:
    return all(getattr(one, name) >= getattr(best, name) for name in ("coverage", "agreement", "kind"))


def _says_no_other(one: Ranked, best: Ranked) -> bool:
    """Whether a candidate is found now and then, and never gives anything else than the best one."""
    same = all(mine is None or mine == theirs for mine, theirs in zip(one.values, best.values, strict=True))
    return one.coverage >= OFTEN_FOUND and one.kind >= RIGHT_KIND and same


def met_once(
    chosen: list[Finder],
    finders: Sequence[Finder],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
    name: str = "",
) -> list[Finder]:
    """The finders; without those that meet several elements on a sample, if one by a label or a name meets but one.

    And reads the same on all further *pages*: of a page without a stock "the first p.stock" is a related item's. Nor
    does "the first dd" speak where a label that leads to the value is missing, or "the first panel" where an id is.

    Args:
        name: of the field.
    """
    chosen = _picked_by_a_label(in_its_own_box(chosen, finders, samples, pages), finders, samples, pages, name)
    single = [one for one in chosen if is_hidden(one) or all(len(select(one.path, page)) < 2 for page in samples)]
    told = [one for one in single if one.family in (Family.LABEL, Family.ID, Family.CLASS)]
    if chosen[0] in single and (is_right_behind(chosen[0]) or chosen[0].family is Family.ID):
        return single
    if chosen[0] in single or not told:
        return chosen
    same = all(told[0].first(page) == chosen[0].first(page) for page in pages)
    return [told[0], *(one for one in single if one is not told[0])] if same else chosen


def _picked_by_a_label(
    chosen: list[Finder],
    finders: Sequence[Finder],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
    name: str,
) -> list[Finder]:
    """The finders; behind one by a label near by, where the best one goes by a class that several elements of some
    pages have.

    That label has to lead to the same on all other *pages*, and to one of the several where there are: "Company" heads
    the second of two boxes where "Benefits" are the first, which no sample has. One with the field's name may be
    missing, if before the first box stands another label of the samples there. The class alone says no more.
    """
    best = chosen[0]
    if best.family is not Family.CLASS or best.cut != NO_AFFIXES:
        return chosen
    read = [(page, best.texts(page)) for page in pages]
    several = any(len(set(texts)) > 1 for _, texts in read)
    for one in sorted(filter(is_right_behind, finders), key=lambda one: one.cost) if several else ():
        if (one.read, one.cut, one.drop) != (best.read, best.cut, best.drop):
            continue
        found = [(one.first(page), texts) for page, texts in read]
        silent = [page for page, texts in read if texts and one.first(page) is None]
        if silent and not (is_called(name, one.path) and 2 * len(silent) <= len(pages)):
            continue
        said = [(value, texts) for value, texts in found if value is not None]
        if any(value not in texts for value, texts in said):
            continue
        if not silent and all(value == texts[0] for value, texts in said):
            continue
        if all(_is_behind_another_label(best, one, page, samples) for page in silent):
            return [one, *(other for other in chosen[1:] if other is not one)]
    return chosen


def _is_behind_another_label(finder: Finder, led: Finder, page: PageView, samples: Sequence[PageView]) -> bool:
    """Whether before what a finder reads stands an element as that of the label by which another one is *led*, and says
    what is such a label on a sample, too, but not this one."""
    label, own = first_step(led.path)[0], labels_in(led.path)
    forms = [(one.tag, one.get("class")) for sample in samples for one in select(label, sample) if etree.iselement(one)]
    if not forms or len(set(forms)) > 1:
        return False
    tag, name = forms[0]
    test = f"[@class={quoted}]" if name and (quoted := quote(name)) else ""
    before = select(f"({finder.path})[1]/preceding::{tag}{test}[1]", page, first=True)
    text = text_of(before[0]) if before else ""
    return text not in own and any(
        text_of(one) == text for sample in samples for one in select(f"//{tag}{test}", sample)
    )
