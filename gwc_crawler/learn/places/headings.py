"""Headings of sections, and the words in them that say which section that is."""

from __future__ import annotations

from typing import Any

from gwc_crawler.learn.texts.shared import LONGEST_LABEL, Shared
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, heading_chunk

_MOST_SIGNS = 2
"""Characters that a heading may have behind its words: a link's "¶", a counter."""


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
    return chunk if span[1] - chunk.end <= _MOST_SIGNS else None
