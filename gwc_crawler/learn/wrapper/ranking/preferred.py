"""What goes before the candidate with the best score: what the page shows, and what varies as the field does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Affixes, Finder, PageView, is_like_number, select
from gwc_crawler.extract.fields import value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import NEXT_TEXT
from gwc_crawler.learn.wrapper.ranking.candidates import (
    MOST_COST,
    OFTEN_FOUND,
    RIGHT_KIND,
    SURE_PAGES,
    Ranked,
    is_hidden,
    is_named,
    is_right_behind,
    is_right_behind_label,
    path_of,
)
from gwc_crawler.learn.wrapper.ranking.named import calls, has_name, is_marked_up
from gwc_crawler.learn.wrapper.ranking.optional import in_its_own_box

SHOWN_SAME, SHOWN_MOSTLY, SHOWN_LESS = 0.95, 0.8, 0.1
"""What a page shows is taken instead of its data if it is equal on this share of pages, and there on nearly as many."""
SHOWN_NOW_AND_THEN = 0.5
"""The same of a summary for search engines: where no one wrote one, it is the beginning of the text."""
_SUMMARY = re.compile(r"^(?:meta:|//meta\[@\w+=\")(?:og:|twitter:)?description")
LONG_DATA, CUT_OFF_DATA = 60, 8
"""Letters from which on the data may have the beginning of a text alone; the second where they end in dots."""
LEAST_CUT_OFF, SHORTEST_CUT = 4, 16
"""So many pages whose data end after as many characters tell that they are cut off there, if it is after so many."""
_A_WORD = 3
"""A Chinese character counts as so many letters."""
USUAL = 0.3
"""A value that two samples share by chance stands on so many pages: on fewer it is less likely than a constant."""
USUAL_LED = 0.1
"""The same where a label leads to it."""
VARYING_COVERAGE = 0.7
"""The share of pages that must have it: others may lack the field, where a list beside the text is the same as ever."""
VARYING_KIND, LED_KIND, MARKED_KIND = 0.85, 0.6, 0.4
"""How far other values must be of the samples' kind; behind a label with the field's name; in an element called so."""
ANYWHERE = re.compile(r"//([a-z][a-z0-9]*)$")
STEP_BY_STEP = re.compile(r"^//[^/]+(?:/[a-z][a-z0-9]*)*/([a-z][a-z0-9]*)(?:\[1\])?$")
"""How paths end that take the first element of a name, and one at whose end the same stands below a named element."""
_SAME_AS_HEADED, _ALWAYS_HEADED = 0.7, 0.9
"""On so many pages the heading says the same, and so many have one."""
_PART_OF_A_TEXT = re.compile(r"/text\(\)\[normalize-space\(\)\]\[\d+\]$")
LINKING = 3
"""Letters of a word that stands between the last two items of a list ("and")."""
FEW_CAPTIONS, CAPTIONS = 3, 5
"""So few texts, each on so many pages on average, beside as many different items, are no items of a list."""
COUNTED = re.compile(r"\[(?:\d+|last\(\))\](?:/text\(\).*)?$")
"""How paths end that count elements."""
LESS_AGREED = 0.2
"""So much less of what other candidates say may speak for a whole text than for a part of another one."""
LABEL_END = re.compile(r"[:：]\s*$")
ON_THE_WAY = 0.5
"""On so many pages both read the same: the samples are no exceptions."""


def what_varies(ranked: Sequence[Ranked], wanted: Sequence[Any], field: str = "") -> Ranked | None:
    """Where the samples have the same value by chance: what gives it now and then, if the best one gives nothing else.

    Another element must say the same on each page: then both vary because the field does. None where none does. What
    stands right behind a label, or is called as the field, is enough: menus say the same on all pages.
    """
    usual = value_key(wanted[0])
    if {value_key(one) for one in wanted} != {usual} or len(wanted) < 2 or not isinstance(usual, str):
        return None
    if {*ranked[0].values} - {None} != {usual} or len(ranked[0].values) < SURE_PAGES:
        return None
    meant = [one for one in ranked if one.coverage >= VARYING_COVERAGE and not one.refuted]
    varying = [one for one in meant if {*one.values} - {None} != {usual}]
    often = (one for one in varying if one.values.count(usual) >= USUAL_LED * len(one.values))
    for one in often:
        least = LED_KIND if has_name(field, path_of(one.finder)) else VARYING_KIND
        if _is_led(one.finder, field) and one.kind >= least:
            return one
    varying = [one for one in varying if one.values.count(usual) >= USUAL * len(one.values)]
    enough = VARYING_KIND if is_like_number(usual) else MARKED_KIND
    called = [one for one in varying if one.kind >= enough and is_marked_up(field, one.finder)]
    if called and Family.LABEL not in (called[0].finder.family, ranked[0].finder.family):
        return called[0]
    varying = [one for one in varying if one.kind >= VARYING_KIND]
    for number, one in enumerate(varying):
        also = (other for other in varying[number + 1 :] if _element(one) != _element(other))
        if any(one.values == other.values for other in also):
            return one
    return None


def _is_led(finder: Any, field: str) -> bool:
    """Whether a text is read from right behind a label or next to it, or before the field's name ("3 comments")."""
    is_next = finder.family is Family.LABEL and path_of(finder).endswith(NEXT_TEXT)
    return is_next or (isinstance(finder, Finder) and (is_right_behind(finder) or calls(field, finder.cut.after)))


