"""How fine the items of a list are, and where it ends, as further pages tell.

Of the addresses that give a sample's list, these tell the one that cuts and bounds it as it should be: a list of a
single item can't say whether "A, B" is one item or two, nor where the list ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from gwc_crawler.extract import LISTS, Finder, PageView, select
from gwc_crawler.extract.fields import kind_of, split_outside, squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in
from gwc_crawler.learn.wrapper.judging import NEAR_LABEL_COST, weight

SEPARATORS = (", ", "、", "; ", "；")
"""Signs that part names in a line where each sample has a single one."""
_SURE_SEPARATORS = frozenset(";；")
"""Those that stand within no name: two parts are enough, but not of what is an item already."""
_ITEMS = LISTS | {"li"}
_LEAST_LINES, _ENUMERATED, _WORDS_MORE, _ALIKE = 0.2, 3, 3, 0.6
"""So many texts have several parts, some so many, and a part has so many words more than the samples' names at
most, and is so far of their kind."""
_BRACKETS, _ALONE = ("]", ")", "）"), 2
"""What ends with one is told by it; else so many parts of lines stand alone elsewhere."""
MOST_OTHERS = 30
COST_MORE = 0.6
"""A tighter address may have so much more that can break."""
COST_MORE_BESIDE = 1.0
"""A fuller one with the same label may."""
EQUAL = 0.5
"""On this share of the pages the tighter list must be the whole one, and the fuller one no more than the other."""
FURTHER = 0.1
"""On so many pages more a fuller list has to stand."""
MOSTLY_FINER = 0.75
"""On so many of the pages on which a finer list is another one, nothing but signs is left out."""
_MOSTLY_LINKED = 0.9
_IN_SENTENCES = re.compile("[ 。，；：！？]")
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")
_NEXT = "following-sibling::*[1]"
"""What stands right behind a label."""


def as_it_should_be(
    chosen: Sequence[Finder],
    fitting: Sequence[Finder],
    pages: Sequence[PageView],
    doubt: Callable[[Finder, int], bool] = lambda finder, number: False,
    *,
    given: Sequence[Sequence[str]] = (),
) -> list[Finder]:
    """Put a finer or tighter address before the *chosen* ones.

    An address is finer that gives, where it gives something else, the parts of the chosen one's items, on most pages
    with nothing but signs between them. It is fuller if it goes by a label and gives all of the items, mostly no
    more, and on further pages some, too, unless there it reads something else. It is tighter if it has a name and gives
    a part of the items, but all on most pages. Where no page has more than one item, or any at all, a link is finer
    that is all of the text: where there are several items, each has its own.

    Args:
        doubt: says whether what a finder reads on page n is something else: the cell of another label.
        given: the samples' lists.
    """
    single = [items[0] for items in given if len(items) == 1] if max(map(len, given), default=0) <= 1 else []
    chosen = _by_its_label(chosen, fitting, pages) if chosen[0].without else chosen
    chosen = _by_its_links(chosen, fitting, pages) if chosen[0].split else chosen
    best = list(map(squeezed, (chosen[0].every(page) for page in pages)))
    if not any(best) and not single:
        return list(chosen)
    others = (one for one in fitting if one not in chosen)
    tried = sorted(others, key=lambda one: -weight(one))[:MOST_OTHERS]
    tried += _lines_of_names([*chosen, *tried], pages, single) if single else []
    read = [(one, [squeezed(one.every(page)) for page in pages]) for one in [*chosen[1:], *tried]]
    finer = [one for one, lists in read if _are_finer(lists, best)]
    if not finer and single and max(map(len, best)) <= 1 and not chosen[0].path.endswith("/a"):
        most = max(one.cost for one in chosen if one.family is chosen[0].family) + COST_MORE
        alike = [one for one, lists in read if lists == best and one.family is chosen[0].family]
        finer = [one for one in alike if one.path.endswith("/a") and one.cost <= most][:1]
    if finer:
        return [finer[0], *(one for one in chosen if one is not finer[0])]
    if not any(best):
        return list(chosen)
    cost = chosen[0].cost + COST_MORE
    own = labels_in(chosen[0].path)
    fuller = [
        one
        for one, lists in read
        if _is_labelled(one) and _is_fuller(lists, best)
        if one.cost <= cost or (own == labels_in(one.path) and one.cost <= chosen[0].cost + COST_MORE_BESIDE)
    ]
    silent = [number for number, items in enumerate(best) if not items]
    fuller = [one for one in fuller if not any(one.every(pages[n]) and doubt(one, n) for n in silent)]
    if fuller:
        return [fuller[0], *(one for one in chosen if one is not fuller[0])]
    tighter = [one for one, lists in read if _is_named(one) and one.cost <= cost and _is_tighter(lists, best)]
    return [tighter[0]] if tighter else list(chosen)


def _by_its_label(chosen: Sequence[Finder], fitting: Sequence[Finder], pages: Sequence[PageView]) -> Sequence[Finder]:
    """The chosen ones; or, as these have to leave something out, what a label leads to that is none of that.

    On some page it gives several items: so it is no way to the first one alone.
    """
    left_out = {text for one in (*chosen, *fitting) for text in one.without}
    exact = [one for one in fitting if not one.without and one.family is Family.LABEL and one.cost <= NEAR_LABEL_COST]
    for one in sorted(exact, key=lambda one: one.cost):
        if left_out.isdisjoint(labels_in(one.path)) and any(len(one.every(page)) > 1 for page in pages):
            return [one]
    return chosen


def _by_its_links(chosen: Sequence[Finder], fitting: Sequence[Finder], pages: Sequence[PageView]) -> Sequence[Finder]:
    """The chosen ones; or the links in the text that these cut at signs, if on nearly all pages nothing else is in it.

    What stands between links may differ: "a(1), b(7).", "a(1) b(7)"; not "Set<E>", of which the link is a part.
    """
    linked = (one for one in fitting if one.path.startswith(chosen[0].path) and one.path.endswith("/a"))
    for one in sorted(linked, key=lambda one: one.cost):
        pairs = [(squeezed(one.every(page)), squeezed(chosen[0].every(page))) for page in pages]
        whole = [_are_all(links, parts) for links, parts in pairs if parts]
        if not one.split and sum(whole) >= _MOSTLY_LINKED * len(whole) > 0:
            return [one, *chosen]
    return chosen


def _are_all(links: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether no more than signs are left of some texts without the links in them."""
    text = "\n".join(parts)
    for link in links:
        text = text.replace(link, "", 1)
    return not any(map(str.isalnum, text))


