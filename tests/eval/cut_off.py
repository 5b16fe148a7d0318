"""Texts that the truth cuts off ("Registers a hook, replacing any …"): how they go on is read from their page.

A user copies what stands on the page, so a sample has the whole text; where nothing there begins so, it has none.
What was cut off is not scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.eval.scoring import fold

MARK = "…"


def is_cut(text: Any) -> bool:
    """Say whether a text ends as the truth ends what it cuts off."""
    return isinstance(text, str) and text.endswith(MARK)


def has_cut(value: Any) -> bool:
    """Say whether any text inside a value is cut off."""
    if isinstance(value, dict):
        return any(map(has_cut, value.values()))
    return any(map(has_cut, value)) if isinstance(value, list) else is_cut(value)


def completed(value: Any, tree: Any) -> Any:
    """Return *value* with each text that is cut off as the page has it; None for a text that nothing begins with."""
    return _completed(value, [text for one in tree.iter() if isinstance(one.tag, str) and (text := _text(one))])


def _completed(value: Any, texts: Sequence[str]) -> Any:
    """The same, where *texts* are those of the page's elements, the outermost first."""
    if isinstance(value, dict):
        return {key: _completed(part, texts) for key, part in value.items()}
    if isinstance(value, list):
        return [_completed(part, texts) for part in value]
    if not is_cut(value) or _squeeze(value) in _squeeze(texts[0]):
        return value
    begun = fold(value.removesuffix(MARK))
    return min((text for text in texts if text.startswith(begun)), key=len, default=None)


def _text(element: Any) -> str:
    return fold(element.text_content())


def _squeeze(text: str) -> str:
    return "".join(text.split())
