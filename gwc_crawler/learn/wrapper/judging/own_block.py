"""Blocks that are told by themselves: a quotation below a section's text, whichever section that is.

What stands under another heading than on the samples is something else; but not where no page has two of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

from gwc_crawler.extract import BREAKS, PageView, select
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import HEADINGS
from gwc_crawler.learn.wrapper.judging.candidates import Ranked, is_named, path_of

_LEAST_PAGES = 5
"""On so many pages a block has to be seen."""
_BLOCKS = frozenset({"address", "aside", "blockquote", "details", "figure", "pre"})
"""What is called so is no part of the text around it."""
_NEAREST = 2
"""A block may be the element itself or what is right around it."""
_FAR = re.compile(
    r"/ancestor::\*\[following-sibling|/\.\./\.\./(?:\.\./)*following-sibling"
    rf"|/following-sibling::(?:{'|'.join(sorted(_BLOCKS))})\[1\]$"
)
"""The way from a label out of the block in which it stands, or over others to a block of such a kind."""
_LABELLED = re.compile(r'/text\(\)\[starts-with\(|/p(?:/text\(\)|\[text\(\))\[normalize-space\(\)="[^"]*[:：]"\]')
"""A text by its beginning, or what follows one with a colon in its paragraph."""


def is_told_by_itself(path: str, node: Any, pages: Sequence[PageView]) -> bool:
    """Whether a path leads to texts with their label in the same line, or to blocks with a class or a kind of their
    own, of which no page has two.

    No block stands right below a heading: that says what is in it. A label in its line says so wherever it stands.

    Args:
        node: what it leads to on a page in doubt.
        pages: others, the samples among them.
    """
    is_labelled = _LABELLED.search(path) is not None
    block_of = _line_of if is_labelled else _block_of
    found = [set(map(block_of, select(path, page))) for page in pages]
    if sum(map(bool, found)) < _LEAST_PAGES or max(map(len, found)) > 1:
        return False
    blocks = [block_of(node), *(one for some in found for one in some)]
    return None not in blocks and (is_labelled or not any(map(_is_headed, blocks)))


def _line_of(node: Any) -> Any:
    """The block in which a text stands, or what is beside its label."""
    above = node.getparent()
    return next((one for one in (above, *above.iterancestors()) if one.tag in BREAKS), above)


def what_is_told_by_itself(ranked: Sequence[Ranked]) -> Ranked:
    """The best one; or, where that goes by a label somewhere before, such a block by its name if it says no less.

    A quotation behind a table with the header "Remarks", which not all pages have. So is any block with a class that
    more pages have: the poet's box behind the section "Background".
    """
    best = ranked[0]
    if best.finder.family is not Family.LABEL or not _FAR.search(path_of(best.finder)):
        return best
    for one in ranked[1:]:
        is_block = is_named(one.finder) and path_of(one.finder).rpartition("/")[2] in _BLOCKS
        is_alike = one.finder.family is Family.CLASS and _cut_of(one) == _cut_of(best)
        is_wider = is_alike and one.coverage > best.coverage and one.kind >= best.kind
        same = all(theirs in (None, mine) for theirs, mine in zip(best.values, one.values, strict=True))
        if (is_block or is_wider) and not one.refuted and same:
            return one
    return best


def _cut_of(one: Ranked) -> Any:
    return getattr(one.finder, "cut", None)


def _block_of(node: Any) -> Any:
    """The element itself if it has a class, else the nearest one of such a kind, from itself on; or None.

    Of a text the element that holds nothing else.
    """
    is_text = isinstance(node, str)
    node = node.getparent() if is_text else node
    if is_text and len(node):
        return None
    if node.get("class"):
        return node
    return next((one for one in islice(chain([node], node.iterancestors()), _NEAREST) if one.tag in _BLOCKS), None)


def _is_headed(block: Any) -> bool:
    before = next(block.itersiblings("*", preceding=True), None)
    return before is None or before.tag in HEADINGS
