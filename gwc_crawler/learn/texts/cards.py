"""Boxes in which a label stands again, over another thing's value: the cards of related things below a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from gwc_crawler.learn.texts.names import SEVERAL
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, label_text

_LEVELS = 12
"""So many elements around a label are looked at."""
_MOST_BOXES = 2
_MOST_PLACES = 20
"""So many places of a label on a page are looked at."""
_NEARLY_ALL = 0.8
"""In boxes of a name so many of the label's other places have to stand."""
_BOXES = frozenset({"a", "article", "aside", "footer", "li", "nav"})
"""What is called so may be a box without a class."""

Box = tuple[str, str]
"""An element's name and a class of it, "" for none."""


def boxes_of_others(
    chunk: Chunk, pages: Sequence[TextIndex], is_name: Callable[[tuple[str, str]], bool], begins: str = ""
) -> list[Box]:
    """What a label stands in elsewhere on these pages, and not here: the nearest boxes that hold nearly all others.

    A copy of the record on its page, for other screens, has the same value and counts for nothing. [] where some other
    place of the label is in no such box.

    Args:
        is_name: whether (attribute, value) names a kind of thing on the site.
        begins: what the label says if it begins a text; else the text is all of it.
    """
    own = set(_around(chunk.parent, is_name, every=True))
    strange: list[list[Box]] = []
    same, other = Counter[Box](), Counter[Box]()
    alone = bare = 0
    for page in pages:
        every = _places(chunk, page, begins)
        boxes = [[box for box in dict.fromkeys(_around(one.parent, is_name)) if box not in own] for one, _ in every]
        around = [(said, [] if one is chunk else some) for (one, said), some in zip(every, boxes, strict=True)]
        plain = {said for said, some in around if not some}
        if len(plain) > 1:
            return []
        bare += not plain
        alone += not plain and len(around) == 1
        for said, some in around:
            if said not in plain:
                strange += [some] if some else []
            if plain:
                (same if said in plain else other).update(some)
    if alone >= SEVERAL and 2 * alone > bare:
        return []
    counts = Counter(box for some in strange for box in some)
    common = {box for box, count in counts.items() if count >= _NEARLY_ALL * len(strange) and same[box] <= other[box]}
    nearest = dict.fromkeys(box for some in strange for box in some if box in common)
    return sorted(nearest, key=lambda box: not box[1])[:_MOST_BOXES]


def _places(chunk: Chunk, page: TextIndex, begins: str) -> list[tuple[Chunk, str]]:
    """The texts of a page that are the label, in elements of the same name, and what stands behind each."""
    starts = (number for number, text in enumerate(page.said) if text.startswith(begins))
    numbers = starts if begins else page.numbers.get(label_text(chunk), ())
    alike = (number for number in numbers if page.chunks[number].parent.tag == chunk.parent.tag)
    behind = page.said if begins else [*page.said[1:], ""]
    return [(page.chunks[number], behind[number]) for number in islice(alike, _MOST_PLACES)]


def _around(element: Any, is_name: Callable[[tuple[str, str]], bool], *, every: bool = False) -> Iterator[Box]:
    """The names and classes of an element and of those around it, the nearest first; of plain ones boxes alone."""
    for one in islice([element, *element.iterancestors()], None if every else _LEVELS):
        if every or one.tag in _BOXES:
            yield one.tag, ""
        yield from (
            (one.tag, token) for token in (one.get("class") or "").split() if every or is_name(("class", token))
        )
