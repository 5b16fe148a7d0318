"""Learn how one part of the records is read in their rows, or from the heading before several of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import is_blank, same_value, squeeze
from gwc_crawler.extract.locator import BEFORE, Locator, Run
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.extract.records_rule import RowRule, runs_of
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.learn.degrees import A_DOZEN, FEW, MOST, NAME_LENGTH, NEARLY_ALL, SEVERAL
from gwc_crawler.learn.places.places import stands_on
from gwc_crawler.learn.places.steps import Address, attribute_test, form_step, step_name, tests_of
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage, shape_in, spread, texts_in
from gwc_crawler.learn.texts.shared import HEADINGS, Shared, names_of
from gwc_crawler.learn.wrapper.locators.affixes import mended
from gwc_crawler.learn.wrapper.locators.extent import Spot, going_on
from gwc_crawler.learn.wrapper.locators.lists import list_locators
from gwc_crawler.learn.wrapper.locators.scalars import scalar_locators
from gwc_crawler.learn.wrapper.ranking.candidates import is_under_header
from gwc_crawler.learn.wrapper.ranking.rank import choose

MOST_ROWS = 24
"""Rows that a sub-field's candidates are tested on. A few things that hardly a row has are looked for in all."""
LEAST_A_PART = 4
"""Rows that are read by themselves where no way is right for all, and the ways that are then tried on the others."""
WORDS_OF_PROSE = 4
"""Minimum mean of words per text for texts to be prose, not names: they may go on in another paragraph."""
CHAPTER = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "pre", "table", "ul", "ol", "dl"})


UNCLEAR: Any = frozenset()
"""In place of a part that stands nowhere on its page: mistyped, it is neither looked for, nor taken to be absent."""


def told(contexts: Sequence[ExampleContext]) -> list[ExampleContext]:
    """Return the samples' records without mistyped parts, and without long ones typed on other samples alone."""
    nowhere = [
        [[key for key, text in texts_in(record) if not _stands(text, one.at)] for record in one.wanted or ()]
        for one in contexts
    ]
    counts = Counter(key for page in nowhere for keys in page for key in set(keys))
    records = [record for one in contexts for record in one.wanted or ()]
    given = Counter(key for record in records for key in dict(texts_in(record)))
    slips = {key for key, count in counts.items() if 2 * count < given[key]}
    clear = []
    for one, pages in zip(contexts, nowhere, strict=True):
        left = _left_out(one, contexts)
        rows = zip(one.wanted or (), pages, strict=True)
        wanted = [{**row, **dict.fromkeys(slips.intersection(keys) | left, UNCLEAR)} for row, keys in rows]
        clear.append(one if one.empty else replace(one, wanted=wanted))
    return clear


def _left_out(sample: ExampleContext, samples: Sequence[ExampleContext]) -> set[str]:
    """Return the long parts that all records of other samples have and this sample's lack: typing is tedious."""
    if sample.empty or len(sample.wanted) < SEVERAL:
        return set()
    mine = {key for record in sample.wanted for key, _ in texts_in(record)}
    others = [record for one in samples if one is not sample and not one.empty for record in one.wanted]
    texts = [dict(texts_in(record)) for record in others]
    shared = frozenset.intersection(*map(frozenset, texts)) if texts else frozenset()
    return {key for key in shared - mine if sum(len(text[key]) for text in texts) >= NAME_LENGTH * len(texts)}


def _stands(text: str, at: LearnPage) -> bool:
    return squeeze(text) in at.index.text or stands_on(text, at)


def is_unclear(key: str, record: Mapping[str, Any]) -> bool:
    """Say whether the right value of a part of a sample's record is unknown."""
    return record.get(key) is UNCLEAR


def is_read(found: Mapping[str, Any], wanted: Mapping[str, Any], keys: Collection[str]) -> bool:
    """Say whether the *found* record equals a sample's, as far as the parts *keys* of that are known."""
    return all(same_value(found.get(key), wanted.get(key)) for key in keys if not is_unclear(key, wanted))


def is_always_there(key: str, contexts: Sequence[ExampleContext]) -> bool:
    """Say whether every record of the samples has a part."""
    records = (record for one in contexts if not one.empty for record in one.wanted)
    return all(not is_blank(record.get(key)) or is_unclear(key, record) for record in records)