def _lines_of_names(finders: Sequence[Finder], pages: Sequence[PageView], given: Sequence[str]) -> Iterator[Finder]:
    """Finders of one name, parted at a sign that none *given* has, and that parts names in a line of further pages."""
    for finder in finders:
        if finder.family is Family.STRUCTURED or finder.split:
            continue
        lists = [finder.every(page) for page in pages]
        texts = {text for items in lists for text in items}
        of_items = any(getattr(node, "tag", "") in _ITEMS for page in pages for node in select(finder.path, page))
        for sign in SEPARATORS:
            lines = [parts for text in texts if len(parts := split_outside(text, sign)) > 1]
            are_words = lines and all(part and not _IN_SENTENCES.search(part) for parts in lines for part in parts)
            is_sure = sign.strip() in _SURE_SEPARATORS and not of_items
            is_parted = are_words or (max(map(len, lists), default=0) == 1 and _are_names(lines, given, texts, is_sure))
            if is_parted and all(len(split_outside(one, sign.strip())) == 1 for one in given):
                yield replace(finder, split=sign, cost=finder.cost + 0.5)


def _are_names(lines: Sequence[Sequence[str]], given: Sequence[str], texts: Collection[str], is_sure: bool) -> bool:
    """Whether what signs part in many lines, three of them in some, are names as the *given* ones: "Emma Larsen [ctb]".

    They have the same brackets behind them, or some stand alone elsewhere: of "Austin, TX, USA" none does. Semicolons
    part nothing else.
    """
    several = max(map(len, lines), default=0) >= (2 if is_sure else _ENUMERATED)
    if not several or (len(lines) < _LEAST_LINES * len(texts) and not is_sure):
        return False
    parts, kind = [part for line in lines for part in line], kind_of([list(given)])
    longest = max(len(one.split()) for one in given) + _WORDS_MORE
    in_brackets = all(one.endswith(_BRACKETS) for one in (*given, *parts))
    alone = [part for part in parts if part in texts or part in given]
    is_alike = all(0 < len(part.split()) <= longest for part in parts) and fmean(map(kind, parts)) >= _ALIKE
    has_numbers = any(map(str.isdigit, "".join(parts))) and not any(map(str.isdigit, "".join(given)))
    return is_alike and not has_numbers and (is_sure or in_brackets or len(alone) >= _ALONE)


