"""Candidates for a field with one value: addresses of its places on one sample, tested on all the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gwc_crawler.extract.affixes import NO_AFFIXES, Affixes, is_like_number
from gwc_crawler.extract.fields import is_url, level, same_text
from gwc_crawler.extract.locator import COUNT, Locator, Run, structured_cost
from gwc_crawler.extract.nodes import text_of
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import ENOUGH, PART_COST, SEVERAL
from gwc_crawler.learn.places.paths import PathMaker, RunPathMaker
from gwc_crawler.learn.places.places import SECTION, Place, find_places
from gwc_crawler.learn.places.steps import (
    OF_ANYTHING,
    Address,
    attribute_addresses,
    attribute_test,
    quoted_in,
    step_name,
)
from gwc_crawler.learn.texts.context import ExampleContext
from gwc_crawler.learn.texts.shared import NOT_STRUCK, Shared
from gwc_crawler.learn.wrapper.locators.fits import fit_affixes, fit_beside_value, fit_ending, fit_remark, fit_word

MOST_TRIED = 2_500
MOST_KEPT = 300
ATTRIBUTE_PART_COST = 1.2
"""The same for a part of an attribute that has words: it may speak of something else ("class in org.example")."""
_LAST_COUNT = re.compile(r"(?<=/)([a-z][a-z0-9]*)\[\d+\]$")


def scalar_locators(contexts: Sequence[ExampleContext], shared: Shared) -> list[Locator]:
    """Return all locators that give the wanted value in every context (and nothing where nothing is wanted)."""
    givers = [context for context in contexts if not context.empty]
    locators: dict[tuple[object, ...], tuple[int, Locator]] = {}
    tried: set[tuple[str, str, tuple[str, ...]]] = set()
    for giver in _telling(givers):
        others = [context for context in contexts if context is not giver]
        for place in find_places(giver):
            before, kept = len(tried), len(locators)
            for address in _addresses(giver, place, shared):
                key = address.path, place.read, place.drop
                if address.family is Family.ATTRIBUTE and _asks_for(giver.wanted, address.path):
                    continue
                are_enough = len(tried) > MOST_TRIED or len(locators) > MOST_KEPT
                of_place = len(tried) - before > ENOUGH or len(locators) - kept > ENOUGH
                if key in tried or (are_enough and of_place):
                    continue
                tried.add(key)
                for cut, spaced in _test(key, [*others, giver], shared.is_value):
                    cost = address.cost + cut.cost + _reading_cost(place)
                    locators[*key, cut] = spaced, Locator(address.family, *key, cut, cost=cost)
    most = max((spaced for spaced, _ in locators.values()), default=0)
    fitting = [one for spaced, one in locators.values() if spaced == most]
    return fitting + list(_structured(contexts)) if givers and givers[0].scope is None else fitting


def _asks_for(value: str, path: str) -> bool:
    """Tell whether a path asks for an element with the value in an attribute: it would find no other value.

    >>> _asks_for("1.0.0", '//span[@title="Stable since 1.0.0"]'), _asks_for("5", '//b[@title="50 of"]')
    (True, False)
    """
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) for text in quoted_in(path))


def _telling(givers: Sequence[ExampleContext]) -> Sequence[ExampleContext]:
    """A few of many examples: the first, the last, and the longest, which may have several paragraphs or links; an
    address has a single one."""
    if len(givers) <= SEVERAL:
        return givers
    longest = max(givers[1:-1], key=lambda one: (not is_url(one.wanted), len(one.wanted)))
    return [givers[0], longest, givers[-1]]


def _addresses(giver: ExampleContext, place: Place, shared: Shared) -> Iterator[Address]:
    if isinstance(giver.scope, Run):
        in_run = RunPathMaker(giver.at.index, shared, giver.scope)
        yield from _of_its_like(place, in_run.addresses(place.node, place.chunk, many=place.read == COUNT))
        return
    if place.read.startswith(f"{SECTION},") and "." in place.read:
        return  # of a page's sections others may end so
    maker = PathMaker(giver.at.index, shared, giver.scope)
    headings = list(maker.headings(place.node)) if place.read.startswith("after:") else []
    yield from headings
    if place.read == SECTION:
        return
    if place.chunk is not None:
        yield from maker.addresses(place.node, place.chunk)
        return
    if place.read.startswith("@"):
        yield from attribute_addresses(maker.lead, place.node, place.read[1:], "" if place.whole else giver.wanted)
    is_behind = place.read.startswith("after:") and shared.is_value(text_of(place.node))
    is_any = giver.scope is None and place.node.tag in OF_ANYTHING
    for one in _of_its_like(place, maker.addresses(place.node, many=place.read in ("all", COUNT))):
        if is_any and one.family in (Family.TAG, Family.PATH):
            continue
        is_led = bool(headings) and one.family is Family.LABEL
        yield Address(one.family, one.path, one.cost + PART_COST * (is_led + is_behind))
        if place.read == "text" and is_like_number(giver.wanted) and shared.has_struck:
            path, counted = _LAST_COUNT.subn(r"\1", one.path)
            yield Address(one.family, f"{path}{NOT_STRUCK}", one.cost - 2 * counted)


def _of_its_like(place: Place, addresses: Iterator[Address]) -> Iterator[Address]:
    """Yield the addresses; for images that are counted also those of the same file."""
    same = attribute_test("src", place.node.get("src")) if place.read == COUNT and place.node.get("src") else None
    for one in addresses:
        if same is not None and one.path.endswith(step_name(place.node)):
            yield Address(one.family, f"{one.path}[{same}]", one.cost)
        yield one


def _reading_cost(place: Place) -> float:
    if place.chunk is not None and place.whole and place.whole_parent:
        return 0.7
    if place.read[0] == "@" and not place.whole and " " in place.node.get(place.read[1:], "").strip():
        return ATTRIBUTE_PART_COST
    if place.read == COUNT or (place.read[0] == "@" and ":" in place.read):
        return PART_COST
    return 0.4 * bool(place.drop) + 0.3 * (place.read not in ("text", "apart") and place.read[0] != "@")


def _test(
    key: tuple[str, str, tuple[str, ...]],
    contexts: Sequence[ExampleContext],
    is_value: Callable[[str], bool],
) -> list[tuple[Affixes, int]]:
    """Return the cuts that make the locator right in every context, and the number of values with blanks as typed."""
    path, read, drop = key
    pairs, empty = [], []
    for context in contexts:
        texts = context.at.texts(path, read, drop, context.scope, 1)
        if context.empty:
            empty.extend(texts[:1])
            continue
        if not texts or len(texts[0]) < len(context.wanted) - 30:
            return []
        pairs.append((texts[0], context.wanted))
    cuts = _cuts(pairs, endings=contexts[0].scope is None)
    if NO_AFFIXES not in cuts and (between := fit_beside_value(pairs, is_value)) is not None:
        cuts.append(between)
    fitting = [cut for cut in cuts if not any(map(cut.apply, empty))]
    if not fitting and all(is_like_number(value) for _, value in pairs):
        guarded = [replace(cut, digits=True) for cut in cuts]
        fitting = [cut for cut in guarded if not any(map(cut.apply, empty))]
    return [(cut, sum(level(cut.apply(text) or "") == level(value) for text, value in pairs)) for cut in fitting]


def _cuts(pairs: Sequence[tuple[str, str]], *, endings: bool = True) -> list[Affixes]:
    """Return cuts that give the values from the texts: one for all, or (with *endings*) an ending of some texts."""
    cuts = [fit_affixes(pairs)]
    if endings and cuts[0] != NO_AFFIXES:
        cuts.append(fit_ending(pairs))
    if cuts[0] is None:
        cuts.append(fit_remark(pairs))
    if cuts[0] != NO_AFFIXES and not _has_label(cuts[0], len(pairs)):
        cuts.append(fit_word(pairs))
    return [cut for cut in cuts if cut is not None]


def _has_label(cut: Affixes | None, texts: int) -> bool:
    """Say whether the same words stand before the value in all texts: then they say which text is meant."""
    if cut is None or not cut.before or not cut.whole_before or not any(map(str.isalpha, cut.before)):
        return False
    return texts > 1 or cut.before.rstrip().endswith((":", "："))


def _structured(contexts: Sequence[ExampleContext]) -> Iterator[Locator]:
    """Yield addresses of structured data whose first value is the wanted one on every page."""
    first = next((context for context in contexts if not context.empty), contexts[0])
    for address, values in first.at.structured.values().items():
        pairs = [(values[0], first.wanted)]
        fits = len(values) == 1 or same_text(values[0], first.wanted)
        for context in contexts:
            found = context.at.structured.get(address)
            if context.empty:
                fits = fits and not found
            elif not found:
                fits = False
            else:
                pairs.append((found[0], context.wanted))
        for cut in _cuts(pairs) if fits else ():
            if cut == NO_AFFIXES or cut.optional or not address.startswith("jsonld"):
                yield Locator(Family.STRUCTURED, address, cut=cut, cost=structured_cost(address) + cut.cost)
