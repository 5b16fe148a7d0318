"""Candidates for a field with a list of texts: addresses without a position where the values repeat.

They come from the places of a few items on one sample, and must give exactly the wanted list on every sample. A list
may also stand in one text, its values separated by commas or the like, or in structured data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gwc_crawler.extract.affixes import Affixes
from gwc_crawler.extract.fields import same_value, split_outside, squeeze
from gwc_crawler.extract.locator import EACH_AFTER, RUN, Locator, Run, structured_cost
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_HANDFUL, MOST, PART_COST
from gwc_crawler.learn.places.paths import PathMaker, RunPathMaker
from gwc_crawler.learn.places.places import SECTION, Place, find_places
from gwc_crawler.learn.places.steps import Address
from gwc_crawler.learn.texts.context import ExampleContext
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.locators.fits import fit_affixes
from gwc_crawler.learn.wrapper.locators.scalars import MOST_KEPT, MOST_TRIED, scalar_locators

SPLITS = (", ", "; ", ",", ";", " | ", " / ", "/", "、", "，", "；", " · ", " • ", " & ", " and ", " ")


def list_locators(contexts: Sequence[ExampleContext], shared: Shared) -> list[Locator]:
    """Return all locators that give the wanted list in every context (and nothing where nothing is wanted)."""
    givers = sorted((context for context in contexts if not context.empty), key=lambda one: -len(one.wanted))
    if not givers:
        return []
    locators: dict[tuple[object, ...], Locator] = {}
    tried: set[tuple[str, str, tuple[str, ...]]] = set()
    for giver in givers[:2]:
        others = [context for context in contexts if context is not giver]
        for place, address in _item_addresses(giver, shared):
            key = address.path, place.read, place.drop
            if key in tried or len(tried) > MOST_TRIED or len(locators) > MOST_KEPT:
                continue
            tried.add(key)
            if (found := _test(key, [*others, giver], shared)) is not None:
                cut, without = found
                may_have_more = place.read == "lines" and place.node.find("p") is not None  # captions and headings
                cost = address.cost + cut.cost + 0.4 * bool(place.drop) + 0.3 * len(without) + PART_COST * may_have_more
                locators[key] = Locator(
                    address.family, address.path, place.read, place.drop, cut, without=without, cost=cost
                )
    fitting = list(locators.values())
    fitting += _split_locators(contexts, shared)
    if givers[0].scope is None:
        fitting += _structured(contexts)
    return fitting


def near_list_locators(contexts: Sequence[ExampleContext], shared: Shared) -> list[tuple[float, Locator]]:
    """Locators that give most of the wanted items and little else, with their mean F1 over the contexts; best first.

    For lists that no address can give exactly: sub-headings among the items, an item in another element.
    """
    givers = [context for context in contexts if not context.empty]
    found: dict[tuple[object, ...], tuple[float, Locator]] = {}
    for giver in givers[:2]:
        for place, address in _item_addresses(giver, shared):
            key = address.path, place.read, place.drop
            if key in found or len(found) > MOST_TRIED:
                continue
            likeness = sum(_likeness(key, context) for context in contexts) / len(contexts)
            cost = address.cost + 10 * (1 - likeness)
            found[key] = likeness, Locator(address.family, address.path, place.read, place.drop, cost=cost)
    near = [one for one in found.values() if one[0] >= MOST]
    return sorted(near, key=lambda one: (-one[0], one[1].cost))[:MOST_KEPT]


def _likeness(key: tuple[str, str, tuple[str, ...]], context: ExampleContext) -> float:
    """F1 of the items that a locator gives in one context."""
    path, read, drop = key
    texts = Counter(squeeze(text) for text in context.at.texts(path, read, drop, context.scope, 0) if text)
    wanted = Counter(squeeze(text) for text in context.wanted or ())
    total = texts.total() + wanted.total()
    return 2 * (texts & wanted).total() / total if total else 1.0


def _item_addresses(giver: ExampleContext, shared: Shared) -> Iterator[tuple[Place, Address]]:
    items, scope = giver.wanted, giver.scope
    if isinstance(scope, Run):
        addresses_of = RunPathMaker(giver.at.index, shared, scope).addresses
    else:
        maker = PathMaker(giver.at.index, shared, scope)
        addresses_of = maker.addresses
        for place in find_places(ExampleContext(giver.at, "".join(items), scope)) if len(items) > 1 else ():
            if place.chunk is None and place.read == "apart" and not place.drop:
                yield from ((Place(place.node, "lines"), one) for one in maker.addresses(place.node))
        for place in find_places(ExampleContext(giver.at, items[0], scope)):
            if place.read == SECTION:
                yield from ((Place(place.node, f"{EACH_AFTER}like"), one) for one in maker.headings(place.node))
    for item in dict.fromkeys((items[0], items[-1], items[len(items) // 2])):
        for place in find_places(ExampleContext(giver.at, item, scope)):
            if place.read not in ("all", RUN) and not place.read.startswith("after:"):
                yield from ((place, one) for one in addresses_of(place.node, place.chunk, many=True))


def _test(
    key: tuple[str, str, tuple[str, ...]], contexts: Sequence[ExampleContext], shared: Shared
) -> tuple[Affixes, tuple[str, ...]] | None:
    """Return the cut by which the locator gives each context's whole list, and texts that are no items; else None."""
    path, read, drop = key
    pairs: list[tuple[str, str]] = []
    empty: list[str] = []
    without: dict[str, None] = {}
    for context in contexts:
        if not context.empty and len(context.at.select(path, context.scope)) > A_HANDFUL * len(context.wanted) + 40:
            return None  # nor would it be right without its blank ones
        texts = [text for text in context.at.texts(path, read, drop, context.scope, 0) if text]
        if context.empty:
            empty += texts
            continue
        if len(texts) != len(context.wanted):
            besides = _besides(texts, context.wanted, shared)
            texts = [text for text in texts if text not in besides]
            without.update(dict.fromkeys(besides))
        if len(texts) != len(context.wanted) or len(without) > 2:
            return None
        pairs += zip(texts, context.wanted, strict=True)
    cut = fit_affixes(pairs)
    if cut is None or any(cut.apply(text) for text in empty if text not in without):
        return None
    return cut, tuple(without)


def _besides(texts: Sequence[str], wanted: Sequence[str], shared: Shared) -> list[str]:
    """Return the one or two texts among the items of every page that are no items: "Choose an option"."""
    items = {squeeze(item) for item in wanted}
    others = [text for text in texts if squeeze(text) not in items]
    return others if len(others) <= 2 and all(map(shared.is_shared_text, others)) else []


def _split_locators(contexts: Sequence[ExampleContext], shared: Shared) -> Iterator[Locator]:
    """Yield locators of one text that holds all values, each with a separator."""
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
        for locator in scalar_locators(joined, shared):
            split = replace(locator, split=sign.strip() if len(sign.strip()) == 1 else sign, cost=locator.cost + 0.5)
            if all(same_value(split.every(one.at, one.scope), one.wanted) for one in contexts):
                yield split


def _structured(contexts: Sequence[ExampleContext]) -> Iterator[Locator]:
    """Yield addresses of structured data that give the wanted lists."""
    first = next(context for context in contexts if not context.empty)
    for address in first.at.structured.values():
        if all(same_value(one.at.structured.get(address), one.wanted) for one in (first, *contexts)):
            yield Locator(Family.STRUCTURED, address, cost=structured_cost(address))
