"""What speaks wherever the field is, and is silent where it is not.

Of an optional field one sample lacks it: what is found on every page is hardly it, and what is found on hardly one is
hardly it. Of any field an address may rely on what other pages lack, or find another thing where they lack the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import COUNT, NO_AFFIXES, RUN, Finder, PageView, select
from gwc_crawler.items import Family
from gwc_crawler.learn.places import SECTION
from gwc_crawler.learn.wrapper.judging.candidates import (
    COUNTED,
    NEAR_LABEL_COST,
    OFTEN_FOUND,
    RIGHT_KIND,
    SURE_PAGES,
    ChosenFinders,
    Ranked,
    is_named,
    is_right_behind,
    is_right_behind_label,
    path_of,
)
from gwc_crawler.learn.wrapper.judging.named import has_name, is_marked_up

SELDOM_FOUND, OFTEN_KIND = 0.1, 0.7
"""A label on hardly a page is a value that stands beside by chance, where another one is on many and says the same."""
_AS_RIGHT = 0.8
"""What says the same is of the samples' kind so far as what it is taken for, at least."""
MANY_PAGES = 10
_ALWAYS_THERE = 0.95
_OFTEN_ONE = 0.4
"""On so many pages a paragraph has a single sentence, if two samples have."""
RARE = 0.25
"""Of an optional field that is found on no more of the further pages it is asked whether samples just leave it out."""


def what_is_often_found(ranked: Sequence[Ranked], field: str = "") -> Ranked:
    """The best one; or of an optional field, where that is hardly ever found, another label that often is.

    Before "3 years" stands "Warranty", and above it "Oolong", the name of the series: the sample without a warranty has
    neither. A label that has the field's name may have anything behind it.
    """
    best = ranked[0]
    spoken = [n for n, value in enumerate(best.values) if value is not None]
    if len(best.values) < MANY_PAGES or len(spoken) > SELDOM_FOUND * len(best.values):
        return best
    for one in ranked[1:]:
        is_common = one.finder.family is Family.LABEL and one.coverage >= OFTEN_FOUND
        if COUNTED.search(path_of(one.finder)):
            continue  # the fourth paragraph below the title is always there
        is_right = one.kind >= min(OFTEN_KIND, _AS_RIGHT * best.kind)
        if not is_right and not has_name(field, path_of(one.finder)):
            continue
        if is_common and not one.refuted and all(one.values[n] == best.values[n] for n in spoken):
            return one
    return best


