"""A text that has its label within, before the value."""

from __future__ import annotations

from collections.abc import Iterator

from gwc_crawler.learn.texts import (
    LABEL_PREFIX,
    Chunk,
    Shared,
    TextIndex,
    label_text,
    prefix_ends,
)

_SIGN_COST, _WORDS_COST = 1.6, 1.8
"""What it costs to go by words up to a sign, and by words that nothing parts from the value."""


def beginnings(index: TextIndex, shared: Shared, target: Chunk) -> Iterator[tuple[str, float]]:
    """The words that a text begins with before its value, and what it costs to go by them: "Issued:", "ISO "."""
    prefix = label_text(target)[:LABEL_PREFIX]
    for end in prefix_ends(prefix):
        if shared.is_prefix(lead := prefix[:end].strip()):
            yield lead, _SIGN_COST
    yield from ((words, _WORDS_COST) for words in shared.words_before(prefix))
