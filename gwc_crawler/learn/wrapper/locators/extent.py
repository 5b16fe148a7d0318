"""How far a text goes on: over the links in its line, over the paragraphs that follow.

In: a locator that gives the samples' values, and further pages (or records). Out: the same, or one that reads on
where the samples happen to have no link and no second paragraph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.fields import same_text
from gwc_crawler.extract.locator import RUN, RUNNING, Locator, select
from gwc_crawler.extract.nodes import child_elements, run_of, text_of
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.places.places import LEAST_PROSE, READ_WHOLE, RUN_TAGS
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.page.text import fold

Spot = tuple[LearnPage, Any]
"""A page and the scope that is read: None for all of it, or a record."""
LONG = 100
"""Characters from which on, on average, a page's texts are whole descriptions."""
_DATED = re.compile(r"(?<!\d)(?:(?:19|20)\d\d|\d\d?:\d\d)(?!\d)")
"""A year or a time of day."""
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "button", "cite", "code", "dfn", "em", "i", "kbd"),
        *("label", "mark", "samp", "small", "span", "strong", "sub", "sup", "tt", "var"),
    }
)
"""Tags of elements that stand within a line, and fill no box."""


def going_on(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return the locator, or one that reads on as further pages show; it gives the same on all samples."""
    is_cut_off = locator.split or locator.cut.after or locator.cut.sentence
    if locator.family is Family.STRUCTURED or is_cut_off or locator.read not in READ_WHOLE:
        return locator
    locator = _with_its_line(locator, contexts, further)
    is_whole = locator.cut == NO_AFFIXES and locator.read in READ_WHOLE
    return _set_apart(_reading_on(locator, contexts, further), contexts, further) if is_whole else locator


def _set_apart(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return a locator of an element that puts blanks between the texts of blocks, if further pages have blocks there.

    Not so if the samples have blocks there, too, and their values are typed without blanks. In records, of which few
    are seen, words are set apart anyhow; Chinese sentences have no blanks between them.
    """
    apart, present = replace(locator, read="apart"), [one for one in contexts if not one.empty]
    are_words = contexts[0].scope is not None and all(_width(one.wanted) == len(one.wanted) for one in present)
    differ = are_words or any(locator.first(*spot) != apart.first(*spot) for spot in further)
    if locator.read != "text" or not differ:
        return locator
    return apart if _exact(apart, present) >= _exact(locator, present) else locator


def _reading_on(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return a locator of a paragraph; where further pages have more of its form right after it, it reads those, too.

    So does one of a block in a record that stands there with its likes alone (`<div>Deprecated.</div><div>Text`).
    """
    fills = _fills_its_cell(locator, contexts)
    if not (fills or is_long(contexts)):
        return locator
    longer = replace(locator, read=RUN, cost=locator.cost + 0.3)
    firsts = (node for page, scope in further for node in select(locator.path, page, scope, first=True))
    runs = (run for node in firsts if not isinstance(node, str) and len(run := run_of(node)) > 1)
    goes_on = fills or any(run[0].tag in RUN_TAGS or (locator.path != "." and _fill(run)) for run in runs)
    if not goes_on or not _gives_the_same(longer, contexts):
        return locator
    present = [one for one in contexts if not one.empty]
    return longer if not fills or _exact(longer, present) >= _exact(locator, present) else locator


def _fills_its_cell(locator: Locator, contexts: Sequence[ExampleContext]) -> bool:
    """Tell whether the block stands alone in its parent in all sample records: further blocks there belong to it."""
    nodes = [node for one in contexts if not one.empty for node in one.at.select(locator.path, one.scope)[:1]]
    blocks = [node for node in nodes if not isinstance(node, str) and node.tag not in RUN_TAGS]
    is_inside = contexts[0].scope is not None and locator.path != "."
    return is_inside and len(blocks) == len(nodes) > 0 and all(_fill([one]) for one in blocks)


def _fill(run: Sequence[Any]) -> bool:
    """Tell whether blocks are the only content of their parent."""
    parent = run[0].getparent()
    return run[0].tag not in _INLINE and parent is not None and len(run) == sum(1 for _ in child_elements(parent))


def _with_its_line(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return a locator of a loose text, prose or a record's; where further pages have links in it, of all its line.

    So does one behind a label: in prose any word may be a link.
    """
    longer, of_a_record = replace(locator, read=RUNNING, cost=locator.cost + 0.3), contexts[0].scope is not None
    if locator.read != "text" or (not of_a_record and not _is_prose(contexts)):
        return locator
    firsts = [node for page, scope in further for node in select(locator.path, page, scope, first=True)]
    is_led = locator.family is Family.LABEL and not of_a_record
    runs_on = is_led or any(locator.first(*spot) != longer.first(*spot) for spot in further)
    are_loose = all(isinstance(node, str) for node in firsts)
    return longer if runs_on and are_loose and _gives_the_same(longer, contexts) else locator


def note_behind(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> str:
    """The words with which a dated note begins that ends texts of several further pages, and none of the samples: "Last
    edited by". "" for none. It fills an element of its own."""
    if locator.family is Family.STRUCTURED or locator.read not in (*READ_WHOLE, RUN):
        return ""
    notes = [notes for page, scope in further if (notes := _last_parts(locator, page, scope))]
    begun = Counter(words for some in notes for words in {" ".join(one.split()[:2]) for one in some})
    words = next((words for words, count in begun.most_common(1) if count >= SEVERAL), "")
    told = [one.wanted for one in contexts if not one.empty]
    return words if words and not any(words in text for text in told) else ""


def _last_parts(locator: Locator, page: LearnPage, scope: Any) -> list[str]:
    """Return the short texts with a date of the elements with which ends what a locator reads, but for all of it."""
    node = next(iter(select(locator.path, page, scope, first=True)), None)
    if node is None or isinstance(node, str):
        return []
    parts, whole = [], text_of(node)
    last = top = run_of(node)[-1] if locator.read == RUN else node
    while last is not None and (last is top or not (last.tail or "").strip()):
        parts.append(fold(text_of(last)))
        last = next(last.iterchildren("*", reversed=True), None)
    return [text for text in parts if text != fold(whole) and len(text) <= LONG and _DATED.search(text)]


def _gives_the_same(locator: Locator, contexts: Sequence[ExampleContext]) -> bool:
    found = [(locator.first(one.at, one.scope) or "", one.wanted or "") for one in contexts]
    return all(same_text(value, wanted) for value, wanted in found)


def _exact(locator: Locator, contexts: Sequence[ExampleContext]) -> int:
    """Return how many values come out as they were typed, but for the amount of white space."""
    return sum(locator.first(one.at, one.scope) == fold(one.wanted) for one in contexts)


def _width(text: str) -> int:
    """Return how many characters a text is wide; a Chinese or Japanese one says as much as two letters."""
    return len(text) + sum(sign >= "\u2e80" for sign in text)


def _is_prose(contexts: Sequence[ExampleContext]) -> bool:
    """Say whether the wanted texts are sentences rather than names."""
    present = [one.wanted for one in contexts if not one.empty]
    return sum(map(_width, present)) >= LEAST_PROSE * len(present) > 0


def is_long(contexts: Sequence[ExampleContext]) -> bool:
    """Say whether the wanted texts are whole descriptions: a single sentence may stand for the first paragraph.

    In a record, where there is less to tell apart, prose is enough.
    """
    present = [one.wanted for one in contexts if not one.empty]
    if contexts[0].scope is not None:
        return _is_prose(contexts)
    return sum(map(_width, present)) >= LONG * len(present)
