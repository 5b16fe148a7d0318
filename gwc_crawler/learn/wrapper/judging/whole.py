"""How much of a text is the value, and which of several elements that say the same is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Affixes
from gwc_crawler.items import Family
from gwc_crawler.learn.places import SECTION, labels_in
from gwc_crawler.learn.wrapper.judging.candidates import (
    OFTEN_FOUND,
    RIGHT_KIND,
    Ranked,
    is_hidden,
    is_right_behind_label,
    path_of,
)
from gwc_crawler.learn.wrapper.judging.named import has_name, is_called_by_its_class, is_marked_up

ANYWHERE = re.compile(r"//([a-z][a-z0-9]*)$")
STEP_BY_STEP = re.compile(r"^//[^/]+(?:/[a-z][a-z0-9]*)*/([a-z][a-z0-9]*)(?:\[1\])?$")
"""How paths end that take the first element of a name, and one at whose end the same stands below a named element."""
_SAME_AS_HEADED, _ALWAYS_HEADED = 0.7, 0.9
"""On so many pages the heading says the same, and so many have one."""
_PART_OF_A_TEXT = re.compile(r"/text\(\)\[normalize-space\(\)\]\[\d+\]$")
_FIRST_OF_MANY = re.compile(r"//(?:a|b|dd|div|em|i|li|p|span|strong|td)(?:\[@[a-z-]+\])?")
LESS_AGREED = 0.2
"""So much less of what other candidates say may speak for a whole text than for a part of another one."""
LABEL_END = re.compile(r"[:：]\s*$")
CALLED_LESS = 0.15
"""So much less may speak for what is called as the field."""
_CHILD = re.compile(r"[a-z][a-z0-9]*(?:\[1\])?")
OTHER_KIND = 0.05
"""So much less of the samples' kind is what has more around the value on some pages."""
ON_THE_WAY = 0.5
"""On so many pages both read the same: the samples are no exceptions."""


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
    whole = (one for one in ranked[1:] if is_right_behind_label(one) and _is_all_behind_it(one.finder))
    fitting = (one for one in whole if one.kind >= RIGHT_KIND and not one.refuted and one.coverage >= best.coverage)
    supported = (one for one in fitting if one.agreement >= best.agreement - LESS_AGREED)
    return next((one for one in supported if one.values != best.values), best)


def _is_all_behind_it(finder: Any) -> bool:
    """Whether a finder reads all that stands behind its label: in an element of its own, or in the label's line."""
    cut = finder.cut
    in_line = "/text()[starts-with(" in finder.path and replace(cut, before="") == NO_AFFIXES
    return bool(cut == NO_AFFIXES or in_line)


def what_ends_at_a_heading(best: Ranked, ranked: Sequence[Ranked]) -> Ranked:
    """The *best* one; or, where that reads all paragraphs behind a label, what stands up to the next heading.

    Of the last section on both samples nothing says where it ends.
    """
    is_open = best.finder.family is Family.LABEL and getattr(best.finder, "read", "") == "all"
    for one in ranked if is_open and "preceding-sibling::" not in path_of(best.finder) else ():
        is_bound = str(getattr(one.finder, "read", "")).startswith(SECTION) or "preceding-sibling::" in path_of(
            one.finder
        )
        if (
            not is_bound
            or one.finder.cut != best.finder.cut
            or one.refuted
            or {*labels_in(path_of(one.finder))} != {*labels_in(path_of(best.finder))}
        ):
            continue
        pairs = list(zip(one.values, best.values, strict=True))
        if all(theirs is None or (mine and str(theirs).startswith(str(mine))) for mine, theirs in pairs):
            return one
    return best


def what_says_no_more(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or an element within it that says the same on the samples, where the best one says more elsewhere.

    `<p class="price"><strong>$8</strong> </p>` on both samples, `<p class="price"><strong>$8</strong> You save $2</p>`
    on other pages: what is of the samples' kind is the inner one.
    """
    best = ranked[0]
    start = f"{path_of(best.finder)}/"
    for one in ranked[1:]:
        within = path_of(one.finder).removeprefix(start)
        if not _CHILD.fullmatch(within) or not _read_alike(one, best) or one.refuted > best.refuted:
            continue
        both = [(mine, theirs) for mine, theirs in zip(one.values, best.values, strict=True) if mine is not None]
        is_part = all(str(theirs).startswith(str(mine)) for mine, theirs in both)
        is_kept = any(mine == theirs for mine, theirs in both) and one.coverage >= ON_THE_WAY * best.coverage
        if is_part and is_kept and one.kind >= max(RIGHT_KIND, best.kind + OTHER_KIND):
            return one
    return best


def what_is_called_so(ranked: Sequence[Ranked], field: str) -> Ranked:
    """The best one; or what has the field's name for its class or id, if nearly as much speaks for it.

    `<div class="text"><div class="unitPrice">…`: "unit_price" is the inner one, without what else the outer may hold.
    It says the same, or a part of it: no other name, and none cut off with dots. Where the best one is the first of a
    tag wherever it stands, what has the name among others says the same wherever it is: `<div class="tm-brand">`, and
    not the first item with a title on goods without a brand.
    """
    best = ranked[0]
    if _FIRST_OF_MANY.fullmatch(path_of(best.finder)) and not is_marked_up(field, best.finder):
        named = (one for one in ranked[1:] if one.finder.family is Family.CLASS and is_marked_up(field, one.finder))
        sure = (one for one in named if one.coverage >= OFTEN_FOUND and one.kind >= best.kind and not one.refuted)
        if (own := next((one for one in sure if _says_what_it_should(one, best)), None)) is not None:
            return own
    is_told = is_called_by_its_class(field, best.finder) or has_name(field, path_of(best.finder))
    if is_hidden(best.finder) or is_told or path_of(best.finder).endswith("/h1"):
        return best
    near = (one for one in ranked[1:] if best.score - one.score <= CALLED_LESS and one.refuted <= best.refuted)
    return next(
        (one for one in near if is_called_by_its_class(field, one.finder) and _is_part_of(one, best)),
        best,
    )


def _says_what_it_should(one: Ranked, other: Ranked) -> bool:
    """Whether one says the same as another that says more, which then mostly says what one never does."""
    pairs = list(zip(one.values, other.values, strict=True))
    known = {mine for mine, _ in pairs}
    more = [theirs in known for mine, theirs in pairs if mine is None and theirs is not None]
    return all(mine in (None, theirs) for mine, theirs in pairs) and 2 * sum(more) <= len(more)


def _is_part_of(one: Ranked, other: Ranked) -> bool:
    """Whether what one says stands in what another one says, on each page that has both."""
    pairs = zip(one.values, other.values, strict=True)
    return all(str(mine) in str(theirs) for mine, theirs in pairs if mine is not None and theirs is not None)


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
