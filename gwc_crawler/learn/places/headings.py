"""Headings of sections, and the words in them that say which section that is."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import Any

from gwc_crawler.extract import LEVELS
from gwc_crawler.learn.texts import LONGEST_LABEL, Chunk, Shared, TextIndex, heading_chunk

_MOST_SIGNS = 2
"""Characters that a heading may have behind its words: a link's "¶", a counter."""
_MOST_BUTTONS, _LEVELS_IN = 4, 2
"""So many words may stand beside a heading, for readers who want to edit or hear it, so many levels above its own."""


def heading_before(node: Any, index: TextIndex, start: int) -> Any:
    """The sibling whose text ends where a value in *node* begins, if that is short: it may be its heading."""
    for beside in node.itersiblings(preceding=True):
        span = index.spans.get(beside)
        if span is not None and span[0] < span[1]:
            is_heading = span[1] == start and span[1] - span[0] <= LONGEST_LABEL
            return beside if is_heading else None
    return None


def heading_of(node: Any, index: TextIndex, shared: Shared) -> Chunk | None:
    """The words of an element that heads a section; None for one that heads none."""
    span = index.spans.get(node)
    if span is None or span[0] == span[1]:
        return None
    chunk = heading_chunk(index, span)
    if chunk is None or not shared.is_label(chunk):
        return None
    is_all = span[1] - chunk.end <= _MOST_SIGNS
    return chunk if is_all or _has_buttons(node, chunk, index, shared, span[1]) else None


def _has_buttons(node: Any, heading: Chunk, index: TextIndex, shared: Shared, end: int) -> bool:
    """Whether an element is made of a heading and of what several headings of the page have beside them: "[edit]"."""
    around = [heading.parent, *islice(heading.parent.iterancestors(), _LEVELS_IN)]
    is_heading = any(one.tag in LEVELS for one in takewhile(lambda one: one is not node, around))
    first = index.chunk_at(heading.start) + 1
    beside = takewhile(lambda one: one.start < end, islice(index.chunks, first, first + _MOST_BUTTONS + 1))
    words = [one for one in beside if any(map(str.isalnum, one.text))]
    return is_heading and len(words) <= _MOST_BUTTONS and all(map(shared.is_ambiguous, words))
