"""What the items of a list are, where the best candidate gives too few of them or others as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging.candidates import (
    Ranked,
)

LINKING = 3
"""Letters of a word that stands between the last two items of a list ("and")."""
FEW_CAPTIONS, CAPTIONS = 3, 5
"""So few texts, each on so many pages on average, beside as many different items, are no items of a list."""


def what_parts(ranked: Sequence[Ranked], wanted: Sequence[Any]) -> Ranked:
    """The best one; or, where each sample's list has a single item, what gives several where the best gives but one.

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


def what_is_no_caption(ranked: Sequence[Ranked], wanted: Sequence[Any]) -> Ranked:
    """The best one; or, where its lists have the same few items on many pages that no sample has, what gives the rest.

    Of `a.btn` in a box of facts those to tags alone are tags; "ISBN", which no sample has, is a link to a catalogue.
    """
    best = ranked[0]
    known = {item for one in map(value_key, wanted) if isinstance(one, tuple) for item in one}
    for one in ranked[1:]:
        if one.finder.family not in (Family.CLASS, Family.ID, Family.LABEL) or one.refuted > best.refuted:
            continue
        left_out = [_left_out(mine, theirs) for mine, theirs in zip(best.values, one.values, strict=True)]
        if None in left_out:
            continue
        beside = (some for some, value in zip(left_out, one.values, strict=True) if value is not None)
        captions = Counter(item for some in beside for item in some or ())
        kept = {item for value in one.values for item in value or ()}
        are_all = all(captions.keys() >= set(some or ()) for some in left_out)
        is_caption = are_all and captions.keys().isdisjoint(kept | known)
        is_caption = is_caption and captions.total() >= CAPTIONS * len(captions)
        if 0 < len(captions) <= FEW_CAPTIONS and is_caption and len(kept) >= CAPTIONS:
            return one
    return best


def _left_out(whole: Any, part: Any) -> list[Any] | None:
    """The items of a list that another one lacks, which has all others in this order; None if it is no such part."""
    if not isinstance(whole, tuple) or not isinstance(part, tuple | None):
        return [] if whole == part else None
    left, rest = list(part or ()), []
    for item in whole:
        if left and left[0] == item:
            left.pop(0)
        else:
            rest.append(item)
    return None if left else rest


def _besides(whole: Any, parts: Any) -> bool | None:
    """Whether a text holds several parts, in order, and hardly a letter besides; None where it does not hold them."""
    if not isinstance(whole, tuple) or not isinstance(parts, tuple) or len(whole) != 1:
        return None
    if not all(isinstance(one, str) for one in (*whole, *parts)):
        return None
    text, start = whole[0], 0
    for part in parts:
        if (at := text.find(part, start)) < 0:
            return None
        start = at + len(part)
    besides = sum(map(str.isalnum, text)) - sum(sum(map(str.isalnum, part)) for part in parts)
    return len(parts) > 1 and besides <= LINKING