def _element(one: Ranked) -> str:
    """The name of the element that a candidate reads."""
    steps = re.findall(r"/([a-z][a-z0-9]*)(?=\[|/|$)", path_of(one.finder))
    return str(steps[-1]) if steps else path_of(one.finder)


def what_is_on_the_way(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or what the same steps lead to on each page, where that is the first of a name wherever it stands.

    On the samples no box with a note ("New in version 3.1.") stands before the first paragraph. Who takes the steps
    one by one finds something wherever the best one does, and on most pages the same.
    """
    best = ranked[0]
    if not (loose := ANYWHERE.search(path_of(best.finder))):
        return best
    spoken = [n for n, value in enumerate(best.values) if value is not None]
    for one in ranked[1:]:
        steps = STEP_BY_STEP.search(path_of(one.finder))
        if steps is None or steps[1] != loose[1] or not _read_alike(one, best) or one.refuted > best.refuted:
            continue
        same = sum(one.values[n] == best.values[n] for n in spoken)
        found = all(one.values[n] is not None for n in spoken)
        if found and len(spoken) > same >= ON_THE_WAY * len(spoken) and one.kind >= best.kind:
            return one
    return best


def what_is_counted(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or, of a row's last cell, the cell so many from the first, if that says what is said elsewhere.

    On the samples "melee" and "ranged" stand in the fifth cell, the last; others have a note in a sixth one.
    """
    best = ranked[0]
    if not path_of(best.finder).endswith("[last()]"):
        return best
    start = path_of(best.finder).removesuffix("last()]")
    for one in ranked[1:]:
        if not path_of(one.finder).startswith(start) or not _read_alike(one, best):
            continue
        pairs = list(zip(best.values, one.values, strict=True))
        usual = {mine for mine, theirs in pairs if mine == theirs} - {None}
        others = [(mine, theirs) for mine, theirs in pairs if mine != theirs]
        if others and all(theirs in usual and mine not in usual for mine, theirs in others):
            return one
    return best


def _read_alike(one: Ranked, other: Ranked) -> bool:
    """Whether two finders read and cut what they find in the same way."""
    return all(getattr(one.finder, name, None) == getattr(other.finder, name, None) for name in ("read", "drop", "cut"))


def what_is_whole(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or, where that cuts words off a text, the whole of what stands right behind a label.

    "Region: Hebei", and on both samples the office's name begins with the region, too: elsewhere it is "China Office".
    """
    best = ranked[0]
    cut = getattr(best.finder, "cut", NO_AFFIXES)
    words = [cut.after, "" if LABEL_END.search(cut.before) else cut.before]
    if is_hidden(best.finder) or not any(map(str.isalpha, "".join(words))):
        return best
    whole = (one for one in ranked[1:] if is_right_behind_label(one) and one.finder.cut == NO_AFFIXES)
    fitting = (one for one in whole if one.kind >= RIGHT_KIND and not one.refuted and one.coverage >= best.coverage)
    supported = (one for one in fitting if one.agreement >= best.agreement - LESS_AGREED)
    return next((one for one in supported if one.values != best.values), best)


def what_heads_the_page(ranked: Sequence[Ranked], optional: bool) -> Ranked:
    """The best one; or the page's heading, where that says the same as a rule and is there where the best one is not.

    "Exception.Create" is what a page is headed, "Create" stands in the first line of its code: elsewhere the heading
    says it with more around it. Keywords may be the title on both samples, and missing on other pages; so may be the
    first entry of the contents, which pages without sections lack.
    """
    best = ranked[0]
    if getattr(best.finder, "cut", NO_AFFIXES) != NO_AFFIXES or path_of(best.finder).endswith("/h1"):
        return best
    are_data = is_hidden(best.finder)
    is_part = are_data or _PART_OF_A_TEXT.search(path_of(best.finder)) is not None
    for one in ranked[1:]:
        is_heading = path_of(one.finder).endswith("/h1") and one.finder.family is not Family.LABEL
        if not is_heading or not _is_but_a_sign(one.finder.cut) or one.refuted:
            continue
        both = [(mine, theirs) for mine, theirs in zip(best.values, one.values, strict=True) if mine is not None]
        if not both or not all(isinstance(mine, str) for mine, _ in both):
            continue
        same = sum(mine == theirs for mine, theirs in both)
        has_more = is_part and all(theirs is not None and mine in theirs for mine, theirs in both)
        usual = _ALWAYS_HEADED if are_data else one.coverage
        is_missing = (
            (are_data or not optional)
            and best.coverage < usual
            and one.coverage >= _ALWAYS_HEADED
            and one.kind >= RIGHT_KIND
        )
        if same >= (_SAME_AS_HEADED if is_part else 1.0) * len(both) and (is_missing or has_more):
            return one
    return best


def _is_but_a_sign(cut: Affixes) -> bool:
    """Whether a cut leaves out no more than a sign, such as the one that links to a heading."""
    return cut in (NO_AFFIXES, Affixes(cut.before, cut.after)) and not any(map(str.isalnum, cut.before + cut.after))


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


def never_refuted_first(ranked: list[Ranked]) -> list[Ranked]:
    """The candidates; if the best was seen to read something else, first a named one that never was and says the same.

    "The first span.since" gives a method's where the page has none: one in the page's heading does not. Nor does one
    right behind its label, where "the first pre" gives the next section's on pages without this one. Where the best one
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
    sure = next(chain(named, filter(is_right_behind_label, same), labelled, better), best)
    return [sure, *(one for one in ranked if one is not sure)]


def _is_no_worse(one: Ranked, best: Ranked) -> bool:
    return all(getattr(one, name) >= getattr(best, name) for name in ("coverage", "agreement", "kind"))


def _says_no_other(one: Ranked, best: Ranked) -> bool:
    """Whether a candidate is found now and then, and never gives anything else than the best one."""
    same = all(mine is None or mine == theirs for mine, theirs in zip(one.values, best.values, strict=True))
    return one.coverage >= OFTEN_FOUND and one.kind >= RIGHT_KIND and same


def met_once(
    chosen: list[Finder], finders: Sequence[Finder], samples: Sequence[PageView], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; without those that meet several elements on a sample, if one by a label or a name meets but one.

    And reads the same on all further *pages*: of a page without a stock "the first p.stock" is a related item's. Nor
    does "the first dd" speak where a label that leads to the value is missing, or "the first panel" where an id is.
    """
    chosen = in_its_own_box(chosen, finders, samples, pages)
    single = [one for one in chosen if is_hidden(one) or all(len(select(one.path, page)) < 2 for page in samples)]
    told = [one for one in single if one.family in (Family.LABEL, Family.ID, Family.CLASS)]
    if chosen[0] in single and (is_right_behind(chosen[0]) or chosen[0].family is Family.ID):
        return single
    if chosen[0] in single or not told:
        return chosen
    same = all(told[0].first(page) == chosen[0].first(page) for page in pages)
    return [told[0], *(one for one in single if one is not told[0])] if same else chosen


def what_is_shown(ranked: Sequence[Ranked], in_order: bool) -> Ranked:
    """The best one; or what the page shows, where that is data or an attribute that writes values otherwise.

    "Vape Mat - Small" in the data, "Vape Mat – Small" on the page: the same values, and now and then other signs.

    Args:
        in_order: a sample has several items, in the page's order: of a list the data may have them in another one.
    """
    best = ranked[0]
    if not is_hidden(best.finder):
        return best
    silent = [n for n, value in enumerate(best.values) if value is None]
    shown = [one for one in ranked[1:] if _shows(one, best, in_order=in_order)]
    return min(shown, key=lambda one: sum(one.values[n] is not None for n in silent), default=best)


def shown_besides(data: Ranked, others: Sequence[Ranked]) -> Ranked | None:
    """Where a page lacks the data that others have: what mostly shows the same on those."""
    if not is_hidden(data.finder) or all(value is not None for value in data.values):
        return None
    return next((one for one in others if _shows(one, data, SHOWN_MOSTLY)), None)


def _shows(one: Ranked, data: Ranked, share: float = SHOWN_SAME, *, in_order: bool = False) -> bool:
    """Whether a candidate reads from the page's text what another one reads from its data, in other signs at times."""
    finder = one.finder
    if is_hidden(finder) or finder.family is Family.PATH or finder.cost > MOST_COST or one.refuted:
        return False
    both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
    cut = _cut_off(data, one)
    same = sum(n in cut or _is_shown(one.values[n], data.values[n], in_order) for n in both)
    is_safer = is_named(finder) or (_is_cut_within(data.finder) and not _is_cut_within(finder))
    otherwise = any(one.raw[n] != data.raw[n] for n in both) or (is_safer and same == len(both) >= SURE_PAGES)
    is_summary = _SUMMARY.search(path_of(data.finder)) is not None and is_safer and same == len(both) >= SURE_PAGES
    least = SHOWN_NOW_AND_THEN if is_summary else data.coverage - SHOWN_LESS
    return bool(both) and otherwise and same >= share * len(both) and one.coverage >= least


def _cut_off(data: Ranked, one: Ranked) -> frozenset[int]:
    """The pages on which data have the beginning of what is shown, as many characters as they ever have."""
    pairs = enumerate(zip(one.values, data.values, strict=True))
    texts = [(n, text, said) for n, (text, said) in pairs if isinstance(text, str) and isinstance(said, str)]
    most = max((len(said) for _, _, said in texts), default=0)
    cut = [n for n, text, said in texts if len(said) >= most - 1 and text.startswith(said) and text != said]
    return frozenset(cut if len(cut) >= LEAST_CUT_OFF and most >= SHORTEST_CUT else ())


def _is_cut_within(finder: Any) -> bool:
    """Whether a candidate's value ends at words within a text, " by ", which a value may have itself."""
    cut = getattr(finder, "cut", NO_AFFIXES)
    return not cut.whole_after and any(map(str.isalpha, cut.after))


def _is_shown(shown: Any, data: Any, in_order: bool) -> bool:
    """Whether a page shows what its data say, but for signs; of a long text the data may have the beginning alone.

    Of a list that a page has *in_order* the data may have the items in another one.
    """
    text, said = _letters(shown), _letters(data)
    if in_order and isinstance(text, tuple) and isinstance(said, tuple):
        return sorted(map(str, text)) == sorted(map(str, said))
    if not (isinstance(text, str) and isinstance(said, str)):
        return bool(text == said)
    least = CUT_OFF_DATA if str(data).endswith(("...", "…")) else LONG_DATA
    return text == said or (text.startswith(said) and sum(_A_WORD if one >= "⺀" else 1 for one in said) >= least)


def _letters(value: Any) -> Any:
    """A value in the form to compare without its signs."""
    if isinstance(value, tuple):
        return tuple(map(_letters, value))
    return "".join(filter(str.isalnum, value)) if isinstance(value, str) else value
