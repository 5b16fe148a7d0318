"""Candidates for a field with a list of texts: addresses without a position where the values repeat.

They come from the places of a few items on one sample, and must give exactly the wanted list on every sample. A list
may also stand in one text, its values separated by commas or the like, or in structured data.

Of the addresses that give a sample's list, further pages tell the one that cuts and bounds it as it should be: a list
of a single item can't say whether "A, B" is one item or two, nor where the list ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gwc_crawler.extract import (
    EACH_AFTER,
    LISTS,
    NO_AFFIXES,
    Affixes,
    Finder,
    PageView,
    Run,
    fit_affixes,
    structured_cost,
)
from gwc_crawler.extract.fields import same_value, split_outside, squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.places import (
    SECTION,
    Address,
    ExampleContext,
    PathMaker,
    Place,
    RunPathMaker,
    Shared,
    find_places,
)
from gwc_crawler.learn.wrapper.ranking import weight
from gwc_crawler.learn.wrapper.scalars import scalar_finders

MOST_TRIED = 4_000
MOST_KEPT = 200
MOST_TIMES = 6
"""What selects more than so many times the items is not read."""
MOST_BESIDES = 2
"""Texts among a list's items that stand there on every page."""
NEAR = 0.75
"""Mean F1 from which a list that no address gives exactly is still worth having, with a warning."""
SEPARATORS = (", ", "、")
"""Signs that part names in a line where each sample has a single one."""
SPLITS = (", ", "; ", " | ", " / ", "/", "、", "，", "；", " · ", " • ", " & ", " and ", " ")

MOST_OTHERS = 30
COST_MORE = 0.6
"""A tighter address may have so much more that can break."""
EQUAL = 0.5
"""On this share of the pages the tighter list must be the whole one, and the fuller one no more than the other."""
FURTHER = 0.1
"""On so many pages more a fuller list has to stand."""
MOSTLY_FINER = 0.75
"""On so many of the pages on which a finer list is another one, nothing but signs is left out."""
_POSITION = re.compile(r"\[(?:\d+|last\(\))\]")
_NEXT = "following-sibling::*[1]"
"""What stands right behind a label."""


def list_finders(
    contexts: Sequence[ExampleContext], shared: Shared, *, silent: bool = False, cheapest: bool = False
) -> list[Finder]:
    """All finders that give the wanted list in every context (and nothing where nothing is wanted).

    Args:
        silent: take also those that find nothing in some contexts.
        cheapest: of too many addresses the cheapest, of whichever place, not all of the places that come first.
    """
    givers = sorted((context for context in contexts if not context.empty), key=lambda one: -len(one.wanted))
    if not givers:
        return []
    finders: dict[tuple[object, ...], Finder] = {}
    tried: set[tuple[str, str, tuple[str, ...]]] = set()
    for giver in givers[:2]:
        others = [context for context in contexts if context is not giver]
        addresses = _item_addresses(giver, shared)
        for place, address in sorted(addresses, key=lambda pair: pair[1].cost) if cheapest else addresses:
            key = address.path, place.read, place.drop
            if key in tried or len(tried) > MOST_TRIED or len(finders) > MOST_KEPT:
                continue
            tried.add(key)
            if (found := _test(key, [*others, giver], silent, shared)) is not None:
                cut, without = found
                cost = address.cost + cut.cost + 0.4 * bool(place.drop) + 0.3 * len(without)
                finders[key] = Finder(
                    address.family, address.path, place.read, place.drop, cut, without=without, cost=cost
                )
    fitting = list(finders.values())
    fitting += _split_finders(contexts, shared)
    if givers[0].scope is None:
        fitting += _structured(contexts)
    return fitting


def near_list_finders(contexts: Sequence[ExampleContext], shared: Shared) -> list[tuple[float, Finder]]:
    """Finders that give most of the wanted items and little else, with their mean F1 over the contexts; best first.

    For lists that no address can give exactly: sub-headings among the items, an item in another element.
    """
    givers = [context for context in contexts if not context.empty]
    found: dict[tuple[object, ...], tuple[float, Finder]] = {}
    for giver in givers[:2]:
        for place, address in _item_addresses(giver, shared):
            key = address.path, place.read, place.drop
            if key in found or len(found) > MOST_TRIED:
                continue
            likeness = sum(_likeness(key, context) for context in contexts) / len(contexts)
            cost = address.cost + 10 * (1 - likeness)
            found[key] = likeness, Finder(address.family, address.path, place.read, place.drop, cost=cost)
    near = [one for one in found.values() if one[0] >= NEAR]
    return sorted(near, key=lambda one: (-one[0], one[1].cost))[:MOST_KEPT]


