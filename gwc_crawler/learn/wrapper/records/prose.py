"""How much of a text is meant in a row: its first paragraph or all, which further rows tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Finder, Run, child_elements
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.places import form_step
from gwc_crawler.learn.texts import ExampleContext, LearnPage

WORDS_OF_PROSE = 4
"""Texts of so many words, on average, are prose rather than names: they may go on in another paragraph."""
CHAPTER = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "pre", "table", "ul", "ol", "dl"})
MOST_CHAPTERS = 0.25
"""Where on more rows headings, lists or code stand between the paragraphs, the first one is all that is meant."""


def reading_on(finder: Finder, rows: Sequence[ExampleContext], further: Sequence[tuple[LearnPage, Any]]) -> Finder:
    """A finder of prose in a row; where further rows have more elements like its own beside it, it reads those, too.

    On the samples it gives the same: they have no such row, or the finder is left as it is. Of a block with a class in
    a cell no page seen need have several (`<div class="block">Deprecated.</div>` before what a method does).
    """
    present = [one for one in rows if not one.empty]
    if finder.read not in ("text", "apart") or finder.cut != NO_AFFIXES or isinstance(present[0].scope, Run):
        return finder
    nodes = [node for one in present for node in one.at.select(finder.path, one.scope)[:1]]
    forms = {None if isinstance(node, str) else form_step(node) for node in nodes}
    if len(forms) != 1 or (form := forms.pop()) is None or not _are_prose(present):
        return finder
    longer = replace(finder, path=f"({finder.path})[1]/../{form}", read="all", cost=finder.cost + 0.5)
    same = all(longer.first(one.at.page, one.scope) == finder.first(one.at.page, one.scope) for one in rows)
    several = [found for page, scope in further if len(found := page.select(longer.path, scope)) > 1]
    in_cell = all(node.tag == "div" and node.get("class") and node.getparent().tag in ("dd", "td") for node in nodes)
    goes_on = (several or in_cell) and not _hold_chapters([found[0].getparent() for found in several])
    return longer if same and goes_on else finder


def stopping_short(
    finder: Finder, finders: Sequence[Finder], rows: Sequence[ExampleContext], further: Sequence[tuple[LearnPage, Any]]
) -> Finder:
    """A finder of prose in a row, or of those that fit as well one that reads where it begins.

    That is meant where further rows go on with headings, lists and code: the samples have the beginning alone.
    """
    present = [one for one in rows if not one.empty]
    nodes = [node for page, scope in further for node in page.select(finder.path, scope)[:1]]
    blocks = [node for node in nodes if not isinstance(node, str)]
    if finder.read.startswith("all") or finder.cut.sentence or not _are_prose(present) or not _hold_chapters(blocks):
        return finder
    whole = [finder.first(page.page, scope) or "" for page, scope in further]
    for one in sorted(finders, key=lambda one: one.cost):
        begun = [one.first(page.page, scope) or "" for page, scope in further]
        begins = all(
            text.startswith(first) and bool(first) == bool(text) for first, text in zip(begun, whole, strict=True)
        )
        if begins and begun != whole:
            return one
    return finder


def whole_paragraph(finder: Finder, finders: Sequence[Finder], further: Sequence[tuple[LearnPage, Any]]) -> Finder:
    """A finder of a block's first sentence in a row, or of those that fit as well that of its first paragraph.

    That is what is meant where the block has one that begins with the sentence, or has none.
    """
    wanted = f"{finder.path}/p", finder.read, NO_AFFIXES
    found = next((one for one in finders if (one.path, one.read, one.cut) == wanted), None)
    if not finder.cut.sentence or found is None:
        return finder
    pairs = ((finder.first(page.page, scope) or "", found.first(page.page, scope)) for page, scope in further)
    return found if all(not text or squeeze(text).startswith(squeeze(first)) for first, text in pairs) else finder


def _are_prose(rows: Sequence[ExampleContext]) -> bool:
    return sum(len(one.wanted.split()) for one in rows) >= WORDS_OF_PROSE * len(rows)


def _hold_chapters(blocks: Sequence[Any]) -> bool:
    """Whether headings, lists or code stand in more than a few of the blocks."""
    chapters = sum(any(one.tag in CHAPTER for one in child_elements(block)) for block in blocks)
    return chapters > MOST_CHAPTERS * len(blocks)