def what_is_behind_a_label(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or what stands right behind a label, if that says the same and finds more.

    Asked of a field that a sample lacks, and where the best one was seen to read something else. On one sample
    "Calories" is the fifth row; the addresses that count rows agree with each other where it is another.
    """
    best = ranked[0]
    if is_right_behind_label(best) or (is_named(best.finder) and not best.refuted):
        return best
    spoken = {n for n, value in enumerate(best.values) if value is not None}
    for one in ranked[1:]:
        if not is_right_behind_label(one) or one.refuted or one.kind < OFTEN_KIND:
            continue
        found = {n for n, value in enumerate(one.values) if value is not None}
        if spoken < found and all(one.values[n] == best.values[n] for n in spoken):
            return one
    return best


def what_is_said(ranked: Sequence[Ranked], optional: bool, field: str = "") -> Ranked:
    """The best one; or, where that is a number of elements or in an attribute, what stands right behind a label.

    "Attack 3", and the first comment has three stars (`aria-valuenow="3"`): a person sees the first. So do three goods
    beside it. Not where the markup has the field's name, or says what it means (`itemprop`), and the label does not.
    """
    best = ranked[0]
    if not _is_sign(best.finder) or "itemprop" in path_of(best.finder):
        return best
    is_named = is_marked_up(field, best.finder)
    if not all(value is None or (isinstance(value, str) and value.isdigit()) for value in best.values):
        return best
    for one in ranked[1:]:
        is_said = is_right_behind_label(one) and not _is_sign(one.finder)
        if is_named and not has_name(field, path_of(one.finder)):
            continue
        if is_said and not one.refuted and one.kind >= OFTEN_KIND and (optional or one.coverage >= best.coverage):
            return one
    return best


def _is_sign(finder: Any) -> bool:
    """Whether a finder counts elements, or reads an attribute."""
    read = finder.read if isinstance(finder, Finder) else ""
    return read == COUNT or read.startswith("@")


def what_needs_no_end(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or, where that reads up to words that pages may lack, what says the same and is always there.

    The text of a post up to the heading "Drops", and nothing on a page without that heading: its paragraphs say it. Or,
    where it reads up to a sign, the element within that is all of the values: the paragraph before a list whose first
    item begins with a quotation on both samples. So is a paragraph rather meant than the first sentence of its block,
    unless two samples would hardly both have one of a single sentence.
    """
    best = ranked[0]
    at_words, cut = ends_at_words(best.finder), getattr(best.finder, "cut", NO_AFFIXES)
    is_sentence = cut.sentence and not path_of(best.finder).startswith(".")  # of rows further rows tell
    if not at_words and not cut.after.strip() and not is_sentence:
        return best
    spoken = {n for n, value in enumerate(best.values) if value is not None}
    for one in ranked[1:]:
        is_uncut = isinstance(one.finder, Finder) and not ends_at_words(one.finder)
        is_section = one.finder.family is Family.LABEL and str(getattr(one.finder, "read", "")).startswith(SECTION)
        least = best.coverage if is_section else _ALWAYS_THERE
        is_right = one.kind >= min(RIGHT_KIND, _AS_RIGHT * best.kind) and one.coverage >= least
        if not is_uncut or one.refuted or not is_right:
            continue
        found = {n for n, value in enumerate(one.values) if value is not None}
        pairs = [(one.values[n], best.values[n]) for n in spoken if n in found]
        if at_words and spoken < found and all(mine == theirs for mine, theirs in pairs):
            return one
        is_plain = one.finder.cut == NO_AFFIXES and one.finder.read in ("text", "apart", RUN)
        is_whole = is_plain and path_of(one.finder).startswith(path_of(best.finder))
        if not at_words and is_whole and spoken <= found and _is_same_text(pairs, of_a_sentence=is_sentence):
            return one
    return best


def _is_same_text(pairs: Sequence[tuple[Any, Any]], *, of_a_sentence: bool) -> bool:
    """Whether what an element reads is what another one begins with; or, of a sentence, the same often enough, and
    elsewhere one of them begins with the other."""
    texts = [(mine, theirs) for mine, theirs in pairs if isinstance(mine, str) and isinstance(theirs, str)]
    if not of_a_sentence:
        return all(theirs.startswith(mine) for mine, theirs in texts)
    same = sum(mine == theirs for mine, theirs in texts)
    return same >= _OFTEN_ONE * len(texts) and all(
        theirs.startswith(mine) or mine.startswith(theirs) for mine, theirs in texts
    )


def what_needs_no_label(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or, of records far behind a label that pages may lack, those of a class that are always the same.

    Comments behind a box with a note, which not all pages have.
    """
    best = ranked[0]
    is_far = best.finder.family is Family.LABEL and best.finder.cost > NEAR_LABEL_COST
    if not is_far or not hasattr(best.finder, "rows"):
        return best
    spoken = {n for n, value in enumerate(best.values) if value is not None}
    for one in ranked[1:]:
        if one.finder.family is not Family.CLASS or one.refuted or one.kind < RIGHT_KIND:
            continue
        found = {n for n, value in enumerate(one.values) if value is not None}
        if len(spoken) >= SURE_PAGES and spoken < found and all(one.values[n] == best.values[n] for n in spoken):
            return one
    return best


def ends_at_words(finder: Any) -> bool:
    """Whether a finder cuts off words that stand behind the value."""
    return any(map(str.isalpha, getattr(finder, "cut", NO_AFFIXES).after))


def in_its_own_box(
    chosen: list[Finder], finders: Sequence[Finder], samples: Sequence[PageView], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; where the best one takes the first of several of a class anywhere, the same within a box.

    One that has an id or a class, and leaves out on a sample some that are there: prices of related goods, of which the
    first would be read where the page's own has none. Both say the same on all *pages*.
    """
    best = chosen[0]
    if best.family is not Family.CLASS or best.path.count("//") > 1 or best.read.startswith("@"):
        return chosen
    fewest, found = sum(len(select(best.path, page)) for page in samples), None
    if fewest <= len(samples) or not pages:
        return chosen
    boxed = (one for one in finders if one.path.endswith(best.path) and one.path != best.path)
    alike = (one for one in boxed if (one.read, one.cut, one.drop) == (best.read, best.cut, best.drop))
    for one in sorted(alike, key=lambda one: one.cost):
        count = sum(len(select(one.path, page)) for page in samples)
        if count < fewest and all(one.first(page) == best.first(page) for page in pages):
            fewest, found = count, one
    return [found, *(one for one in chosen[1:] if one is not found)] if found is not None else chosen


def may_be_left_out(choice: ChosenFinders | None) -> bool:
    """Whether what was chosen for an optional field is hardly found: a sample may just leave it out."""
    return choice is None or choice.evidence["coverage"] <= RARE


def rarely_told(choice: ChosenFinders, pages: Sequence[PageView]) -> list[tuple[PageView, str]]:
    """The further pages with what is said right behind a label, if several do: what is always there says the same.

    Else the field is a rare one, and what a sample has in a box of other things is there by chance.
    """
    best = choice.finders[0]
    if not is_right_behind(best) or choice.evidence["distinct"] < 2:
        return []
    return [(page, value) for page in pages if (value := best.first(page)) is not None]
