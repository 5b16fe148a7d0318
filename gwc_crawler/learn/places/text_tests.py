"""A text that has its label within: before the value, among others in the line, or behind it."""

from __future__ import annotations

from collections.abc import Iterator

from gwc_crawler.learn.places.steps import quote
from gwc_crawler.learn.texts import (
    LABEL_PREFIX,
    LONGEST_LINE,
    SEVERAL,
    Chunk,
    Shared,
    TextIndex,
    ending_of,
    label_text,
    leads_beside,
    prefix_ends,
)

_SIGN_COST, _AMID_COST, _WORDS_COST = 1.6, 1.7, 1.8
"""What it costs to go by words up to a sign, by one of the labels in a line, and by words that nothing parts from the
value, or behind it."""
_MOST_INSIDE = 8


def beginnings(index: TextIndex, shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """The words that a text begins with before its value, and what it costs to go by them: "Issued:", "ISO "."""
    prefix = label_text(target)[:LABEL_PREFIX]
    for end in prefix_ends(prefix):
        lead = prefix[:end].strip()
        beside = sum(map(shared.is_prefix, leads_beside(index, target)))
        if shared.is_prefix(lead) or beside >= SEVERAL:
            yield lead, _SIGN_COST
    yield from ((words, _WORDS_COST) for words in shared.words_before(prefix))


def tests_of_other_parts(shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """Tests for one of several labels within a line, "Size: 12 mm Colour: red", and for what is behind the value."""
    text = label_text(target)
    labels = shared.labels_inside(text) if target.end - target.start <= LONGEST_LINE else []
    parts = [(one, _AMID_COST) for one in labels[:_MOST_INSIDE]] if len(labels) > 1 else []
    if (ending := ending_of(text)) and shared.is_ending(ending):
        parts.append((ending, _WORDS_COST))
    for part, cost in parts:
        if quoted := quote(part):
            yield f"contains(normalize-space(),{quoted})", cost
