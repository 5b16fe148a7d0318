"""Which candidates speak where the best one finds nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from gwc_crawler.extract import LEVELS, NO_AFFIXES, Finder, PageView, select
from gwc_crawler.extract.fields import is_empty, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import CAPTIONED, left_out_of, quote, quoted_in, room_of, with_test
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
    says_what_pages_are_called,
)

MOST_FALLBACKS = 5
MOST_LABELS = 4
MOST_SAME_LABEL = 2
MOST_COST_UNSEEN = 1.9
"""The same where no further page could show that the fallback keeps silent when it should."""
UNNAMED = re.compile(r"//[a-z][a-z0-9]*$")
"""How a path ends that takes the first element of a tag, wherever it stands."""
_NEXT_ROW = re.compile(r"/following-sibling::(?:\*\[1\]\[self::)?(?:dl|dt|li|tr)\b")
"""How a path goes from one row to another."""
_CLIMBS = "/ancestor::*[following-sibling::"
"""How a path goes up from a label to what is followed by an element."""
_NAMED_INLINE = re.compile(r"(?<=/)(a|b|em|i|span|strong)(?=\[contains\(concat\(\" \",@class,\" \"\),\"[^\"]+\"\)\]$)")
_IN_A_BOX = re.compile(r'(//[a-z][a-z0-9]*\[contains\(concat\(" ",@class," "\),"[^"]+"\)\])(?://?[a-z][a-z0-9]*)+')
"""A path by a named element, and the plain ones in it down to the value."""
LEAST_BOXES = 2
MOSTLY_ALIKE = 0.5
"""Of what such boxes say more has to be of the kind: the rest may be "$20 – $30" beside "$20"."""
_ANY_INLINE = "*[self::a or self::b or self::em or self::i or self::span or self::strong]"
_ANY_HEADING = f"//*[{' or '.join(f'self::{name}' for name in sorted(LEVELS))}]"
_OWN_TEXT = re.compile(r'//([a-z][a-z0-9]*)\[text\(\)\[(normalize-space\(\)="[^"]*")\]\]')
"""How a path begins that goes by an element's own text."""
MOST_KEPT_OFF = 40
"""Labels of other rows by which a path says that a value is another one's."""


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


def in_another_element(
    best: Finder, spots: Sequence[tuple[PageView, Any]], kind: Callable[[Any], float] = lambda value: 1.0
) -> list[Finder]:
    """The finder of the best one's class in any other element within a line, if it speaks where that is silent.

    `<a class="user">` in most rows, `<span class="user">Anonymous</span>` in others. [] where some page (or record) has
    such elements beside the best one's, or several; or one that stands in something else than those do, or says what is
    of another *kind*.
    """
    named = _NAMED_INLINE.search(best.path) if best.family is Family.CLASS else None
    if named is None:
        return []
    path = f"{best.path[: named.start()]}{_ANY_INLINE}{best.path[named.end() :]}"
    found = [(select(best.path, *spot), select(path, *spot)) for spot in spots]
    around = {_form_around(mine[0]) for mine, _ in found if mine}
    new = [theirs for mine, theirs in found if theirs and not mine]
    if not new or any(len(mine) != len(theirs) for mine, theirs in found if mine):
        return []
    other = replace(best, path=path)
    values = [value for spot in spots if best.first(*spot) is None and (value := other.first(*spot))]
    are_alike = sum(map(kind, map(value_key, values))) >= RIGHT_KIND * len(values)
    are_alone = all(len(theirs) == 1 and _form_around(theirs[0]) in around for theirs in new)
    return [other] if are_alone and are_alike else []


def all_of_its_box(
    best: Finder, pages: Sequence[PageView], kind: Callable[[Any], float] = lambda value: 1.0
) -> list[Finder]:
    """The finder of all that stands in the best one's named box, if it speaks where the element in that is missing.

    `<p class="price"><del>$20</del> <ins>$18</ins></p>` on the samples, `<p class="price">$45</p>` on other pages. []
    where some page has several such boxes, or fewer than two other values of the *kind* stand in them.
    """
    box = _IN_A_BOX.fullmatch(best.path)
    if box is None or best.family is not Family.CLASS or best.read not in ("text", "apart") or best.cut != NO_AFFIXES:
        return []
    other = replace(best, path=box[1])
    if any(len(select(box[1], page)) > 1 for page in pages):
        return []
    values = [value for page in pages if best.first(page) is None and (value := other.first(page))]
    alike = {value for value in values if kind(value_key(value)) >= RIGHT_KIND}
    return [other] if len(alike) >= LEAST_BOXES and len(alike) > MOSTLY_ALIKE * len(set(values)) else []


