"""Choose the candidates that speak if the best one finds nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_HANDFUL, NEARLY_ALL
from gwc_crawler.learn.places.steps import quoted_in, room_of
from gwc_crawler.learn.wrapper.ranking.candidates import (
    COUNTED,
    MOST_COST,
    NEAR_LABEL_COST,
    Ranked,
    is_under_header,
    path_of,
)

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
    mine, theirs = path_of(best), path_of(one)
    is_other_part = any(part(one) and not part(best) for part in (_runs_out, _is_part_of_address))
    is_elsewhere = room_of(mine) not in ("", room_of(theirs)) or (one.family is Family.PATH and is_under_header(best))
    if one.family is not Family.LABEL or is_other_part or is_elsewhere:
        return is_other_part or is_elsewhere
    by_another = best.family is Family.LABEL and set(quoted_in(mine)) != set(quoted_in(theirs))
    return by_another and not (is_always and _NEXT_ROW.search(theirs))


def _base(one: Ranked) -> str:
    """Return the address of the element that a candidate stands or falls with."""
    read = getattr(one.locator, "rows", one.locator).read
    return re.sub(r"/text\(\)\[normalize-space\(\)\](\[[^\]]*\])?$", "", path_of(one.locator)) + str(read)


def _label(one: Ranked) -> str:
    """Return the label that a candidate starts from."""
    path = path_of(one.locator)
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
    is_first_text = one.locator.family is Family.TAG and "/text()" in path_of(one.locator)
    if one.refuted or same < NEARLY_ALL * len(both) or is_first_text:
        return False
    if absent and by_label and best.locator.family is not Family.LABEL and COUNTED.search(path_of(one.locator)):
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