def _are_finer(fine: Sequence[Sequence[str]], coarse: Sequence[Sequence[str]]) -> bool:
    """Whether lists are others with their items cut at signs, but for a few that leave something out."""
    others = [(one, other) for one, other in zip(fine, coarse, strict=True) if list(one) != list(other)]
    cut = sum(is_finer(one, other) for one, other in others)
    return cut > 0 and cut >= MOSTLY_FINER * len(others) and all(_are_parts(one, other) for one, other in others)


def _are_parts(fine: Sequence[str], coarse: Sequence[str]) -> bool:
    """Whether a list has only what stands in another one, in that order, of each of its items something."""
    text, at = "\n".join(coarse), 0
    for item in fine:
        place = text.find(item, at)
        if place < 0:
            return False
        at = place + len(item)
    return len(fine) >= len(coarse)


def squeezed(items: Sequence[str] | None) -> list[str]:
    """The items in a form to compare."""
    return [squeeze(item) for item in items or ()]


def is_finer(fine: Sequence[str], coarse: Sequence[str]) -> bool:
    """Whether a list is another one, or that with its items cut at signs.

    >>> is_finer(["Map", "Set"], ["Map,Set"]), is_finer(["Map"], ["Map,Set"]), is_finer(["Map"], ["Map"])
    (True, False, True)
    """
    if list(fine) == list(coarse):
        return True
    text, at, between = "\n".join(coarse), 0, ""
    for item in fine:
        place = text.find(item, at)
        if place < 0:
            return False
        between += text[at:place]
        at = place + len(item)
    return len(fine) > len(coarse) and not any(map(str.isalnum, between + text[at:]))


def _is_tighter(lists: Sequence[Sequence[str]], wide: Sequence[Sequence[str]]) -> bool:
    speaking = [(one, other) for one, other in zip(lists, wide, strict=True) if one or other]
    equal = sum(list(one) == list(other) for one, other in speaking)
    within = all(one and not Counter(one) - Counter(other) for one, other in speaking)
    return within and EQUAL * len(speaking) <= equal < len(speaking)


def _is_fuller(lists: Sequence[Sequence[str]], scant: Sequence[Sequence[str]]) -> bool:
    pairs = list(zip(lists, scant, strict=True))
    both = [(one, other) for one, other in pairs if other]
    equal = sum(list(one) == list(other) for one, other in both)
    within = not any(Counter(other) - Counter(one) for one, other in both)
    further = sum(bool(one) and not other for one, other in pairs)
    return within and EQUAL * len(both) <= equal and further >= FURTHER * len(pairs)


def _is_labelled(finder: Finder) -> bool:
    return finder.family is Family.LABEL and _POSITION.search(finder.path.replace(_NEXT, "")) is None


def _is_named(finder: Finder) -> bool:
    return (finder.family.is_name or finder.family is Family.LABEL) and _POSITION.search(finder.path) is None
