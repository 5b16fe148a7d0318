"""Sections: if all of the samples' values stand under one heading, values under others are something else.

In: ways to records or values that fit the samples. Out: the same, or ways to the values under a heading with the
word that names them. On further pages several sections have lists built alike: "Parameters" and "Description"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from lxml import etree

from gwc_crawler.extract.locator import UNDER, Run
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

    Rows are no records if the heading has the field's name, or if further pages have rows under headings that stand on
    some page beside the samples' one, and so are no other word for it. A heading with the same word is: the word that
    is the field's name, or else the last ("Required Methods", "Provided Methods"). Rows under no heading are records.
    """
    best = ways[0]
    given = [row for page in samples for row in _rows(best, page)]
    tag, heading = _common(given)
    if best.parts or not heading or not all(_is_over(_heading(row, tag), row) for row in given):
        return ways
    if any(row.find(f".//{tag}") is not None for page in (*samples, *pages) for row in _rows(best, page)):
        return ways  # before the second record stands a heading of the first
    labels = map(_words, quoted_in(best.rows.path)) if best.rows.family is Family.LABEL else ()
    if any(label and label in heading for label in labels):
        return ways  # the rows are found by the words of the heading, or some of them
    named = name_in(name, heading)
    word = named or heading.split()[-1]
    if any(map(str.isdigit, text_of(_heading(given[0], tag)))):  # "2 comments", elsewhere "1 comment"
        word = word.removesuffix("s")
    headings = (set(map(_said, page.tree.iter(tag))) for page in (*samples, *pages))
    beside = set[str]().union(*(some for some in headings if heading in some))  # they are no other words for it
    if tag == _LEVELS[-1] and len(beside) < 2:  # the page's, or the site's: it never stands beside another one
        return ways
    found = [texts for page in pages if (texts := {_said(_heading(row, tag)) for row in _rows(best, page)})]
    kept = sum(any(word in text or not text for text in texts) for texts in found)
    foreign = any(word not in text and text in beside for texts in found for text in texts)
    is_called = best.rows.family in (Family.CLASS, Family.ID) and "/parent::" not in best.rows.path
    if is_called:  # what is called so is never in two sections of a page
        foreign = foreign and any(any(word in text for text in texts) and len(texts) > 1 for texts in found)
    are_others = foreign and kept >= HALF * len(found)
    told = sum(all(word in text or not text or text in beside for text in texts) for texts in found)
    if kept < SEVERAL or not (are_others or (named and told >= NEARLY_ALL * len(found))):
        return ways
    test = f'{UNDER}{tag}[1][not(contains(normalize-space(),"{word}"))])]'
    return [replace(way, rows=replace(way.rows, path=way.rows.path + test)) for way in ways if not way.parts]


def _common(rows: Sequence[Any]) -> tuple[str, str]:
    """Return the nearest level on which all rows have a heading with the same words, and these; "" for none."""
    nearest = None
    for tag in _LEVELS:
        found = [_heading(row, tag) for row in rows]
        if not found or None in found or len(set(map(_said, found))) > 1:
            continue
        if nearest is None or any(one is nearest for one in found[0].xpath(f"preceding::{nearest.tag}")):
            nearest = found[0]
    heading = _said(nearest)
    return (nearest.tag, heading) if nearest is not None and 0 < len(heading) <= LABEL_LENGTH else ("", "")


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


def _rows(way: RowRule, page: PageView) -> list[Any]:
    """Return the elements at which some of a page's records begin."""
    scopes = [scope.head if isinstance(scope, Run) else scope for scope, _ in way.rows_with_records(page)]
    return scopes[:: -(-len(scopes) // ENOUGH)] if scopes else []


def _heading(row: Any, tag: str) -> Any:
    """Return the nearest heading of a level before a row, None for none."""
    return next(iter(_before(tag)(row)), None)


def _said(heading: Any) -> str:
    """Return the words of a heading, without its number; "" for none."""
    return "" if heading is None else _words(text_of(heading))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))


@cache
def _before(tag: str) -> etree.XPath:
    return etree.XPath(f"preceding::{tag}[1]")