def _likeness(key: tuple[str, str, tuple[str, ...]], context: ExampleContext) -> float:
    """F1 of the items that a finder gives in one context."""
    path, read, drop = key
    texts = Counter(squeeze(text) for text in context.at.texts(path, read, drop, context.scope, 0) if text)
    wanted = Counter(squeeze(text) for text in context.wanted or ())
    total = texts.total() + wanted.total()
    return 2 * (texts & wanted).total() / total if total else 1.0


def _item_addresses(giver: ExampleContext, shared: Shared) -> Iterator[tuple[Place, Address]]:
    items = giver.wanted
    if not isinstance(giver.scope, Run):
        if len(items) > 1:
            yield from _line_addresses(giver, shared)
        yield from _section_addresses(giver, shared)
    for item in dict.fromkeys((items[0], items[-1], items[len(items) // 2])):
        for place in find_places(ExampleContext(giver.at, item, giver.scope)):
            if place.read == "all" or place.read.startswith("after:"):
                continue
            for address in _addresses(giver, place, shared):
                yield place, address


def _line_addresses(giver: ExampleContext, shared: Shared) -> Iterator[tuple[Place, Address]]:
    """Addresses of an element whose lines are the items."""
    maker = PathMaker(giver.at.index, shared, giver.scope)
    for place in find_places(ExampleContext(giver.at, "".join(giver.wanted), giver.scope)):
        if place.chunk is None and place.read == "apart" and not place.drop:
            for address in maker.addresses(place.node):
                yield Place(place.node, "lines"), address


def _section_addresses(giver: ExampleContext, shared: Shared) -> Iterator[tuple[Place, Address]]:
    """Addresses of a heading under which the items stand, one after the other."""
    maker = PathMaker(giver.at.index, shared, giver.scope)
    for place in find_places(ExampleContext(giver.at, giver.wanted[0], giver.scope)):
        if place.read == SECTION:
            for address in maker.headings(place.node):
                yield Place(place.node, f"{EACH_AFTER}like"), address


def _addresses(giver: ExampleContext, place: Place, shared: Shared) -> Iterator[Address]:
    if isinstance(giver.scope, Run):
        maker = RunPathMaker(giver.at.index, shared, giver.scope)
        yield from maker.addresses(place.node, place.chunk, many=True)
    elif place.chunk is not None:
        yield from PathMaker(giver.at.index, shared, giver.scope).text_addresses(place.chunk, many=True)
    else:
        yield from PathMaker(giver.at.index, shared, giver.scope).addresses(place.node, many=True)


def _test(
    key: tuple[str, str, tuple[str, ...]], contexts: Sequence[ExampleContext], silent: bool, shared: Shared
) -> tuple[Affixes, tuple[str, ...]] | None:
    """The cut with which the finder gives the whole list in every context, and texts that are no items; else None."""
    path, read, drop = key
    pairs: list[tuple[str, str]] = []
    empty: list[str] = []
    without: dict[str, None] = {}
    for context in contexts:
        if not context.empty and len(context.at.select(path, context.scope)) > MOST_TIMES * len(context.wanted) + 40:
            return None  # nor would it be right without its blank ones
        texts = [text for text in context.at.texts(path, read, drop, context.scope, 0) if text]
        if context.empty:
            empty += texts
            continue
        if silent and not texts:
            continue
        if len(texts) != len(context.wanted):
            besides = _besides(texts, context.wanted, shared)
            texts = [text for text in texts if text not in besides]
            without.update(dict.fromkeys(besides))
        if len(texts) != len(context.wanted) or len(without) > MOST_BESIDES:
            return None
        pairs += zip(texts, context.wanted, strict=True)
    cut = fit_affixes(pairs)
    if cut is None or any(cut.apply(text) for text in empty if text not in without):
        return None
    return cut, tuple(without)


def _besides(texts: Sequence[str], wanted: Sequence[str], shared: Shared) -> list[str]:
    """What stands among the items on every page and is none: "Choose an option"."""
    items = {squeeze(item) for item in wanted}
    others = [text for text in texts if squeeze(text) not in items]
    return others if len(others) <= MOST_BESIDES and all(map(shared.is_shared_text, others)) else []


def _split_finders(contexts: Sequence[ExampleContext], shared: Shared) -> Iterator[Finder]:
    """Finders of one text that holds all values, with what separates them."""
    longest = max((context.wanted for context in contexts if not context.empty), key=len)
    if len(longest) < 2:
        return
    for sign in SPLITS:
        items = (item for context in contexts for item in context.wanted or ())
        if sign.strip() and any(len(split_outside(item, sign.strip())) > 1 for item in items):
            continue
        joined = [
            ExampleContext(context.at, None if context.empty else sign.join(context.wanted), context.scope)
            for context in contexts
        ]
        if not sign.strip() or not any(one.at.shows(squeeze(one.wanted)) for one in joined if not one.empty):
            continue
        for finder in scalar_finders(joined, shared):
            split = replace(finder, split=sign.strip() if len(sign.strip()) == 1 else sign, cost=finder.cost + 0.5)
            if all(same_value(split.every(one.at.page, one.scope), one.wanted) for one in contexts):
                yield split


def _structured(contexts: Sequence[ExampleContext]) -> Iterator[Finder]:
    """Addresses of structured data that give the wanted lists."""
    first = next(context for context in contexts if not context.empty)
    for address, values in first.at.structured.values().items():
        if len(values) == len(first.wanted) and same_value(values, first.wanted):
            rest = (context for context in contexts if context is not first)
            if all(same_value(one.at.structured.get(address), one.wanted) for one in rest):
                yield Finder(Family.STRUCTURED, address, cut=NO_AFFIXES, cost=structured_cost(address))


def by_their_items(finders: Sequence[Finder], contexts: Sequence[ExampleContext]) -> list[Finder]:
    """The finders; those of whole lists, or of their lines, by the items: one may have several lines, or a list."""
    return [_items_of(one, contexts) for one in finders]


def _items_of(finder: Finder, contexts: Sequence[ExampleContext]) -> Finder:
    if finder.family is Family.STRUCTURED or finder.split or finder.read not in ("text", "apart", "lines"):
        return finder
    present = [one for one in contexts if not one.empty]
    tags = {getattr(node, "tag", "") for one in present for node in one.at.select(finder.path, one.scope)}
    items = replace(finder, path=f"{finder.path}/li", read="apart", cost=finder.cost + 0.1)
    are_same = all(same_value(items.every(one.at.page, one.scope), one.wanted) for one in present)
    return items if tags and tags <= LISTS and are_same else finder


# -- how fine, and where it ends -----------------------------------------------------------------------------------


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
    a part of the items, but all on most pages. Where no page has more than one item, that is a link's text if it is
    all of one: where there are several, each has its own.

    Args:
        doubt: says whether what a finder reads on page n is something else: the cell of another label.
        given: the samples' lists.
    """
    single = [items[0] for items in given if len(items) == 1] if max(map(len, given), default=0) <= 1 else []
    best = list(map(squeezed, (chosen[0].every(page) for page in pages)))
    if not any(best):
        return list(chosen)
    others = (one for one in fitting if one not in chosen)
    tried = sorted(others, key=lambda one: -weight(one))[:MOST_OTHERS]
    tried += _lines_of_names([*chosen, *tried], pages, single) if single else []
    read = [(one, [squeezed(one.every(page)) for page in pages]) for one in [*chosen[1:], *tried]]
    finer = [one for one, lists in read if _are_finer(lists, best)]
    if not finer and single and max(map(len, best)) <= 1 and not chosen[0].path.endswith("/a"):
        alike = [one for one, lists in read if lists == best and one.family is chosen[0].family]
        finer = [one for one in alike if one.path.endswith("/a") and one.cost <= chosen[0].cost + COST_MORE][:1]
    if finer:
        return [finer[0], *(one for one in chosen if one is not finer[0])]
    cost = chosen[0].cost + COST_MORE
    fuller = [one for one, lists in read if _is_labelled(one) and one.cost <= cost and _is_fuller(lists, best)]
    silent = [number for number, items in enumerate(best) if not items]
    fuller = [one for one in fuller if not any(one.every(pages[n]) and doubt(one, n) for n in silent)]
    if fuller:
        return [fuller[0], *(one for one in chosen if one is not fuller[0])]
    tighter = [one for one, lists in read if _is_named(one) and one.cost <= cost and _is_tighter(lists, best)]
    return [tighter[0]] if tighter else list(chosen)


def _lines_of_names(finders: Sequence[Finder], pages: Sequence[PageView], given: Sequence[str]) -> Iterator[Finder]:
    """Finders of one name, parted at a sign that none *given* has, and that parts words in a line of further pages."""
    for finder in finders:
        if finder.family is Family.STRUCTURED or finder.split:
            continue
        texts = {text for page in pages for text in finder.every(page)}
        for sign in SEPARATORS:
            lines = [parts for text in texts if len(parts := split_outside(text, sign)) > 1]
            are_names = lines and all(part and " " not in part for parts in lines for part in parts)
            if are_names and not any(sign.strip() in one for one in given):
                yield replace(finder, split=sign, cost=finder.cost + 0.5)


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