def as_another_heading(
    name: str, chosen: Sequence[Finder], samples: Sequence[PageView], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; of a field that says what a page is called, behind the best one that of a page's first heading,
    whatever its level: a page of a section begins with an `h3` on both samples, that of a chapter with an `h2`.

    Before it, where on some pages that reads a heading further down, below one of a higher level. None where a lower
    one may stand above it: "Notice".
    """
    best = chosen[0]
    is_plain = best.cut == NO_AFFIXES and not best.split and best.read in ("text", "apart")
    if not is_plain or not says_what_pages_are_called(name):
        return list(chosen)
    first = replace(best, family=Family.TAG, path=_ANY_HEADING)
    found = [(select(best.path, one, first=True), select(_ANY_HEADING, one, first=True)) for one in (*samples, *pages)]
    both = [(mine[0], theirs[0] if theirs else None) for mine, theirs in found if mine]
    below = [(mine, theirs) for mine, theirs in both if mine is not theirs]
    if len(both) < len(samples) or any(mine is not theirs for mine, theirs in both[: len(samples)]):
        return list(chosen)
    if any(theirs is None or isinstance(mine, str) or theirs.tag >= mine.tag for mine, theirs in below):
        return list(chosen)
    is_missing = any(theirs and not mine for mine, theirs in found)
    return list(chosen) if not is_missing else [first, *chosen] if below else [*chosen, first]


def _form_around(node: Any) -> tuple[str, str]:
    """The name and class of what an element stands in."""
    above = node.getparent()
    return ("", "") if above is None else (str(above.tag), above.get("class") or "")


def with_its_label_inside(
    best: Finder,
    read: Callable[[Finder, PageView], Any],
    pages: Sequence[PageView],
    kind: Callable[[Any], float] = lambda value: 1.0,
) -> list[Finder]:
    """The finder by the best one's label in whatever that element has inside, if it speaks where that is silent.

    `<th>Notes</th>` on most pages, `<th><a name="notes">Notes</a></th>` on others. [] if it finds something else
    anywhere, or more than the best one where that speaks: a menu that names the field, too; or what is of another
    *kind*.
    """
    own = _OWN_TEXT.match(best.path) if best.family is Family.LABEL else None
    if own is None:
        return []
    path = f"//{own[1]}[{own[2]}]{best.path[own.end() :]}"
    reads = ("apart", "text") if best.read == "text" else (best.read,)
    for other in (replace(best, path=path, read=way) for way in reads):
        found = [(read(best, page), read(other, page)) for page in pages]
        new = [theirs for mine, theirs in found if is_empty(mine) and not is_empty(theirs)]
        same = all(is_empty(mine) or mine == theirs for mine, theirs in found)
        if new and same and sum(map(kind, map(value_key, new))) >= RIGHT_KIND * len(new):
            spots = [page for page, (mine, _) in zip(pages, found, strict=True) if not is_empty(mine)]
            alone = all(len(select(best.path, page)) == len(select(path, page)) for page in spots)
            return [other] if alone else []
    return []


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


def kept_to_their_field(
    chosen: Sequence[Finder], wanted: Sequence[str], own_label: str, labels_beside: Callable[[], Iterable[str]]
) -> list[Finder]:
    """The finders; those behind the best one speak where the field's label says so, and where no other label does.

    "The row behind Floor" reads the lift where its label is gone; where the row is, it would read the next one's. "The
    first span in the box" is what the page inherits from where its class has changed; where "Inherits:" is missing, it
    is another one. Of a number it has to be one.

    Args:
        wanted: the values of the samples.
        own_label: what stands before the values of all samples; "" for nothing.
        labels_beside: gives the labels that stand beside it, the most frequent first.
    """
    best = chosen[0]
    is_label = best.family is Family.LABEL or own_label.endswith((":", "："))
    if not is_label or not own_label or not (label := quote(own_label)) or best.read.startswith("@"):
        return list(chosen)
    is_led = best.family is Family.LABEL and best.cost <= NEAR_LABEL_COST
    known = set(quoted_in(best.path))
    kept = [best]
    for one in chosen[1:]:
        if one.family is Family.LABEL:
            test = _behind_none_of(labels_beside()) if is_led and set(quoted_in(one.path)) != known else ""
            kept.append(replace(one, path=with_test(one.path, test)) if test else one)
        elif not one.path.startswith("//") or not UNNAMED.search(one.path):
            kept.append(one)
        elif all(map(_is_mostly_number, wanted)):
            kept.append(replace(one, cut=replace(one.cut, digits=True)))
        else:
            kept.append(replace(one, path=f"/*[.//text()[normalize-space()={label}]]{one.path}"))
    return kept


def _is_mostly_number(value: str) -> bool:
    """Whether a value has a digit for each two letters: a date, but no name with a number ("iPhone 12")."""
    return 2 * sum(map(str.isdigit, value)) >= sum(map(str.isalpha, value))


def _behind_none_of(labels: Iterable[str]) -> str:
    """The test that the nearest text before a node is none of some labels; "" for none."""
    quoted = [one for label in islice(labels, MOST_KEPT_OFF) if (one := quote(label))]
    says = " or ".join(f"normalize-space()={one}" for one in quoted)
    return f"not(preceding::text()[normalize-space()][1][{says}])" if says else ""
