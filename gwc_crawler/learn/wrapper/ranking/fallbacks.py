"""Which candidates speak where the best one finds nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import Finder
from gwc_crawler.items import Family
from gwc_crawler.learn.places import CAPTIONED, left_out_of, quoted_in, room_of
from gwc_crawler.learn.wrapper.judging import (
    COUNTED,
    MOST_COST,
    NEAR_LABEL_COST,
    RIGHT_KIND,
    SURE_PAGES,
    Ranked,
    is_part_of_address,
    is_under_header,
    path_of,
)

MOST_FALLBACKS = 5
MOST_LABELS = 4
MOST_SAME_LABEL = 2
MOST_COST_UNSEEN = 1.9
"""The same where no further page could show that the fallback keeps silent when it should."""
_NEXT_ROW = re.compile(r"/following-sibling::(?:\*\[1\]\[self::)?(?:dl|dt|li|tr)\b")
"""How a path goes from one row to another."""
_CLIMBS = "/ancestor::*[following-sibling::"
"""How a path goes up from a label to what is followed by an element."""


def fallbacks(best: Ranked, others: Sequence[Ranked], optional: bool) -> list[Ranked]:
    """Good candidates of other families that never speak where the best one rightly says "absent"."""
    chosen: list[Ranked] = []
    families = Counter([best.finder.family])
    bases = Counter([_base(best), _label(best)])
    by_itself = best.finder.family is Family.LABEL and best.finder.cost <= NEAR_LABEL_COST
    is_led = by_itself and not _NEXT_ROW.search(path_of(best.finder))
    for one in others:
        by_label = one.finder.family is Family.LABEL
        most = MOST_LABELS if by_label else 2
        if len(chosen) >= MOST_FALLBACKS or families[one.finder.family] >= most or bases[_base(one)] >= 1:
            continue
        if by_label and (bases[_label(one)] >= MOST_SAME_LABEL or _labels(one) < _labels(best)):
            continue  # with fewer of the same labels it would only speak where the others are rightly missing
        if one.finder.family is Family.PATH and is_under_header(best.finder):
            continue  # where the header is missing, the first cell is another column's
        if _runs_out(one.finder) and not _runs_out(best.finder):
            continue  # where a row's cell is empty, what follows another one is the next row's
        if is_part_of_address(one.finder) and not is_part_of_address(best.finder):
            continue  # where the text is missing, another link's address is cut to pieces
        is_list, row = any(isinstance(value, list) for value in best.raw), _NEXT_ROW.search(path_of(one.finder))
        if is_list and is_led and row and _labels(one) != _labels(best):
            continue  # where the field's row is missing, the next one is another field's
        if is_led and "/../../" in path_of(one.finder) and not row and _labels(one) != _labels(best):
            continue  # nor does what follows another label's block speak
        if _CLIMBS in path_of(one.finder) and _labels(one) != _labels(best):
            continue  # where the field is missing, what follows is found a level further up, however far that is
        if (room := room_of(path_of(best.finder))) and room_of(path_of(one.finder)) != room:
            continue  # where the label is missing in the best one's room, it may stand elsewhere before another value
        if by_label and (boxes := left_out_of(path_of(best.finder))) and left_out_of(path_of(one.finder)) != boxes:
            continue  # so it may in what the best one leaves out
        is_told = optional or CAPTIONED in path_of(best.finder)
        if is_told and by_label and best.finder.family is Family.LABEL and _labels(one) != _labels(best):
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
    return set(quoted_in(path_of(one.finder)))


def _may_stand_in(best: Ranked, one: Ranked, optional: bool) -> bool:
    """Whether a candidate may speak where the best one finds nothing.

    It must have agreed before. Where the field was absent on some page it must have been silent there, and count
    nothing: positions and first elements of a name always give something. A label beside a required field may speak,
    but not of what is counted behind it: where "Usage" is missing, the second `pre` behind "Syntax" is another's.
    """
    pairs, by_label = list(zip(best.values, one.values, strict=True)), one.finder.family is Family.LABEL
    both = [(mine, theirs) for mine, theirs in pairs if mine is not None]
    same = sum(theirs is None or mine == theirs for mine, theirs in both)
    absent = [theirs for mine, theirs in pairs if mine is None]
    if one.refuted or same < 0.9 * len(both) or (one.finder.family is Family.TAG and "/text()" in path_of(one.finder)):
        return False
    is_led = best.finder.family is Family.LABEL and best.finder.cost <= NEAR_LABEL_COST
    if (absent or is_led) and by_label and COUNTED.search(path_of(one.finder)) and _labels(one) != _labels(best):
        return False
    if any(theirs is not None for theirs in absent):
        spoken = sum(theirs is not None for _, theirs in both)
        is_near = one.finder.cost <= NEAR_LABEL_COST or _is_behind_its_own_label(one.finder)
        near = by_label and is_near and one.kind >= RIGHT_KIND
        return near and not optional and spoken == same >= SURE_PAGES
    always = by_label or (not absent and len(best.values) >= SURE_PAGES and not optional)
    return always and one.finder.cost <= (MOST_COST if best.values else MOST_COST_UNSEEN)


def _runs_out(finder: Any) -> bool:
    """Whether a part of a record is read from what follows an element: it may go on into the next record."""
    return isinstance(finder, Finder) and finder.path.startswith(".") and finder.read.startswith("after:")


def _is_behind_its_own_label(finder: Any) -> bool:
    """Whether a value is cut out of a text behind its label: "Code: 000279 No.: 2024-083"."""
    before = finder.cut.before if isinstance(finder, Finder) else ""
    return before.rstrip().endswith((":", "："))
