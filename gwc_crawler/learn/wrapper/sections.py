"""Sections: if all of the samples' values stand under one heading, values under others are something else.

In: ways to records or values that fit the samples. Out: the same, or ways to the values under a heading with the
word that names them. On further pages several sections have lists built alike: "Parameters" and "Description"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from lxml import etree

from gwc_crawler.extract.locator import UNDER, Locator, Run
from gwc_crawler.extract.nodes import text_of
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import RowRule
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import ENOUGH, HALF, LABEL_LENGTH, NEARLY_ALL, SEVERAL
from gwc_crawler.learn.places.steps import quoted_in
from gwc_crawler.learn.wrapper.ranking.named import name_in

_LEVELS = ("h6", "h5", "h4", "h3", "h2", "h1")
_PARTS = frozenset({*_LEVELS, "dl", "ol", "table", "ul"})
"""Tags of elements that are parts of their own below a heading, not words before the rows."""
_LONGEST_LEAD = 150
"""Characters of an introduction below a heading."""
_WORD = re.compile(r"[^\W\d_]+")


def in_their_section(
    name: str, ways: Sequence[RowRule], samples: Sequence[PageView], pages: Sequence[PageView]
) -> Sequence[RowRule]:
    """Return the *ways*; only those under the samples' heading if rows under other headings are no records.

    If the rows are read by their heading, return also those under others with the same word of the field's name, if
    such headings stand beside it on further pages, and on no sample.

    Rows are no records if the heading has the field's name, or if further pages have rows under headings that stand on
    some page beside the samples' one, and so are no other word for it. A heading with the same word is: the word that
    is the field's name, or else the last ("Required Methods", "Provided Methods"). Rows under no heading are records.

    Args:
        name: the field's.
        ways: best first.
        samples: the pages with records.
        pages: further pages.
    """
    best = ways[0]
    given = [row for page in samples for row in _rows(best, page)]
    tag, heading = _common(lambda tag: [before[0] if (before := _before(tag)(row)) else None for row in given])
    if best.parts or not heading or not all(_is_over(_before(tag)(row)[0], row) for row in given):
        return ways
    if any(row.find(f".//{tag}") is not None for page in (*samples, *pages) for row in _rows(best, page)):
        return ways  # before the second record stands a heading of the first
    named = name_in(name, heading)
    if _is_labelled(best.rows, heading):
        return ways
    word = named or heading.split()[-1]
    if any(map(str.isdigit, text_of(_before(tag)(given[0])[0]))):  # "2 comments", elsewhere "1 comment"
        word = word.removesuffix("s")
    beside = _beside(heading, tag, (*samples, *pages))
    if tag == _LEVELS[-1] and len(beside) < 2:  # the page's, or the site's: it never stands beside another one
        return ways
    found = [texts for page in pages if (texts := {_heading(row, tag) for row in _rows(best, page)})]
    kept = sum(any(word in text or not text for text in texts) for texts in found)
    foreign = any(word not in text and text in beside for texts in found for text in texts)
    is_called = best.rows.family in (Family.CLASS, Family.ID) and "/parent::" not in best.rows.path
    if is_called:  # what is called so is never in two sections of a page
        foreign = foreign and any(any(word in text for text in texts) and len(texts) > 1 for texts in found)
    are_others = foreign and kept >= HALF * len(found)
    if kept < SEVERAL or not (are_others or (named and _are_told(word, found, beside))):
        return ways
    return [replace(way, rows=_bounded(way.rows, tag, word)) for way in ways if not way.parts]


def _common(headings: Callable[[str], Sequence[Any]]) -> tuple[str, str]:
    """Return the nearest level on which all have a heading with the same words, and these; "" for none."""
    nearest = None
    for tag in _LEVELS:
        found = headings(tag)
        if found and None not in found and len(set(map(_said, found))) == 1 and _is_after(found[0], nearest):
            nearest = found[0]
    heading = _said(nearest) if nearest is not None else ""
    return (nearest.tag, heading) if nearest is not None and 0 < len(heading) <= LABEL_LENGTH else ("", "")


def _is_after(one: Any, other: Any) -> bool:
    """Say whether an element stands behind another one (None: no other)."""
    return other is None or any(before is other for before in one.xpath(f"preceding::{other.tag}"))


def _beside(heading: str, tag: str, pages: Sequence[PageView]) -> set[str]:
    """Return the headings that stand on a page with this one: they are no other words for it."""
    return {text for page in pages if heading in (some := _headings(page, tag)) for text in some}


def _are_told(word: str, found: Sequence[set[str]], beside: set[str]) -> bool:
    """Say whether the headings *found* on nearly all pages have the word, are empty, or stand *beside* that.

    Others may be another word for it.
    """
    told = sum(all(word in text or not text or text in beside for text in texts) for texts in found)
    return told >= NEARLY_ALL * len(found)


def _is_over(heading: Any, row: Any) -> bool:
    """Tell whether a heading is over the row: not amid an earlier block, such as a page of tabs beside the row's.

    It is not over a row that begins with a heading of its own level or a higher one.
    """
    if row.tag in _LEVELS and row.tag <= heading.tag:
        return False
    around = set(row.iterancestors())
    node, behind = heading, list[Any]()
    while node.getparent() not in around:
        behind += node.itersiblings("*")
        node = node.getparent()
    inside = Counter(one.tag for outer in behind for one in outer.iter("*"))
    has_parts = not _PARTS.isdisjoint(inside) or inside["div"] >= SEVERAL
    return not has_parts and sum(len(text_of(one)) for one in behind) <= _LONGEST_LEAD


def _is_labelled(locator: Locator, heading: str) -> bool:
    """Say whether a locator goes by the words of a heading, or some of them."""
    labels = map(_words, quoted_in(locator.path)) if locator.family is Family.LABEL else ()
    return any(label and label in heading for label in labels)


def _bounded(locator: Locator, tag: str, word: str) -> Locator:
    test = f'{UNDER}{tag}[1][not(contains(normalize-space(),"{word}"))])]'
    return replace(locator, path=locator.path + test)


def _rows(way: RowRule, page: PageView) -> list[Any]:
    """Return the elements at which some of a page's records begin."""
    scopes = [scope.head if isinstance(scope, Run) else scope for scope, _ in way.rows_with_records(page)]
    return scopes[:: -(-len(scopes) // ENOUGH)] if scopes else []


def _heading(row: Any, tag: str) -> str:
    """Return the text of the nearest heading of a level before a row, "" for none."""
    before = _before(tag)(row)
    return _said(before[0]) if before else ""


def _headings(page: PageView, tag: str) -> set[str]:
    return set(map(_said, page.tree.iter(tag)))


def _said(heading: Any) -> str:
    """Return the words of a heading, without its number."""
    return _words(text_of(heading))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))


@cache
def _before(tag: str) -> etree.XPath:
    return etree.XPath(f"preceding::{tag}[1]")