def sub_field(
    examples: Sequence[ExampleContext],
    shared: Shared,
    further: Sequence[Spot],
) -> BestRule | None:
    """Return the rule of one part, tested on rows of the samples and ranked on *further* ones; None where none fits."""
    tested = spread(examples, MOST_ROWS)
    present = [one for one in tested if not one.empty]
    if not present:
        return None
    shape = shape_in(present)
    make = scalar_locators if shape is ValueShape.TEXT else list_locators
    if not (locators := make(tested, shared) or make(present, shared)):
        tested = _without_slips(tested, shared, make)
        if not (locators := make(tested, shared)):
            return None
    spots, wanted = further[:MOST_ROWS], [one.wanted for one in tested]
    chosen = choose(locators, lambda one, n: one.value(shape, *spots[n]), len(spots), wanted).locators
    if shape is ValueShape.TEXT:
        chosen = [_stopping_short(chosen[0], locators, tested, further[:MOST_ROWS]), *chosen[1:]]
        chosen = [_reading_on(one, tested, further) for one in chosen]
        chosen = mended([going_on(one, tested, spots) for one in chosen], tested, spots)
    return BestRule(shape, tuple(chosen))


def _without_slips(
    rows: Sequence[ExampleContext], shared: Shared, make: Callable[[Sequence[ExampleContext], Shared], list[Locator]]
) -> list[ExampleContext]:
    """Return the rows that one way of reading gets right, if these are nearly all of many; else all rows.

    The others are mistyped, or cut off. A way that is right for all but a few is right for one of some small parts.
    """
    many, shape = range(len(rows) // LEAST_A_PART), shape_in([one for one in rows if not one.empty])
    for part in (rows[n :: len(many)] for n in many if len(many) > 1):
        for locator in make(part, shared)[:A_DOZEN]:
            right = [one for one in rows if same_value(locator.value(shape, one.at, one.scope), one.wanted)]
            if len(right) >= MOST * len(rows):
                return right
    return list(rows)


def _reading_on(locator: Locator, rows: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return a locator of prose in a row that also reads elements like its own beside it, if further rows have any.

    On the samples it reads the same: they have no such row, else it is left alone. A block with a class in a cell
    need not be seen twice on a page (`<div class="block">Deprecated.</div>` before a method's description).
    """
    present = [one for one in rows if not one.empty]
    if locator.read not in ("text", "apart") or locator.cut != NO_AFFIXES or isinstance(present[0].scope, Run):
        return locator
    nodes = [node for one in present for node in one.at.select(locator.path, one.scope)[:1]]
    forms = {None if isinstance(node, str) else form_step(node) for node in nodes}
    if len(forms) != 1 or (form := forms.pop()) is None or not _are_prose(present):
        return locator
    longer = replace(locator, path=f"({locator.path})[1]/../{form}", read="all", cost=locator.cost + 0.5)
    same = all(longer.first(one.at, one.scope) == locator.first(one.at, one.scope) for one in rows)
    several = [found for page, scope in further if len(found := page.select(longer.path, scope)) > 1]
    in_cell = all(node.tag == "div" and node.get("class") and node.getparent().tag in ("dd", "td") for node in nodes)
    goes_on = (several or in_cell) and not _hold_chapters([found[0].getparent() for found in several])
    return longer if same and goes_on else locator


def _stopping_short(
    locator: Locator,
    locators: Sequence[Locator],
    rows: Sequence[ExampleContext],
    further: Sequence[Spot],
) -> Locator:
    """Return a locator of prose in a row, or one that fits as well and reads only the beginning.

    The latter is meant if further rows go on with headings, lists and code: the samples have the beginning alone.
    """
    present = [one for one in rows if not one.empty]
    nodes = [node for page, scope in further for node in page.select(locator.path, scope)[:1]]
    blocks = [node for node in nodes if not isinstance(node, str)]
    if locator.read.startswith("all") or locator.cut.sentence or not _are_prose(present) or not _hold_chapters(blocks):
        return locator
    whole = [locator.first(page, scope) or "" for page, scope in further]
    for one in sorted(locators, key=lambda one: one.cost):
        begun = [one.first(page, scope) or "" for page, scope in further]
        begins = all(
            text.startswith(first) and bool(first) == bool(text) for first, text in zip(begun, whole, strict=True)
        )
        if begins and begun != whole:
            return one
    return locator


def _are_prose(rows: Sequence[ExampleContext]) -> bool:
    return sum(len(one.wanted.split()) for one in rows) >= WORDS_OF_PROSE * len(rows)


def _hold_chapters(blocks: Sequence[Any]) -> bool:
    """Say whether headings, lists or code stand in more than a few of the blocks: then only the first is meant."""
    chapters = sum(any(one.tag in CHAPTER for one in child_elements(block)) for block in blocks)
    return chapters > FEW * len(blocks)


def heading_rule(examples: Sequence[ExampleContext], shared: Shared, further: Sequence[Spot]) -> BestRule | None:
    """Return the rule that finds a text before several rows from each row; None if no way is right for all.

    Args:
        examples: rows of the sample pages with the text to find; all of them must have one.
        further: rows of further pages.
    """
    present = [one for one in examples if isinstance(one.wanted, str) and one.wanted]
    if not present or len(present) < len(examples):
        return None
    addresses = {address.path: address for one in spread(present, SEVERAL) for address in group_addresses(one, shared)}
    made = [Locator(one.family, one.path, cost=one.cost) for one in addresses.values()]
    rows = [(row.at, row.scope, row.wanted) for row in present]
    locators = [one for one in made if all(same_value(one.first(page, scope), text) for page, scope, text in rows)]
    if not locators:
        return None
    choice = choose(locators, lambda one, n: one.first(*further[n]), len(further), [one.wanted for one in present])
    return BestRule(ValueShape.TEXT, tuple(choice.locators[:1]))


def group_addresses(row: ExampleContext, shared: Shared) -> Iterator[Address]:
    """Addresses, from a row, of the nearest element before it that is the wanted value; the surest first."""
    index = row.at.index
    head = row.scope.head if isinstance(row.scope, Run) else row.scope
    start = index.spans.get(head, (0, 0))[0]
    before = [hit for hit in index.hits(squeeze(row.wanted)) if hit[1] <= start]
    if not before:
        return
    node = index.cover(*before[-1])
    while node is not None and index.spans.get(node) == before[-1]:
        yield from _group_addresses(node, shared)
        node = node.getparent()


def _group_addresses(node: Any, shared: Shared) -> Iterator[Address]:
    name = step_name(node)
    for _, family, test in tests_of(node, shared, SEVERAL):
        yield Address(family, f"{BEFORE}{name}[{test}][1]", 1.0)
    if node.get("colspan"):
        yield Address(Family.ATTRIBUTE, f"{BEFORE}{name}[@colspan][1]", 1.1)
    yield Address(Family.TAG, f"{BEFORE}{name}[1]", 1.2 if node.tag in HEADINGS else 1.8)
    steps = ""
    for level, above in enumerate(islice(node.iterancestors(), SEVERAL)):
        named = [said for pair in names_of(above) if shared.is_name(pair) and (said := attribute_test(*pair))]
        steps += f"{'/' if steps else ''}parent::{step_name(above)}" + "".join(f"[{said}]" for said in named[:1])
        yield Address(Family.PATH, f"{BEFORE}{name}[{steps}][1]", 1.4 + 0.2 * level)


def further_rows(flat: bool, selector: Locator, more: Sequence[LearnPage]) -> list[Spot]:
    """Return the first rows of all further pages."""
    rows: list[Spot] = []
    for page in more:
        selected = page.select(selector.path, None)
        scopes = runs_of(selected, selector.path, page) if flat else selected
        rows += [(page, scope) for scope in islice(scopes, 4)]
    return rows


def stands_or_falls(rule: RowRule, key: str, more: Sequence[LearnPage]) -> bool:
    """Tell whether a part under a table's header is there in all rows of each table of further pages, or in none.

    Then only the header can be missing, never a cell's text, and rows without the part are those of another table. This
    is also assumed if no further page has a row without it.
    """
    if not is_under_header(rule.fields[key].locators[0]):
        return False
    having: dict[Any, set[bool]] = defaultdict(set)
    for scope, record in (row for page in more for row in rule.rows_with_records(page)):
        head = scope.head if isinstance(scope, Run) else scope
        having[next(head.iterancestors("table"), None)].add(key in record)
    return all(len(some) < 2 for some in having.values())


def gives_more(one: RowRule, other: RowRule, more: Sequence[LearnPage]) -> bool:
    """Tell whether a rule gives more records than another on further pages, nearly all with all samples' parts."""
    found = [record for page in more for record in one.read(page)]
    whole = sum(all(key in record for key in other.always) for record in found)
    return whole >= NEARLY_ALL * len(found) and whole > sum(len(other.read(page)) for page in more)


def keys_of(contexts: Sequence[ExampleContext]) -> list[str]:
    """Return the parts that records have, in order of first appearance."""
    rows = (row for one in contexts if not one.empty for row in one.wanted)
    return list(dict.fromkeys(key for row in rows for key in row if not is_unclear(key, row)))


def without_part(key: str, contexts: Sequence[ExampleContext]) -> list[ExampleContext]:
    """Return the same records without a part that stands elsewhere on the page than they do."""
    rows = [[{name: row[name] for name in row if name != key} for row in one.wanted or ()] for one in contexts]
    return [one if one.empty else replace(one, wanted=wanted) for one, wanted in zip(contexts, rows, strict=True)]
