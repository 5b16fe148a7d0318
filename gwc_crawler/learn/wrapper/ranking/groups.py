"""Lists that further pages have in groups with captions: "For the sauce", "For the filling". Both samples have one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from gwc_crawler.extract import LEVELS, Finder, PageView, select, text_of
from gwc_crawler.learn.texts import LONGEST_LABEL, ExampleContext

_LISTS = ("ol", "ul")
_OF_A_GROUP = re.compile(r"^for (?:the )?\w|料[:：]?$", re.IGNORECASE)
"""What a caption says: "For the sauce", "调料". Any other has to have a class: else it is a label of other things."""
_LEAST_PAGES = 2
"""So many pages must have several groups."""
_LEAST_CAPTIONS = 3
"""So many captions must be known: a single one is the label of something else."""


def in_their_groups(
    best: Finder, way: str, rest: str, contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """What reads the items of all lists below a heading, if further ones are captioned groups; [] where they are not.

    Args:
        best: reads the items of the list right behind its heading.
        way: the path of all lists of its name up to the next heading.
        rest: the steps from there to the items.
        contexts: the samples, on which it gives the same.
        pages: further pages.
    """
    whole = replace(best, path=way + rest)
    more = [page for page in pages if len(select(way, page)) > 1]
    same = all(whole.every(one.at.page) == best.every(one.at.page) for one in contexts)
    captions = {text for page in more for text in _captions(select(way, page))}
    are_groups = len(more) >= _LEAST_PAGES and len(captions) >= _LEAST_CAPTIONS and "" not in captions
    return [whole] if same and are_groups else []


def _captions(lists: Sequence[Any]) -> Iterator[str]:
    """What stands right before each list but the first, if it is a short line behind a list of its kind; else ""."""
    for one, other in pairwise(lists):
        caption = other.getprevious()
        is_alike = one.tag in _LISTS and (one.tag, one.get("class")) == (other.tag, other.get("class"))
        is_between = caption is not None and caption.getprevious() is one and caption.tag not in LEVELS
        text = text_of(caption) if is_alike and is_between else ""
        is_told = bool(caption is not None and caption.get("class")) or _OF_A_GROUP.search(text) is not None
        yield text if is_told and len(text) <= LONGEST_LABEL else ""
