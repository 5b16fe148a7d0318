"""Boxes in which a label stands again, over another thing's value: the cards of related things below a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, label_text

_LEVELS = 12
"""So many elements around a label are looked at."""
_MOST_BOXES = 2
_NEARLY_ALL = 0.8
"""In boxes of a name so many of the label's other places have to stand."""
_BOXES = frozenset({"a", "article", "aside", "footer", "li", "nav"})
"""What is called so may be a box without a class."""

Box = tuple[str, str]
"""An element's name and a class of it, "" for none."""


def boxes_of_others(chunk: Chunk, pages: Sequence[TextIndex], is_name: Callable[[tuple[str, str]], bool]) -> list[Box]:
    """What a label stands in elsewhere on these pages, and not here: the nearest boxes that hold nearly all others.

    Args:
        is_name: whether (attribute, value) names a kind of thing on the site.
    """
    own, text = set(_around(chunk.parent, is_name, every=True)), label_text(chunk)
    others = []
    for page in pages:
        for one in page.chunks:
            if one is not chunk and len(one.text) >= len(text) and label_text(one) == text:
                others.append([box for box in dict.fromkeys(_around(one.parent, is_name)) if box not in own])
    strange = [boxes for boxes in others if boxes]
    counts = Counter(box for boxes in strange for box in boxes)
    common = {box for box, count in counts.items() if count >= _NEARLY_ALL * len(strange)}
    nearest = dict.fromkeys(box for boxes in strange for box in boxes if box in common)
    return sorted(nearest, key=lambda box: not box[1])[:_MOST_BOXES]


def _around(element: Any, is_name: Callable[[tuple[str, str]], bool], *, every: bool = False) -> Iterator[Box]:
    """The names and classes of an element and of those around it, the nearest first; of plain ones boxes alone."""
    for one in islice([element, *element.iterancestors()], None if every else _LEVELS):
        if every or one.tag in _BOXES:
            yield one.tag, ""
        yield from (
            (one.tag, token) for token in (one.get("class") or "").split() if every or is_name(("class", token))
        )
